//! Makes single attempts of a run, as they are asked for from elsewhere.

use std::sync::Arc;

use benchmarks::{Dataset, DatasetError};
use harness::Engine;
use records::{AttemptRecord, RunIdentity};
use tokio::sync::mpsc;

use super::shared_samples::SharedSamples;
use super::{Job, broken};
use crate::grader::Grader;
use crate::run_event::RunEvent;

/// Makes attempts of one run.
pub struct Maker {
    /// What they have in common.
    pub identity: Arc<RunIdentity>,
    /// How agents work.
    pub engine: Arc<Engine>,
    /// Where samples come from.
    pub dataset: Arc<dyn Dataset>,
    /// What scores the answers.
    pub grader: Arc<dyn Grader>,
}

impl Maker {
    /// Makes an attempt at the sample with this index. Its events are sent as they come. What breaks the harness breaks this attempt
    /// alone. Dropping the future stops it.
    ///
    /// # Errors
    /// [`DatasetError`] if the sample cannot be had.
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

/// A task that ends with whoever waits for it.
struct Task<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
