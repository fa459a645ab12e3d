//! Makes single attempts of a run on request, for workers of a queue.

use std::sync::Arc;

use benchmarks::{Dataset, DatasetError};
use harness::Engine;
use records::{AttemptRecord, RunIdentity};
use tokio::sync::mpsc;

use super::job::{Job, broken};
use super::shared_samples::SharedSamples;
use crate::grader::{Further, Grader};
use crate::run::event::RunEvent;

/// Makes attempts of one run.
pub struct AttemptRunner {
    /// Values shared by all attempts.
    pub identity: Arc<RunIdentity>,
    /// Engine that runs the agents.
    pub engine: Arc<Engine>,
    /// Source of the samples.
    pub dataset: Arc<dyn Dataset>,
    /// Scorer of the answers.
    pub grader: Arc<dyn Grader>,
    /// Additional scorers, whose scores are only recorded.
    pub further: Further,
}

impl AttemptRunner {
    /// Makes an attempt at the sample with this index, sending its events as they occur. A panic
    /// fails only this attempt. Dropping the future stops the attempt.
    ///
    /// # Errors
    /// [`DatasetError`] if the sample is unavailable.
    pub async fn make(
        &self,
        index: usize,
        attempt: u32,
        events: mpsc::UnboundedSender<RunEvent>,
    ) -> Result<AttemptRecord, DatasetError> {
        let job = Job {
            identity: Arc::clone(&self.identity),
            engine: Arc::clone(&self.engine),
            samples: Arc::new(SharedSamples::new(Arc::clone(&self.dataset), &[])),
            grader: Arc::clone(&self.grader),
            further: Arc::clone(&self.further),
            index,
            attempt,
        };
        let mut task = Task(tokio::spawn(job.run(events)));
        match (&mut task.0).await {
            Ok(record) => record,
            Err(panic) => broken(
                &self.identity,
                self.dataset.as_ref(),
                index,
                attempt,
                &panic.to_string(),
            ),
        }
    }
}

/// A task that is aborted when dropped.
struct Task<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
