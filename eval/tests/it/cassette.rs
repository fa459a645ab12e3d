//! Cassettes and the response cache: both reuse recorded responses without a server.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::run::{files_in, only};
use fault_server::{Behavior, FaultServer};

const PRICES: &str = "{date: d, source: s, prices: [{models: ['openai/*'], input: 1, output: 2}]}";

/// Returns the next response for an agent that makes a mistake, delegates to one child, and asks
/// another child a question.
fn script(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let newest = text(&messages[messages.len() - 1]);
    let turn = messages.len() / 2;
    if newest.contains("What is one and one?") {
        return "two".to_owned();
    }
    if newest.contains("Count to three.")
        || (turn > 1 && text(&messages[1]).contains("Count to three."))
    {
        return "```js\nreturn(3)\n```".to_owned();
    }
    match turn {
        1 => "```js\nconst a = await llm('What is one and one?'); console.log(a)\n```".to_owned(),
        2 => "I think.\n".to_owned(),
        3 => {
            "```js\nconst b = await rlm('Count to three.'); console.log(b); none()\n```".to_owned()
        }
        _ => "```js\nreturn(a + b)\n```".to_owned(),
    }
}

fn failing_now_and_then() -> FaultServer {
    let fault = |status| {
        Behavior::Status(
            status,
            vec![("retry-after".to_owned(), "0".to_owned())],
            String::new(),
        )
    };
    FaultServer::start(move |seen| match seen.number {
        0 | 5 => fault(429),
        2 => fault(500),
        8 => fault(400),
        _ => Behavior::Text(script(&seen.body)),
    })
}

fn run(binary: &Binary, log_dir: &str, more: &[&str]) -> Ran {
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--samples-per-length",
        "3",
        "--concurrency",
        "1",
        "--max-depth",
        "3",
    ]);
    args.extend([
        "--isolation",
        "thread",
        "--prices",
        "prices.yaml",
        "--log-dir",
        log_dir,
    ]);
    args.extend(more);
    binary.run(&args, "")
}

/// Returns the files of the only run in a folder, without times. `config.json` is omitted because
/// the flags differ.
fn files(binary: &Binary, log_dir: &str) -> BTreeMap<String, String> {
    let run = only(&binary.path().join(log_dir));
    let id = run.file_name().unwrap().to_str().unwrap().to_owned();
    let mut files = BTreeMap::new();
    for path in files_in(&run) {
        let name = path.strip_prefix(&run).unwrap().to_str().unwrap();
        // Journals contain random numbers and clock readings.
        if name != "config.json" && !name.starts_with("journal/") {
            let text = without_times(&path).replace(&id, "RUN");
            files.insert(name.to_owned(), text);
        }
    }
    files
}

const TIMES: [&str; 11] = [
    "at_ms",
    // The estimate of a bill depends on the server's token counts, which a cassette does not
    // contain.
    "estimate",
    "ms",
    "executed_ms",
    "total_time_s",
    "working_time_s",
    "overhead_ms",
    "started_at",
    "per_attempt",
    "time",
    "overhead",
];

fn without_times(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let strip = |value: &mut Value| strip(value);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => {
            let mut value = serde_json::from_str(&text).unwrap();
            strip(&mut value);
            value.to_string()
        }
        Some("jsonl") => {
            let line = |line: &str| {
                let mut value = serde_json::from_str(line).unwrap();
                strip(&mut value);
                format!("{value}\n")
            };
            text.lines().map(line).collect()
        }
        Some("csv") => {
            let mut rows = csv_rows(&text);
            let header = rows[0].clone();
            for row in &mut rows {
                for (cell, name) in row.iter_mut().zip(&header) {
                    if TIMES.contains(&name.as_str()) {
                        cell.clear();
                    }
                }
            }
            rows.iter().map(|row| row.join(",") + "\n").collect()
        }
        _ => text,
    }
}

