//! Measures whether cost grows linearly: how CPU time and written bytes grow when the iterations,
//! samples or agents double, and how much memory each additional sample leaves in use.

use crate::bench::{Bench, Provider, SuiteError, bytes_in, cost_of};
use crate::cost;
use crate::plan::Plan;
use crate::report::Figure;

/// Maximum growth of the cost when the work doubles: 2, plus 10% for noise.
const BOUND: f64 = 2.2;

/// Maximum kilobytes that each additional sample may leave in use in the `eval` process, so that
/// 20,000 samples stay within 300 MB, including the 60 MB used from the start.
const MAX_KB_PER_SAMPLE: f64 = 12.0;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let base = bench.size(500, 5);
    let wide = bench.size(16, 2);
    let looped = |iterations: u32| Plan::Loop { iterations };
    let tree = |first, second| Plan::Tree {
        widths: vec![first, second],
    };
    let one = |plan| (1, plan);
    let kinds = [
        ("iterations", [1, 2, 4].map(|n| one(looped(base * n)))),
        (
            "samples",
            [1, 2, 4].map(|n| ((base * n) as usize, looped(2))),
        ),
        (
            "agents",
            [(1, 1), (1, 2), (2, 2)].map(|(a, b)| one(tree(wide * a, wide * b))),
        ),
    ];
    let mut figures = Vec::new();
    for (what, sizes) in kinds {
        let mut cpu = [const { Vec::new() }; 3];
        let mut bytes = [0.0; 3];
        for _ in 0..bench.size(5, 1) {
            for (index, (samples, plan)) in sizes.iter().enumerate() {
                let flags = ["--concurrency", "16", "--pending-calls", "2000"];
                let cost =
                    cost_of(bench.run_samples(*samples, plan, Provider::InProcess, &flags)?)?;
                cpu[index].push(cost.cpu.as_secs_f64() * 1000.0);
                bytes[index] = bytes_in(&bench.path("results")) as f64;
                bench.put_results_aside();
            }
        }
        let least = cpu.map(|runs| runs.into_iter().fold(f64::INFINITY, f64::min));
        for step in [1, 2] {
            let name = format!("twice the {what}, {}", ["", "once", "twice"][step]);
            let time = Figure::new(
                "growth",
                &name,
                "times the CPU",
                vec![least[step] / least[step - 1]],
            );
            let written = bytes[step] / bytes[step - 1];
            figures.push(time.at_most(BOUND));
            figures.push(
                Figure::new("growth", &name, "times the bytes", vec![written]).at_most(BOUND),
            );
        }
    }
    for (kind, provider, isolation) in [
        ("isolation process", Provider::InProcess, "process"),
        ("isolation thread", Provider::InProcess, "thread"),
        ("computed replies", Provider::Computed, "process"),
    ] {
        let left = measure_memory_per_sample(bench, provider, isolation, base as usize)?;
        let name = format!("memory that each additional sample leaves in use, {kind}");
        let figure = Figure::new("growth", &name, "KB", vec![left]);
        figures.push(figure.at_most(MAX_KB_PER_SAMPLE));
    }
    Ok(figures)
}

/// Returns the kilobytes that each additional sample leaves in use: quadruples the number of
/// samples and measures the increase in the peak resident size of `eval`, without its workers.
fn measure_memory_per_sample(
    bench: &Bench,
    provider: Provider,
    isolation: &str,
    base: usize,
) -> Result<f64, SuiteError> {
    let sizes = [base, 4 * base];
    let mut peaks = Vec::new();
    for samples in sizes {
        let flags = ["--concurrency", "4", "--isolation", isolation];
        let plan = Plan::Loop { iterations: 2 };
        let mut command = bench.run_samples(samples, &plan, provider, &flags)?;
        let cost = cost::measure(&mut command, true)?;
        peaks.push(cost.own_peak_bytes as f64 / 1024.0);
        bench.put_results_aside();
    }
    Ok((peaks[1] - peaks[0]) / (sizes[1] - sizes[0]) as f64)
}
