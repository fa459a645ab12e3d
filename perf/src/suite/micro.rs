//! Reads the results of an earlier `cargo bench --package sandbox`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, SuiteError, log_progress};
use crate::report::Figure;

/// Folder of criterion's estimates.
const CRITERION: &str = "target/criterion";

pub fn measure(_: &Bench) -> Result<Vec<Figure>, SuiteError> {
    let mut figures = Vec::new();
    collect(Path::new(CRITERION), &mut figures)?;
    if figures.is_empty() {
        log_progress("micro: skipped: run `cargo bench --package sandbox` first");
    }
    figures.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(figures)
}

/// Adds a figure for each `new/estimates.json` in a folder, recursively.
fn collect(folder: &Path, figures: &mut Vec<Figure>) -> Result<(), SuiteError> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name == "new") {
            let read = |file| -> Result<Value, SuiteError> {
                Ok(serde_json::from_slice(&fs::read(path.join(file))?)?)
            };
            let name = read("benchmark.json")?["full_id"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let nanoseconds = read("estimates.json")?["median"]["point_estimate"].as_f64();
            let milliseconds = nanoseconds.unwrap_or(f64::NAN) / 1e6;
            let unit = if name.contains("CPU") { "ms CPU" } else { "ms" };
            let figure = Figure::new("micro", &name, unit, vec![milliseconds]);
            let bound = name.starts_with("cell's round trip")
                && name.ends_with("process")
                && unit == "ms CPU";
            figures.push(if bound { figure.at_most(0.25) } else { figure });
        } else if path.is_dir() {
            collect(&path, figures)?;
        }
    }
    Ok(())
}
