//! The events of a run: the one contract between the runner and everything that shows or stores a run.

use std::path::PathBuf;
use std::sync::Arc;

use harness::model::Event;
use records::{AttemptRecord, RunIdentity};

use report::summary::Summary;

/// One event of a run.
#[derive(Debug, Clone)]
pub enum RunEvent {
    /// The run began.
    RunStarted(RunPlan),
    /// An attempt began. Its engine events follow.
    AttemptStarted {
        /// The sample.
        sample: String,
        /// 1-based.
        attempt: u32,
    },
    /// Something happened within an attempt.
    Engine(Event),
    /// An attempt ended. No event of it follows.
    AttemptFinished(Arc<AttemptRecord>),
    /// The run ended, complete or not. No event follows.
    RunFinished(Arc<Summary>),
}

/// What a run is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// The run.
    pub run_id: String,
    /// Its folder.
    pub dir: PathBuf,
    /// What its attempts have in common.
    pub identity: RunIdentity,
    /// Attempts of the whole run.
    pub attempts_total: u64,
    /// Attempts that an earlier start of the run has finished.
    pub attempts_done: u64,
    /// Attempts that may be under way at once.
    pub concurrency: usize,
}

/// Shows or stores a run. It only receives events: a reporter cannot change what a run does.
pub trait Reporter: Send {
    /// Takes one event. Must not block for long: the run waits.
    fn report(&mut self, event: &RunEvent);
}
