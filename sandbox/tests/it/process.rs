//! Worker processes: how they start and end, and that other sessions continue when one fails.

use std::borrow::Borrow as _;
use std::collections::HashSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use sandbox::message::{CellErrorKind, Context};
use sandbox::{
    COMPILES, Config, Isolation, MAX_SESSIONS, READY, Sandbox, SessionLostCause, WarmPool,
    WorkerCommand,
};
use tempfile::TempDir;

use crate::driver::{in_process, root_info, root_of, run, sandbox, try_run, worker_command};

/// Returns a configuration with low limits, for fast tests.
fn config() -> Config {
    let mut config = Config::default();
    config.limits.cell_time = Duration::from_millis(300);
    config.limits.heap_bytes = 64 << 20;
    config.limits.process_bytes = 1 << 30;
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_only_unstoppable_session() {
    let sandbox = sandbox(config(), in_process());
    let mut neighbour = root_of(&sandbox, "").await;
    run(&mut neighbour, "let kept = 1").await;
    for (code, detail) in [
        (
            "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
            "could not be stopped",
        ),
        (
            "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
            "could not be stopped",
        ),
    ] {
        let mut repl = root_of(&sandbox, "").await;
        let lost = try_run(&mut repl, code).await.unwrap_err();
        assert_eq!(lost.cause, SessionLostCause::OwnCode, "{code}: {lost}");
        assert!(lost.detail.contains(detail), "{code}: {lost}");
    }
    assert_eq!(run(&mut neighbour, "console.log(kept)").await.output, "1");
    let mut next = root_of(&sandbox, "").await;
    assert_eq!(run(&mut next, "console.log('alive')").await.output, "alive");
}

#[tokio::test(flavor = "multi_thread")]
async fn state_survives_out_of_memory() {
    let mut config = config();
    // The memory limit must be reached before the time limit, even on a slow machine.
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

/// A cell that an engine with a compiler is certain to compile.
const HOT: &str = "
let sum = 0;
for (let i = 0; i < 3e5; i++) sum = (sum + i * 7) % 1000003;
const words = 'a1 b22 c333'.match(/[a-z]\\d+/g).sort((a, b) => b.length - a.length);
await Promise.all(words.map(async (word) => word.length));
console.log(sum, words.join())
";

/// Executable memory that does not map a file can only contain compiled cells.
#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn jitless_worker_does_not_compile() {
    for (jitless, sessions) in [(false, 1), (true, 1), (true, 2)] {
        if jitless && !COMPILES {
            continue;
        }
        let program = OwnProgram::new("jitless-wrkr");
        let Isolation::Process(command) = program.isolation(sessions) else {
            unreachable!("the isolation is a process")
        };
        let isolation = Isolation::Process(WorkerCommand { jitless, ..command });
        let sandbox = sandbox(Config::default(), isolation);
        let mut repl = root_of(&sandbox, "").await;
        assert_eq!(run(&mut repl, HOT).await.output, "5006 c333,b22,a1");
        let workers = if sessions == 1 {
            program.copies()
        } else {
            program.servers()
        };
        assert_eq!(workers.len(), 1);
        let executable: Vec<String> = workers.iter().flat_map(|pid| executable(pid)).collect();
        let compiles = COMPILES && !jitless;
        assert_eq!(!executable.is_empty(), compiles, "{executable:?}");
    }
}

/// Returns the executable memory areas of a process that do not map a file.
#[cfg(target_os = "linux")]
fn executable(pid: &str) -> Vec<String> {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    assert!(maps.contains("[stack]"), "{maps}");
    let areas = maps.lines().filter(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // The kernel's own areas have names in brackets.
        fields[1].contains('x') && fields.len() < 6
    });
    areas.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn replaces_killed_worker() {
    let program = OwnProgram::new("killed-worker");
    let sandbox = sandbox(config(), program.isolation(1));
    for _ in 0..3 {
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, "1").await;
        repl.run("await rlm('never answered')", 1);
        repl.next().await.unwrap();
        assert_eq!(kill(&program.copies()), 1);
        let lost = repl.next().await.unwrap_err();
        assert_eq!(lost.cause, SessionLostCause::Outside, "{lost}");
        assert!(lost.detail.contains("SIGKILL"), "{lost}");
    }
    let mut repl = root_of(&sandbox, "").await;
    assert_eq!(run(&mut repl, "console.log(1)").await.output, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn replaces_killed_server_without_losing_sessions() {
    let program = OwnProgram::new("killed-server");
    let sandbox = sandbox(config(), program.isolation(1));
    let mut repls = Vec::new();
    for n in 0..3 {
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, &format!("let kept = {n}")).await;
        repls.push(repl);
        assert_eq!(kill(&program.servers()), 1);
    }
    for (n, repl) in repls.iter_mut().enumerate() {
        let outcome = run(repl, "console.log(kept)").await;
        assert_eq!(outcome.output, n.to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_separate_copies_of_one_server() {
    let program = OwnProgram::new("copying-worker");
    let sandbox = sandbox(config(), program.isolation(1));
    let (mut servers, mut randoms) = (HashSet::new(), HashSet::new());
    for n in 0..120 {
        let mut repl = root_of(&sandbox, &format!("context {n}")).await;
        let cell = "console.log(context, typeof leaked, typeof size, __ctx.readLocal('')); globalThis.leaked = 1";
        let outcome = run(&mut repl, cell).await;
        assert_eq!(
            outcome.output,
            format!("context {n} undefined undefined undefined")
        );
        randoms.insert(run(&mut repl, "console.log(Math.random())").await.output);
        servers.extend(program.servers());
    }
    assert_eq!((servers.len(), randoms.len()), (1, 120));

    // The server is older than all of these sessions.
    let asked = Instant::now();
    let mut repl = root_of(&sandbox, "").await;
    let clock = run(&mut repl, "console.log(performance.now())").await;
    let now: f64 = clock.output.parse().unwrap();
    assert!(
        now <= asked.elapsed().as_secs_f64() * 1e3,
        "the session's clock began with the server's: {now} ms"
    );

    drop((repl, sandbox));
    program.wait_for_end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_sessions_ready() {
    let program = OwnProgram::new("ready-copies");
    let pool = WarmPool::new(sandbox(config(), program.isolation(1)));
    let start = async || {
        let asked = Instant::now();
        let session = pool.session().await.unwrap();
        let mut repl = session.open(None, Context::text(""), root_info());
        let cell = "console.log(performance.now(), typeof leaked); globalThis.leaked = 1";
        let output = run(&mut repl, cell).await.output;
        let (now, leaked) = output.split_once(' ').unwrap();
        // The session's clock starts with the attempt, regardless of how long the session was
        // ready.
        let now: f64 = now.parse().unwrap();
        assert!(now <= asked.elapsed().as_secs_f64() * 1e3, "{now} ms");
        assert_eq!(leaked, "undefined");
        repl
    };
    let are_ready = async || until("sessions are ready", || pool.ready() == READY).await;
    let mut used = vec![start().await];
    assert_eq!(program.copies().len(), 1, "no session is expected");

    pool.expect(1 + READY);
    used.push(start().await);
    are_ready().await;
    assert_eq!(program.copies().len(), 2 + READY);
    // A stopped server does not make copies, so the next sessions are the ready ones.
    let servers = program.servers();
    signal(&servers, Signal::STOP);
    for _ in 0..READY {
        used.push(start().await);
    }
    // Requests to a stopped server would wait forever.
    until("the server continues", || {
        signal(&servers, Signal::CONT);
        !servers.iter().any(|pid| is_stopped(pid))
    })
    .await;
    assert_eq!(
        program.copies().len(),
        2 + READY,
        "one copy per expected session"
    );

    // The ready sessions end, so the next session is new.
    pool.expect(1 + READY);
    used.push(start().await);
    are_ready().await;
    assert_eq!(kill(&program.copies()), 3 + 2 * READY);
    for repl in &mut used {
        repl.next().await.unwrap_err();
    }
    // The pool must not return the sessions that ended.
    until("the pool notices the ended sessions", || pool.ready() == 0).await;
    start().await;
    drop((used, pool));
    program.wait_for_end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keeps_no_session_ready_in_shared_workers() {
    let program = OwnProgram::new("unready");
    let pool = WarmPool::new(sandbox(config(), program.isolation(2)));
    pool.expect(10);
    let used = [pool.session().await.unwrap(), pool.session().await.unwrap()];
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(program.servers().len(), 1);
    drop(used);
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_session_whose_worker_does_not_read() {
    let program = OwnProgram::new("deaf-copy");
    let mut config = config();
    config.limits.cell_time = Duration::from_secs(60);
    let sandbox = sandbox(config, program.isolation(1));
    let session = sandbox.session().await.unwrap();
    let mut repl = session.open(None, Context::text(""), root_info());
    run(&mut repl, "1").await;
    repl.run("for (;;) {}", 1);
    let long = Context::text("x".repeat(10_000_000));
    let child = session.open(Some(&repl), long, root_info());
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(program.copies().len(), 1);
    drop((child, repl, session));
    until("the worker ends", || program.copies().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn warm_up_cell_completes() {
    let sandbox = sandbox(config(), Isolation::Thread);
    let mut repl = root_of(&sandbox, "a text\nof two lines").await;
    let outcome = run(&mut repl, include_str!("../../js/warm-up.js")).await;
    let lines = r#"["a text","of two lines"]"#;
    assert_eq!(outcome.value.as_deref(), Some(lines), "{outcome:?}");
}

/// A thread that the copy lacks may hold a lock that the copy needs.
#[tokio::test(flavor = "multi_thread")]
async fn starts_separate_processes_when_server_cannot_be_copied() {
    let program = OwnProgram::new("crowded-server");
    let Isolation::Process(mut command) = program.isolation(1) else {
        unreachable!("workers are processes")
    };
    command.arguments = vec!["crowded".to_owned()];
    let (said, reasons) = std::sync::mpsc::channel();
    let on_lack = move |lack: &str| said.send(lack.to_owned()).unwrap();
    let sandbox = Sandbox::new(config(), Isolation::Process(command), on_lack).unwrap();
    let mut repls = Vec::new();
    for n in 0..3 {
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, &format!("let kept = {n}")).await;
        repls.push(repl);
    }
    for (n, repl) in repls.iter_mut().enumerate() {
        let outcome = run(repl, "console.log(kept)").await;
        assert_eq!(outcome.output, n.to_string());
    }
    assert_eq!((program.servers().len(), program.copies().len()), (3, 0));
    drop((repls, sandbox));
    let reasons: Vec<String> = reasons.iter().collect();
    assert_eq!(
        reasons,
        [
            "a server cannot be copied, so each attempt has its own worker process: it has 3 threads instead of 2"
        ]
    );
    program.wait_for_end().await;
}

#[test]
fn workers_end_with_harness() {
    for (name, sessions) in [("gone-copy", 1), ("gone-sharing", 2)] {
        let program = OwnProgram::new(name);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let mut config = config();
        config.limits.cell_time = Duration::from_secs(60);
        let sandbox = sandbox(config, program.isolation(sessions));
        let mut repl = runtime.block_on(root_of(&sandbox, ""));
        runtime.block_on(run(&mut repl, "1"));
        repl.run("for (;;) {}", 1);
        let processes: Vec<String> = program
            .servers()
            .union(&program.copies())
            .cloned()
            .collect();
        assert_eq!(processes.len(), if sessions == 1 { 2 } else { 1 });
        // Drop in this order, so that no task can notify the worker.
        drop(runtime);
        drop((repl, sandbox));
        let ended = || processes.iter().all(|pid| has_ended(pid));
        let waiting = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        waiting.block_on(until(name, ended));
    }
}

/// Kills a host and, if it forks, its server, but not the worker of the host's session.
#[test]
fn busy_worker_ends_after_host_and_server_are_killed() {
    for sessions in ["1", "2"] {
        let program = OwnProgram::new("orphaned");
        let mut host = Command::new(env!("CARGO_BIN_EXE_sandbox-worker"))
            .arg("host")
            .arg(program.folder.path().join(program.name))
            .arg(sessions)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(host.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "busy\n");
        let servers = children_of(&host.id().to_string(), program.name);
        let copies = servers
            .iter()
            .flat_map(|pid| children_of(pid, program.name));
        let copies: HashSet<String> = copies.collect();
        let left = if copies.is_empty() { &servers } else { &copies };
        let ends: Vec<_> = left
            .iter()
            .map(|pid| {
                let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
                pidfd_open(pid, PidfdFlags::empty()).unwrap()
            })
            .collect();
        assert_eq!(ends.len(), 1, "{sessions}: {servers:?}, {copies:?}");
        // Kills the host first, so that its server cannot react.
        if !copies.is_empty() {
            signal(&servers, Signal::STOP);
        }
        host.kill().unwrap();
        host.wait().unwrap();
        if !copies.is_empty() {
            kill(&servers);
        }
        let mut polled = [PollFd::new(&ends[0], PollFlags::IN)];
        let limit = Timespec {
            tv_sec: 120,
            tv_nsec: 0,
        };
        let ended = poll(&mut polled, Some(&limit)).unwrap();
        kill(left);
        assert_eq!(ended, 1, "{sessions} sessions: the worker still runs");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(target_os = "linux")]
async fn reports_fatal_system_call_of_worker() {
    for sessions in [1, 2] {
        let program = OwnProgram::new("misbehaving");
        let mut isolation = program.isolation(sessions);
        if let Isolation::Process(command) = &mut isolation {
            command.arguments = vec!["misbehaves".to_owned()];
        }
        let sandbox = sandbox(config(), isolation);
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, "1").await;
        repl.run("await rlm('never answered')", 1);
        repl.next().await.unwrap();
        let copies = program.copies();
        signal(
            if copies.is_empty() {
                program.servers()
            } else {
                copies
            }
            .borrow(),
            Signal::USR1,
        );
        let lost = repl.next().await.unwrap_err();
        assert_eq!(lost.cause, SessionLostCause::Outside, "{lost}");
        assert!(lost.detail.contains("system call ptrace"), "{lost}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_end_affects_only_its_sessions() {
    let program = OwnProgram::new("sharing-worker");
    let sandbox = sandbox(config(), program.isolation(2));
    let mut repls = Vec::new();
    for n in 0..5 {
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, &format!("let kept = {n}")).await;
        repls.push(repl);
    }
    assert_eq!(program.servers().len(), 3);
    assert_eq!(program.copies().len(), 0);
    let stuck = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)";
    let lost = try_run(&mut repls[0], stuck).await.unwrap_err();
    assert_eq!(lost.cause, SessionLostCause::OwnCode, "{lost}");
    for (n, repl) in repls.iter_mut().enumerate() {
        let outcome = try_run(repl, "console.log(kept)").await;
        assert_eq!(outcome.is_err(), n < 2, "session {n}: {outcome:?}");
        if let Ok(outcome) = outcome {
            assert_eq!(outcome.output, n.to_string());
        }
    }
    drop((repls, sandbox));
    program.wait_for_end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn maximum_sessions_share_one_worker() {
    let program = OwnProgram::new("full-worker");
    let sandbox = sandbox(config(), program.isolation(MAX_SESSIONS));
    let mut repls = Vec::new();
    for _ in 0..MAX_SESSIONS {
        let mut repl = root_of(&sandbox, "").await;
        assert_eq!(run(&mut repl, "console.log(1)").await.output, "1");
        repls.push(repl);
    }
    assert_eq!(program.servers().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn confines_every_thread_of_worker() {
    for (name, sessions) in [("all-copies", 1), ("all-sharing", 2)] {
        let program = OwnProgram::new(name);
        let sandbox = sandbox(config(), program.isolation(sessions));
        let mut repl = root_of(&sandbox, "").await;
        run(&mut repl, "1").await;
        let workers = match sessions {
            1 => program.copies(),
            _ => program.servers(),
        };
        let mut filters = Vec::new();
        for task in workers.iter().flat_map(|pid| tasks(pid)) {
            let status = std::fs::read_to_string(task.join("status")).unwrap();
            let line = status
                .lines()
                .find(|line| line.starts_with("Seccomp_filters:"));
            filters.push(line.unwrap_or_default().to_owned());
        }
        assert!(filters.len() > 1, "{name}: {filters:?}");
        assert!(
            filters.iter().all(|line| line.ends_with("\t2")),
            "{name}: {filters:?}"
        );
    }
}

#[test]
fn confined_process_can_only_compute() {
    let victim = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sandbox-worker"))
        .arg("probe")
        .arg(victim.path())
        .output()
        .unwrap();
    assert!(victim.path().exists());
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

/// The worker's program under another name, to distinguish the workers of one test from those of
/// other tests.
pub struct OwnProgram {
    name: &'static str,
    folder: TempDir,
}

impl OwnProgram {
    pub fn new(name: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        symlink(
            env!("CARGO_BIN_EXE_sandbox-worker"),
            folder.path().join(name),
        )
        .unwrap();
        Self { name, folder }
    }

    pub fn isolation(&self, sessions: u32) -> Isolation {
        Isolation::Process(WorkerCommand {
            program: self.folder.path().join(self.name),
            sessions,
            ..worker_command()
        })
    }

    /// Returns the process ids of the servers, which are children of this process.
    pub fn servers(&self) -> HashSet<String> {
        children_of(&std::process::id().to_string(), self.name)
    }

    /// Returns the process ids of the servers' copies.
    pub fn copies(&self) -> HashSet<String> {
        let servers = self.servers();
        let copies = servers.iter().flat_map(|pid| children_of(pid, self.name));
        copies.collect()
    }

    async fn wait_for_end(&self) {
        until("the servers end", || self.servers().is_empty()).await;
    }
}

/// Waits until a condition is true, and panics if it never becomes true.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(120), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Whether a process has been reaped or is a zombie.
fn has_ended(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_none_or(|(_, state)| state.starts_with('Z'))
}

/// Whether a process is stopped by a signal.
fn is_stopped(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, state)| state.starts_with('T'))
}

/// Kills processes from outside and returns their number.
fn kill(pids: &HashSet<String>) -> usize {
    signal(pids, Signal::KILL);
    pids.len()
}

/// Sends a signal without the program `kill`, because in a Turkish locale the one from procps does
/// not recognize signal names such as `KILL`.
fn signal(pids: &HashSet<String>, signal: Signal) {
    for pid in pids {
        let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
        // The process may have ended in the meantime.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Returns the running children of a process whose program name contains `name`.
fn children_of(pid: &str, name: &str) -> HashSet<String> {
    let listed = Command::new("pgrep").args(["-P", pid, name]).output();
    String::from_utf8_lossy(&listed.unwrap().stdout)
        .lines()
        .filter(|pid| !has_ended(pid))
        .map(str::to_owned)
        .collect()
}

fn tasks(pid: &str) -> Vec<PathBuf> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks.map(|task| task.unwrap().path()).collect()
}
