//! Measures how long an attempt waits for its isolate before its first request, with a model that
//! has latency.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, LATENCY_MS, Provider, SuiteError, cost_of};
use crate::plan::Plan;
use crate::report::Figure;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let plan = Plan::Loop { iterations: 2 };
    let mut figures = Vec::new();
    for concurrency in ["1", "16"] {
        let flags = ["--concurrency", concurrency];
        let samples = bench.size(300, 5);
        cost_of(bench.run_samples(samples, &plan, Provider::Waiting, &flags)?)?;
        let waits = waits(&bench.path("results"))?;
        bench.put_results_aside();
        let name = format!(
            "an attempt's wait for its isolate, {concurrency} at a time, a model of {LATENCY_MS} ms"
        );
        figures.push(Figure::new("ready", name, "ms", waits));
    }
    Ok(figures)
}

/// Returns the milliseconds from the start of each attempt to the start of its root agent.
/// `results` must contain only one run directory.
fn waits(results: &Path) -> Result<Vec<f64>, SuiteError> {
    let run = fs::read_dir(results)?
        .next()
        .ok_or("no run directory in results/")??;
    let mut waits = Vec::new();
    for file in fs::read_dir(run.path().join("trajectories"))? {
        let text = fs::read_to_string(file?.path())?;
        let mut events = text.lines().map(serde_json::from_str::<Value>);
        let mut at = |wanted: &str| -> Result<f64, SuiteError> {
            let event = events
                .next()
                .ok_or("a trajectory ends before its root starts")??;
            if event["kind"]["type"] != wanted {
                return Err(format!("expected event {wanted}, found {event}").into());
            }
            event["at_ms"]
                .as_f64()
                .ok_or_else(|| "event without a time".into())
        };
        let begun = at("attempt_start")?;
        waits.push(at("invocation_start")? - begun);
    }
    Ok(waits)
}
