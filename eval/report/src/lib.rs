//! Analysis of runs: summaries, differences between runs, comparisons, and reports.
//!
//! This crate uses only records and trajectories. It neither runs agents nor queries the terminal.
//! Texts from models and files are sanitized before they are shown in a table.

pub mod sanitize;
mod run_name;
mod race_folder;
pub mod columns;

pub mod summary;

pub mod compare;
pub mod differences;

pub mod race;

mod report;

pub use report::{
    FoundSweep, Group, Grouping, HtmlError, Report, RunBehavior, RunReport, Spending, SweepReport,
    TimeSplit, conclusion, html, text,
};
