//! Run records: the run directory, the record of each attempt, and the events of its trajectory.
//!
//! This crate only stores and reads runs. It does not run agents, score answers, or aggregate
//! attempts. It reads files of all earlier versions.

pub mod program_versions;
pub mod program;
mod record;
pub mod run_dir;
mod spending;
pub mod trajectory;

pub use record::{
    AttemptRecord, FurtherScore, JudgeUse, RECORD_VERSION, RunIdentity, UNREADABLE, counted,
    is_unreadable, is_zero,
};
pub use spending::{Spent, TotalSpending, Wasted};
