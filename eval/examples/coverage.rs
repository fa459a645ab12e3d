//! How often the intervals of every table hold the true value, and how often a detectable difference is found.
//!
//! `cargo run --release --package eval --example coverage` draws runs of known truth, has the program's own statistics
//! judge them, and prints two tables in Markdown. It ends with code 1 where a bar of `docs/STATISTICS.md` is missed.

mod coverage {
    pub mod draw;
    pub mod intervals;
    pub mod power;
    pub mod table;
}

use std::process::ExitCode;

use coverage::{intervals, power, table};

/// What the flags ask for.
#[derive(clap::Parser)]
struct Flags {
    /// Few designs and runs: whether it works at all. Bars are wider.
    #[arg(long)]
    quick: bool,
    /// Runs drawn for each cell of the table of intervals.
    #[arg(long, default_value_t = 1000)]
    runs: usize,
    /// Only figures whose name holds this text; `power` for detectable differences alone.
    #[arg(long, default_value = "")]
    only: String,
    /// Print every design that misses a bar.
    #[arg(long)]
    cells: bool,
}

fn main() -> ExitCode {
    let flags = <Flags as clap::Parser>::parse();
    let mut missed = intervals::check(flags.quick, flags.runs, &flags.only, flags.cells);
    if flags.only.is_empty() || flags.only == "power" {
        missed += power::check(flags.quick);
    }
    if missed > 0 {
        table::complain(missed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
