//! Budgets of runs and attempts: when they stop work, which attempts are kept, and how runs resume.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::binary::Binary;
use crate::faults::{records, run_dir};
use fault_server::{Behavior, FaultServer};

/// Model with two calls per attempt; each uses 100 tokens and costs one cent.
const PRICED: &str = "description: Counts and costs.
rules:
  - tokens: { input: 90, output: 10 }
    cost_usd: 0.01
    reply: \"```js\\nreturn(1)\\n```\"
";

fn run(binary: &Binary, more: &[&str]) -> (Option<i32>, String) {
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--samples-per-length",
        "6",
        "--model",
        "scripted:priced.yaml",
    ]);
    args.extend(["--concurrency", "1"]);
    args.extend(more);
    let ran = binary.run(&args, "");
    (ran.code, ran.stderr)
}

#[test]
fn stops_at_budget_and_resumes_with_larger_one() {
    let rows = [
        ("--max-cost", "0.05", "0.1", "$0.0500 of $0.05"),
        ("--max-tokens", "500", "1000", "500 tokens of 500 tokens"),
        ("--max-llm-calls", "5", "10", "5 calls of 5 calls"),
    ];
    for (flag, budget, larger, spent) in rows {
        let binary = Binary::new().file("priced.yaml", PRICED);
        let (code, stderr) = run(&binary, &[flag, budget]);
        assert_eq!(code, Some(106), "{flag}: {stderr}");
        let stopped = format!("the run was stopped: the {flag} budget is used up ({spent})");
        assert!(stderr.contains(&stopped), "{flag}: {stderr}");
        // The third attempt made its first call but not its second.
        assert_eq!(records(binary.path()).len(), 2, "{flag}");

        assert!(stderr.contains(&format!(" {flag} {larger}`")), "{stderr}");
        let ran = binary.paste(&stderr);
        assert_eq!(ran.code, Some(106), "{flag}: {ran:?}");
        let ran = binary.paste(&ran.stderr);
        assert_eq!(ran.code, Some(0), "{flag}: {ran:?}");
        let records = records(binary.path());
        assert_eq!(records.len(), 6, "{flag}");
        assert!(records.iter().all(|record| record["llm_calls"] == 2));
    }
}

#[test]
fn attempt_over_budget_ends_with_status_limit() {
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
fn does_not_retry_once_budget_is_exhausted() {
    // Each response costs one cent.
    let prices = "{date: d, source: s, prices: [{models: ['openai/*'], input: 0, output: 100}]}";
    let failed = r#"{"choices": [{"message": {"role": "assistant", "content": "Ad"}, "finish_reason": "error"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 100}}"#;
    let no_verdict = r#"{"choices": [{"message": {"role": "assistant", "content": "Hm."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 100}}"#;
    let judge = [
        "--scorer",
        "judge",
        "--judge-model",
        "openai/judge",
        "--judge-attempts",
        "20",
    ];
    // Body of every response, flags, reported spending, number of requests, and exit code. The
    // judge's first response is estimated at 4,000 tokens, later ones at the length of the first.
    // After 20 replies without a verdict, the first answer stays unscored.
    let rows = [
        (
            failed,
            vec!["--max-cost", "0.025", "--max-retries", "4"],
            "$0.0200 of $0.025; the next call may cost $0.0100",
            2,
            106,
        ),
        (
            no_verdict,
            [&judge[..], &["--max-cost", "0.415"]].concat(),
            "$0.4100 of $0.415; the next call may cost $0.0100",
            41,
            1,
        ),
    ];
    for (body, flags, spent, requests, code) in rows {
        let server = FaultServer::list(vec![Behavior::Status(200, Vec::new(), body.to_owned())]);
        let url = server.openai();
        let binary = Binary::new().file("prices.yaml", prices);
        let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
        args.extend([
            "--protocol",
            "direct",
            "--samples-per-length",
            "3",
            "--concurrency",
            "1",
        ]);
        args.extend([
            "--model",
            "openai/m",
            "--max-output-tokens",
            "100",
            "--base-url",
            &url,
            "--prices",
            "prices.yaml",
        ]);
        args.extend(flags);
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(code), "{spent}: {ran:?}");
        let stopped = format!("the run was stopped: the --max-cost budget is used up ({spent})");
        assert!(ran.stderr.contains(&stopped), "{ran:?}");
        assert_eq!(server.seen().len(), requests, "{spent}");
    }
}

