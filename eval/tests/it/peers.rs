//! Runs against third-party servers of each API format: fakellm, and `LiteLLM`'s proxy with mocked
//! responses and in front of fakellm.
//!
//! `scripts/install-peers.sh` installs the servers under `target/peers`; `./test.sh --full` runs
//! that script.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::binary::{Binary, Running};
use crate::run::{lines, only};

const KEY: &str = "sk-peer-key-1234";

/// A running server, which stops when dropped.
struct Peer {
    _process: Running,
    port: u16,
    _folder: tempfile::TempDir,
}

/// Returns the folder with the servers' programs. If they are not installed, prints a note and
/// returns `None`, or panics with `EVAL_TEST_PEERS`.
fn programs() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers/bin");
    if folder.join("litellm").is_file() && folder.join("fakellm").is_file() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("EVAL_TEST_PEERS").is_none(),
        "EVAL_TEST_PEERS is set, and target/peers has no servers: run scripts/install-peers.sh"
    );
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: target/peers has no servers; scripts/install-peers.sh installs them");
    }
    None
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Starts a server. Retries with another port if some process has taken the free port meanwhile,
/// because these servers cannot report a port that they choose.
fn start(program: &Path, args: &[&str], config: (&str, &str)) -> Peer {
    loop {
        match try_start(program, args, config) {
            Ok(peer) => return peer,
            Err(log) if log.contains("address already in use") => {}
            Err(log) => panic!("{} did not start: {log}", program.display()),
        }
    }
}

/// Starts a server; on failure, returns its output.
fn try_start(program: &Path, args: &[&str], config: (&str, &str)) -> Result<Peer, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(config.0), config.1).unwrap();
    let port = free_port();
    let log = File::create(folder.path().join("log")).unwrap();
    let mut process = Command::new(program)
        .args(args)
        .args([
            "--host",
            "127.0.0.1",
            "--port",
            &port.to_string(),
            "--config",
            config.0,
        ])
        .current_dir(folder.path())
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .stdin(Stdio::null())
        .spawn()
        .map(Running)
        .unwrap();
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = process.0.try_wait().unwrap();
        if ended.is_some() || began.elapsed() > Duration::from_secs(240) {
            let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
            return Err(format!("{ended:?} {log}"));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(Peer {
        _process: process,
        port,
        _folder: folder,
    })
}

/// Runs two samples; returns the records and stderr.
fn run(model: &str, base_url: &str, more: &[&str]) -> (Vec<Value>, String) {
    let binary = Binary::new()
        .variable("OPENAI_API_KEY", KEY)
        .variable("ANTHROPIC_API_KEY", KEY);
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--samples-per-length",
        "2",
        "--isolation",
        "thread",
        "--max-iterations",
        "2",
    ]);
    args.extend(["--model", model, "--base-url", base_url]);
    args.extend(more);
    let ran = binary.run(&args, "");
    let results = binary.path().join("results");
    let records = if results.exists() {
        lines(&only(&results).join("samples.jsonl"))
    } else {
        Vec::new()
    };
    (records, ran.stderr)
}

/// Checks that the model's code ran to its return statement, and that the server counted the tokens
/// or, if `estimated`, the harness estimated them.
fn check(model: &str, base_url: &str, more: &[&str], estimated: bool) {
    let (records, stderr) = run(model, base_url, more);
    assert_eq!(records.len(), 2, "{model} {more:?}: {stderr}");
    for record in records {
        let case = format!("{model} {more:?}: {record} {stderr}");
        assert_eq!(record["status"], "ok", "{case}");
        assert_eq!(record["answer"], "from a peer", "{case}");
        assert_eq!(record["llm_calls"], 2, "{case}");
        let usage = &record["usage"];
        assert!(usage["input_tokens"].as_u64() > Some(0), "{case}");
        assert!(usage["output_tokens"].as_u64() > Some(0), "{case}");
        assert_eq!(usage["estimated"], estimated, "{case}");
    }
}

const FAKELLM: &str = "version: 1
rules:
  - name: answer
    when: {messages_contain: needle}
    respond: {content: \"I look.\\n```js\\nreturn('from a peer')\\n```\\nThat is all.\"}
  - name: any
    respond: {content: \"I look.\\n```js\\nreturn('from a peer')\\n```\\nThat is all.\"}
";

fn litellm_config(fakellm: u16) -> String {
    let content = "I look.\\n```js\\nreturn('from a peer')\\n```\\nThat is all.";
    format!(
        "model_list:
  - model_name: mock
    litellm_params: {{model: openai/mock, api_key: none, mock_response: \"{content}\"}}
  - model_name: mock-claude
    litellm_params: {{model: anthropic/claude-sonnet-4-5, api_key: none, mock_response: \"{content}\"}}
  - model_name: behind
    litellm_params: {{model: openai/gpt-4o, api_key: none, api_base: 'http://127.0.0.1:{fakellm}/v1'}}
litellm_settings: {{use_chat_completions_url_for_anthropic_messages: true}}
general_settings: {{master_key: {KEY}}}
"
    )
}

#[test]
fn runs_against_third_party_servers() {
    let Some(programs) = programs() else { return };
    let fakellm = start(
        &programs.join("fakellm"),
        &["serve"],
        ("fakellm.yaml", FAKELLM),
    );
    let fake = format!("http://127.0.0.1:{}", fakellm.port);
    for more in [&[][..], &["--stream"]] {
        // fakellm's streams of chat completions omit usage even if it is requested.
        let estimated = !more.is_empty();
        check("openai/gpt-4o", &format!("{fake}/v1"), more, estimated);
        check("anthropic/claude-sonnet-4-5", &fake, more, false);
    }
    let config = litellm_config(fakellm.port);
    let litellm = start(&programs.join("litellm"), &[], ("litellm.yaml", &config));
    let lite = format!("http://127.0.0.1:{}", litellm.port);
    for more in [&[][..], &["--stream"]] {
        check("openai/mock", &format!("{lite}/v1"), more, false);
        check("anthropic/mock-claude", &lite, more, false);
        // LiteLLM converts chat completions to messages, and their stream to events.
        check("anthropic/behind", &lite, more, false);
    }
    check(
        "openai/mock",
        &format!("{lite}/v1"),
        &["--stop-early"],
        true,
    );

    let (records, stderr) = run("openai/none-such", &format!("{lite}/v1"), &[]);
    assert!(
        records
            .iter()
            .all(|record| record["status"] == "error" && record["retries"] == 0),
        "{records:?} {stderr}"
    );
    let binary = Binary::new().variable("OPENAI_API_KEY", "sk-not-the-right-one");
    let url = format!("{lite}/v1");
    let wrong = [
        "ask",
        "--query",
        "q",
        "--model",
        "openai/mock",
        "--base-url",
        &url,
    ];
    let ran = binary.run(&wrong, "");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let binary = binary.variable("OPENAI_API_KEY", KEY);
    let ran = binary.run(
        &["list", "models", "--provider", "openai", "--base-url", &url],
        "",
    );
    assert!(
        ran.stdout.contains("openai/mock-claude"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}
