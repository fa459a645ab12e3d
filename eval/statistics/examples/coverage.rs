//! How often the intervals of every table hold the true value, how often a detectable difference is found, and how often one
//! that is not there.
//!
//! `cargo run --release --package statistics --example coverage` draws runs of known truth, has the program's own statistics
//! judge them, and prints three tables in Markdown. It ends with code 1 where a bar of `docs/concepts/statistics.md` is missed.

mod coverage {
    pub mod design;
    pub mod draw;
    pub mod false_findings;
    pub mod intervals;
    pub mod power;
    pub mod table;
}

use std::process::ExitCode;

use coverage::intervals::Asked;
use coverage::{false_findings, intervals, power, table};

/// What the flags ask for.
#[derive(clap::Parser)]
struct Flags {
    /// Few designs and runs: whether it works at all.
    #[arg(long)]
    quick: bool,
    /// Other random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most runs of a cell, which those near their bar have.
    #[arg(long, default_value_t = 3200)]
    runs: usize,
    /// Only figures whose name holds this text; `power` for detectable differences alone, and
    /// `none` for those that are found where there is none.
    #[arg(long, default_value = "")]
    only: String,
    /// Print every design that misses a bar.
    #[arg(long)]
    cells: bool,
}

fn main() -> ExitCode {
    let flags = <Flags as clap::Parser>::parse();
    let asked = Asked {
        quick: flags.quick,
        runs: if flags.quick { 400 } else { flags.runs },
        seed: flags.seed,
        only: &flags.only,
        show: flags.cells,
    };
    let mut missed = intervals::check(asked);
    if flags.only.is_empty() || flags.only == "power" {
        missed += power::check(flags.quick, flags.seed);
    }
    if flags.only.is_empty() || flags.only == "none" {
        missed += false_findings::check(flags.quick, flags.seed);
    }
    if missed > 0 {
        table::complain(missed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