#[test]
fn warns_of_small_budget_and_estimates_cost_from_pilot() {
    let binary = Binary::new().file("priced.yaml", PRICED);
    // Six attempts of two calls each.
    let (code, stderr) = run(&binary, &["--max-llm-calls", "5"]);
    let warning = "warning: --max-llm-calls 5 is below the minimum expected expense of 12 calls, so not all attempts will be made (see --dry-run)\n";
    assert_eq!(code, Some(106), "{stderr}");
    assert!(stderr.contains(warning), "{stderr}");
    let (_, stderr) = run(&binary, &["--max-llm-calls", "12"]);
    assert!(!stderr.contains("minimum expected expense"), "{stderr}");

    let binary = Binary::new().file("priced.yaml", PRICED);
    let dry = |more: &[&str]| {
        let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
        args.extend([
            "--samples-per-length",
            "6",
            "--model",
            "scripted:priced.yaml",
        ]);
        args.push("--dry-run");
        args.extend(more);
        binary.run(&args, "")
    };
    assert!(!dry(&[]).stdout.contains("likely"));
    let ran = dry(&["--pilot"]);
    let likely =
        "likely: 12 calls, ~1200 tokens, cost $0.12, based on 2 attempts of 1 earlier run\n";
    assert!(ran.stdout.contains(likely), "{ran:?}");
    assert_eq!(records(binary.path()).len(), 2);
    let ran = dry(&["--json"]);
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(shown["likely"]["calls"], 12, "{shown}");
    assert_eq!(shown["likely"]["attempts"], 2, "{shown}");
    // No answer is right, so the mean score is 0. Each of the first two shards contains two
    // samples, the others one.
    let rows: [(&[&str], usize); 3] = [
        (&["--pilot", "--min-score", "1"], 4),
        (&["--pilot", "--partition", "1/4"], 6),
        (&["--pilot", "--partition", "4/4"], 7),
    ];
    for (more, attempts) in rows {
        let ran = dry(more);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let likely = format!("based on {attempts} attempts of ");
        assert!(ran.stdout.contains(&likely), "{more:?}: {ran:?}");
    }
}

/// A run whose calls are abandoned, and its server.
struct AbandonedCalls {
    server: FaultServer,
    prices: &'static str,
    flags: &'static [&'static str],
    /// For each start: the signal that ends it, the number of requests to the server by then, and
    /// the number of trajectories that contain `event` by then.
    stops: Vec<(&'static str, usize, usize)>,
    /// Type of the event that records the request of an abandoned call.
    event: &'static str,
    /// Spending reported by the last start, which makes no requests.
    spent: &'static str,
}

