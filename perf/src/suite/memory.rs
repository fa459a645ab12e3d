//! Measures the memory of agents that wait for their model: of each additional agent in an attempt,
//! of each additional attempt, and of a thousand attempts.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::bench::{Bench, Provider, SuiteError};
use crate::cost;
use crate::plan::Plan;
use crate::report::Figure;

/// Time limit for all agents to reach the gate.
const PATIENCE: Duration = Duration::from_secs(180);

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let children = bench.size(200, 8);
    let attempts = bench.size(100, 4);
    let many = bench.size(1_000, 16);
    let kb = |bytes: f64| bytes / 1e3;
    let mb = |bytes: f64| bytes / 1e6;
    let process: &[&str] = &["--isolation", "process"];
    let one = measure_waiting(bench, &Plan::Hold, 1, 1, process)?;
    let tree = measure_waiting(
        bench,
        &Plan::Tree {
            widths: vec![children],
        },
        1,
        children as usize,
        process,
    )?;
    let mut figures = vec![
        Figure::new(
            "memory",
            "a run with one waiting agent",
            "MB",
            vec![mb(one)],
        ),
        Figure::new(
            "memory",
            "each additional waiting agent in an attempt",
            "KB",
            vec![kb((tree - one) / f64::from(children))],
        )
        .at_most(200.0),
    ];
    let ways: [(&str, &[&str]); 3] = [
        ("isolation process", process),
        ("8 in a worker", &["--attempts-per-worker", "8"]),
        ("isolation thread", &["--isolation", "thread"]),
    ];
    for (way, flags) in ways {
        let some = measure_waiting(bench, &Plan::Hold, attempts, attempts, flags)?;
        let first = measure_waiting(bench, &Plan::Hold, 1, 1, flags)?;
        let each = mb((some - first) / (attempts - 1) as f64);
        let name = format!("each additional waiting attempt, {way}");
        figures.push(Figure::new("memory", name, "MB", vec![each]));
    }
    let thousand = measure_waiting(bench, &Plan::Hold, many, many, process)?;
    let name = format!("{many} waiting attempts, isolation process");
    figures.push(Figure::new("memory", name, "MB", vec![mb(thousand)]).at_most(8_000.0));
    Ok(figures)
}

/// Returns the [memory](cost::tree_bytes) of a run and its workers in bytes while `agents` agents
/// wait.
fn measure_waiting(
    bench: &Bench,
    plan: &Plan,
    attempts: usize,
    agents: usize,
    more: &[&str],
) -> Result<f64, SuiteError> {
    bench.server.set_gate(false);
    let at_once = attempts.to_string();
    let flags = [&["--concurrency", &at_once], more].concat();
    let mut command = bench.run_samples(attempts, plan, Provider::Http, &flags)?;
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || stderr.map(io::read_to_string));
    let began = Instant::now();
    while bench.server.waiting() < agents
        && began.elapsed() < PATIENCE
        && child.try_wait()?.is_none()
    {
        std::thread::sleep(Duration::from_millis(10));
    }
    let waiting = bench.server.waiting();
    let bytes = cost::tree_bytes(child.id());
    bench.server.set_gate(true);
    let status = child.wait()?;
    bench.put_results_aside();
    let said = reader
        .join()
        .ok()
        .flatten()
        .transpose()?
        .unwrap_or_default();
    if waiting < agents || !status.success() {
        return Err(format!(
            "only {waiting} of {agents} agents reached the gate; {status}: {said}"
        )
        .into());
    }
    Ok(bytes as f64)
}
