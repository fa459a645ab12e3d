//! Measures the wall time and CPU time of a tree of 1 + 8 + 64 agents.

use crate::bench::{Bench, Provider, SuiteError, cost_of, ms_each};
use crate::plan::Plan;
use crate::report::Figure;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let plan = Plan::Tree { widths: vec![8, 8] };
    let trees = bench.size(20, 1);
    let mut runs = (Vec::new(), Vec::new());
    for _ in 0..bench.runs() {
        let flags = ["--concurrency", "1"];
        let cost = cost_of(bench.run_samples(trees, &plan, Provider::InProcess, &flags)?)?;
        bench.put_results_aside();
        runs.0.push(ms_each(cost.wall, trees));
        runs.1.push(ms_each(cost.cpu, trees));
    }
    let name = "1 + 8 + 64 agents of two iterations";
    Ok(vec![
        Figure::new("tree", name, "ms", runs.0),
        Figure::new("tree", name, "ms CPU", runs.1),
    ])
}
