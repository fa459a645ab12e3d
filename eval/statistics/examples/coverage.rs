//! Checks that confidence intervals and significance tests meet the thresholds of
//! `docs/concepts/statistics.md`.
//!
//! `cargo run --release --package statistics --example coverage` simulates runs whose true values
//! are known, applies the program's own statistics to them, and prints tables in Markdown. It exits
//! with code 1 if a threshold is not met.

mod coverage {
    pub mod agreement;
    pub mod design;
    pub mod draw;
    pub mod false_findings;
    pub mod intervals;
    pub mod power;
    pub mod table;
    pub mod widths;
}

use std::process::ExitCode;

use coverage::intervals::SimulationSettings;
use coverage::{agreement, false_findings, intervals, power, table, widths};

/// Command-line flags.
#[derive(clap::Parser)]
struct Flags {
    /// Simulate only a few designs and runs, which takes seconds.
    #[arg(long)]
    quick: bool,
    /// Seed of the random number generator.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of runs for each design and true mean.
    #[arg(long, default_value_t = 1000)]
    runs: usize,
    /// Compute only figures whose name contains this text, or only `power` (detectable
    /// differences), `none` (false findings), `widths`, or `agreement` (of test and interval).
    #[arg(long, default_value = "")]
    only: String,
}

/// Number of comparisons for checking that test and interval agree.
const COMPARISONS: usize = 10_000;

fn main() -> ExitCode {
    let Flags {
        quick,
        seed,
        runs,
        only,
    } = <Flags as clap::Parser>::parse();
    let is_asked = |name: &str| only.is_empty() || only == name;
    let mut missed = 0;
    if !["power", "none", "widths", "agreement"].contains(&only.as_str()) {
        missed += intervals::check(SimulationSettings {
            quick,
            runs: if quick { runs.min(30) } else { runs },
            seed,
            only: &only,
        });
    }
    if is_asked("widths") {
        missed += widths::check(quick, seed);
    }
    if is_asked("agreement") {
        let (tested, found, disagree) = agreement::count(COMPARISONS, seed);
        table::print_line(&format!(
            "\nOf {tested} random comparisons, {found} have p below 0.05; test and interval disagree in {disagree}."
        ));
        missed += usize::from(disagree > 0);
    }
    if is_asked("none") {
        missed += false_findings::check(quick, seed);
    }
    if is_asked("power") {
        missed += power::check(quick, seed);
    }
    if missed > 0 {
        table::report_missed(missed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
