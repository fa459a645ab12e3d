//! Every benchmark end to end with the model made for it, which is partly right and partly wrong on purpose.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::binary::Binary;
use crate::run::finish;

/// A row of `run/benchmarks.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    benchmark: String,
    /// More flags.
    flags: Vec<String>,
    /// Whether it needs a browser.
    #[serde(default)]
    browser: bool,
    /// The score of each sample, to two places, by its id.
    scores: BTreeMap<String, f64>,
}

#[test]
fn every_benchmark_runs_with_its_scripted_model() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("run/benchmarks.json")).unwrap();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../benchmarks/tests/fixtures");
    for row in &rows {
        if row.browser && !has_chromium() {
            assert!(std::env::var_os("CI").is_none(), "CI has no Chromium");
            eprintln!("{} is skipped: there is no Chromium", row.benchmark);
            continue;
        }
        let binary = Binary::new();
        let mut args = vec!["run", "--model", "scripted", "--benchmark", &row.benchmark];
        let flags: Vec<String> = row
            .flags
            .iter()
            .map(|flag| flag.replace("FIXTURES", fixtures))
            .collect();
        args.extend(flags.iter().map(String::as_str));
        let run = finish(&binary, &args);
        let scores: BTreeMap<String, f64> = run
            .records()
            .into_iter()
            .map(|((id, _), record)| (id, (record.score.unwrap() * 100.0).round() / 100.0))
            .collect();
        assert_eq!(scores, row.scores, "{}: {}", row.benchmark, run.ran.stderr);
    }
    let tried: Vec<_> = rows.iter().map(|row| row.benchmark.as_str()).collect();
    for entry in benchmarks::catalog() {
        assert!(tried.contains(&entry.name), "{} is not tried", entry.name);
    }
}

/// Whether tests of browsers can run.
pub fn has_chromium() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("chromium").is_file())
}
