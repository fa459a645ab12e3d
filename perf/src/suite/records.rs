//! Measures the time to write, resume and compare runs of 10,000 samples, and the bytes per sample.

use std::fs;

use crate::bench::{Bench, Provider, SuiteError, bytes_in, cost_of, ms_each};
use crate::plan::Plan;
use crate::report::Figure;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let samples = bench.size(10_000, 50);
    let plan = Plan::Loop { iterations: 1 };
    let mut write = (Vec::new(), Vec::new(), Vec::new());
    let mut resume = (Vec::new(), Vec::new());
    let mut compare = (Vec::new(), Vec::new());
    for _ in 0..bench.size(2, 1) {
        // One call per sample and no sandbox, so that only the harness and its records are
        // measured.
        let flags = ["--protocol", "direct", "--concurrency", "16"];
        let mut runs = Vec::new();
        for _ in 0..2 {
            let cost = cost_of(bench.run_samples(samples, &plan, Provider::InProcess, &flags)?)?;
            write.0.push(ms_each(cost.wall, samples));
            write.1.push(ms_each(cost.cpu, samples));
        }
        for entry in fs::read_dir(bench.path("results"))? {
            runs.push(entry?.path());
        }
        write.2.push(bytes_in(&runs[0]) as f64 / samples as f64);
        let [one, other] = [0, 1].map(|run: usize| runs[run].to_string_lossy().into_owned());
        let cost = cost_of(bench.eval(&["run", "--resume", &one]))?;
        resume.0.push(cost.wall.as_secs_f64() * 1000.0);
        resume.1.push(cost.cpu.as_secs_f64() * 1000.0);
        let [one, other] = [one, other].map(|run| format!("{run}/results.csv"));
        let cost = cost_of(bench.eval(&["compare", &one, &other]))?;
        compare.0.push(cost.wall.as_secs_f64() * 1000.0);
        compare.1.push(cost.cpu.as_secs_f64() * 1000.0);
        bench.put_results_aside();
    }
    let written = format!("each of {samples} samples, recorded, without sandbox");
    let resumed = format!("a finished run of {samples} samples, resumed");
    let compared = format!("two CSV files of {samples} rows, compared");
    Ok(vec![
        Figure::new("records", &written, "ms", write.0),
        Figure::new("records", &written, "ms CPU", write.1).at_most(0.3),
        Figure::new("records", &written, "bytes", write.2),
        Figure::new("records", &resumed, "ms", resume.0),
        Figure::new("records", &resumed, "ms CPU", resume.1),
        Figure::new("records", &compared, "ms", compare.0),
        Figure::new("records", &compared, "ms CPU", compare.1),
    ])
}
