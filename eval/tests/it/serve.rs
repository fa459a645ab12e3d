//! `rlm-eval serve` as a process: its flags and files, its agents, their records, and signals. The
//! crate `serve` tests its interface.

use std::fs;
use std::time::Instant;

use fault_server::{Behavior, FaultServer};
use http_fixture::{HUNG, HttpClient, PendingResponse};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::binary::{Binary, Ran, Running};
use crate::queue::until;
use crate::run::{files_in, lines, only, read_json};
use crate::view_server::Viewer;

pub const MODEL: &str = "rlm/scripted:echo.yaml";

/// A server that runs until it is dropped.
pub struct Served {
    process: Running,
    http: HttpClient,
    pub base: String,
}

impl Served {
    /// Starts a server with these flags and the model in the file `echo.yaml` of `binary`'s folder.
    pub fn of(binary: &Binary, flags: &[&str]) -> Self {
        let mut args = vec!["serve", "--model", "scripted:echo.yaml", "--port", "0"];
        args.extend(["--confirm-first-return", "false", "--timer-timeout", "3600"]);
        args.extend(flags);
        Self::start(binary, &args)
    }

    fn start(binary: &Binary, args: &[&str]) -> Self {
        let (process, base) = Running::serve(&mut binary.command(args));
        let http = HttpClient::of(&base, &[]);
        Self {
            process,
            http,
            base,
        }
    }

    fn ask(&self, request: &str, headers: &[&str], body: &str) -> (u16, String) {
        let answer = self.http.ask(request, headers, body);
        (answer.status, answer.body)
    }

    /// Sends a question; returns the status and the response.
    fn chat(&self, query: &str, headers: &[&str]) -> (u16, Value) {
        let (status, body) = self.ask(CHAT, headers, &question(query).to_string());
        (status, serde_json::from_str(&body).unwrap())
    }

    /// Waits until the metrics contain this line.
    fn wait_for(&self, metric: &str) {
        let began = Instant::now();
        loop {
            let (_, text) = self.ask("GET /metrics", &[], "");
            if text.lines().any(|line| line == metric) {
                return;
            }
            assert!(began.elapsed() < HUNG, "{metric}: {text}");
            std::thread::yield_now();
        }
    }
}

const CHAT: &str = "POST /v1/chat/completions";

fn question(query: &str) -> Value {
    json!({"model": MODEL, "messages": [{"role": "user", "content": query}]})
}

pub fn folder() -> Binary {
    Binary::new().file("echo.yaml", include_str!("clients/echo.yaml"))
}

/// Returns the records of the only run directory that a server has written.
fn records(binary: &Binary) -> Vec<Value> {
    lines(&only(&binary.path().join("results")).join("samples.jsonl"))
}

/// One row of `serve_requests.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Method and target.
    request: String,
    #[serde(default)]
    body: Value,
    status: u16,
    /// Texts that the response contains.
    holds: Vec<String>,
}

#[test]
fn answers_or_refuses_requests() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("serve_requests.json")).unwrap();
    let binary = folder();
    let server = Served::of(&binary, &["--long-text", "100", "--max-request-size", "1"]);
    for row in rows {
        let body = row.body.to_string();
        let (status, answer) = server.ask(&row.request, &[], &body);
        let asked = format!("{} {body}", row.request);
        assert_eq!(status, row.status, "{asked}: {answer}");
        for part in &row.holds {
            assert!(answer.contains(part), "{asked}: no `{part}` in {answer}");
        }
    }
    let too_large = question(&"x".repeat(1_100_000)).to_string();
    let (status, answer) = server.ask(CHAT, &[], &too_large);
    assert_eq!(status, 413, "{answer}");
}

#[test]
fn disconnected_client_stops_its_agent() {
    let binary = folder();
    let mut server = Served::of(&binary, &[]);
    let stream = server.http.send(CHAT, &[], &question("wait").to_string());
    server.wait_for("rlm_eval_agents_working 1");
    drop(stream);
    server.wait_for("rlm_eval_agents_working 0");
    server.process.signal("-TERM");
    assert_eq!(server.process.code(), Some(0));
    let records = records(&binary);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["status"], "cancelled", "{}", records[0]);
}

