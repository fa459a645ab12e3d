//! Measures how long an attempt waits for its isolate before its first request, with a model that
//! has realistic latency.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, Failed, LATENCY_MS, Provider, cost_of};
use crate::plan::Plan;
use crate::report::Figure;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, Failed> {
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

/// Returns the milliseconds from the start of each attempt of the only run to the start of its
/// root.
fn waits(results: &Path) -> Result<Vec<f64>, Failed> {
    let run = fs::read_dir(results)?.next().ok_or("there is no run")??;
    let mut waits = Vec::new();
    for file in fs::read_dir(run.path().join("trajectories"))? {
        let text = fs::read_to_string(file?.path())?;
        let mut events = text.lines().map(serde_json::from_str::<Value>);
        let mut at = |wanted: &str| -> Result<f64, Failed> {
            let event = events.next().ok_or("a trajectory ends early")??;
            if event["kind"]["type"] != wanted {
                return Err(format!("{event} is no {wanted}").into());
            }
            event["at_ms"].as_f64().ok_or_else(|| "no time".into())
        };
        let begun = at("attempt_start")?;
        waits.push(at("invocation_start")? - begun);
    }
    Ok(waits)
}
