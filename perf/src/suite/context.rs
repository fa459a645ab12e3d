//! Measures the time and memory of one agent, and of a tree of nine, with contexts of 1, 10 and 100
//! MB.

use std::fs;

use crate::bench::{Bench, Provider, SuiteError};
use crate::cost;
use crate::plan::Plan;
use crate::report::Figure;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let mut figures = Vec::new();
    for megabytes in bench.size(vec![1, 10, 100], vec![1]) {
        let file = format!("{megabytes}.txt");
        let line = "The quick brown fox jumps over the lazy dog, and then it rests a bit.\n";
        let bytes = megabytes * 1_000_000;
        let mut text = line.repeat(bytes / line.len() + 1);
        text.truncate(bytes);
        fs::write(bench.path(&file), &text)?;
        for (agents, plan) in [
            ("one agent", Plan::Loop { iterations: 2 }),
            ("9 agents", Plan::Tree { widths: vec![8] }),
        ] {
            let model = bench.model(&plan, Provider::InProcess)?;
            let mut runs = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..bench.runs() {
                let query = plan.text();
                let arguments = [
                    "ask",
                    "--query",
                    &query,
                    "--context-file",
                    &file,
                    "--model",
                    &model,
                ];
                let cost = cost::measure(&mut bench.eval(&arguments), true)?;
                runs.0.push(cost.wall.as_secs_f64() * 1000.0);
                runs.1.push(cost.cpu.as_secs_f64() * 1000.0);
                runs.2.push(cost.peak_bytes as f64 / bytes as f64);
            }
            let name = format!("{megabytes} MB, {agents}");
            figures.push(Figure::new("context", &name, "ms", runs.0));
            figures.push(Figure::new("context", &name, "ms CPU", runs.1));
            let peak = Figure::new(
                "context",
                format!("{name}: peak memory"),
                "times its size",
                runs.2,
            );
            figures.push(if megabytes == 100 {
                peak.at_most(3.0)
            } else {
                peak
            });
        }
    }
    Ok(figures)
}
