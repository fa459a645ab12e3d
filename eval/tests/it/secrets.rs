//! A key never shows: not in what is printed, not in any file of a run, whatever the server does with it.

use std::fs;
use std::path::Path;

use crate::binary::{Binary, Ran};
use crate::fault_server::{Behaviour, FaultServer};
use crate::faults::{KEY, binary, status, transient};

/// Every file under a folder that holds the key.
fn holding(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if holds(&fs::read(&path).unwrap()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

fn holds(bytes: &[u8]) -> bool {
    bytes
        .windows(KEY.len())
        .any(|window| window == KEY.as_bytes())
}

#[test]
fn a_key_that_servers_say_back_is_nowhere() {
    let mut faults = transient();
    for code in [400, 401, 403, 404, 422] {
        faults.push((status(code, None), &[]));
    }
    // Where only the reader of the response sees it: in a header, and behind an escape.
    let escaped = format!(
        r#"{{"error": {{"message": "no {}"}}}}"#,
        KEY.replace('-', r"\u002d")
    );
    let login = vec![(
        "location".to_owned(),
        format!("http://127.0.0.1:1/?key={KEY}"),
    )];
    faults.extend([
        (Behaviour::Status(400, Vec::new(), escaped), &[][..]),
        (Behaviour::Status(307, login, String::new()), &[]),
    ]);
    let code = format!("```js\nconsole.log({KEY:?}); return({KEY:?})\n```");
    faults.extend([
        (Behaviour::Filter, &[][..]),
        (Behaviour::Length(format!("cut off at {KEY}")), &[]),
        (Behaviour::Text(code.clone()), &[]),
        (Behaviour::Text(code), &["--stop-early"]),
        (
            Behaviour::NoUsage(format!("the key is {KEY}")),
            &["--stream"],
        ),
    ]);
    std::thread::scope(|scope| {
        for model in ["openai/m", "anthropic/m"] {
            for (fault, more) in &faults {
                scope.spawn(move || check(&binary(), model, fault, more));
            }
        }
        // That of another provider, which this server was never given.
        for fault in [
            status(400, None),
            Behaviour::Text(format!("```js\nreturn({KEY:?})\n```")),
        ] {
            let others = || binary().variable("OPENAI_API_KEY", "sk-of-its-own-1");
            scope.spawn(move || check(&others(), "openai/m", &fault, &[]));
        }
    });
}

/// What the process that [`a_panic_that_quotes_a_key_does_not_show_it`] starts is given.
const PANICS_WITH: &str = "PANICS_WITH";

#[test]
fn a_panic_that_quotes_a_key_does_not_show_it() {
    if let Ok(key) = std::env::var(PANICS_WITH) {
        let _ = harness::provider::http::Secret::new(&key);
        eval::panic_hook::install();
        panic!("cannot send {key}");
    }
    let ran = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("secrets::a_panic_that_quotes_a_key_does_not_show_it")
        .env(PANICS_WITH, KEY)
        .env("RUST_BACKTRACE", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("cannot send [key]"), "{told}");
    assert!(!holds(&ran.stderr) && !holds(&ran.stdout), "{told}");
}

fn check(binary: &Binary, model: &str, fault: &Behaviour, more: &[&str]) {
    let server = FaultServer::list(vec![fault.clone()]);
    let base_url = server.openai();
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--tasks-per-length",
        "1",
        "--isolation",
        "thread",
        "--max-iterations",
        "2",
    ]);
    args.extend([
        "--model",
        model,
        "--base-url",
        &base_url,
        "--max-retries",
        "1",
    ]);
    args.extend(["--cache", "cache", "--record", "tape.jsonl"]);
    args.extend(more);
    let Ran { stdout, stderr, .. } = binary.run(&args, "");
    assert!(!server.seen().is_empty(), "{model} {fault:?}: {stderr}");
    assert!(!holds(stdout.as_bytes()), "{model} {fault:?}: {stdout}");
    assert!(!holds(stderr.as_bytes()), "{model} {fault:?}: {stderr}");
    let found = holding(binary.path());
    assert!(found.is_empty(), "{model} {fault:?}: {found:?}");
}

#[test]
fn a_worker_process_has_no_key() {
    // The child's answer keeps its caller's cell, and so its worker, waiting.
    let server = FaultServer::start(
        |seen| match seen.body["messages"].as_array().map(Vec::len) {
            Some(2) if seen.number == 0 => {
                Behaviour::Text("```js\nconsole.log(await llm('wait'))\n```".to_owned())
            }
            _ => Behaviour::Stall,
        },
    );
    let base_url = server.openai();
    let mut child = binary()
        .command(&[
            "ask",
            "--query",
            "q",
            "--model",
            "openai/m",
            "--base-url",
            &base_url,
            "--isolation",
            "process",
        ])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..600 {
        if server.seen().len() >= 2 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let workers: Vec<String> = fs::read_to_string(children)
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let environments: Vec<Vec<u8>> = workers
        .iter()
        .filter_map(|worker| fs::read(format!("/proc/{worker}/environ")).ok())
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(server.seen().len() >= 2, "the agent has asked twice");
    assert!(!environments.is_empty(), "workers {workers:?}");
    assert!(!environments.iter().any(|environment| holds(environment)));
}