/// Splits CSV that does not have quoted cells, as in these runs.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let row = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().map(row).collect()
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn cassette_reproduces_run_directory() {
    let server = failing_now_and_then();
    let base_url = server.openai();
    let binary = Binary::new().file("prices.yaml", PRICES);
    let model = ["--model", "openai/m", "--base-url", &base_url];
    let recorded = run(
        &binary,
        "recorded",
        &[&model[..], &["--record", "tape.jsonl"]].concat(),
    );
    assert_eq!(recorded.code, Some(0), "{}", recorded.stderr);
    let requests = server.seen().len();
    let played = run(&binary, "played", &["--model", "replay:tape.jsonl"]);
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    assert_eq!(server.seen().len(), requests, "a replay sends no requests");
    let (wanted, got) = (files(&binary, "recorded"), files(&binary, "played"));
    assert!(
        wanted["samples.jsonl"].contains("\"retries\":3"),
        "{}",
        wanted["samples.jsonl"]
    );
    let refused = |content: &String| content.contains("rejected the request (400)");
    assert!(
        wanted.values().any(refused),
        "the trajectories contain the rejected request"
    );
    assert_eq!(
        got.keys().collect::<Vec<_>>(),
        wanted.keys().collect::<Vec<_>>()
    );
    for (name, content) in &wanted {
        assert_eq!(&got[name], content, "{name}");
    }

    let again = run(
        &binary,
        "again",
        &[&model[..], &["--record", "tape.jsonl"]].concat(),
    );
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(
        again
            .stderr
            .contains("--record: cannot record to tape.jsonl"),
        "{}",
        again.stderr
    );
    assert!(!binary.path().join("again").exists());
}

#[test]
fn cache_answers_repeated_requests() {
    let server = FaultServer::start(|seen| Behavior::Text(script(&seen.body)));
    let base_url = server.openai();
    let binary = Binary::new().file("prices.yaml", PRICES);
    let args = [
        "--model",
        "openai/m",
        "--base-url",
        &base_url,
        "--cache",
        "cache",
        "--json",
    ];
    let sum = |ran: &Ran| -> Value { serde_json::from_str(&ran.stdout).unwrap() };
    let first = run(&binary, "first", &args);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let asked = server.seen().len();
    let second = run(&binary, "second", &args);
    assert_eq!(server.seen().len(), asked);
    let (first, second) = (sum(&first), sum(&second));
    assert_eq!(first["usage"], second["usage"]);
    assert!(first["cost_usd"].as_f64().unwrap() > 0.0, "{first}");
    assert_eq!(second["cost_usd"], 0.0);
    let records = files(&binary, "second")["samples.jsonl"].clone();
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["cached_calls"], record["llm_calls"]);
    }
    let second = only(&binary.path().join("second"));
    let shown = binary
        .run(&["report", &second.to_string_lossy()], "")
        .stdout;
    let mark = format!("{asked} of {asked}, at no cost");
    assert!(shown.contains(&mark), "{mark}: {shown}");
    // Cached responses do not count toward budgets.
    let spent = ["--max-llm-calls", "1", "--max-tokens", "1"];
    let third = run(&binary, "third", &[&args[..], &spent].concat());
    assert_eq!(third.code, Some(0), "{}", third.stderr);
    assert_eq!(server.seen().len(), asked);
    // A second attempt makes its own request instead of reusing the response of the first.
    let both = run(&binary, "both", &[&args[..], &["--attempts", "2"]].concat());
    assert_eq!(both.code, Some(0), "{}", both.stderr);
    assert_eq!(server.seen().len(), asked * 2);
}

#[test]
fn full_disk_stops_recorded_run_and_counts_paid_responses() {
    let reply = format!("{}\n```js\nreturn(1)\n```", "x".repeat(20_000));
    let server = FaultServer::start(move |_| Behavior::Text(reply.clone()));
    let rows: String = (0..40)
        .map(|n| format!("{{\"query\": \"q{n}\", \"expected\": \"1\"}}\n"))
        .collect();
    let binary = Binary::new()
        .file("prices.yaml", PRICES)
        .file("q.jsonl", rows);
    let eval = [
        env!("CARGO_BIN_EXE_eval"),
        "run --benchmark q.jsonl --model openai/m --base-url",
        &server.openai(),
        "--record tape.jsonl --prices prices.yaml --concurrency 1 --isolation thread --log-dir runs",
    ];
    // Limit files to 256 KB, and turn the signal sent for a larger write into an error.
    let script = format!("trap '' XFSZ; ulimit -f 256; exec {}", eval.join(" "));
    let ran = Command::new("bash")
        .args(["-c", &script])
        .current_dir(binary.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert!(
        stderr.contains("error: the run was stopped: cannot write the cassette tape.jsonl: "),
        "{stderr}"
    );
    let asked = server.seen().len();
    assert!(asked < 20, "{asked} requests");
    let run = only(&binary.path().join("runs"));
    let told = binary.run(&["report", &run.to_string_lossy(), "--json"], "");
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    let spent = told["runs"][0]["spent"]["usage"]["output_tokens"].as_u64();
    assert_eq!(spent, Some(7 * asked as u64), "{told:#}");
}