#[test]
fn key_file_limits_clients() {
    let keys = "clients:\n  \
        - { name: one, key_env: KEY_ONE, max_llm_calls: 2, models: ['rlm/*'] }\n  \
        - { name: two, key_env: KEY_TWO, requests_per_minute: 1, max_concurrency: 1 }\n";
    let (one, two) = ("sk-one-0123456789abcdef", "sk-two-0123456789abcdef");
    let binary = folder()
        .file("clients.yaml", keys)
        .variable("KEY_ONE", one)
        .variable("KEY_TWO", two);
    let mut server = Served::of(&binary, &["--client-keys", "clients.yaml"]);
    let (of_one, of_two) = (
        format!("Authorization: Bearer {one}"),
        format!("Authorization: Bearer {two}"),
    );
    let code = |answer: &Value| answer["error"]["code"].as_str().map(str::to_owned);
    for _ in 0..2 {
        let (status, answer) = server.chat("Say a", &[&of_one]);
        assert_eq!(status, 200, "{answer}");
    }
    // This client's budget is exhausted, but the other client's is not.
    let (status, answer) = server.chat("Say a", &[&of_one]);
    assert_eq!(
        (status, code(&answer).as_deref()),
        (429, Some("insufficient_quota"))
    );
    let message = answer["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("client's max_llm_calls"), "{message}");
    assert_eq!(server.chat("Say a", &[&of_two]).0, 200);
    let (status, answer) = server.chat("Say a", &[&of_two]);
    assert_eq!(
        (status, code(&answer).as_deref()),
        (429, Some("rate_limit_exceeded"))
    );
    let (_, listed) = server.ask("GET /v1/models", &[&of_one], "");
    assert!(!listed.contains("rlm-coordinator"), "{listed}");
    let (_, listed) = server.ask("GET /v1/models", &[&of_two], "");
    assert!(listed.contains("rlm-coordinator"), "{listed}");
    server.process.signal("-TERM");
    assert_eq!(server.process.code(), Some(0));
    // No file contains a key.
    for path in files_in(&binary.path().join("results")) {
        let text = fs::read_to_string(&path).unwrap();
        let has_key = text.contains(one) || text.contains(two);
        assert!(!has_key, "{}", path.display());
    }
}

#[test]
fn requests_do_not_share_data() {
    let binary = folder();
    let server = Served::of(&binary, &["--max-concurrency", "8"]);
    std::thread::scope(|scope| {
        for number in 0..24 {
            let server = &server;
            scope.spawn(move || {
                let mut body = question("What?");
                body["rlm"] = json!({"context": format!("secret {number}!")});
                let (status, answer) = server.ask(CHAT, &[], &body.to_string());
                assert_eq!(status, 200, "{answer}");
                let wanted = format!("context: secret {number}!");
                assert!(answer.contains(&wanted), "{answer}");
                assert_eq!(answer.matches("secret").count(), 1, "{answer}");
            });
        }
    });
}

#[test]
fn limits_agents_and_shows_them_live() {
    let binary = folder();
    let server = Served::of(&binary, &["--max-concurrency", "1", "--max-queue", "0"]);
    let working = server.http.send(CHAT, &[], &question("wait").to_string());
    server.wait_for("rlm_eval_agents_working 1");
    let (status, answer) = server.chat("Say b", &[]);
    assert_eq!(status, 429, "{answer}");
    let viewer = Viewer::of(&binary.path().join("results"));
    let ask = |target: &str| -> Value { serde_json::from_str(&viewer.get(target).1).unwrap() };
    // The first request creates the run's folder.
    let run = || ask("/api/runs")["runs"][0].clone();
    until("the run is listed", || run()["progress"] == "running");
    let target = format!("/api/run?run={}", run()["id"].as_str().unwrap());
    until("the request is listed", || {
        ask(&target)["under_way"][0]["id"] == "request-000001"
    });
    drop(working);
}

#[test]
fn max_concurrency_limits_model_requests_only_if_connections_are_set() {
    let model = "direct/openai/m";
    for (flags, clients, expected) in [(vec![], 70, 70), (vec!["--max-connections", "3"], 5, 3)] {
        let upstream = FaultServer::start(|_| Behavior::Stall);
        let binary = Binary::new()
            .variable("OPENAI_API_KEY", "none")
            .variable("OPENAI_BASE_URL", &upstream.openai());
        let mut args = vec!["serve", "--model", "openai/m", "--protocol", "direct"];
        args.extend(["--port", "0", "--max-concurrency", "70"]);
        args.extend(flags);
        let server = Served::start(&binary, &args);
        let body =
            json!({"model": model, "messages": [{"role": "user", "content": "x"}]}).to_string();
        let waiting: Vec<PendingResponse> = (0..clients)
            .map(|_| server.http.send(CHAT, &[], &body))
            .collect();
        server.wait_for(&format!("rlm_eval_agents_working {clients}"));
        until("requests arrive", || upstream.seen().len() == expected);
        drop(waiting);
    }
}

#[test]
fn shutdown_cancels_requests_after_timeout() {
    let binary = folder();
    let mut server = Served::of(&binary, &["--shutdown-timeout", "0.5"]);
    let working = server.http.send(CHAT, &[], &question("wait").to_string());
    server.wait_for("rlm_eval_agents_working 1");
    server.process.signal("-TERM");
    let answer = working.read();
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(server.process.code(), Some(0));
    assert_eq!(records(&binary)[0]["status"], "cancelled");
}

#[test]
fn serves_named_agents_with_their_flags() {
    // --timer-timeout, which is also on the command line, is recorded under an earlier name.
    let agents = "careful:\n  description: Reads twice\n  prompt-mode: coordinator\n  \
                  max-iterations: 3\n  timer-timeout: 7200\n";
    let binary = folder().file("agents.yaml", agents);
    let server = Served::of(&binary, &["--agents", "agents.yaml"]);
    let body = json!({"model": "careful", "input": "Say x"}).to_string();
    let (status, answer) = server.ask("POST /v1/responses", &[], &body);
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("asked: Say x"), "{answer}");
    let run = only(&binary.path().join("results"));
    let config = read_json(run.join("config.json"));
    assert_eq!(config["served_as"], "careful");
    assert_eq!(config["engine"]["prompt_mode"], "coordinator");
    assert_eq!(config["engine"]["max_iterations"], 3);
    assert_eq!(config["engine"]["cell_wait_s"], 7200.0);
}

