//! A key never appears in output or in any file of a run, no matter how the server returns it.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use memchr::memmem;
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::faults::{KEY, binary, run_dir, status, transient};
use crate::run::{files_in, read_json};
use fault_server::{Behavior, FaultServer};

fn files_with_key(folder: &Path) -> Vec<String> {
    let files = files_in(folder).into_iter();
    let found = files.filter(|path| holds(&fs::read(path).unwrap()));
    found.map(|path| path.display().to_string()).collect()
}

fn holds(bytes: &[u8]) -> bool {
    memmem::find(bytes, KEY.as_bytes()).is_some()
}

#[test]
fn redacts_key_echoed_by_server() {
    let mut faults = transient(1);
    for code in [400, 401, 403, 404, 422] {
        faults.push((status(code, None), Vec::new()));
    }
    // Responses that contain the key only in a header or only in escaped form.
    let escaped = format!(
        r#"{{"error": {{"message": "no {}"}}}}"#,
        KEY.replace('-', r"\u002d")
    );
    let login = vec![(
        "location".to_owned(),
        format!("http://127.0.0.1:1/?key={KEY}"),
    )];
    faults.extend([
        (Behavior::Status(400, Vec::new(), escaped), Vec::new()),
        (Behavior::Status(307, login, String::new()), Vec::new()),
    ]);
    let code = format!("```js\nconsole.log({KEY:?}); return({KEY:?})\n```");
    faults.extend([
        (Behavior::Filter, Vec::new()),
        (Behavior::Length(format!("cut off at {KEY}")), Vec::new()),
        (Behavior::Text(code.clone()), Vec::new()),
        (Behavior::Text(code), vec!["--stop-early".to_owned()]),
        (
            Behavior::NoUsage(format!("the key is {KEY}")),
            vec!["--stream".to_owned()],
        ),
    ]);
    std::thread::scope(|scope| {
        for model in ["openai/m", "anthropic/m"] {
            for (fault, more) in &faults {
                let more: Vec<&str> = more.iter().map(String::as_str).collect();
                scope.spawn(move || check(&binary(), model, fault, &more));
            }
        }
        // The key of another provider, which was not sent to this server.
        for fault in [
            status(400, None),
            Behavior::Text(format!("```js\nreturn({KEY:?})\n```")),
        ] {
            let others = || binary().variable("OPENAI_API_KEY", "sk-of-its-own-1");
            scope.spawn(move || check(&others(), "openai/m", &fault, &[]));
        }
    });
}

