//! Formats a comparison as CSV: one row for each pair of runs and each way to count errors.

use std::io;

use records::run_dir::spreadsheet_text;
use statistics::{Method, Paired};

use super::{Comparison, Difference, RunPair};
use crate::differences;

/// Columns of the file, in order.
pub const COLUMNS: [&str; 23] = [
    "family",
    "first",
    "second",
    "first_path",
    "second_path",
    "errors",
    "samples",
    "clusters",
    "first_score",
    "second_score",
    "difference",
    "standard_error",
    "low",
    "high",
    "wins",
    "losses",
    "ties",
    "method",
    "p",
    "p_holm",
    "mcnemar_p",
    "detectable",
    "differs",
];

/// Returns the comparison as a CSV file (RFC 4180). An empty cell means a missing figure. The
/// column `errors` is `excluded` or `zero`; `differs` lists the settings that differ between the
/// two runs, with both values.
///
/// # Errors
/// Returns an error of the CSV writer, which cannot occur when writing to memory.
pub fn to_csv(comparison: &Comparison) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for pair in &comparison.comparisons {
        let ways = [
            ("excluded", pair.errors_excluded.as_ref()),
            ("zero", pair.errors_as_zero.as_ref()),
        ];
        for (errors, difference) in ways {
            writer.write_record(row(comparison, pair, errors, difference))?;
        }
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

fn row(
    comparison: &Comparison,
    pair: &RunPair,
    errors: &str,
    difference: Option<&Difference>,
) -> [String; COLUMNS.len()] {
    let path = |name: &str| {
        let run = comparison.runs.iter().find(|run| run.name == name);
        let path = run.map(|run| run.path.to_string_lossy().into_owned());
        spreadsheet_text(&path.unwrap_or_default()).into_owned()
    };
    let paired = difference.map(|difference| &difference.paired);
    let [low, high] = paired
        .and_then(Paired::interval)
        .map_or([None; 2], |ends| ends.map(Some));
    [
        pair.family.as_str().to_owned(),
        pair.first.clone(),
        pair.second.clone(),
        path(&pair.first),
        path(&pair.second),
        errors.to_owned(),
        cell(Some(paired.map_or(0, |paired| paired.samples))),
        cell(Some(paired.map_or(0, |paired| paired.clusters))),
        cell(paired.map(|paired| paired.first)),
        cell(paired.map(|paired| paired.second)),
        cell(paired.map(|paired| paired.difference)),
        cell(paired.and_then(|paired| paired.standard_error)),
        cell(low),
        cell(high),
        cell(paired.map(|paired| paired.wins)),
        cell(paired.map(|paired| paired.losses)),
        cell(paired.map(|paired| paired.ties)),
        cell(paired.and_then(Paired::method).map(Method::name)),
        cell(paired.and_then(Paired::p)),
        cell(difference.and_then(|difference| difference.p_holm)),
        cell(paired.and_then(|paired| paired.mcnemar_p)),
        cell(difference.and_then(|difference| difference.detectable)),
        spreadsheet_text(&differs(comparison, pair)).into_owned(),
    ]
}

/// Lists the settings in which a pair differs: `protocol: direct, rlm; drivers: none,
/// delegation-first`.
fn differs(comparison: &Comparison, pair: &RunPair) -> String {
    let place = |name: &str| comparison.runs.iter().position(|run| run.name == name);
    let (Some(first), Some(second)) = (place(&pair.first), place(&pair.second)) else {
        return String::new();
    };
    let rows = differences::rows(&comparison.differences);
    let differing = rows.iter().filter_map(|(part, values)| {
        let (one, other) = (values.get(first)?, values.get(second)?);
        (one != other).then(|| format!("{part}: {one}, {other}"))
    });
    differing.collect::<Vec<_>>().join("; ")
}

fn cell(figure: Option<impl ToString>) -> String {
    figure.map(|figure| figure.to_string()).unwrap_or_default()
}
