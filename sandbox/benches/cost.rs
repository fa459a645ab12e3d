//! What the sandbox costs: a worker, a session in a warm worker, a cell's round trip, in both isolations.
//!
//! `cargo bench -p sandbox`; the figures are printed as a table. Nothing depends on them.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its figures and may fail"
)]

use std::time::{Duration, Instant};

use sandbox::message::{AgentInfo, Context};
use sandbox::{Config, Event, Isolation, Repl, Sandbox, WorkerCommand};

const SESSIONS: u32 = 100;
const CELLS: u32 = 2_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    println!("{:<34} {:>12} {:>12}", "", "thread", "process");
    let process = WorkerCommand {
        program: env!("CARGO_BIN_EXE_sandbox-worker").into(),
        arguments: Vec::new(),
        strict: false,
    };
    let [thread, process] = [Isolation::Thread, Isolation::Process(process)]
        .map(|isolation| runtime.block_on(measure(isolation)));
    for (name, thread, process) in [
        ("first session, engine loaded", thread.first, process.first),
        ("a further session", thread.session, process.session),
        ("a cell's round trip", thread.cell, process.cell),
    ] {
        println!("{name:<34} {:>9.3} ms {:>9.3} ms", ms(thread), ms(process));
    }
    println!(
        "{:<34} {:>9.1} MB {:>9.1} MB",
        "memory of a session", thread.megabytes, process.megabytes
    );
}

struct Cost {
    first: Duration,
    session: Duration,
    cell: Duration,
    megabytes: f64,
}

async fn measure(isolation: Isolation) -> Cost {
    let began = Instant::now();
    let sandbox = Sandbox::new(Config::default(), isolation, |_| ()).unwrap();
    let mut repl = open(&sandbox).await;
    run(&mut repl).await;
    let first = began.elapsed();

    let began = Instant::now();
    for _ in 0..CELLS {
        run(&mut repl).await;
    }
    let cell = began.elapsed() / CELLS;
    drop(repl);

    let began = Instant::now();
    for _ in 0..SESSIONS {
        let mut repl = open(&sandbox).await;
        run(&mut repl).await;
    }
    let session = began.elapsed() / SESSIONS;

    let before = resident();
    let mut held = Vec::new();
    for _ in 0..20 {
        let mut repl = open(&sandbox).await;
        run(&mut repl).await;
        held.push(repl);
    }
    Cost {
        first,
        session,
        cell,
        megabytes: (resident() - before) / 20.0,
    }
}

async fn open(sandbox: &Sandbox) -> Repl {
    let info = AgentInfo {
        depth: 0,
        max_depth: 2,
        max_iterations: 15,
        lineage: vec![String::new()],
        invocation_id: "root".to_owned(),
        parent_id: None,
    };
    sandbox
        .session()
        .await
        .unwrap()
        .open(None, Context::Text("".into()), info)
}

async fn run(repl: &mut Repl) {
    repl.run("console.log(1 + 1)", 1);
    while !matches!(repl.next().await.unwrap(), Event::Finished(_)) {}
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Resident megabytes of this process and its workers.
fn resident() -> f64 {
    let own = std::process::id().to_string();
    let listed = std::process::Command::new("ps")
        .args(["-o", "rss=", "--ppid", &own, "--pid", &own])
        .output();
    let text = String::from_utf8(listed.unwrap().stdout).unwrap();
    text.lines()
        .filter_map(|line| line.trim().parse::<f64>().ok())
        .sum::<f64>()
        / 1024.0
}
