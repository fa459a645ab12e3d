//! The run directory: what a run leaves behind, and how later commands read it.
//!
//! ```text
//! results/<run>/
//!   config.json          the resolved settings
//!   lock.json            the fingerprint, what it is made of, and what all attempts have in common
//!   samples.jsonl        one line per finished attempt, appended and synced
//!   trajectories/<sample>.<attempt>.jsonl    the attempt's events
//!   journal/<sample>.<attempt>.jsonl    what the attempt received, from which it goes on in another process
//!   answers/<sample>.<attempt>.txt    an answer that is too long for its line
//!   results.csv          one row per attempt, written at the end
//!   summary.json         scores, intervals, coverage, cost and time, written at the end
//!   scores/<scorer>.jsonl    what the answers score by another scorer, written by `rlm-eval score`
//!   scores/<scorer>.unfinished.jsonl    what a judge has said so far, until all answers have a score
//!   running.json         who works on it, while somebody does
//!   abandoned/           trajectories of attempts that were stopped or killed, once the run has gone on
//!   superseded/          trajectories of attempts that ended in an error and were made again
//! ```
//!
//! Invariant: `samples.jsonl` is the truth of a run; `results.csv` and `summary.json` can be made from it again.

mod reader;
mod reopen;
mod writer;

mod answers;
mod beside;
mod events;
mod results_csv;
mod samples;
mod scores;
mod trajectories;

mod fingerprint;
mod hold;
mod in_flight;
mod journal;
mod links;
mod wasted_spend;

mod atomic;
mod error;
mod name;

pub use atomic::write as write_whole;
pub use beside::{Changed, beside, keep_others};
pub use error::{LineError, RunDirError};
pub use events::{Events, fold};
pub use fingerprint::{Difference, Fingerprint};
pub use hold::Holder;
pub use journal::{Journal, PaidFor, keep_abandoned};
pub use name::sweep_id;
pub use reader::{
    CONFIG_VERSION, LOCK_VERSION, Lock, RunDir, check_fingerprint, read_config, read_lock,
};
pub use reopen::Reopened;
pub use results_csv::{COLUMNS, plain_text, spreadsheet_text, to_csv};
pub use samples::{TruncatedRecord, latest, read_records};
pub use scores::{ScoreJournal, write_scores};
pub use wasted_spend::LongestResponses;
pub use writer::{NewRun, RunWriter};

const CONFIG: &str = "config.json";
const LOCK: &str = "lock.json";
const SAMPLES: &str = "samples.jsonl";
const TRAJECTORIES: &str = "trajectories";
const RESULTS: &str = "results.csv";
const JOURNAL: &str = "journal";
const ANSWERS: &str = "answers";
const SCORES: &str = "scores";
const SUMMARY: &str = "summary.json";
const HOLDER: &str = "running.json";
const ABANDONED: &str = "abandoned";
const SUPERSEDED: &str = "superseded";
