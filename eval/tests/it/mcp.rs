//! `rlm-eval mcp` as a process: its tools over stdio and HTTP, progress, cancellation, budgets,
//! records, and clients that disconnect. The crate `mcp` tests the messages.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http_fixture::{HttpClient, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::binary::{Binary, Ran, Running};
use crate::faults::gated_model;

/// Maximum time to wait for an answer.
const ANSWER: Duration = Duration::from_secs(60);

/// Flags that every server gets.
const FLAGS: [&str; 7] = [
    "mcp",
    "--model",
    "scripted:echo.yaml",
    "--confirm-first-return",
    "false",
    "--timer-timeout",
    "3600",
];

/// A server on stdio, with its session.
struct Session {
    process: Running,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    calls: u32,
}

impl Session {
    fn open(binary: &Binary, flags: &[&str]) -> Self {
        let mut command = binary.command(&[&FLAGS[..], flags].concat());
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::null()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        let mut session = Self {
            stdin: child.stdin.take(),
            process: Running(child),
            lines,
            calls: 0,
        };
        session.send(
            &json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }}),
        );
        let answer = session.receive();
        assert_eq!(answer["result"]["serverInfo"]["name"], "rlm-eval");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
    }

    /// Returns the server's next message. Every line of stdout must be a message.
    fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(ANSWER).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Calls a tool without waiting for its result.
    fn begin(&mut self, tool: &str, arguments: &Value) -> u32 {
        self.calls += 1;
        let id = 1000 + self.calls;
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": tool, "arguments": arguments, "_meta": {"progressToken": id},
            }}),
        );
        id
    }

    /// Returns the result of a tool call and the progress reported before it.
    fn call(&mut self, tool: &str, arguments: &Value) -> (Value, Vec<Value>) {
        let id = self.begin(tool, arguments);
        let mut progress = Vec::new();
        loop {
            let message = self.receive();
            if message["id"] == id {
                return (message["result"].clone(), progress);
            }
            if message["params"]["progressToken"] == id {
                progress.push(message["params"].clone());
            }
        }
    }

    /// Closes stdin and returns the exit code.
    fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.process.code()
    }
}

fn folder() -> Binary {
    let binary = Binary::new()
        .file("echo.yaml", include_str!("clients/echo.yaml"))
        .file("secret.txt", "secret")
        .file("docs/a.txt", "text a")
        .file("docs/sub/c.txt", "text c")
        .file("docs/b.bin", b"\xff\xfe")
        .file("docs/.hidden", "hidden");
    symlink("../secret.txt", binary.path().join("docs/link.txt")).unwrap();
    binary
}

/// Returns the records of all runs that a server has written.
fn records(binary: &Binary) -> Vec<Value> {
    let runs = fs::read_dir(binary.path().join("results")).unwrap();
    let mut runs: Vec<PathBuf> = runs.map(|run| run.unwrap().path()).collect();
    runs.sort();
    let texts = runs
        .iter()
        .map(|run| fs::read_to_string(run.join("samples.jsonl")).unwrap());
    let texts: Vec<String> = texts.collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// One row of `mcp/calls.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Name of a tool.
    call: String,
    arguments: Value,
    /// Texts that the answer contains.
    holds: Vec<String>,
}

#[test]
fn tools_answer_or_refuse() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("mcp/calls.json")).unwrap();
    let binary = folder();
    let mut session = Session::open(&binary, &["--root", "docs"]);
    session.send(&json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"}));
    let listed = session.receive();
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| &tool["name"]);
    assert!(names.eq(&["rlm", "llm_map", "read_run", "compare_runs"]));
    let coordinator = "rlm-coordinator/scripted:echo.yaml";
    assert!(listed.to_string().contains(coordinator), "{listed}");
    for Row {
        call,
        arguments,
        holds,
    } in rows
    {
        let (result, _) = session.call(&call, &arguments);
        let result = result.to_string();
        for part in &holds {
            let is_there = result.contains(part);
            assert!(is_there, "{call} {arguments}: no `{part}` in {result}");
        }
    }
    assert_eq!(session.end(), Some(0));
}

