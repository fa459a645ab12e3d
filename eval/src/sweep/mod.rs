//! Plans sweeps: runs of all meaningful combinations of a matrix of flags.

mod plan;

mod cells;
mod combination;

pub use cells::plan_cells;
pub use plan::{Cell, Plan, SWEEP_VERSION, Skipped, SweepError};
