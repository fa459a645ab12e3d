//! Worker processes: what ends them, and that nothing else notices.

use std::collections::HashSet;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;

use sandbox::message::CellErrorKind;
use sandbox::{Config, Isolation, LostCause, WorkerCommand};
use tempfile::TempDir;

use crate::driver::{in_process, root_of, run, sandbox, try_run, worker_command};

/// Short limits, so that the tests are.
fn config() -> Config {
    let mut config = Config::default();
    config.limits.cell_time = Duration::from_millis(300);
    config.limits.heap_bytes = 64 << 20;
    config.limits.process_bytes = 1 << 30;
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_stopped_is_killed_alone() {
    let sandbox = sandbox(config(), in_process());
    let mut neighbour = root_of(&sandbox, "").await;
    run(&mut neighbour, "let kept = 1").await;
    for (code, detail) in [
        (
            "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
            "could not be stopped",
        ),
        ("new Array(1e9).join('')", "could not be stopped"),
    ] {
        let mut repl = root_of(&sandbox, "").await;
        let lost = try_run(&mut repl, code).await.unwrap_err();
        assert_eq!(lost.cause, LostCause::OwnCode, "{code}: {lost}");
        assert!(lost.detail.contains(detail), "{code}: {lost}");
    }
    assert_eq!(run(&mut neighbour, "console.log(kept)").await.output, "1");
    let mut next = root_of(&sandbox, "").await;
    assert_eq!(run(&mut next, "console.log('alive')").await.output, "alive");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_runs_out_is_an_error_and_the_state_survives() {
    let mut config = config();
    // On a slow machine too, memory must run out first.
    config.limits.cell_time = Duration::from_secs(30);
    let sandbox = sandbox(config, in_process());
    let mut repl = root_of(&sandbox, "").await;
    run(&mut repl, "let kept = ['here']; let list = []").await;
    for code in [
        "const a = []; for (;;) a.push({ x: 1, y: [1, 2, 3] })",
        "let s = 'x'; for (;;) s += s + 'y'",
        "const m = new Map(); for (let i = 0; ; i++) m.set('k' + i, { i })",
        "const held = []; for (;;) held.push(new Uint8Array(1e6).fill(1))",
        "let f = () => 0; for (;;) { const g = f; f = () => g() }",
        "const b = []; for (;;) { try { for (;;) b.push({ x: 1 }) } catch {} }",
    ] {
        match try_run(&mut repl, code).await {
            Ok(outcome) => {
                let kind = outcome.error.as_ref().map(|error| error.kind);
                let allowed = [
                    Some(CellErrorKind::OutOfMemory),
                    Some(CellErrorKind::Thrown),
                ];
                assert!(allowed.contains(&kind), "{code}: {outcome:?}");
            }
            Err(lost) => panic!("{code}: {lost}"),
        }
        let after = run(&mut repl, "console.log(kept, await rlm('still'))").await;
        assert_eq!(
            after.output, "[ 'here' ] answer to still",
            "after {code}: {:?}",
            after.error
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_killed_from_outside_is_replaced() {
    let program = OwnProgram::new("killed-worker");
    let sandbox = sandbox(config(), program.isolation());
    for _ in 0..3 {
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, "1").await;
        repl.run("await rlm('never answered')", 1);
        repl.next().await.unwrap();
        for worker in program.running() {
            Command::new("kill").args(["-9", &worker]).status().unwrap();
        }
        let lost = repl.next().await.unwrap_err();
        assert_eq!(lost.cause, LostCause::Outside, "{lost}");
        assert!(lost.detail.contains("SIGKILL"), "{lost}");
    }
    let mut repl = root_of(&sandbox, "").await;
    assert_eq!(run(&mut repl, "console.log(1)").await.output, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_serve_one_session_after_another() {
    let program = OwnProgram::new("serving-worker");
    let sandbox = sandbox(config(), program.isolation());
    let mut seen = HashSet::new();
    for n in 0..120 {
        let mut repl = root_of(&sandbox, &format!("context {n}")).await;
        let outcome = run(
            &mut repl,
            "console.log(context, typeof leaked); globalThis.leaked = 1",
        )
        .await;
        assert_eq!(outcome.output, format!("context {n} undefined"));
        seen.extend(program.running());
    }
    assert!(seen.len() < 60, "{} workers for 120 sessions", seen.len());
}

#[test]
fn a_confined_process_can_only_compute() {
    std::fs::write("/tmp/sandbox-probe-victim", "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sandbox-worker"))
        .arg("probe")
        .output()
        .unwrap();
    std::fs::remove_file("/tmp/sandbox-probe-victim").unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    if text.starts_with("lacks Ok(Some") {
        println!("skipped: {}", text.lines().next().unwrap());
        return;
    }
    let yes: Vec<&str> = text
        .lines()
        .filter(|line| line.ends_with(": yes"))
        .collect();
    assert_eq!(yes, ["start a thread: yes"], "{text}");
}

/// The worker's program by a name of its own, to tell the workers of one test from those of the others.
struct OwnProgram {
    name: &'static str,
    folder: TempDir,
}

impl OwnProgram {
    fn new(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        symlink(
            env!("CARGO_BIN_EXE_sandbox-worker"),
            folder.path().join(name),
        )
        .unwrap();
        Self { name, folder }
    }

    fn isolation(&self) -> Isolation {
        Isolation::Process(WorkerCommand {
            program: self.folder.path().join(self.name),
            ..worker_command()
        })
    }

    /// The processes of it that are still there.
    fn running(&self) -> HashSet<String> {
        let own = std::process::id().to_string();
        let listed = Command::new("pgrep")
            .args(["-P", &own, self.name])
            .output()
            .unwrap();
        String::from_utf8_lossy(&listed.stdout)
            .lines()
            .map(str::to_owned)
            .collect()
    }
}