#[test]
fn abandoned_calls_count_toward_budget() {
    const LIMITED: [&str; 4] = ["--max-output-tokens", "500", "--max-cost", "3"];
    let a_dollar = "{date: d, source: s, prices: [{models: ['openai/*'], input: 0, output: 2000}]}";
    let cases = ["INT INT", "KILL KILL", "TERM KILL"].map(|signals| {
        let (first, second) = signals.split_once(' ').unwrap();
        AbandonedCalls {
            server: FaultServer::list(vec![Behavior::Stall]),
            prices: a_dollar,
            // An abandoned response is charged at its maximum length: one dollar.
            flags: &LIMITED,
            stops: vec![(first, 2, 2), (second, 3, 1)],
            event: "llm_request",
            spent: "$3.0000 of $3",
        }
    });
    let long = r#"{"choices": [{"message": {"role": "assistant", "content": "Ada"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 9000}}"#;
    // Each response is estimated at the length of the longest so far, including earlier starts: 18
    // dollars.
    let learned = AbandonedCalls {
        server: FaultServer::list(vec![
            Behavior::Status(200, Vec::new(), long.to_owned()),
            Behavior::Stall,
        ]),
        prices: a_dollar,
        flags: &["--concurrency", "1", "--max-cost", "60"],
        stops: vec![("KILL", 2, 2), ("TERM", 3, 2)],
        event: "llm_request",
        spent: "$54.0000 of $60; the next call may cost $18.0000",
    };
    // The agents' calls are free. The first response of a judge is estimated at 4,000 tokens: 8
    // dollars.
    let judged = ["KILL", "INT"].map(|signal| AbandonedCalls {
        server: FaultServer::start(|seen| match seen.body["model"].as_str() {
            Some("judge") => Behavior::Stall,
            _ => Behavior::Text("Ada".to_owned()),
        }),
        prices: "{date: d, source: s, prices: [{models: ['openai/judge'], input: 0, output: 2000},
            {models: ['openai/m'], input: 0, output: 0}]}",
        flags: &[
            "--max-cost",
            "26",
            "--scorer",
            "judge",
            "--judge-model",
            "openai/judge",
        ],
        // The agents' calls are not repeated.
        stops: vec![(signal, 4, 2), (signal, 5, 1)],
        event: "judge_request",
        spent: "$24.0000 of $26; the next call may cost $8.0000",
    });
    for case in cases.into_iter().chain([learned]).chain(judged) {
        case.check();
    }
}

impl AbandonedCalls {
    fn check(self) {
        let url = self.server.openai();
        let binary = Binary::new().file("prices.yaml", self.prices);
        let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
        args.extend(["--protocol", "direct", "--samples-per-length", "9"]);
        if !self.flags.contains(&"--concurrency") {
            args.extend(["--concurrency", "2"]);
        }
        args.extend(["--model", "openai/m", "--base-url", &url]);
        args.extend(["--prices", "prices.yaml"]);
        args.extend(self.flags);
        let mut requests = 0;
        for (signal, wanted, asked) in self.stops.iter().copied() {
            let dir;
            let mut command = if requests == 0 {
                binary.command(&args)
            } else {
                dir = run_dir(binary.path());
                binary.command(&["run", "--resume", dir.to_str().unwrap(), "--base-url", &url])
            };
            requests = wanted;
            let pipes = command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let mut child = pipes.spawn().unwrap();
            // Wait until the calls have reached both the server and the trajectories.
            let mut looks = 0;
            while self.server.seen().len() < wanted || self.asked(binary.path()) < asked {
                assert!(
                    child.try_wait().unwrap().is_none(),
                    "{signal}: the run ended before the signal"
                );
                assert!(
                    looks < 12_000,
                    "{:?}: {}",
                    self.stops,
                    self.server.seen().len()
                );
                looks += 1;
                std::thread::sleep(Duration::from_millis(5));
            }
            let kill = format!("kill -{signal} {}", child.id());
            let sent = Command::new("sh").args(["-c", &kill]).status();
            assert!(sent.unwrap().success());
            child.wait().unwrap();
        }
        let dir = run_dir(binary.path());
        let ran = binary.run(
            &["run", "--resume", dir.to_str().unwrap(), "--base-url", &url],
            "",
        );
        let stops = &self.stops;
        assert_eq!(ran.code, Some(106), "{stops:?}: {ran:?}");
        let stopped = format!(
            "the run was stopped: the --max-cost budget is used up ({})",
            self.spent
        );
        assert!(ran.stderr.contains(&stopped), "{stops:?}: {ran:?}");
        assert_eq!(self.server.seen().len(), requests, "{stops:?}");
    }

    /// Returns the number of trajectories that contain [`Self::event`].
    fn asked(&self, dir: &Path) -> usize {
        let event = format!("\"{}\"", self.event);
        let files = std::fs::read_dir(run_dir(dir).join("trajectories")).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        texts.filter(|text| text.contains(&event)).count()
    }
}
