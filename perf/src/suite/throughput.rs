//! Measures the wall time and CPU time per sample (of two iterations) and per iteration (in samples
//! of 20), by provider, isolation and concurrency.

use std::collections::BTreeMap;

use crate::bench::{Bench, Provider, SuiteError, cost_of, ms_each};
use crate::cost::Cost;
use crate::plan::Plan;
use crate::report::Figure;

/// Number of iterations in a long sample.
const LONG: usize = 20;

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let mut runs: BTreeMap<(usize, String, &'static str), Vec<f64>> = BTreeMap::new();
    let mut add = |order: usize, name: &str, cost: Cost, items: usize| {
        for (unit, time) in [
            ("ms", cost.wall),
            ("ms CPU", cost.cpu),
            ("ms CPU, eval only", cost.own_cpu),
        ] {
            let runs = runs.entry((order, name.to_owned(), unit)).or_default();
            runs.push(ms_each(time, items));
        }
    };
    let short = Plan::Loop { iterations: 2 };
    let long = Plan::Loop { iterations: 20 };
    let ways = [
        (Provider::InProcess, "in process", "process"),
        (Provider::InProcess, "in process", "thread"),
        (Provider::Http, "over HTTP", "process"),
    ];
    let sizes = bench.size(
        vec![(1, 200), (16, 1_000), (256, 2_000), (1_000, 6_000)],
        vec![(1, 4), (16, 32)],
    );
    for _ in 0..bench.runs() {
        for (order, (provider, place, isolation)) in ways.into_iter().enumerate() {
            let way = format!("{place}, isolation {isolation}");
            for (concurrency, samples) in &sizes {
                let at_once = concurrency.to_string();
                let flags = ["--concurrency", &at_once, "--isolation", isolation];
                let cost = cost_of(bench.run_samples(*samples, &short, provider, &flags)?)?;
                bench.put_results_aside();
                let name = format!("a sample, {way}, {at_once} concurrent");
                add(order * 10_000 + concurrency, &name, cost, *samples);
            }
            let samples = bench.size(200, 4);
            let flags = ["--concurrency", "16", "--isolation", isolation];
            let cost = cost_of(bench.run_samples(samples, &long, provider, &flags)?)?;
            bench.put_results_aside();
            let name = format!("an iteration of {LONG}, {way}, 16 concurrent");
            add(order * 10_000 + 5_000, &name, cost, samples * LONG);
        }
    }
    let mut figures: Vec<Figure> = runs
        .into_iter()
        .map(|((_, name, unit), values)| Figure::new("throughput", name, unit, values))
        .collect();
    add_target_ratio(&mut figures);
    Ok(figures)
}

/// Adds the ratio that has a target. It compares minimum times, because other load only adds time.
fn add_target_ratio(figures: &mut Vec<Figure>) {
    let least = |name: &str, unit: &str| {
        let found = figures
            .iter()
            .find(|figure| figure.name == name && figure.unit == unit);
        found.map_or(f64::NAN, |figure| figure.least)
    };
    let at = |concurrency: u32| {
        let name = format!("a sample, in process, isolation process, {concurrency} concurrent");
        least(&name, "ms")
    };
    let ratio = Figure::new(
        "throughput",
        "a sample at 1,000 concurrent / one at 16",
        "times",
        vec![at(1_000) / at(16)],
    );
    figures.extend(Some(ratio.at_most(1.15)).filter(|figure| figure.value.is_finite()));
}
