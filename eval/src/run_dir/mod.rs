//! The run directory: what a run leaves behind, and how later commands read it.
//!
//! ```text
//! results/<run>/
//!   config.json          the resolved settings
//!   lock.json            the fingerprint, what it is made of, and what all attempts have in common
//!   samples.jsonl        one line per finished attempt, appended and synced
//!   trajectories/<sample>.<attempt>.jsonl    the attempt's events
//!   results.csv          one row per attempt, written at the end
//!   summary.json         scores, intervals, coverage, cost and time, written at the end
//! ```
//!
//! Invariant: `samples.jsonl` is the truth of a run; `results.csv` and `summary.json` can be made from it again.

mod reader;
mod writer;

mod results_csv;
mod samples;
mod trajectories;

mod fingerprint;

mod atomic;
mod error;
mod name;

pub use error::{LineError, RunDirError};
pub use fingerprint::Fingerprint;
pub use reader::{LOCK_VERSION, Lock, RunDir};
pub use results_csv::{COLUMNS, to_csv};
pub use samples::{Torn, latest, read_records};
pub use writer::{NewRun, RunWriter};

const CONFIG: &str = "config.json";
const LOCK: &str = "lock.json";
const SAMPLES: &str = "samples.jsonl";
const TRAJECTORIES: &str = "trajectories";
const RESULTS: &str = "results.csv";
const SUMMARY: &str = "summary.json";
