//! The run directory: the files that a run writes and later commands read.
//!
//! ```text
//! results/<run>/
//!   config.json          the resolved settings
//!   lock.json            the fingerprint, its parts, and the values that all attempts share
//!   samples.jsonl        one line per finished attempt, appended and synced
//!   trajectories/<sample>.<attempt>.jsonl    the attempt's events
//!   journal/<sample>.<attempt>.jsonl    responses received, with which an attempt can resume
//!   requests/<sample>.<attempt>.jsonl    requests as sent to servers, with `--record-requests`
//!   answers/<sample>.<attempt>.txt    an answer that is too long for `samples.jsonl`
//!   results.csv          one row per attempt, written at the end
//!   summary.json         scores, intervals, coverage, cost and time, written at the end
//!   scores/<scorer>.jsonl    scores by another scorer, written by `rlm-eval score`
//!   scores/<scorer>.unfinished.jsonl    verdicts of a judge, until all answers have a score
//!   running.json         the process that is working on the run; removed when it ends
//!   abandoned/           trajectories of stopped or killed attempts, moved when the run resumes
//!   superseded/          trajectories of attempts that ended in an error and were rerun
//! ```
//!
//! Invariant: `samples.jsonl` is the source of truth; `results.csv` and `summary.json` can be
//! regenerated from it.

mod reader;
mod reopen;
mod writer;

mod answers;
mod unfingerprinted;
mod events;
mod requests;
mod results_csv;
mod samples;
mod scores;
mod trajectories;

mod fingerprint;
mod holder;
mod run_lock;
mod lost_calls;
mod journal;
mod links;
mod set_aside;
mod wasted_spend;

mod atomic;
mod error;
mod name;

use std::io;

pub use atomic::{write as write_whole, write_output};
pub use error::{LineError, RunDirError};
pub use events::{Events, fold};
pub use fingerprint::{Difference, Fingerprint};
pub use holder::Holder;
pub use journal::{Journal, JournalLines, WastedSource, keep_abandoned};
pub use name::sweep_id;
pub use reader::{
    CONFIG_VERSION, LOCK_VERSION, Lock, RunDir, check_fingerprint, read_config, read_lock,
};
pub use reopen::{Reopened, Resumed};
pub use requests::{RequestFiles, SentRequest};
pub use results_csv::{COLUMNS, plain_text, spreadsheet_text, to_csv};
pub use samples::{TruncatedRecord, latest, read_records};
pub use scores::{ScoreJournal, write_scores};
pub use unfingerprinted::{Changed, merge_history, unfingerprinted_settings};
pub use wasted_spend::{LongestResponses, longest_responses};
pub use writer::{NewRun, RunWriter};

const CONFIG: &str = "config.json";
const LOCK: &str = "lock.json";
const SAMPLES: &str = "samples.jsonl";
const TRAJECTORIES: &str = "trajectories";
const RESULTS: &str = "results.csv";
const JOURNAL: &str = "journal";
const ANSWERS: &str = "answers";
const REQUESTS: &str = "requests";
const SCORES: &str = "scores";
const SUMMARY: &str = "summary.json";
const HOLDER: &str = "running.json";
const ABANDONED: &str = "abandoned";
const SUPERSEDED: &str = "superseded";

/// Converts the error of a missing file or folder to `None`.
fn if_exists<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}
