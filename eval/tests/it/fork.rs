//! `rlm-eval fork`: inherited responses, new requests, and rejected forks.

use std::fs;
use std::path::{Path, PathBuf};

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use records::run_dir::RunDir;
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};

/// Number of iterations in a complete attempt.
const LAST: usize = 6;

fn turn(seen: &ReceivedRequest) -> usize {
    let messages = seen.body["messages"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let answered = messages.iter().filter(|one| one["role"] == "assistant");
    answered.count() + 1
}

fn reply(seen: &ReceivedRequest) -> Behavior {
    let cell = match turn(seen) {
        LAST.. => "return(seen.length)".to_owned(),
        1 => "var seen = [1, Math.random()]; console.log(seen, Date.now());".to_owned(),
        turn => format!("seen.push({turn}); console.log(seen, Math.random());"),
    };
    Behavior::Text(format!("```js\n{cell}\n```"))
}

struct Origin {
    binary: Binary,
    server: FaultServer,
    dir: PathBuf,
}

impl Origin {
    fn new(more: &[&str]) -> Self {
        let server = FaultServer::start(reply);
        let rows = ["q", "r"].map(|id| {
            json!({"id": id, "query": "How many?", "context": "c", "expected": LAST}).to_string()
        });
        let binary = Binary::new()
            .file("q.jsonl", rows.join("\n"))
            .file(
                "prices.yaml",
                "{date: d, source: s, prices: [{models: ['openai/*'], input: 1e6, output: 0}]}",
            )
            .file("drivers/short.md", "# Short\n\nAnswer in few words.\n")
            .variable("OPENAI_API_KEY", "k");
        let url = server.openai();
        let fixed = [
            "run",
            "--benchmark",
            "q.jsonl",
            "--scorer",
            "numeric",
            "--model",
            "openai/m",
            "--max-depth",
            "1",
            "--sample-ids",
            "q",
            "--prices",
            "prices.yaml",
            "--name",
            "origin",
            "--base-url",
            &url,
        ];
        let ran = binary.run(&[&fixed[..], more].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = binary.path().join("results/origin");
        Self {
            binary,
            server,
            dir,
        }
    }

    fn fork(&self, more: &[&str]) -> Ran {
        let url = self.server.openai();
        let fixed = ["fork", "results/origin", "--base-url", &url];
        self.binary.run(&[&fixed[..], more].concat(), "")
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.binary.path().join("results").join(name)
    }
}

fn config(dir: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(dir.join("config.json")).unwrap()).unwrap()
}

#[test]
fn continues_from_iteration_with_other_settings() {
    let origin = Origin::new(&[]);
    let all = origin.server.seen().len();
    assert_eq!(all, LAST);
    let fourth = origin.server.seen()[3].clone();
    // Name, flags, number of inherited responses, and whether the first new request equals the
    // recorded one.
    let rows: [(&str, &[&str], usize, bool); 4] = [
        ("same", &["--at", "4"], 3, true),
        ("note", &["--at", "4", "--note", "Hurry up."], 3, false),
        (
            "model",
            &[
                "--at",
                "4",
                "--model",
                "openai/other",
                "--drivers",
                "deadline-return",
            ],
            3,
            false,
        ),
        ("all", &["--at", "1"], 0, true),
    ];
    for (name, more, inherited, is_same) in rows {
        let before = origin.server.seen().len();
        let ran = origin.fork(&[&["q", "--name", name], more].concat());
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        assert!(!ran.stderr.contains("first served as"), "{name}: {ran:?}");
        let sent = origin.server.seen()[before..].to_vec();
        assert_eq!(sent.len(), LAST - inherited, "{name}");
        let dir = origin.folder(name);
        let run = RunDir::open(&dir).unwrap();
        let record = &run.records[0];
        assert_eq!(record.score, Some(1.0), "{name}: {record:?}");
        assert_eq!(
            record.cached_calls,
            Some(u32::try_from(inherited).unwrap()),
            "{name}"
        );
        // Every request has 11 input tokens at one dollar each.
        let paid = 11.0 * sent.len() as f64;
        assert_eq!(record.cost_usd, Some(paid), "{name}");
        let recorded = config(&dir)["origin"].clone();
        let found = (
            &recorded["run"],
            &recorded["sample"],
            &recorded["attempt"],
            &recorded["iteration"],
            &recorded["inherited"]["llm_calls"],
            &recorded["inherited"]["cost_usd"],
        );
        let (run, sample) = (json!("origin"), json!("q"));
        let expected = (
            &run,
            &sample,
            &json!(1),
            &json!(inherited + 1),
            &json!(inherited),
            &json!(11.0 * inherited as f64),
        );
        assert_eq!(found, expected, "{name}");
        let messages = |seen: &ReceivedRequest| seen.body["messages"].as_array().unwrap().clone();
        let (then, now) = (&messages(&fourth), &messages(&sent[0]));
        if is_same && inherited > 0 {
            assert_eq!(then, now, "{name}");
        }
        if name == "note" {
            let (last, earlier) = now.split_last().unwrap();
            assert_eq!(earlier, &then[..then.len() - 1]);
            let noted = format!(
                "{}\n\nHurry up.",
                then.last().unwrap()["content"].as_str().unwrap()
            );
            assert_eq!(last["content"], noted);
            // Later requests keep the note.
            assert_eq!(messages(&sent[1])[then.len() - 1]["content"], noted);
        }
        if name == "model" {
            assert_eq!(sent[0].body["model"], "other");
            assert_ne!(then[0], now[0], "the system prompt contains the driver");
            assert_eq!(
                then[1..then.len() - 1],
                now[1..now.len() - 1],
                "the conversation is kept"
            );
        }
    }
    // Other commands work on forks.
    let paths = ["results/origin", "results/note"];
    for command in ["report", "compare"] {
        let ran = origin.binary.run(&[&[command], &paths[..]].concat(), "");
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
    }
    let before = origin.server.seen().len();
    let url = origin.server.openai();
    let ran = origin
        .binary
        .run(&["run", "--resume", "results/note", "--base-url", &url], "");
    assert_eq!(
        (ran.code, origin.server.seen().len()),
        (Some(0), before),
        "{ran:?}"
    );
    // A fork of a fork inherits the responses of both.
    let ran = origin.binary.run(
        &[
            "fork",
            "results/note",
            "q",
            "--at",
            "5",
            "--name",
            "second",
            "--base-url",
            &url,
        ],
        "",
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let sent = origin.server.seen()[before..].to_vec();
    assert_eq!(sent.len(), 2);
    assert!(sent[0].text.contains("Hurry up."));
}

/// A scripted model reports neither tokens nor cost.
#[test]
fn inherits_unknown_tokens_and_cost() {
    let binary = Binary::new()
        .file(
            "q.jsonl",
            json!({"id": "q", "query": "How many?", "context": "c", "expected": "1"}).to_string(),
        )
        .file(
            "model.yaml",
            "{description: Never ends., rules: [{reply: \"```js\\nconsole.log(1)\\n```\"}]}",
        );
    let rows = [
        "run --benchmark q.jsonl --model scripted:model.yaml --max-iterations 2 --name origin",
        "fork results/origin q --max-iterations 3 --at 2 --name one",
        "fork results/origin q --max-iterations 3 --name two",
    ];
    let [_, one, two] = rows.map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        binary.run(&words, "")
    });
    for (name, ran, calls, inherited) in [
        ("one", one, 1, "; 1 response is inherited and"),
        ("two", two, 2, "; 2 responses are inherited and"),
    ] {
        assert!(ran.stderr.contains(inherited), "{name}: {ran:?}");
        let dir = binary.path().join("results").join(name);
        let expected = json!({"llm_calls": calls, "usage": null, "cost_usd": null});
        assert_eq!(config(&dir)["origin"]["inherited"], expected, "{name}");
    }
}

