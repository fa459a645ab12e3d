//! Every benchmark end to end with its scripted model, some of whose answers are deliberately
//! wrong.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::binary::{Binary, is_full};
use crate::run::finish;

/// The fields of a benchmark's `cases.json` that these tests read; tests of `benchmarks` check the
/// others.
#[derive(Deserialize)]
struct Cases {
    run: Vec<Row>,
}

/// A run with the scripted model, and its expected scores.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Additional flags; `DIR` is replaced by the benchmark's folder.
    flags: Vec<String>,
    /// Whether the run needs a browser.
    #[serde(default)]
    browser: bool,
    /// Ids of samples that run only in the full tests. `flags` and `scores` also contain them.
    #[serde(default)]
    slow: Vec<String>,
    /// Score of each sample by id, rounded to two decimal places.
    scores: BTreeMap<String, f64>,
}

impl Row {
    /// Removes the slow samples from `scores` and `--sample-ids`. The flag may omit the benchmark's
    /// name from ids.
    fn without_slow(mut self, benchmark: &str) -> Self {
        for id in std::mem::take(&mut self.slow) {
            assert!(self.scores.remove(&id).is_some(), "{id} has no score");
            let short = id.trim_start_matches(&format!("{benchmark}-"));
            let mut from_ids = self
                .flags
                .iter_mut()
                .skip_while(|flag| *flag != "--sample-ids");
            let ids = from_ids.nth(1).expect("the samples are listed");
            let kept = ids.split(',').filter(|one| *one != id && *one != short);
            *ids = kept.collect::<Vec<_>>().join(",");
        }
        self
    }
}

/// Returns the source folder of a benchmark.
pub fn folder(benchmark: &str) -> String {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../benchmarks/src");
    format!("{sources}/{}", benchmark.replace('-', "_"))
}

#[test]
fn benchmarks_run_with_scripted_models() {
    for entry in benchmarks::catalog() {
        let folder = folder(entry.name);
        let cases = std::fs::read_to_string(format!("{folder}/cases.json")).unwrap();
        let cases: Cases = serde_json::from_str(&cases).unwrap();
        assert!(!cases.run.is_empty(), "{} has no test run", entry.name);
        for row in cases.run {
            let row = if is_full() {
                row
            } else {
                row.without_slow(entry.name)
            };
            if row.browser && !has_chromium() {
                assert!(std::env::var_os("CI").is_none(), "CI has no Chromium");
                eprintln!("{} is skipped: Chromium is not installed", entry.name);
                continue;
            }
            let binary = Binary::new();
            let mut args = vec!["run", "--model", "scripted", "--benchmark", entry.name];
            let flags: Vec<String> = row
                .flags
                .iter()
                .map(|flag| flag.replace("DIR", &folder))
                .collect();
            args.extend(flags.iter().map(String::as_str));
            let run = finish(&binary, &args);
            let scores: BTreeMap<String, f64> = run
                .records()
                .into_iter()
                .map(|((id, _), record)| (id, (record.score.unwrap() * 100.0).round() / 100.0))
                .collect();
            assert_eq!(scores, row.scores, "{}: {}", entry.name, run.ran.stderr);
        }
    }
}

/// Returns whether Chromium is missing. Panics if it is missing in CI.
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
pub fn lacks_chromium() -> bool {
    let lacks = !has_chromium();
    if lacks {
        assert!(std::env::var_os("CI").is_none(), "CI has no Chromium");
        println!("skipped: Chromium is not installed");
    }
    lacks
}

/// Whether Chromium is installed, which browser tests need.
pub fn has_chromium() -> bool {
    browser::find_program(&browser::Settings::default()).is_ok()
}
