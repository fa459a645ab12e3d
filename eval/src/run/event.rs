//! The events of a run: the contract between the runner and the code that shows or stores a run.

use std::path::PathBuf;
use std::sync::Arc;

use harness::model::Event;
use harness::{Budget, Spent};
use records::{AttemptRecord, RunIdentity};

use report::summary::Summary;

/// One event of a run.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// The run started.
    RunStarted(RunPlan),
    /// An attempt started. Its engine events follow.
    AttemptStarted {
        /// Id of the sample.
        sample: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
    },
    /// An engine event of an attempt.
    Engine(Event),
    /// Amounts spent so far, if they have changed since the last such event.
    Spending(Spent),
    /// An attempt ended. It does not send further events.
    AttemptFinished(Arc<AttemptRecord>),
    /// The run ended, complete or not. This is the last event.
    RunFinished(Arc<Summary>),
}

/// Description of a run at its start.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPlan {
    /// Folder of the run.
    pub dir: PathBuf,
    /// Values shared by all attempts.
    pub identity: RunIdentity,
    /// Number of attempts of the whole run.
    pub attempts_total: u64,
    /// Number of attempts finished by earlier starts.
    pub attempts_done: u64,
    /// Scores of these attempts, each with the id of its sample.
    pub scores_done: Vec<(String, f64)>,
    /// Maximum concurrent attempts.
    pub concurrency: usize,
    /// Budget of the run.
    pub budget: Budget,
}

/// Shows or stores a run. It only receives events and cannot change the run.
pub trait Reporter: Send {
    /// Handles one event. Must not block for long, because the run waits for it.
    fn report(&mut self, event: &RunEvent);
}