#[test]
fn calls_report_progress_and_can_be_cancelled() {
    let binary = folder();
    let mut session = Session::open(&binary, &["--max-concurrency", "1", "--max-queue", "0"]);
    let (_, progress) = session.call("rlm", &json!({"query": "Say a"}));
    let messages: Vec<&str> = progress
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        messages,
        ["root: iteration 1", "root: ended ok after 1 iteration"]
    );
    let id = session.begin("rlm", &json!({"query": "wait"}));
    assert_eq!(session.receive()["params"]["progressToken"], id);
    let (refused, _) = session.call("rlm", &json!({"query": "Say b"}));
    assert_eq!(refused["isError"], true);
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("--max-concurrency"), "{text}");
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {
            "requestId": id, "reason": "enough",
        }}),
    );
    // The cancelled call soon frees its slot.
    let began = Instant::now();
    let result = loop {
        let (result, _) = session.call("rlm", &json!({"query": "Say b"}));
        if result["isError"] == false {
            break result;
        }
        assert!(began.elapsed() < ANSWER, "{result}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(result["content"][0]["text"], "asked: Say b");
    assert_eq!(session.end(), Some(0));
    let statuses: Vec<Value> = records(&binary)
        .iter()
        .map(|record| record["status"].clone())
        .collect();
    assert_eq!(statuses, ["ok", "cancelled", "ok"]);
}

#[test]
fn disconnected_client_stops_its_agents() {
    let binary = folder();
    let mut session = Session::open(&binary, &[]);
    session.begin("rlm", &json!({"query": "wait"}));
    session.receive();
    let began = Instant::now();
    assert_eq!(session.end(), Some(0));
    assert!(began.elapsed() < ANSWER);
    assert_eq!(records(&binary)[0]["status"], "cancelled");
}

#[test]
fn refuses_messages_over_the_size_limit() {
    let binary = folder();
    let mut session = Session::open(&binary, &["--max-request-size", "1"]);
    let context = "x".repeat(1_000_000);
    session.begin("rlm", &json!({"query": "Say a", "context": context}));
    let refused = session.receive();
    let problem = refused["error"]["message"].as_str().unwrap();
    assert!(problem.contains("more than 1000000 bytes"), "{problem}");
    let (result, _) = session.call("rlm", &json!({"query": "Say b"}));
    assert_eq!(result["content"][0]["text"], "asked: Say b", "{result}");
    assert_eq!(session.end(), Some(0));
    assert_eq!(records(&binary).len(), 1);
}

#[test]
fn llm_map_keeps_order_and_budget() {
    let direct = "description: Repeats.\nrules:\n  - compute: |\n      const found = context.match(/item (\\d+)/); return 'got ' + (found ? found[1] : context)\n    cost_usd: 0.001\n";
    let binary = folder().file("echo.yaml", direct);
    let mut session = Session::open(&binary, &["--max-concurrency", "4"]);
    let items: Vec<String> = (0..20).map(|number| format!("item {number}")).collect();
    let arguments = json!({"instruction": "Repeat", "items": items});
    let (result, progress) = session.call("llm_map", &arguments);
    let structured = &result["structuredContent"];
    for (number, one) in structured["results"].as_array().unwrap().iter().enumerate() {
        assert_eq!(one["answer"], format!("got {number}"), "{result}");
    }
    assert_eq!((&structured["failed"], progress.len()), (&json!(0), 20));
    let limited = json!({"instruction": "Repeat", "items": items, "max_llm_calls": 3});
    let (result, _) = session.call("llm_map", &limited);
    let structured = &result["structuredContent"];
    assert_eq!(
        (&structured["failed"], &result["isError"]),
        (&json!(17), &json!(false))
    );
    // Texts without a call cost nothing.
    assert_eq!(structured["cost_usd"], 0.003, "{result}");
    assert_eq!(session.end(), Some(0));
}

#[test]
fn enforces_server_budgets() {
    let binary = folder();
    let mut session = Session::open(&binary, &["--max-llm-calls", "2"]);
    for _ in 0..2 {
        let (result, _) = session.call("rlm", &json!({"query": "Say a"}));
        assert_eq!(result["isError"], false, "{result}");
    }
    for (tool, arguments) in [
        ("rlm", json!({"query": "Say a"})),
        ("llm_map", json!({"instruction": "x", "items": ["a"]})),
    ] {
        let (result, _) = session.call(tool, &arguments);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            result["isError"] == true && text.contains("--max-llm-calls"),
            "{result}"
        );
    }
    assert_eq!(session.end(), Some(0));
}

