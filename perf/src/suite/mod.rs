//! Runs the parts of the suite in their order.

mod start;
mod ready;
mod serve;
mod throughput;

mod context;
mod memory;
mod tree;

mod growth;
mod records;

mod javascript_system;
mod peers;
mod recorded;

mod micro;

use crate::arguments::Arguments;
use crate::bench::{Bench, SuiteError, log_progress};
use crate::cost;
use crate::report::Figure;

type Measure = fn(&Bench) -> Result<Vec<Figure>, SuiteError>;

/// Name and function of each part.
const PARTS: [(&str, Measure); 13] = [
    ("micro", micro::measure),
    ("start", start::measure),
    ("ready", ready::measure),
    ("throughput", throughput::measure),
    ("serve", serve::measure),
    ("tree", tree::measure),
    ("context", context::measure),
    ("memory", memory::measure),
    ("records", records::measure),
    ("growth", growth::measure),
    ("javascript-system", javascript_system::measure),
    ("peers", peers::measure),
    ("recorded", recorded::measure),
];

/// Results of the selected parts.
#[derive(Default)]
pub struct SuiteResults {
    /// JavaScript engine of the program, as reported by `--version`.
    pub engine: String,
    pub figures: Vec<Figure>,
    /// Errors of failed parts, which have no figures. A failed part does not stop the others.
    pub failures: Vec<String>,
}

/// Runs the selected parts.
///
/// # Errors
/// Returns an error if the program or a selected part does not exist, or the model server cannot
/// start.
pub fn run(arguments: Arguments) -> Result<SuiteResults, SuiteError> {
    cost::adopt_orphans();
    let bench = Bench::start(arguments)?;
    let known: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let only = &bench.arguments.only;
    if let Some(unknown) = only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!(
            "invalid --only `{unknown}`: expected one of {}",
            known.join(", ")
        )
        .into());
    }
    let mut measured = SuiteResults {
        engine: engine(&bench)?,
        ..SuiteResults::default()
    };
    for (name, measure) in PARTS {
        if only.is_empty() || only.iter().any(|wanted| wanted == name) {
            log_progress(name);
            match measure(&bench) {
                Ok(figures) => measured.figures.extend(figures),
                Err(error) => measured.failures.push(format!("{name}: {error}")),
            }
        }
    }
    Ok(measured)
}

fn engine(bench: &Bench) -> Result<String, SuiteError> {
    let version = bench.eval(&["--version"]).output()?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let mut lines = version.lines().map(str::trim);
    let engine = lines.find_map(|line| line.strip_prefix("engine "));
    Ok(engine.unwrap_or("unknown").trim().to_owned())
}
