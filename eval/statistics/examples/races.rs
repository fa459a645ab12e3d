//! How often a race errs, what it saves, and how often its intervals hold.
//!
//! `cargo run --release --package statistics --example races` draws sweeps of known truth, runs the program's own race over each, and
//! prints tables in Markdown. It ends with code 1 where a bar of `docs/concepts/statistics.md` is missed.

mod races {
    pub mod sweep;
    pub mod tally;
}
#[path = "coverage/table.rs"]
mod table;

use std::process::ExitCode;

use races::sweep::{DESIGNS, Design};
use races::tally::Tally;

/// What the flags ask for.
#[derive(clap::Parser)]
struct Flags {
    /// Few sweeps of each design: whether it works at all.
    #[arg(long)]
    quick: bool,
    /// Other random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sweeps of each design.
    #[arg(long, default_value_t = 2000)]
    sweeps: usize,
    /// Only designs whose name holds this text.
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
    table::say(&format!("\n{sweeps} sweeps of each design."));
    if missed > 0 {
        table::complain(missed);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

impl Design {
    /// A random sweep of this design, the same for the same seed and number.
    fn run(&self, seed: u64, number: usize) -> races::sweep::Outcome {
        races::sweep::run(self, seed, number)
    }
}
