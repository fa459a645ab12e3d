//! Measures how often a race decides wrongly, how many attempts it saves, and how often its
//! intervals contain the true value.
//!
//! `cargo run --release --package statistics --example races` simulates sweeps whose true scores
//! are known, runs the program's own race over each, and prints tables in Markdown. It exits with
//! code 1 if a threshold of `docs/concepts/statistics.md` is not met.

mod races {
    pub mod sweep;
    pub mod tally;
}
#[path = "coverage/table.rs"]
mod table;

use std::process::ExitCode;

use races::sweep::{DESIGNS, Design};
use races::tally::Tally;

/// Command-line flags.
#[derive(clap::Parser)]
struct Flags {
    /// Simulate only a few sweeps of each design, as a smoke test.
    #[arg(long)]
    quick: bool,
    /// Seed of the random number generator.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of sweeps of each design.
    #[arg(long, default_value_t = 2000)]
    sweeps: usize,
    /// Run only designs whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() -> ExitCode {
    let flags = <Flags as clap::Parser>::parse();
    let sweeps = if flags.quick { 60 } else { flags.sweeps };
    let mut missed = 0;
    let mut rows = Vec::new();
    let wanted = DESIGNS
        .iter()
        .filter(|design| design.name.contains(&flags.only));
    for design in wanted.filter(|design| !flags.quick || design.is_quick) {
        let mut tally = Tally::default();
        for number in 0..sweeps {
            tally.add(&design.run(flags.seed, number));
        }
        missed += tally.misses(design, flags.quick);
        rows.push(tally.row(design));
    }
    table::print(
        "Races",
        &[
            "cells",
            "truth",
            "indifference",
            "wrong decision",
            "best kept",
            "attempts saved",
            "decided",
            "interval to the baseline holds",
            "to the last cell",
            "bias of a stopped cell, uncorrected",
            "corrected",
        ],
        &rows,
    );
    table::print_line(&format!("\n{sweeps} sweeps of each design."));
    if missed > 0 {
        table::report_missed(missed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

impl Design {
    /// Simulates a sweep of this design. The same seed and number always produce the same sweep.
    fn run(&self, seed: u64, number: usize) -> races::sweep::Outcome {
        races::sweep::run(self, seed, number)
    }
}
