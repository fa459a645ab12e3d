//! What a run leaves behind: the run directory, the record of each attempt, and the events of its trajectory.
//!
//! Invariants: nothing here runs an agent or scores an answer, and no figure is made of several attempts. What an earlier
//! version wrote is read.

pub mod makers;
pub mod program;
mod record;
pub mod run_dir;
mod spent;
pub mod trajectory;

pub use record::{
    AttemptRecord, JudgeUse, RECORD_VERSION, RunIdentity, UNREADABLE, counted, is_unreadable,
};
pub use spent::{AllSpent, Spent, Wasted};
