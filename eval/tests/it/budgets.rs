//! Budgets of a run and of an attempt: what stops, what it leaves, and that it goes on.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::binary::Binary;
use crate::fault_server::{Behaviour, FaultServer};
use crate::faults::{records, run_dir};

/// Two calls an attempt, which take 100 tokens and a cent each.
const PRICED: &str = "description: Counts and costs.
rules:
  - tokens: { input: 90, output: 10 }
    cost_usd: 0.01
    reply: \"```js\\nreturn(1)\\n```\"
";

fn run(binary: &Binary, more: &[&str]) -> (Option<i32>, String) {
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend(["--tasks-per-length", "6", "--model", "scripted:priced.yaml"]);
    args.extend(["--concurrency", "1"]);
    args.extend(more);
    let ran = binary.run(&args, "");
    (ran.code, ran.stderr)
}

#[test]
fn a_run_stops_at_its_budget_and_goes_on_with_a_larger_one() {
    let rows = [
        ("--max-cost", "0.05", "9", "$0.0500 of $0.05"),
        ("--max-tokens", "500", "9000", "500 tokens of 500 tokens"),
        ("--max-llm-calls", "5", "900", "5 calls of 5 calls"),
    ];
    for (flag, budget, larger, spent) in rows {
        let binary = Binary::new().file("priced.yaml", PRICED);
        let (code, stderr) = run(&binary, &[flag, budget]);
        assert_eq!(code, Some(106), "{flag}: {stderr}");
        let stopped = format!("the run was stopped: the {flag} budget is used up ({spent})");
        assert!(stderr.contains(&stopped), "{flag}: {stderr}");
        // The third attempt had its first call, and no second.
        assert_eq!(records(binary.path()).len(), 2, "{flag}");

        let dir = run_dir(binary.path());
        let ran = binary.run(
            &["run", "--resume", dir.to_str().unwrap(), flag, larger],
            "",
        );
        assert_eq!(ran.code, Some(0), "{flag}: {ran:?}");
        let records = records(binary.path());
        assert_eq!(records.len(), 6, "{flag}");
        assert!(records.iter().all(|record| record["llm_calls"] == 2));
    }
}

#[test]
fn an_attempt_that_is_over_its_budget_ends_with_limit_and_the_others_go_on() {
    let rows = [
        ("--attempt-max-cost", "0.01"),
        ("--attempt-max-tokens", "100"),
        ("--attempt-max-llm-calls", "1"),
    ];
    for (flag, budget) in rows {
        let binary = Binary::new().file("priced.yaml", PRICED);
        let (code, stderr) = run(&binary, &[flag, budget]);
        assert_eq!(code, Some(0), "{flag}: {stderr}");
        let records = records(binary.path());
        let ends = |record: &Value| (record["status"].clone(), record["score"].clone());
        let ends: Vec<_> = records.iter().map(ends).collect();
        assert_eq!(ends, vec![("limit".into(), 0.0.into()); 6], "{flag}");
    }
}

#[test]
fn what_is_given_up_at_a_stop_is_booked_so_that_all_starts_pass_a_budget_by_one_flight() {
    // A response that nobody gets is taken to be as long as it may be: a dollar.
    let prices = "{date: d, source: s, prices: [{models: ['openai/*'], input: 0, output: 2000}]}";
    for signals in [["INT", "INT"], ["KILL", "KILL"], ["TERM", "KILL"]] {
        let server = FaultServer::list(vec![Behaviour::Stall]);
        let url = server.openai();
        let binary = Binary::new().file("prices.yaml", prices);
        let mut args = vec![
            "run",
            "--benchmark",
            "s-niah",
            "--context-len",
            "2k",
            "--protocol",
            "direct",
        ];
        args.extend([
            "--tasks-per-length",
            "9",
            "--concurrency",
            "2",
            "--model",
            "openai/m",
            "--base-url",
            &url,
        ]);
        args.extend([
            "--prices",
            "prices.yaml",
            "--max-output-tokens",
            "500",
            "--max-cost",
            "3",
        ]);
        let mut requests = 0;
        for signal in signals {
            let dir;
            let mut command = if requests == 0 {
                binary.command(&args)
            } else {
                dir = run_dir(binary.path());
                binary.command(&["run", "--resume", dir.to_str().unwrap()])
            };
            let pipes = command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut child = pipes.spawn().unwrap();
            requests += 2;
            // Both calls are at the server, and in the trajectories.
            let asked = || {
                let files = std::fs::read_dir(run_dir(binary.path()).join("trajectories")).unwrap();
                let texts =
                    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
                texts
                    .filter(|text| text.contains("\"llm_request\""))
                    .count()
            };
            while server.seen().len() < requests || asked() < 2 {
                assert!(child.try_wait().unwrap().is_none(), "{signals:?}: it ended");
                std::thread::sleep(Duration::from_millis(5));
            }
            let kill = format!("kill -{signal} {}", child.id());
            assert!(
                Command::new("sh")
                    .args(["-c", &kill])
                    .status()
                    .unwrap()
                    .success()
            );
            child.wait().unwrap();
        }
        let dir = run_dir(binary.path());
        let dir = dir.to_str().unwrap();
        let ran = binary.run(&["run", "--resume", dir], "");
        assert_eq!(ran.code, Some(106), "{signals:?}: {ran:?}");
        let stopped = "the run was stopped: the --max-cost budget is used up ($4.0000 of $3)";
        assert!(ran.stderr.contains(stopped), "{signals:?}: {ran:?}");
        assert_eq!(server.seen().len(), 4, "{signals:?}");
    }
}
