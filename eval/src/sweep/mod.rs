//! Plans sweeps: runs of all meaningful combinations of a matrix of flags.

mod settings;
mod matrix;
mod plan;

mod cells;
mod combination;

pub use cells::plan_cells;
pub use matrix::Matrix;
pub use plan::{Cell, Plan, SWEEP_VERSION, Skipped, SweepError};
pub use settings::{RaceAgainst, SweepArgs, SweepBudgetArgs};