#[test]
fn keeps_answers_in_flight_when_budget_ends() {
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().unwrap();
    let model = gated_model(&gate);
    let binary = folder()
        .variable("OPENAI_API_KEY", "key")
        .variable("OPENAI_BASE_URL", &model.openai());
    let flags = ["--also-model", "openai/m", "--max-llm-calls", "2"];
    let mut session = Session::open(&binary, &flags);
    let items = ["a", "b", "c"];
    let arguments = json!({"instruction": "Repeat", "items": items, "model": "openai/m"});
    let id = session.begin("llm_map", &arguments);
    // One call is refused while the other two are in flight.
    assert_eq!(session.receive()["params"]["progressToken"], id);
    drop(closed);
    let result = loop {
        let message = session.receive();
        if message["id"] == id {
            break message["result"]["structuredContent"].clone();
        }
    };
    assert_eq!(
        (&result["failed"], &result["llm_calls"]),
        (&json!(1), &json!(2)),
        "{result}"
    );
    assert_eq!(session.end(), Some(0));
}

#[test]
fn reads_and_compares_runs() {
    let binary = folder();
    for (name, seed) in [("one", "1"), ("two", "2")] {
        let ran = binary.run(
            &[
                "run",
                "--benchmark",
                "s-niah",
                "--model",
                "scripted",
                "--context-len",
                "2k",
                "--samples-per-length",
                "3",
                "--name",
                name,
                "--log-dir",
                "runs",
                "--seed",
                seed,
            ],
            "",
        );
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let mut session = Session::open(&binary, &["--root", "runs"]);
    let (result, _) = session.call("read_run", &json!({"run": "one", "limit": 2}));
    let structured = &result["structuredContent"];
    assert_eq!(structured["run"]["benchmark"], "s-niah");
    assert_eq!(
        (&structured["total"], &structured["next_offset"]),
        (&json!(3), &json!(2))
    );
    let sample = structured["attempts"][0]["sample"].clone();
    let (result, _) = session.call("read_run", &json!({"run": "one", "sample": sample}));
    let structured = &result["structuredContent"];
    assert_eq!(structured["attempt"]["status"], "ok", "{result}");
    let steps = structured["steps"].to_string();
    assert!(steps.contains("iteration 1"), "{steps}");
    let (result, _) = session.call("read_run", &json!({"run": "one", "sample": "none"}));
    assert_eq!(result["isError"], true);
    let (result, _) = session.call(
        "compare_runs",
        &json!({"runs": ["one", "two"], "allow_mismatch": true}),
    );
    let structured = &result["structuredContent"];
    assert!(structured["verdicts"][0].is_string(), "{result}");
    assert_eq!(structured["comparison"]["runs"][1]["name"], "B");
    let (result, _) = session.call("compare_runs", &json!({"runs": ["one", "two"]}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(!text.is_empty(), "{result}");
    // The trajectories of this server's own agents can be read although they are outside `--root`.
    let (result, _) = session.call("rlm", &json!({"query": "Say own"}));
    let (run, sample) = (
        &result["structuredContent"]["run"],
        &result["structuredContent"]["sample"],
    );
    let (result, _) = session.call("read_run", &json!({"run": run, "sample": sample}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("iteration 1"), "{text}");
    assert_eq!(session.end(), Some(0));
}

/// A server over HTTP, which is killed when dropped.
pub struct Served {
    process: Running,
    http: HttpClient,
    pub url: String,
}

impl Served {
    pub fn of(binary: &Binary, flags: &[&str]) -> Self {
        let args = [&FLAGS[..], &["--http", "0"], flags].concat();
        let (process, url) = Running::serve(&mut binary.command(&args));
        assert!(url.ends_with("/mcp"), "{url}");
        let headers = &[
            "Accept: application/json, text/event-stream",
            "Content-Type: application/json",
        ];
        Self {
            process,
            http: HttpClient::of(&url, headers),
            url,
        }
    }

    fn ask(&self, headers: &[&str], body: &Value) -> Response {
        self.http.ask("POST /mcp", headers, &body.to_string())
    }

    /// Initializes a session and returns its header.
    fn session(&self, headers: &[&str]) -> String {
        let answer = self.ask(headers, &hello());
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut lines = answer.head.lines();
        let header = lines.find(|line| line.starts_with("mcp-session-id:"));
        header.unwrap().to_owned()
    }

    /// Calls a tool and returns the whole response.
    fn call(&self, headers: &[&str], tool: &str, arguments: &Value) -> String {
        let answer = self.ask(headers, &call(tool, arguments));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.head + &answer.body
    }

    /// Stops the server with SIGTERM and returns its exit code.
    fn end(mut self) -> Option<i32> {
        self.process.signal("-TERM");
        self.process.code()
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {"progressToken": "p"},
    }})
}

#[test]
fn serves_clients_with_key_over_http() {
    let key = "sk-mcp-0123456789abcdef";
    let binary = folder().variable("EVAL_CLIENT_KEY", key);
    let server = Served::of(&binary, &["--max-request-size", "1"]);
    let right = format!("Authorization: Bearer {key}");
    let answer = server.ask(&[], &hello());
    assert_eq!(answer.status, 401, "{answer:?}");
    let answer = server.ask(&[&right], &json!("x".repeat(2_000_000)));
    assert_eq!(answer.status, 413, "{answer:?}");
    let session = server.session(&[&right]);
    let answer = server.call(&[&right, &session], "rlm", &json!({"query": "Say web"}));
    assert!(
        answer.contains("asked: Say web") && answer.contains("iteration 1"),
        "{answer}"
    );
    assert!(!answer.contains(key));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn disconnected_http_client_stops_its_agent() {
    let binary = folder();
    let server = Served::of(&binary, &["--max-concurrency", "1"]);
    let session = server.session(&[]);
    let wait = call("rlm", &json!({"query": "wait"})).to_string();
    let mut response = server.http.send("POST /mcp", &[&session], &wait);
    response.read_until("iteration 1");
    drop(response);
    // Another client's call waits in the queue until the agent has stopped.
    let session = server.session(&[]);
    let answer = server.call(&[&session], "rlm", &json!({"query": "Say a"}));
    assert!(answer.contains("asked: Say a"), "{answer}");
    assert_eq!(server.end(), Some(0));
    let records = records(&binary);
    let statuses: Vec<&Value> = records.iter().map(|record| &record["status"]).collect();
    assert_eq!(statuses, ["cancelled", "ok"]);
}

#[test]
fn key_file_limits_clients() {
    let keys = "clients:\n  - { name: one, key_env: KEY_ONE, max_llm_calls: 1, models: ['rlm/*'] }\n  - { name: two, key_env: KEY_TWO, requests_per_minute: 2 }\n";
    let (one, two) = ("sk-one-0123456789abcdef", "sk-two-0123456789abcdef");
    let binary = folder()
        .file("clients.yaml", keys)
        .variable("KEY_ONE", one)
        .variable("KEY_TWO", two);
    let server = Served::of(&binary, &["--client-keys", "clients.yaml"]);
    let one = format!("Authorization: Bearer {one}");
    let two = format!("Authorization: Bearer {two}");
    let (of_one, of_two) = (server.session(&[&one]), server.session(&[&two]));
    let say = json!({"query": "Say private"});
    let (one, two) = ([one.as_str(), &of_one], [two.as_str(), &of_two]);
    let answer = server.call(&one, "rlm", &say);
    assert!(answer.contains("asked: Say private"), "{answer}");
    let answer = server.call(&one, "rlm", &say);
    assert!(answer.contains("client's max_llm_calls"), "{answer}");
    let coordinator = json!({"query": "x", "model": "rlm-coordinator/scripted:echo.yaml"});
    let answer = server.call(&one, "rlm", &coordinator);
    assert!(answer.contains("unknown model"), "{answer}");
    let run = fs::read_dir(binary.path().join("results"))
        .unwrap()
        .next()
        .unwrap();
    let run = run.unwrap().file_name().into_string().unwrap();
    let read = json!({"run": run, "sample": "request-000001"});
    let answer = server.call(&two, "read_run", &read);
    assert!(
        answer.contains("--root") && !answer.contains("private"),
        "{answer}"
    );
    assert!(
        server
            .call(&two, "rlm", &coordinator)
            .contains("\"isError\":false")
    );
    let answer = server.call(&two, "rlm", &say);
    assert!(answer.contains("2 requests per minute"), "{answer}");
}

#[test]
fn refuses_invalid_settings() {
    let rows = [
        (
            vec!["--http", "0.0.0.0:0"],
            "error: other machines can reach 0.0.0.0:0, but clients do not need a key\nhint: list client keys with --client-keys FILE, set the key of a single client in EVAL_CLIENT_KEY, or listen on 127.0.0.1\n",
        ),
        (vec!["--root", "none"], "error: --root none: not a folder\n"),
        (
            vec!["--root", "secret.txt"],
            "error: --root secret.txt: not a folder\n",
        ),
    ];
    let binary = folder();
    for (flags, wanted) in rows {
        let Ran {
            code,
            stdout,
            stderr,
        } = binary.run(&[&FLAGS[..], &flags].concat(), "");
        assert_eq!(
            (code, stderr.as_str(), stdout.as_str()),
            (Some(2), wanted, ""),
            "{flags:?}"
        );
    }
}