#[test]
fn continues_at_end_with_higher_limits() {
    let rows: [(&[&str], &[&str], usize); 2] = [
        (&["--max-iterations", "3"], &["--max-iterations", "9"], 3),
        (
            &["--attempt-max-llm-calls", "4"],
            &["--attempt-max-llm-calls", "9"],
            2,
        ),
    ];
    for (limits, raised, requests) in rows {
        let origin = Origin::new(limits);
        let before = origin.server.seen().len();
        let ran = origin.fork(&[&["q", "--name", "more"], raised].concat());
        assert_eq!(ran.code, Some(0), "{limits:?}: {ran:?}");
        let sent = origin.server.seen().len() - before;
        assert_eq!(sent, requests, "{limits:?}");
        let run = RunDir::open(&origin.folder("more")).unwrap();
        assert_eq!(run.records[0].score, Some(1.0), "{limits:?}");
    }
}

#[test]
fn rejects_invalid_forks() {
    let origin = Origin::new(&[]);
    fs::rename(origin.dir.join("journal"), origin.dir.join("kept")).unwrap();
    let ran = origin.fork(&["q", "--at", "2"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("attempt 1 of q has no journal: "),
        "{ran:?}"
    );
    fs::rename(origin.dir.join("kept"), origin.dir.join("journal")).unwrap();
    let rows: [(&[&str], &str); 8] = [
        (
            &["p", "--at", "2"],
            "results/origin has no attempt of the sample `p`",
        ),
        (
            &["q", "--attempt", "2"],
            "results/origin has no attempt 2 of q",
        ),
        (
            &["q", "--at", "7"],
            "the attempt has no iteration 7: expected 1 to 6",
        ),
        (
            &["q"],
            "attempt 1 of q ended with an answer, so there is nothing to continue",
        ),
        (
            &["q", "--at", "0"],
            "expected an iteration number from 1, or `end`",
        ),
        (
            &["q", "--at", "5", "--max-iterations", "4"],
            "the fork begins with iteration 5, but the root may have at most 4",
        ),
        (
            &["q", "--at", "2", "--attempts", "2"],
            "--attempts does not apply to a fork",
        ),
        (
            &["q", "--at", "2", "--max-samples", "2"],
            "--max-samples does not apply to a fork",
        ),
    ];
    for (more, expected) in rows {
        let ran = origin.fork(more);
        assert_eq!(ran.code, Some(2), "{more:?}: {ran:?}");
        assert!(ran.stderr.contains(expected), "{more:?}: {}", ran.stderr);
    }
    // The journal is compressed with the trajectory as a prefix.
    let trajectory = origin.dir.join("trajectories/q.1.jsonl");
    let events = fs::read_to_string(&trajectory).unwrap();
    fs::write(&trajectory, events.replace("root", "toor")).unwrap();
    let ran = origin.fork(&["q", "--at", "2"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let expected = "q.1.jsonl.zst is damaged, or trajectories/q.1.jsonl was changed";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    let left: Vec<_> = fs::read_dir(origin.binary.path().join("results"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "rejected forks leave no folders");
}

/// The recorded text comes from a file, which would take precedence over the typed one.
#[test]
fn typed_flags_replace_recorded_ones_that_they_exclude() {
    let origin = Origin::new(&["--append-system-prompt-file", "drivers/short.md"]);
    let changed = ["--append-system-prompt", "Check the units."];
    let ran = origin.fork(&[&["q", "--at", "1", "--name", "changed"], &changed[..]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let seen = origin.server.seen();
    let prompts = [seen.first(), seen.last()].map(|seen| seen.unwrap().body.to_string());
    for (prompt, expected) in prompts.iter().zip([[true, false], [false, true]]) {
        let found = ["Answer in few words.", "Check the units."].map(|text| prompt.contains(text));
        assert_eq!(found, expected, "{prompt}");
    }
    let url = origin.server.openai();
    let resume = ["run", "--resume", "results/changed", "--base-url", &url];
    let ran = origin.binary.run(&resume, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
