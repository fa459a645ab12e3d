//! Measures startup: `eval --help`, a run of one sample, the time until the first cell of a run has
//! finished, and the extra time of a new user's first run.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::Deserialize;

use crate::bench::{Bench, Provider, SuiteError, log_progress};
use crate::cost;
use crate::plan::Plan;
use crate::report::Figure;

/// Output of hyperfine.
#[derive(Deserialize)]
struct Export {
    results: Vec<Timed>,
}

/// Results of one command, with times in seconds.
#[derive(Deserialize)]
struct Timed {
    times: Vec<f64>,
    user: f64,
    system: f64,
}

pub fn measure(bench: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let plan = Plan::Loop { iterations: 2 };
    // Also writes the files that hyperfine's runs of this command read.
    let run = bench.run_samples(1, &plan, Provider::InProcess, &[])?;
    let run: Vec<String> = run
        .get_args()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut figures = Vec::new();
    if Command::new("hyperfine")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok()
    {
        for (name, arguments, bound) in [
            ("eval --help", vec!["--help".to_owned()], Some(15.0)),
            ("eval run of one sample", run, None),
        ] {
            let timed = hyperfine(bench, &arguments)?;
            let times = timed.times.iter().map(|seconds| seconds * 1000.0).collect();
            let time = Figure::new("start", name, "ms", times);
            let cpu = (timed.user + timed.system) * 1000.0;
            let cpu = Figure::new("start", name, "ms CPU (mean)", vec![cpu]);
            figures.extend(match bound {
                Some(bound) => [time, cpu.at_most(bound)],
                None => [time, cpu],
            });
        }
        bench.put_results_aside();
    } else {
        log_progress("start: hyperfine is not installed, so its part is skipped");
    }
    let mut until_first = Vec::new();
    for _ in 0..bench.size(20, 1) {
        let mut command = bench.run_samples(1, &plan, Provider::Http, &[])?;
        let began = Instant::now();
        bench.server.forget_second_turn();
        let status = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        let came = bench.server.second_turn().filter(|_| status.success());
        let came =
            came.ok_or_else(|| format!("{command:?} ended with {status} before its second turn"))?;
        until_first.push((came - began).as_secs_f64() * 1000.0);
    }
    bench.put_results_aside();
    let name = "eval run until its first cell has run, over HTTP";
    figures.push(Figure::new("start", name, "ms", until_first).at_most(100.0));
    figures.push(measure_first_run_overhead(bench, &plan)?);
    Ok(figures)
}

/// Measures how many milliseconds longer a new user's first run takes than the second, because
/// cached files are missing.
fn measure_first_run_overhead(bench: &Bench, plan: &Plan) -> Result<Figure, SuiteError> {
    let mut later = Vec::new();
    for user in 0..bench.runs() {
        let home = bench.path(&format!("user-{user}"));
        fs::create_dir_all(&home)?;
        let run = || -> Result<f64, SuiteError> {
            let mut command = bench.run_samples(1, plan, Provider::InProcess, &[])?;
            command.env("HOME", &home);
            Ok(cost::measure(&mut command, false)?.wall.as_secs_f64() * 1000.0)
        };
        later.push(run()? - run()?);
    }
    bench.put_results_aside();
    let name = "extra time of the first run after an install";
    Ok(Figure::new("start", name, "ms", later).at_most(300.0))
}

fn hyperfine(bench: &Bench, arguments: &[String]) -> Result<Timed, SuiteError> {
    let export = bench.path("hyperfine.json");
    let words = arguments
        .iter()
        .map(|word| format!("'{word}'"))
        .collect::<Vec<_>>()
        .join(" ");
    // Runs in the suite's folder, as the other commands do, but with the caller's environment,
    // whose PATH locates hyperfine.
    let mut command = Command::new("hyperfine");
    command
        .args(["-N", "--style", "none", "--warmup"])
        .args([
            bench.size("3", "0"),
            "--runs",
            bench.size("40", "2"),
            "--export-json",
        ])
        .arg(&export)
        .arg(format!("'{}' {words}", bench.program().display()))
        .current_dir(bench.path(""))
        .stdout(Stdio::null());
    if !command.status()?.success() {
        return Err(format!("{command:?} failed").into());
    }
    let export: Export = serde_json::from_str(&fs::read_to_string(export)?)?;
    export
        .results
        .into_iter()
        .next()
        .ok_or_else(|| "hyperfine returned no results".into())
}