#[test]
fn records_sent_requests_without_keys() {
    let mut fingerprints = Vec::new();
    for (key, more) in [
        (KEY, &["--record-requests"][..]),
        // The quotes of this key are escaped in JSON.
        ("sk-\"quoted\"-1", &["--record-requests"]),
        (KEY, &[]),
    ] {
        let answer = Behavior::Text("42".to_owned());
        let server = FaultServer::list(vec![status(500, None), answer]);
        let row = json!({"id": "a", "query": format!("Who has {key}?"), "expected": "42"});
        let binary = Binary::new()
            .variable("OPENAI_API_KEY", key)
            .file("rows.jsonl", row.to_string());
        let base_url = server.openai();
        let mut args = vec!["run", "--benchmark", "rows.jsonl", "--scorer", "exact"];
        args.extend(["--protocol", "direct", "--model", "openai/m"]);
        args.extend(["--base-url", &base_url]);
        args.extend(more);
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = run_dir(binary.path());
        let read = |name: &str| -> Value {
            serde_json::from_str(&fs::read_to_string(dir.join(name)).unwrap()).unwrap()
        };
        if key == KEY {
            fingerprints.push(read("lock.json")["fingerprint"].clone());
        }
        let flag = read("config.json")["flags"]["record_requests"].clone();
        let folder = dir.join("requests");
        if more.is_empty() {
            assert_eq!((flag, folder.exists()), (Value::Null, false));
            continue;
        }
        assert_eq!(flag, true);
        let lines = fs::read_to_string(folder.join("a.1.jsonl")).unwrap();
        let escaped = json!(key).to_string();
        let escaped = escaped.trim_matches('"');
        let seen = server.seen();
        assert_eq!((seen.len(), lines.lines().count()), (2, 2), "{lines}");
        for ((line, seen), number) in lines.lines().zip(seen).zip(1..) {
            assert!(seen.text.contains(escaped), "{}", seen.text);
            let body = seen.text.replace(escaped, "[key]");
            let start = format!(r#"{{"v":1,"invocation":"root","turn":1,"try":{number},"at":"20"#);
            assert!(line.starts_with(&start), "{line}");
            assert!(line.ends_with(&format!(r#","body":{body}}}"#)), "{line}");
        }
    }
    assert_eq!(fingerprints[0], fingerprints[1]);
}

/// Variable that is set for the process started by [`redacts_key_in_panic_message`].
const PANICS_WITH: &str = "PANICS_WITH";

#[test]
fn redacts_key_in_panic_message() {
    if let Ok(key) = std::env::var(PANICS_WITH) {
        let _ = harness::provider::http::Secret::new(&key);
        eval::process::panic_hook::install();
        panic!("cannot send {key}");
    }
    let ran = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .arg("secrets::redacts_key_in_panic_message")
        .env(PANICS_WITH, KEY)
        .env("RUST_BACKTRACE", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(told.contains("cannot send [key]"), "{told}");
    assert!(!holds(&ran.stderr) && !holds(&ran.stdout), "{told}");
}

fn check(binary: &Binary, model: &str, fault: &Behavior, more: &[&str]) {
    let server = FaultServer::list(vec![fault.clone()]);
    let base_url = server.openai();
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend([
        "--samples-per-length",
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
    args.push("--record-requests");
    args.extend(more);
    let Ran { stdout, stderr, .. } = binary.run(&args, "");
    assert!(!server.seen().is_empty(), "{model} {fault:?}: {stderr}");
    assert!(!holds(stdout.as_bytes()), "{model} {fault:?}: {stdout}");
    assert!(!holds(stderr.as_bytes()), "{model} {fault:?}: {stderr}");
    let found = files_with_key(binary.path());
    assert!(found.is_empty(), "{model} {fault:?}: {found:?}");
}

#[test]
fn worker_process_has_no_key() {
    // While the child's answer is pending, its caller's cell keeps the worker process busy.
    let server = FaultServer::start(
        |seen| match seen.body["messages"].as_array().map(Vec::len) {
            Some(2) if seen.number == 0 => {
                Behavior::Text("```js\nconsole.log(await llm('wait'))\n```".to_owned())
            }
            _ => Behavior::Stall,
        },
    );
    let base_url = server.openai();
    let mut child = binary().spawn(&[
        "ask",
        "--query",
        "q",
        "--model",
        "openai/m",
        "--base-url",
        &base_url,
        "--isolation",
        "process",
    ]);
    let began = Instant::now();
    while server.seen().len() < 2 && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(20));
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
    assert!(server.seen().len() >= 2, "two requests arrived");
    assert!(!environments.is_empty(), "workers {workers:?}");
    assert!(!environments.iter().any(|environment| holds(environment)));
}

/// Flags of a run with two samples of one call each and a budget of one call.
const HALF: [&str; 17] = [
    "--benchmark",
    "s-niah",
    "--context-len",
    "2k",
    "--samples-per-length",
    "2",
    "--protocol",
    "direct",
    "--model",
    "openai/m",
    "--max-llm-calls",
    "1",
    "--concurrency",
    "1",
    "--profile",
    "none",
    "--base-url",
];

/// Returns the end of the error for a server that only the folder names, with its hint.
fn unnamed(url: &str, command: &str) -> String {
    format!(
        " names the server {url}, which this start does not name\n\
         hint: if you trust it, run `rlm-eval {command} --base-url {url}`, or set EVAL_BASE_URL={url}\n"
    )
}

#[test]
fn sends_no_key_to_address_of_run_folder() {
    let server = FaultServer::list(vec![Behavior::Text("42".to_owned())]);
    let url = server.openai();
    let begun = || {
        let binary = binary();
        let ran = binary.run(&[&["run"], &HALF[..], &[&url]].concat(), "");
        let dir = run_dir(binary.path());
        let dir = dir
            .strip_prefix(binary.path())
            .unwrap()
            .display()
            .to_string();
        let again = format!(
            "continue with `rlm-eval run --resume {dir} --max-llm-calls 2 --base-url {url}`\n"
        );
        assert!(ran.stderr.contains(&again), "{ran:?}");
        (binary, dir)
    };
    let resume = |binary: &Binary, dir: &str, more: &[&str]| {
        let before = server.seen().len();
        let args = [&["run", "--resume", dir, "--max-llm-calls", "9"], more].concat();
        let ran = binary.run(&args, "");
        (ran, server.seen().split_off(before))
    };
    let bearer = format!("Bearer {KEY}");
    let (binary, dir) = begun();
    let (ran, seen) = resume(&binary, &dir, &[]);
    let refused = format!(
        "error: {dir}{}",
        unnamed(&url, &format!("run --resume {dir}"))
    );
    assert_eq!((ran.code, ran.stderr, seen.len()), (Some(2), refused, 0));
    // This start names the address, on the command line or in a variable.
    let (ran, seen) = resume(&binary, &dir, &["--base-url", &url]);
    assert_eq!((ran.code, seen.len()), (Some(0), 1), "{ran:?}");
    assert_eq!(seen[0].header("authorization"), Some(bearer.as_str()));
    for name in ["EVAL_BASE_URL", "OPENAI_BASE_URL"] {
        let (binary, dir) = begun();
        let (ran, seen) = resume(&binary.variable(name, &format!("{url}/")), &dir, &[]);
        assert_eq!((ran.code, seen.len()), (Some(0), 1), "{name}: {ran:?}");
    }
    // Even without a key, the address would receive prompts.
    let (binary, dir) = begun();
    let (ran, seen) = resume(&binary.variable("OPENAI_API_KEY", ""), &dir, &[]);
    assert_eq!((ran.code, seen.len()), (Some(2), 0), "{ran:?}");
    // A different port does not change the experiment, but may be a different server, so both
    // addresses are recorded.
    let other = FaultServer::list(vec![Behavior::Text("42".to_owned())]);
    let there = other.openai();
    let (binary, dir) = begun();
    let (ran, _) = resume(&binary, &dir, &["--base-url", &there]);
    let moved =
        format!("note: model servers: now {there}, previously {url}; config.json records both\n");
    assert!(
        ran.code == Some(0) && ran.stderr.contains(&moved),
        "{ran:?}"
    );
    let config = read_json(binary.path().join(&dir).join("config.json"));
    let engine = &config["engine"];
    assert_eq!(engine["base_urls"]["openai"], there.as_str());
    assert_eq!(
        config["other_values"]["address"],
        serde_json::json!([{ "openai": url }])
    );
}

#[test]
fn sends_no_key_to_address_of_sweep_folder() {
    let server = FaultServer::list(vec![Behavior::Text("```js\nreturn(42)\n```".to_owned())]);
    let url = server.openai();
    let binary = binary();
    let mut args = vec!["sweep", "--out", "all", "--"];
    args.extend(
        HALF.iter()
            .filter(|word| !["--protocol", "direct"].contains(word)),
    );
    args.push(&url);
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    let cells = ["01-direct", "02-solver"].map(|name| binary.path().join("all").join(name));
    for name in ["begun", "not begun"] {
        let before = server.seen().len();
        let ran = binary.run(&["sweep", "--resume", "all"], "");
        assert_eq!(
            (ran.code, server.seen().len()),
            (Some(2), before),
            "{name}: {ran:?}"
        );
        assert!(
            ran.stderr
                .ends_with(&unnamed(&url, "sweep --resume all --")),
            "{ran:?}"
        );
        for cell in cells.iter().filter(|cell| cell.exists()) {
            fs::remove_dir_all(cell).unwrap();
        }
    }
    // The suggested command passes the address after `--`.
    let mut again = vec!["sweep", "--out", "some", "--max-llm-calls", "1"];
    again.extend(args.iter().skip_while(|word| **word != "--"));
    let own = again.iter().rposition(|word| *word == "--max-llm-calls");
    again.drain(own.unwrap()..own.unwrap() + 2);
    let ran = binary.run(&again, "");
    let how = format!(
        "continue with `rlm-eval sweep --resume some --max-llm-calls 2 -- --base-url {url}`\n"
    );
    assert!(ran.stderr.contains(&how), "{ran:?}");
    let binary = binary.variable("EVAL_BASE_URL", &url);
    let ran = binary.run(&["sweep", "--resume", "all"], "");
    assert_eq!(ran.code, Some(106), "{ran:?}");
    assert!(cells.iter().all(|cell| cell.join("lock.json").is_file()));
}
