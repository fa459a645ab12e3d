//! Runs against a failing server: each fault is retried or ends its call, and its cost is counted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::binary::{Binary, Ran, is_full};
use crate::run::{lines, read_json};
use fault_server::{Behavior, FaultServer, refused};

/// API key in all fault tests. Messages must not contain it.
pub const KEY: &str = "sk-canary-3f9a7c51e8";

/// Returns a binary with the key in its environment.
pub fn binary() -> Binary {
    Binary::new()
        .variable("OPENAI_API_KEY", KEY)
        .variable("ANTHROPIC_API_KEY", KEY)
}

/// Runs one sample with one call and additional flags.
fn one_call(binary: &Binary, base_url: &str, more: &[&str]) -> Ran {
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend(["--samples-per-length", "1", "--protocol", "direct"]);
    args.extend(["--model", "openai/m", "--base-url", base_url]);
    args.extend(more);
    binary.run(&args, "")
}

/// Returns the folder of the only run.
pub fn run_dir(folder: &Path) -> PathBuf {
    let mut runs = fs::read_dir(folder.join("results")).unwrap();
    runs.next().unwrap().unwrap().path()
}

/// Returns the records of the only run.
pub fn records(folder: &Path) -> Vec<Value> {
    lines(&run_dir(folder).join("samples.jsonl"))
}

/// Observed effects of a fault in a single call.
#[derive(Debug, PartialEq, Eq)]
struct FaultOutcome {
    code: Option<i32>,
    status: String,
    error: Option<String>,
    retries: u64,
    requests: usize,
}

fn observe_fault(fault: &Behavior, more: &[&str]) -> FaultOutcome {
    let server = FaultServer::list(vec![fault.clone(), Behavior::Text("none".to_owned())]);
    let binary = binary();
    let ran = one_call(&binary, &server.openai(), more);
    let records = records(binary.path());
    let record = records.first();
    FaultOutcome {
        code: ran.code,
        status: record
            .map_or("no record", |record| record["status"].as_str().unwrap())
            .to_owned(),
        error: record.map_or_else(
            || {
                ran.stderr
                    .lines()
                    .find(|line| line.starts_with("error: "))
                    .map(str::to_owned)
            },
            |record| record["error"].as_str().map(str::to_owned),
        ),
        retries: record.map_or(0, |record| record["retries"].as_u64().unwrap()),
        requests: server.seen().len(),
    }
}

/// Starts a model that answers `yes` while the gate is open.
pub fn gated_model(gate: &Arc<Mutex<()>>) -> FaultServer {
    let gate = Arc::clone(gate);
    FaultServer::start(move |_| {
        drop(gate.lock().unwrap());
        Behavior::Text("yes".to_owned())
    })
}

/// Returns a response with this status and a body that echoes the key.
pub fn status(status: u16, header: Option<(&str, &str)>) -> Behavior {
    let headers = header.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let body = format!("{{\"error\": {{\"message\": \"sent with {KEY}\"}}}}");
    Behavior::Status(status, headers.into_iter().collect(), body)
}

