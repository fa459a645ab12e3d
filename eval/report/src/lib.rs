//! What runs come to: the summary of each, what differs between them, their comparison, and the report of it all.
//!
//! Invariants: made from records and trajectories alone, by code that neither runs an agent nor asks the terminal. Texts of
//! models and files are made safe where a table shows them.

pub mod sanitize;
pub mod columns;

pub mod summary;

pub mod compare;
pub mod differences;

pub mod race;

mod report;

pub use report::{
    Behaviour, FoundSweep, Group, Grouping, HtmlError, Report, RunReport, Spending, SweepReport,
    TimeSplit, conclusion, html, text,
};
