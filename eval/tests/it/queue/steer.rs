//! Budgets shared by all workers, and `rlm-eval queue`.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use nats_fixture::NatsServer;
use records::run_dir::Reopened;
use serde_json::Value;

use super::{binary_with_queue, dir, lines, log, start, submit, summary, until, worker};
use crate::binary::Binary;
use crate::faults::gated_model;

fn status(binary: &Binary, dir: &str) -> Value {
    let ran = binary.run(&["queue", "status", dir, "--json"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let all: Value = serde_json::from_str(&ran.stdout).unwrap();
    all[0].clone()
}

#[test]
fn shares_one_budget_among_workers() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    let _workers = ["a", "b"].map(|name| worker(&binary, server.url(), name, &[]));
    let limits = ["--max-llm-calls", "60", "--time-limit", "3600"];
    let ran = submit(&binary, server.url(), "40", &limits);
    assert_eq!(ran.code, Some(106), "{ran:?}");
    assert!(ran.stderr.contains(" --max-llm-calls 120"), "{ran:?}");
    assert!(
        ran.stderr.contains("--max-llm-calls budget is used up"),
        "{ran:?}"
    );
    let dir = dir(&binary);
    let spent = &status(&binary, &dir)["spent"]["calls"];
    assert!(spent.as_f64().unwrap() <= 60.0, "{spent}");
    let whole = ["run", "--resume", &dir, "--max-llm-calls", "5000"];
    let ran = binary.run(&whole, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(summary(Path::new(&dir))["attempts"], 40);
}

/// While a worker waits for three calls, the run is submitted again with another budget.
#[test]
fn resumed_run_changes_budget_of_live_worker() {
    // (budget at first, state and calls until the worker waits, new budget, exit code, calls)
    for (first, state, waiting, budget, code, calls) in [
        (None, "open", 3, "4", 106, 4),
        (Some("2"), "halted", 2, "5000", 0, 6),
    ] {
        let Some(server) = NatsServer::start() else {
            return;
        };
        let gate = Arc::new(Mutex::new(()));
        let closed = gate.lock().unwrap();
        let model = gated_model(&gate);
        let rows = ["a", "b", "c", "d", "e", "f"]
            .map(|id| format!("{{\"id\":\"{id}\",\"query\":\"?\",\"expected\":\"yes\"}}\n"));
        let binary = binary_with_queue(server.url())
            .file("rows.jsonl", rows.concat())
            .variable("OPENAI_API_KEY", "key")
            .variable("OPENAI_BASE_URL", &model.openai());
        let mut args = vec!["run", "--benchmark", "rows.jsonl", "--scorer", "exact"];
        args.extend(["--protocol", "direct", "--model", "openai/gpt-4o-mini"]);
        args.extend(["--queue", server.url(), "--detach"]);
        if let Some(budget) = first {
            args.extend(["--max-llm-calls", budget]);
        }
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = dir(&binary);
        let _worker = worker(&binary, server.url(), "w", &[]);
        until("the worker waits for the model", || {
            model.seen().len() == waiting && status(&binary, &dir)["state"]["is"] == state
        });
        let resume = ["run", "--resume", &dir, "--max-llm-calls", budget];
        let mut submitter = start(&binary, "run.log", &resume);
        until("the run is submitted again", || {
            log(&binary, "run").contains("submitted")
                && status(&binary, &dir)["state"]["is"] == "open"
        });
        if first.is_none() {
            until("the worker has received the new budget", || {
                log(&binary, "w").contains("have changed")
            });
        }
        drop(closed);
        until("the run ends", || submitter.has_ended());
        assert_eq!(submitter.code(), Some(code), "{}", log(&binary, "run"));
        assert_eq!(model.seen().len(), calls, "{}", log(&binary, "w"));
    }
}

#[test]
fn budget_covers_attempts_made_without_queue() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    let ran = submit(&binary, server.url(), "10", &["--detach"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dir = dir(&binary);
    let resume = ["run", "--resume", &dir, "--max-llm-calls"];
    let ran = binary.run(&[&resume[..], &["8", "--queue", "none"]].concat(), "");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    // The run continues without the queue until the queue is named again.
    let ran = binary.run(&[&resume[..], &["9"]].concat(), "");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    let again = ["12", "--detach", "--queue", server.url()];
    let ran = binary.run(&[&resume[..], &again].concat(), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // No worker has run, so all spending is that of the folder.
    let spent = Reopened::open(Path::new(&dir)).unwrap().spent().unwrap();
    assert_eq!(
        status(&binary, &dir)["spent"]["calls"],
        spent.llm_calls as f64
    );
}

#[test]
fn pauses_resumes_and_cancels() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    let ran = submit(&binary, server.url(), "30", &["--detach"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dir = dir(&binary);
    let queue = |args: &[&str]| {
        let ran = binary.run(&[&["queue"], args].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stderr
    };
    assert!(queue(&["pause", &dir, "--sample", "s-niah-2k-4"]).contains("1 attempts"));
    // A further submission does not return this sample to the queue.
    let ran = binary.run(&["run", "--resume", &dir, "--detach"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("waits for held samples: s-niah-2k-4;"),
        "{ran:?}"
    );
    assert_eq!(status(&binary, &dir)["waiting"], 29);
    queue(&["pause", &dir]);
    let _worker = worker(&binary, server.url(), "w", &[]);
    assert_eq!(status(&binary, &dir)["state"]["is"], "paused");
    assert!(queue(&["cancel", &dir, "--sample", "s-niah-2k-3"]).contains("1 attempts"));
    assert_eq!(status(&binary, &dir)["waiting"], 28);
    queue(&["resume", &dir]);
    until("all other attempts have ended", || {
        let now = status(&binary, &dir);
        now["waiting"] == 0 && now["under_way"] == 0
    });
    queue(&["pause", &dir, "--worker", "w"]);
    assert!(queue(&["resume", &dir, "--sample", "s-niah-2k-4"]).contains("1 attempts"));
    // The worker may still receive one attempt through an earlier request, but returns it.
    let now = status(&binary, &dir);
    let there = now["waiting"].as_u64().unwrap() + now["under_way"].as_u64().unwrap();
    assert_eq!(there, 1, "{now}");
    queue(&["resume", &dir, "--worker", "w"]);
    let ran = binary.run(&["run", "--resume", &dir], "");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    assert_eq!(lines(&dir), 29);
    assert!(
        !fs::read_to_string(Path::new(&dir).join("samples.jsonl"))
            .unwrap()
            .contains("\"s-niah-2k-3\"")
    );
    let unknown = ["queue", "pause", "nothing", "--queue", server.url()];
    let targets: [&[&str]; 3] = [&[], &["--sample", "s"], &["--worker", "w"]];
    for target in targets {
        let wrong = binary.run(&[&unknown[..], target].concat(), "");
        assert_eq!(wrong.code, Some(2), "{wrong:?}");
    }
}

#[test]
fn cancelled_run_can_be_resumed() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    let ran = submit(&binary, server.url(), "10", &["--detach"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dir = dir(&binary);
    assert_eq!(binary.run(&["queue", "cancel", &dir], "").code, Some(0));
    let state = status(&binary, &dir);
    assert_eq!(
        (&state["state"]["is"], &state["waiting"]),
        (&"cancelled".into(), &10.into())
    );
    let _worker = worker(&binary, server.url(), "w", &[]);
    let ran = binary.run(&["run", "--resume", &dir], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