/// Returns a chat completion whose choice ends with these JSON fields.
fn ending(fields: &str) -> Behavior {
    let body = format!(r#"{{"choices": [{{"message": {{"content": "Ada"}}, {fields}}}]}}"#);
    Behavior::Status(
        200,
        vec![("content-type".to_owned(), "application/json".to_owned())],
        body,
    )
}

/// Returns transient faults with the flags that they require. Timeouts among the flags are
/// `seconds` long.
pub fn transient(seconds: u32) -> Vec<(Behavior, Vec<String>)> {
    let text = || "an answer of some length".to_owned();
    let limit = seconds.to_string();
    let idle: &[&str] = &["--stream", "--idle-timeout", &limit];
    let whole: &[&str] = &["--request-timeout", &limit];
    let streamed: &[&str] = &["--stream", "--request-timeout", &limit];
    let mut all: Vec<(Behavior, &[&str])> = [408, 409, 429, 500, 502, 503, 529]
        .map(|code| (status(code, None), &[][..]))
        .into();
    all.extend([
        (status(429, Some(("retry-after", "0"))), &[][..]),
        (status(429, Some(("retry-after-ms", "10"))), &[]),
        (
            status(503, Some(("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"))),
            &[],
        ),
        (Behavior::Reset, &[]),
        (Behavior::Stall, whole),
        (Behavior::Stall, idle),
        (Behavior::StallInBody(text()), idle),
        (Behavior::StallInBody(text()), whole),
        (
            Behavior::Trickle(u64::from(seconds) * 500, text()),
            streamed,
        ),
        (Behavior::Cut(text()), &[]),
        (Behavior::Cut(text()), &["--stream"]),
        (Behavior::HalfJson(text()), &[]),
        (Behavior::Garbage, &[]),
        (Behavior::ErrorInOk(format!("broken, {KEY}")), &[]),
        (Behavior::ErrorInOk(format!("broken, {KEY}")), &["--stream"]),
        (Behavior::Empty, &[]),
        (ending(r#""finish_reason": "error""#), &[]),
        (
            ending(r#""finish_reason": "stop", "error": {"message": "broke"}"#),
            &[],
        ),
    ]);
    let owned = |flags: &[&str]| flags.iter().map(|flag| (*flag).to_owned()).collect();
    all.into_iter()
        .map(|(fault, flags)| (fault, owned(flags)))
        .collect()
}

#[test]
fn retries_transient_fault_once() {
    // Run them concurrently, because they mostly wait. The response after a timeout is subject to
    // the same timeout.
    std::thread::scope(|scope| {
        for (fault, more) in transient(15) {
            scope.spawn(move || {
                let more: Vec<&str> = more.iter().map(String::as_str).collect();
                let wanted = FaultOutcome {
                    code: Some(0),
                    status: "ok".to_owned(),
                    error: None,
                    retries: 1,
                    requests: 2,
                };
                assert_eq!(observe_fault(&fault, &more), wanted, "{fault:?} {more:?}");
            });
        }
    });
}

#[test]
fn permanent_fault_ends_call_with_server_message() {
    let refused = |code| format!("openai rejected the request ({code}): sent with [key]");
    let rows = [
        (status(400, None), Some(1), "error", refused(400)),
        (status(403, None), Some(1), "error", refused(403)),
        (status(404, None), Some(1), "error", refused(404)),
        (
            status(401, None),
            Some(1),
            "no record",
            "error: the run was stopped: openai rejected the API key: sent with [key]".to_owned(),
        ),
        (
            out_of_quota(),
            Some(1),
            "no record",
            "error: the run was stopped: the account at openai is out of credit: pay, [key]"
                .to_owned(),
        ),
        (
            ending(r#""finish_reason": "bored""#),
            Some(1),
            "error",
            "incomplete response from openai: `finish_reason` is `bored`, which is not a known value"
                .to_owned(),
        ),
        (
            Behavior::Length("a beg".to_owned()),
            Some(0),
            "limit",
            "the response was cut off at the limit of output tokens".to_owned(),
        ),
    ];
    for (fault, code, status, error) in rows {
        let wanted = FaultOutcome {
            code,
            status: status.to_owned(),
            error: Some(error),
            retries: 0,
            requests: 1,
        };
        assert_eq!(observe_fault(&fault, &[]), wanted, "{fault:?}");
    }
}

#[test]
fn refusal_scores_0() {
    let refusal = ending(r#""finish_reason": "stop""#);
    let refusal = match refusal {
        Behavior::Status(status, headers, body) => {
            let body = body.replace(r#""content": "Ada""#, r#""refusal": "I will not.""#);
            Behavior::Status(status, headers, body)
        }
        other => other,
    };
    for (fault, text) in [
        (refusal, "I will not."),
        (Behavior::Filter, "content_filter"),
    ] {
        let server = FaultServer::list(vec![fault]);
        let binary = binary();
        let ran = one_call(&binary, &server.openai(), &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(server.seen().len(), 1);
        let record = &records(binary.path())[0];
        let fields = ["status", "answer", "score", "refused", "error"].map(|name| &record[name]);
        let expected = serde_json::json!(["ok", text, 0.0, true, null]);
        assert_eq!(serde_json::json!(fields), expected);
        let folder = run_dir(binary.path());
        let csv = fs::read_to_string(folder.join("results.csv")).unwrap();
        assert!(csv.trim_end().ends_with(",1"), "{csv}");
        let summary = read_json(folder.join("summary.json"));
        assert_eq!(summary["refused"], 1);
        assert_eq!(summary["score"]["mean"], 0.0);
        let table = folder.join("results.csv");
        let (folder, table) = (folder.to_str().unwrap(), table.to_str().unwrap());
        // All tables mention the refusal.
        for args in [
            vec!["report", folder],
            vec!["compare", folder, table],
            vec!["score", folder, "--scorer", "exact"],
        ] {
            let ran = binary.run(&args, "");
            assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
            let says = ran.stdout.contains("refused") && ran.stdout.contains("1, scored 0");
            assert!(says, "{args:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn refusal_of_child_is_error_for_caller() {
    let asks =
        "```js\ntry { await llm('?') } catch (error) { console.log('caught', error.message) }\n```";
    let server = FaultServer::start(move |seen| match seen.number {
        0 => Behavior::Text(asks.to_owned()),
        1 => Behavior::Filter,
        _ => Behavior::Text("```js\nreturn('42')\n```".to_owned()),
    });
    let binary = binary();
    let url = server.openai();
    let args = [
        "ask",
        "--query",
        "?",
        "--model",
        "openai/m",
        "--base-url",
        &url,
    ];
    let ran = binary.run(&args, "");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "42\n"),
        "{ran:?}"
    );
    let last = server.seen().pop().unwrap().body["messages"].to_string();
    assert!(
        last.contains("caught d1-c0 failed: openai withheld the response"),
        "{last}"
    );
}

/// `OpenAI`'s response when an account's quota is exhausted: a 429 that retrying does not resolve.
fn out_of_quota() -> Behavior {
    let body = format!(
        r#"{{"error": {{"message": "pay, {KEY}", "type": "insufficient_quota", "code": "insufficient_quota"}}}}"#
    );
    Behavior::Status(429, vec![("retry-after".to_owned(), "0".to_owned())], body)
}

#[test]
fn counts_cost_of_responses_without_answer() {
    let prices = "{date: d, source: s, prices: [{models: ['openai/*'], input: 1e6, output: 0}]}";
    // An empty list of choices with a token count is retried; a filtered response is not.
    let behaviors = vec![Behavior::Empty, Behavior::Filter];
    let server = FaultServer::list(behaviors);
    let binary = binary().file("prices.yaml", prices);
    let more = ["--prices", "prices.yaml", "--max-tokens", "5000", "--json"];
    let ran = one_call(&binary, &server.openai(), &more);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let record = &records(binary.path())[0];
    let usage = &record["usage"];
    let got = (
        &record["status"],
        &record["retries"],
        &usage["input_tokens"],
        &usage["output_tokens"],
        &record["cost_usd"],
    );
    let wanted = (
        &Value::from("ok"),
        &Value::from(1),
        &Value::from(22),
        &Value::from(14),
        &Value::from(22.0),
    );
    assert_eq!(got, wanted, "{record}");
    let trajectory = run_dir(binary.path()).join("trajectories/s-niah-2k-1.1.jsonl");
    let trajectory = fs::read_to_string(trajectory).unwrap();
    let billed = trajectory
        .lines()
        .filter(|line| line.contains("llm_billed"));
    assert_eq!(billed.count(), 2, "{trajectory}");
    // These two requests have exhausted the budget. The refusal is an answer and is not requested
    // again.
    let dir = run_dir(binary.path());
    let ran = binary.run(
        &[
            "run",
            "--resume",
            dir.to_str().unwrap(),
            "--retry-errors",
            "--max-tokens",
            "36",
            "--base-url",
            &server.openai(),
        ],
        "",
    );
    let used_up = "the --max-tokens budget is used up (36 tokens of 36 tokens)";
    assert!(ran.stderr.contains(used_up), "{}", ran.stderr);
    assert_eq!((ran.code, server.seen().len()), (Some(0), 2));
}

#[test]
fn rejected_requests_cost_nothing() {
    let body = r#"{"error": {"message": "no"}}"#.to_owned();
    let server = FaultServer::list(vec![Behavior::Status(400, Vec::new(), body)]);
    let binary = binary();
    let ran = one_call(&binary, &server.openai(), &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let record = &records(binary.path())[0];
    let got = (&record["usage"]["input_tokens"], &record["cost_usd"]);
    assert_eq!(got, (&0.into(), &0.0.into()), "{record}");
}

#[test]
fn served_model_name_does_not_change_cost() {
    // The server reports that it served `m-served`, which has its own price.
    let prices = "{date: d, source: s, prices: [{models: ['openai/m'], input: 1e6, output: 0}, \
                  {models: ['openai/m-served'], input: 5e6, output: 0}]}";
    for more in [&[][..], &["--stream"]] {
        let server = FaultServer::list(vec![Behavior::Text("none".to_owned())]);
        let binary = binary().file("prices.yaml", prices);
        let more = [&["--prices", "prices.yaml"], more].concat();
        let ran = one_call(&binary, &server.openai(), &more);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(records(binary.path())[0]["cost_usd"], 11.0, "{more:?}");
    }
}

#[test]
fn retries_stop_at_limit() {
    let server = FaultServer::list(vec![status(500, None)]);
    let binary = binary();
    let ran = one_call(&binary, &server.openai(), &["--max-retries", "2"]);
    let record = &records(binary.path())[0];
    let got = (
        &record["status"],
        &record["error"],
        &record["retries"],
        server.seen().len(),
    );
    let wanted = (
        &Value::from("error"),
        &Value::from("openai failed (500): sent with [key]"),
        &Value::from(2),
        3,
    );
    assert_eq!(got, wanted);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);

    let binary = self::binary();
    let ran = one_call(&binary, &refused(), &["--max-retries", "1"]);
    let record = &records(binary.path())[0];
    let error = record["error"].as_str().unwrap();
    assert!(
        error.starts_with("cannot connect to openai at 127.0.0.1:"),
        "{error}"
    );
    assert_eq!((ran.code, &record["retries"]), (Some(1), &Value::from(1)));
}

#[test]
fn first_401_stops_run_and_valid_key_resumes_it() {
    let wrong = AtomicUsize::new(0);
    let server = FaultServer::start(move |seen| {
        if seen.header("authorization") == Some("Bearer right") {
            return Behavior::Text("none".to_owned());
        }
        wrong.fetch_add(1, Ordering::SeqCst);
        status(401, None)
    });
    let base_url = server.openai();
    let more = ["--samples-per-length", "100", "--concurrency", "4"];
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--protocol",
        "direct",
        "--model",
        "openai/m",
        "--base-url",
        &base_url,
    ]);
    args.extend(more);
    let binary = binary();
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let error = "error: the run was stopped: openai rejected the API key: sent with [key]";
    assert!(ran.stderr.contains(error), "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("100 of 100 attempts have not been made yet"),
        "{}",
        ran.stderr
    );
    assert!(server.seen().len() <= 4, "{} requests", server.seen().len());

    let run = run_dir(binary.path());
    let binary = binary.variable("OPENAI_API_KEY", "right");
    let ran = binary.run(
        &[
            "run",
            "--resume",
            run.to_str().unwrap(),
            "--base-url",
            &base_url,
        ],
        "",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(records(binary.path()).len(), 100);
}

/// Starts a server that fails every third request, cycling through the faults.
fn every_third(text: impl Fn(&Value) -> String + Send + Sync + 'static) -> FaultServer {
    let faults = [
        status(500, None),
        status(429, Some(("retry-after", "0"))),
        Behavior::Reset,
        status(529, None),
        Behavior::Cut("half".to_owned()),
        Behavior::Garbage,
        Behavior::ErrorInOk("broken".to_owned()),
        status(503, None),
        Behavior::Empty,
        Behavior::HalfJson("half".to_owned()),
    ];
    FaultServer::start(move |seen| match seen.number % 3 {
        0 => faults[seen.number / 3 % faults.len()].clone(),
        _ => Behavior::Text(text(&seen.body)),
    })
}

/// Returns the response of a model that solves s-niah in two turns.
pub fn solution(body: &Value) -> String {
    if body["messages"].as_array().unwrap().len() > 2 {
        return "```js\nreturn(found)\n```".to_owned();
    }
    r"```js
const [, kind, key] = __rlm.lineage[0].match(/gives the (.+?) of (.+?)\. /);
const sentence = context.split(/(?<=\.)\s+/).find((text) => text.includes(key) && text.includes(kind));
const found = sentence.match(/\d{6,}/)[0];
```"
    .to_owned()
}

#[test]
fn survives_failure_of_every_third_request() {
    let (tasks, samples) = if is_full() { ("200", 200) } else { ("50", 50) };
    let server = every_third(solution);
    let base_url = server.openai();
    let binary = binary();
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--samples-per-length",
        tasks,
        "--concurrency",
        "32",
        "--max-iterations",
        "3",
    ]);
    args.extend([
        "--model",
        "openai/m",
        "--base-url",
        &base_url,
        "--max-retries",
        "30",
        "--json",
    ]);
    args.extend(["--isolation", "thread"]);
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(summary["scored"], samples, "{summary}");
    assert_eq!(summary["statuses"]["ok"], samples, "{summary}");
    let sum = |field: &str| -> u64 {
        let records = records(binary.path());
        records
            .iter()
            .map(|record| record[field].as_u64().unwrap())
            .sum()
    };
    let requests = server.seen().len() as u64;
    let (calls, retries) = (sum("llm_calls"), sum("retries"));
    assert_eq!(calls, 2 * samples);
    assert_eq!(
        (calls + retries, summary["retries"].as_u64()),
        (requests, Some(retries))
    );
    assert_eq!(
        retries,
        requests.div_ceil(3),
        "a third of all requests failed"
    );
    let score = |record: &Value| record["score"].as_f64() == Some(1.0);
    assert!(records(binary.path()).iter().all(score));
}

#[test]
fn error_names_failing_proxy() {
    let server = FaultServer::list(vec![Behavior::Text("42".to_owned())]);
    let url = server.openai();
    let proxy = refused().replace("/v1", "");
    let ask = |excluded: &str| {
        let binary = binary()
            .variable("http_proxy", &proxy)
            .variable("NO_PROXY", excluded);
        let args = [
            "ask",
            "--query",
            "?",
            "--protocol",
            "direct",
            "--max-retries",
            "0",
        ];
        let model = ["--model", "openai/m", "--base-url", &url];
        binary.run(&[&args[..], &model].concat(), "")
    };
    let ran = ask("elsewhere.test");
    assert!(
        ran.stderr.contains(&format!(" through the proxy {proxy}")),
        "{ran:?}"
    );
    assert!(server.seen().is_empty());
    // `NO_PROXY=*` also covers numeric addresses.
    let ran = ask("*");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(server.seen().len(), 1);
}