/// Invalid settings are reported before the server starts.
#[test]
fn refuses_invalid_settings() {
    let rows = [
        (
            vec!["--host", "0.0.0.0"],
            "error: other machines can reach 0.0.0.0:0, but clients do not need a key\nhint: list client keys with --client-keys FILE, set the key of a single client in EVAL_CLIENT_KEY, or listen on 127.0.0.1\n",
        ),
        (
            vec!["--client-keys", "weak.yaml"],
            "error: weak.yaml: client `a`: WEAK: a key must have at least 16 characters\n",
        ),
        (
            vec!["--agents", "agents.yaml"],
            "error: agents.yaml: agent `x`: unknown flag `promt-mode`; did you mean `prompt-mode`?\n",
        ),
        (
            vec!["--agents", "object.yaml"],
            "error: object.yaml: agent `x`: `max-depth`: expected a string, a number, true or false, not {\"a\":1}\n",
        ),
        (
            vec!["--agents", "budget.yaml"],
            "error: budget.yaml: agent `x`: `max-cost` limits the whole server, so pass it on the command line; the flags \
             `attempt-…` limit each request\n",
        ),
        (
            vec!["--record", "c.jsonl"],
            "error: --record: a cassette records one run, but served agents have several\nhint: the run directories contain all \
             responses: `--model replay:DIR` plays one back\n",
        ),
    ];
    let binary = folder()
        .file("weak.yaml", "clients: [{name: a, key_env: WEAK}]")
        .file("agents.yaml", "x: {promt-mode: solver}")
        .file("object.yaml", "x: {max-depth: {a: 1}}")
        .file("budget.yaml", "x: {max-cost: 2}")
        .variable("WEAK", "short");
    for (flags, wanted) in rows {
        let mut args = vec!["serve", "--model", "scripted:echo.yaml", "--port", "0"];
        args.extend(flags);
        let Ran { code, stderr, .. } = binary.run(&args, "");
        assert_eq!((code, stderr.as_str()), (Some(2), wanted), "{args:?}");
    }
}
