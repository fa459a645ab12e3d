//! Ctrl-C and SIGTERM: a run stops immediately, keeps its finished attempts, and leaves a readable
//! directory.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::model::Status;
use records::run_dir::RunDir;
use serde_json::Value;

use crate::binary::Binary;
use crate::run::{s_niah, tree};

fn start(binary: &Binary, args: &[&str]) -> Child {
    binary
        .command(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// Timeout that is longer than these runs take to start or stop, but shorter than the model's reply
/// or the cell.
const HUNG: Duration = Duration::from_secs(120);

/// Sends a signal and waits until the process ends.
fn stop(child: Child, signal: &str) -> Output {
    let kill = format!("kill -{signal} {}", child.id());
    // Use the shell's builtin `kill`, because systems without procps lack the program.
    let sent = Command::new("sh").args(["-c", &kill]).status();
    assert!(sent.expect("a shell starts").success());
    let asked = Instant::now();
    let output = child.wait_with_output().expect("the binary ends");
    assert!(
        asked.elapsed() < HUNG,
        "stopping took {:?}",
        asked.elapsed()
    );
    output
}

fn only_run(folder: &Path) -> Option<PathBuf> {
    let mut runs = std::fs::read_dir(folder.join("results")).ok()?;
    Some(runs.next()?.expect("the entry can be read").path())
}

/// Waits until this many attempts have records.
fn wait_for_records(folder: &Path, wanted: usize) {
    let began = Instant::now();
    let records = || {
        let text = std::fs::read_to_string(only_run(folder)?.join("samples.jsonl")).ok()?;
        Some(text.lines().count())
    };
    while records().unwrap_or(0) < wanted {
        assert!(began.elapsed() < HUNG, "no attempt finished");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn stopped_run_keeps_finished_attempts() {
    let waiting = include_str!("run/waiting.yaml");
    let endless = include_str!("run/endless.yaml");
    for (model, signal) in [(waiting, "INT"), (waiting, "TERM"), (endless, "INT")] {
        let binary = Binary::new().file("model.yaml", model);
        let args = [
            "--samples-per-length",
            "6",
            "--concurrency",
            "2",
            "--model",
            "scripted:model.yaml",
            "--cell-timeout",
            "600",
            "--timer-timeout",
            "600",
        ];
        let child = start(&binary, &s_niah(&args));
        wait_for_records(binary.path(), 1);
        let output = stop(child, signal);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {stderr}");

        let dir = only_run(binary.path()).expect("the run directory exists");
        let run = RunDir::open(&dir).expect("the run can be read");
        assert!(run.truncated_record.is_none());
        let done = run.records.len();
        assert!((1..6).contains(&done), "{done} of 6 are finished");
        for record in &run.records {
            assert_eq!(
                record.status,
                Status::Ok,
                "{}: {:?}",
                record.id,
                record.error
            );
        }
        let csv =
            std::fs::read_to_string(dir.join("results.csv")).expect("results.csv can be read");
        assert_eq!(csv.lines().count(), 1 + done);
        let summary =
            std::fs::read_to_string(dir.join("summary.json")).expect("summary.json can be read");
        let summary: Value = serde_json::from_str(&summary).expect("the summary is JSON");
        assert_eq!(
            (&summary["attempts"], &summary["attempts_total"]),
            (&done.into(), &6.into())
        );
        assert!(
            stderr.contains(&format!("note: run directory: {}", relative(&dir))),
            "{stderr}"
        );
    }
}

fn relative(dir: &Path) -> String {
    format!(
        "results/{}",
        dir.file_name().expect("a name").to_string_lossy()
    )
}

#[test]
fn signals_never_leave_half_written_run() {
    for milliseconds in [0, 1, 2, 4, 8] {
        let binary = Binary::new().file("model.yaml", include_str!("run/silent.yaml"));
        let child = start(&binary, &s_niah(&["--model", "scripted:model.yaml"]));
        let began = Instant::now();
        let dir = loop {
            assert!(began.elapsed() < HUNG, "no run began");
            match only_run(binary.path()) {
                Some(dir) => break dir,
                None => std::thread::sleep(Duration::from_micros(200)),
            }
        };
        std::thread::sleep(Duration::from_millis(milliseconds));
        let output = stop(child, "INT");
        assert_eq!(output.status.code(), Some(130));
        let files = tree(&dir);
        for file in [
            "config.json",
            "lock.json",
            "results.csv",
            "samples.jsonl",
            "summary.json",
        ] {
            assert!(
                files.iter().any(|found| found == file),
                "files after {milliseconds} ms: {files:?}"
            );
        }
    }
}

#[test]
fn stopped_question_ends_immediately() {
    for model in [
        include_str!("run/silent.yaml"),
        include_str!("run/endless.yaml"),
    ] {
        let binary = Binary::new().file("model.yaml", model);
        let args = ["ask", "--query", "q", "--model", "scripted:model.yaml"];
        let mut child = start(&binary, &args);
        let stderr = child.stderr.take().expect("stderr is a pipe");
        let first = BufReader::new(stderr).lines().next();
        let first = first
            .expect("the command prints a line")
            .expect("the line is UTF-8");
        assert_eq!(first, "root: iteration 1");
        let output = stop(child, "INT");
        assert_eq!(
            (output.status.code(), output.stdout),
            (Some(130), Vec::new())
        );
    }
}
