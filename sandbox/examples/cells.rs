//! Runs cells in the sandbox, one session per trajectory, and prints the CPU time, wall time and
//! output of each cell as JSON.
//!
//! `perf/peers/cells.mjs` runs the same file of cells under Node.js. CPU time is measured for the
//! whole process, so isolates run on threads here.

#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark reads process times with system calls, prints figures and may panic"
)]

use std::time::Instant;

use sandbox::message::{AgentInfo, Context};
use sandbox::{Config, Console, Event, Isolation, Repl, Sandbox};
use serde_json::{Value, json};

#[tokio::main]
async fn main() {
    let file = std::env::args().nth(1).unwrap();
    let cells: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let config = Config {
        console: Console::Plain,
        ..Config::default()
    };
    let sandbox = Sandbox::new(config, Isolation::Thread, |_| ()).unwrap();
    let mut measured = Vec::new();
    for trajectory in cells["trajectories"].as_array().unwrap() {
        let context = trajectory["context"].as_str().unwrap();
        let session = sandbox.session().await.unwrap();
        let mut repl = session.open(None, Context::text(context), root());
        for code in trajectory["cells"].as_array().unwrap() {
            let (before, began) = (cpu_ms(), Instant::now());
            let output = run(&mut repl, code.as_str().unwrap()).await;
            let time = began.elapsed().as_secs_f64() * 1e3;
            measured.push(json!({"cpu_ms": cpu_ms() - before, "ms": time, "output": output}));
        }
    }
    println!("{}", Value::from(measured));
}

async fn run(repl: &mut Repl, code: &str) -> String {
    repl.run(code, 2);
    loop {
        match repl.next().await.unwrap() {
            Event::Finished(outcome) => return outcome.output,
            Event::Called(call) => repl.settle(call.id, Err("not recorded".to_owned())),
            // REPLs here have no host functions, and no context is requested.
            Event::Invoked(_)
            | Event::CallContext { .. }
            | Event::StatusRequested { .. }
            | Event::Cancelled(_) => {}
        }
    }
}

fn root() -> AgentInfo {
    AgentInfo {
        depth: 0,
        max_depth: 2,
        max_iterations: 20,
        lineage: vec![String::new()],
        invocation_id: "root".to_owned(),
        parent_id: None,
    }
}

/// Returns the CPU time of this process in milliseconds.
fn cpu_ms() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid location for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
