//! Integration tests of benchmarks.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

mod cases;
mod catalog;
mod cpu_time;
mod names;
mod number_text;

mod loaders;
mod user_environments;
mod user_dataset;
mod parquet_rows;
mod ruler;
mod s_niah;
mod webapp;
mod webnav;

mod arc;
mod arc_recorded;

mod arc_grid;
mod hostile;
mod scorers;
mod text_scorers;

use benchmarks::{Dataset, Options, Sample, Score, Scorer};
use serde_json::Value;

/// Opens a benchmark, or returns the error message.
fn open(name: &str, options: &Options) -> Result<Box<dyn Dataset>, String> {
    benchmarks::open(name, options).map_err(|error| error.to_string())
}

/// Scores an answer against a sample that has only an expected value.
fn score(scorer: &dyn Scorer, answer: &str, expected: &Value) -> Score {
    let sample = Sample {
        expected: expected.clone(),
        ..Sample::default()
    };
    scorer.score(answer, &sample)
}

/// Scores each row's answer and compares value and explanation.
fn check(scorer: &dyn Scorer, expected: &Value, rows: &[(&str, f64, &str)]) {
    for &(answer, value, explanation) in rows {
        let score = score(scorer, answer, expected);
        assert_eq!(
            (score.value, score.explanation.as_str()),
            (value, explanation),
            "answer {answer}, expected {expected}"
        );
    }
}
