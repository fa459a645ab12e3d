//! Compares `eval`, including workers and records, with the JavaScript system `openprose/node-rlm`.
//! Both run alternately, and each ratio compares two runs of the same round.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::bench::{Bench, Provider, SuiteError, cost_of, log_progress, ms_each};
use crate::plan::{Language, Plan};
use crate::report::Figure;

/// Number of rounds, each of which measures both systems.
const ROUNDS: usize = 3;

/// Iterations per sample, concurrency, number of samples, and minimum ratio of our throughput to
/// that of the JavaScript system.
const CASES: [(u32, usize, usize, f64); 3] =
    [(2, 16, 2_000, 1.2), (2, 1, 300, 2.0), (20, 16, 200, 5.0)];

/// Result file of `peers/javascript-system.mjs`: wall time and CPU time of all samples.
#[derive(Deserialize)]
struct DriverOutput {
    ms: f64,
    cpu_ms: f64,
}

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let Some(source) = &bench.arguments.peer_js else {
        log_progress("javascript-system: skipped: --peer-js is not set");
        return Ok(Vec::new());
    };
    let source = fs::canonicalize(source)
        .map_err(|error| format!("--peer-js {}: {error}", source.display()))?;
    let mut figures = Vec::new();
    for (iterations, at_once, samples, aim) in CASES {
        let samples = bench.size(samples, 4);
        let (mut theirs, mut ours) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for _ in 0..bench.size(ROUNDS, 1) {
            let took = run(bench, &source, samples, at_once, iterations)?;
            theirs[0].push(took.ms / samples as f64);
            theirs[1].push(took.cpu_ms / samples as f64);
            let flags = ["--concurrency", &at_once.to_string()];
            let plan = Plan::Loop { iterations };
            let cost = cost_of(bench.run_samples(samples, &plan, Provider::InProcess, &flags)?)?;
            bench.put_results_aside();
            ours[0].push(ms_each(cost.wall, samples));
            ours[1].push(ms_each(cost.cpu, samples));
        }
        let name = format!("a sample of {iterations} iterations, {at_once} concurrent");
        let figure = |name: String, unit, runs| Figure::new("javascript-system", name, unit, runs);
        for (place, unit) in ["ms", "ms CPU"].into_iter().enumerate() {
            let ratios = theirs[place]
                .iter()
                .zip(&ours[place])
                .map(|(theirs, ours)| theirs / ours);
            let ratio = figure(
                format!("{name}: theirs / ours"),
                ["times the time", "times the CPU"][place],
                ratios.collect(),
            );
            figures.push(figure(
                format!("{name}: theirs"),
                unit,
                theirs[place].clone(),
            ));
            figures.push(figure(format!("{name}: ours"), unit, ours[place].clone()));
            figures.push(if place == 0 {
                ratio.at_least(aim)
            } else {
                ratio
            });
        }
    }
    Ok(figures)
}

/// Runs samples in the JavaScript system.
fn run(
    bench: &Bench,
    source: &Path,
    samples: usize,
    at_once: usize,
    iterations: u32,
) -> Result<DriverOutput, SuiteError> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/javascript-system.mjs");
    let result = bench.path("javascript-system.json");
    let plan = Plan::Loop { iterations };
    let mut command = Command::new("node");
    command
        .args(["--import", "tsx"])
        .arg(driver)
        .args([
            samples.to_string(),
            at_once.to_string(),
            iterations.to_string(),
        ])
        .arg(&result)
        .current_dir(source)
        .env("STEP", plan.reply(1, Language::Eval))
        .env("LAST", plan.reply(iterations, Language::Eval))
        .env("CONTEXT", Bench::context());
    cost_of(command).map_err(|error| {
        format!(
            "{}: {error}; install its dependencies and tsx there",
            source.display()
        )
    })?;
    Ok(serde_json::from_slice(&fs::read(result)?)?)
}
