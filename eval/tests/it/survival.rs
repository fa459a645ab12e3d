//! A run survives hostile code in its samples and kills of its worker processes.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fault_server::{Behavior, FaultServer};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::faults::solution;
use crate::run::{lines, only};

const SAMPLES: usize = 60;
const HOSTILE: usize = 20;
/// Number and status of the last hostile sample, which returns a value nested too deeply for
/// `QuickJS` to convert to JSON: see "What differs between the engines" in `sandbox/README.md`.
const DEEP_JSON: (usize, &str) = (HOSTILE, if cfg!(feature = "v8") { "ok" } else { "limit" });

/// Starts a run of 60 samples with concurrency 16. With a hostile model, the first 20 samples run
/// hostile code.
fn start(log_dir: &Path, model: &[&str]) -> Child {
    let tasks = SAMPLES.to_string();
    Command::new(env!("CARGO_BIN_EXE_eval"))
        .args([
            "run",
            "--benchmark",
            "s-niah",
            "--context-len",
            "8k",
            "--samples-per-length",
            &tasks,
        ])
        .arg("--model")
        .args(model)
        .args(["--concurrency", "16", "--max-iterations", "3"])
        .args([
            "--cell-timeout",
            "0.3",
            "--timer-timeout",
            "0.5",
            "--memory-limit",
            "64",
        ])
        .arg("--log-dir")
        .arg(log_dir)
        .env("CI", "1")
        .env("OPENAI_API_KEY", "sk-none")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the records of the only run in a folder, each with the number at the end of its sample's
/// id.
fn records(log_dir: &Path) -> Vec<(usize, Value)> {
    let records: Vec<Value> = lines(&only(log_dir).join("samples.jsonl"));
    let numbered = |record: Value| {
        let number = record["id"]
            .as_str()
            .unwrap()
            .rsplit('-')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        (number, record)
    };
    records.into_iter().map(numbered).collect()
}

#[test]
fn hostile_samples_do_not_affect_others() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = format!(
        "scripted:{}/tests/it/survival/hostile.yaml",
        env!("CARGO_MANIFEST_DIR")
    );
    let status = start(dir.path(), &[&hostile]).wait().unwrap();
    let records = records(dir.path());
    assert_eq!(records.len(), SAMPLES);
    for (number, record) in &records {
        let (status, score) = (record["status"].as_str().unwrap(), &record["score"]);
        if *number > HOSTILE {
            assert_eq!(
                (status, score.as_f64()),
                ("ok", Some(1.0)),
                "{number}: {record}"
            );
        } else {
            let expected = if *number == DEEP_JSON.0 {
                DEEP_JSON.1
            } else {
                "limit"
            };
            assert_eq!(
                (status, score.as_f64()),
                (expected, Some(0.0)),
                "{number}: {record}"
            );
        }
    }
    assert_eq!(status.code(), Some(0));
}

#[test]
fn killed_workers_lose_only_their_attempts() {
    let dir = tempfile::tempdir().unwrap();
    // The server delays all responses until workers have been killed, so that they are killed while
    // busy.
    let killing = Arc::new(AtomicBool::new(true));
    let held = Arc::clone(&killing);
    let server = FaultServer::start(move |seen| {
        while held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Behavior::Text(solution(&seen.body))
    });
    let base_url = server.openai();
    let mut run = start(dir.path(), &["openai/m", "--base-url", &base_url]);
    let children = |pid: &str| -> Vec<String> {
        let listed = Command::new("pgrep").args(["-P", pid]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout);
        listed.lines().map(str::to_owned).collect()
    };
    let mut victims = HashSet::new();
    let harness = run.id().to_string();
    while run.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
        // Wait until all running attempts are waiting for a response.
        if server.seen().len() < 16 || victims.len() >= 10 {
            killing.store(victims.len() < 10, Ordering::SeqCst);
            continue;
        }
        let servers = children(&harness);
        let mut workers: Vec<String> = servers.iter().flat_map(|pid| children(pid)).collect();
        workers.retain(|worker| !victims.contains(worker));
        for worker in workers.into_iter().take(10 - victims.len()) {
            let pid = Pid::from_raw(worker.parse().unwrap()).unwrap();
            if kill_process(pid, Signal::KILL).is_ok() {
                victims.insert(worker);
            }
        }
    }
    let killed = victims.len();
    let records = records(dir.path());
    assert_eq!(records.len(), SAMPLES);
    let mut errors = 0;
    for (number, record) in &records {
        match record["status"].as_str().unwrap() {
            "ok" => assert_eq!(record["score"].as_f64(), Some(1.0), "{number}: {record}"),
            "error" => {
                errors += 1;
                assert_eq!(record["score"], Value::Null);
                let reason = record["error"].as_str().unwrap();
                assert!(reason.contains("SIGKILL"), "{reason}");
            }
            other => panic!("{number} ended {other}: {record}"),
        }
    }
    assert!(
        killed > 0 && errors > 0 && errors <= killed,
        "{errors} errors, {killed} killed"
    );
}

#[test]
fn many_concurrent_attempts_need_few_open_files() {
    let dir = tempfile::tempdir().unwrap();
    let run = Command::new("sh")
        .args(["-c", "ulimit -Sn 64; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_eval"))
        .args(["run", "--benchmark", "s-niah", "--model", "scripted/s-niah"])
        .args(["--context-len", "8k", "--samples-per-length", "80"])
        .args(["--concurrency", "80", "--log-dir"])
        .arg(dir.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(run.code(), Some(0));
    let records = records(dir.path());
    assert_eq!(records.len(), 80);
    for (number, record) in records {
        assert_eq!(record["status"], "ok", "{number}: {record}");
    }
}
