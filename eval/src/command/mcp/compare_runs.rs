//! The tool `compare_runs`: tests whether one run is really better than another.

use std::sync::Arc;

use mcp::Reply;
use report::compare::{Against, RunScores, cautions, compare, table, verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::arguments::parse;
use super::state::ToolState;

pub(super) const NAME: &str = "compare_runs";

/// Maximum runs in a comparison, because each is labeled with a letter.
const MAX_RUNS: usize = 26;
/// Width of the tables, in columns.
const WIDTH: u16 = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    runs: Vec<String>,
    #[serde(default)]
    all_pairs: bool,
    #[serde(default)]
    allow_mismatch: bool,
}

pub(super) async fn call(
    state: &ToolState,
    arguments: Map<String, Value>,
) -> Result<Reply, String> {
    let arguments: Arguments = parse(arguments)?;
    let count = arguments.runs.len();
    if !(2..=MAX_RUNS).contains(&count) {
        return Err(format!(
            "invalid arguments: {count} runs: expected 2 to {MAX_RUNS}"
        ));
    }
    let mut paths = Vec::new();
    for name in &arguments.runs {
        let path = state.roots.run(name)?;
        if !path.is_dir() {
            return Err(format!("{name:?} is not a run directory"));
        }
        if paths.contains(&path) {
            return Err(format!("{name:?} is given twice"));
        }
        paths.push(path);
    }
    let paths = Arc::new(paths);
    let work = move || {
        let runs = paths.iter().map(|path| RunScores::read(path));
        let runs: Result<Vec<RunScores>, _> = runs.collect();
        let runs = runs.map_err(|error| error.to_string())?;
        let against = if arguments.all_pairs {
            Against::All
        } else {
            Against::First
        };
        let comparison = compare(&runs, &against, arguments.allow_mismatch);
        let comparison = comparison.map_err(|error| error.to_string())?;
        let pairs = comparison.comparisons.iter();
        let corrected = comparison.comparisons.len() > 1;
        let verdicts: Vec<String> = pairs.flat_map(|pair| verdict(pair, corrected)).collect();
        let mut text = verdicts.join("\n");
        for caution in cautions(&comparison.comparisons) {
            text += &format!("\n{caution}");
        }
        text += &format!("\n\n{}", table(&comparison, WIDTH));
        let comparison = serde_json::to_value(&comparison).map_err(|error| error.to_string())?;
        Ok(Reply {
            text,
            structured: json!({"verdicts": verdicts, "comparison": comparison}),
            is_error: false,
        })
    };
    state.run_blocking(work).await
}
