//! One run in the queue: its attempts, results, journals, budget accounts and workers.

mod journals;
mod manifests;
mod results;
mod workers;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt as _;
use futures::stream;
use tokio::sync::mpsc;

use crate::accounts::BudgetAccounts;
use crate::message::{self, Job, Message, RestartEntry};
use crate::name::{self, RunKey, StreamKind, SubjectAddress};
use crate::{Broker, Counts, Delivery, Expect, QueueError, Stored};

pub use manifests::{change_manifest, manifest, manifests};

const MAX_CONCURRENT_WRITES: usize = 256;

/// Number of retries of a compare-and-set without a delay.
const IMMEDIATE_RETRIES: u32 = 8;

/// Maximum delay between two tries after a temporary error.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Returns the current time in milliseconds since 1970 by this machine's clock.
pub fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}

/// Handle to one run in the queue. Cheap to clone.
#[derive(Clone)]
pub struct RunQueue {
    broker: Arc<dyn Broker>,
    key: RunKey,
}

impl RunQueue {
    /// Creates a handle to the run with this key.
    pub fn new(broker: Arc<dyn Broker>, key: RunKey) -> Self {
        Self { broker, key }
    }

    /// Returns the server.
    pub fn broker(&self) -> &dyn Broker {
        self.broker.as_ref()
    }

    /// Returns the key of the run.
    pub const fn key(&self) -> &RunKey {
        &self.key
    }

    fn data(&self, kind: &str, sample: &str, attempt: u32) -> SubjectAddress {
        let attempt = name::attempt(sample, attempt);
        SubjectAddress::of(&self.key, StreamKind::Data, &format!("{kind}.{attempt}"))
    }

    fn work(&self, sample: &str, attempt: u32) -> SubjectAddress {
        SubjectAddress::of(&self.key, StreamKind::Work, &name::attempt(sample, attempt))
    }

    fn state(&self, rest: &str) -> SubjectAddress {
        SubjectAddress::of(&self.key, StreamKind::State, rest)
    }

    /// Adds attempts to the queue in this order and returns the number added. Attempts that are
    /// already in the queue are unchanged.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the attempts cannot be written.
    pub async fn submit(&self, jobs: Vec<Job>) -> Result<u64, QueueError> {
        let put = |job: Job| async move {
            let place = self.work(&job.sample, job.attempt);
            let bytes = message::write(&job);
            match self.put(&place, &bytes, Expect::Nothing).await {
                Ok(_) => Ok(1),
                Err(QueueError::Conflict) => Ok(0),
                Err(error) => Err(error),
            }
        };
        let mut puts = stream::iter(jobs).map(put).buffered(MAX_CONCURRENT_WRITES);
        // Tokio interrupts a task after a number of operations and resumes its futures in another
        // order, in which the attempts would be written.
        tokio::task::unconstrained(async {
            let mut new = 0;
            while let Some(put) = puts.next().await {
                new += put?;
            }
            Ok(new)
        })
        .await
    }

    /// Requests up to `wanted` attempts, which arrive as they become available. The channel closes
    /// after `wait`, or when `wanted` attempts have arrived.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn take(
        &self,
        wanted: usize,
        wait: Duration,
    ) -> Result<mpsc::Receiver<Box<dyn Delivery>>, QueueError> {
        self.broker.take(&self.key, wanted, wait).await
    }

    /// Counts the unfinished attempts and stored bytes of the run.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn counts(&self) -> Result<Counts, QueueError> {
        self.broker.counts(&self.key).await
    }

    /// Returns the unfinished attempts at a sample, including those that workers are running.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn jobs_of(&self, sample: &str) -> Result<Vec<Job>, QueueError> {
        let token = name::sample_token(sample);
        let place = SubjectAddress::of(&self.key, StreamKind::Work, &format!("{token}.*"));
        let jobs = self.read_all(&place).await?.into_iter();
        Ok(jobs.map(|(job, _)| job).collect())
    }

    /// Removes the attempts at a sample from the queue and returns their number. Workers may still
    /// finish attempts that they have started.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the attempts cannot be removed.
    pub async fn remove_jobs_at(&self, sample: &str) -> Result<u64, QueueError> {
        let token = name::sample_token(sample);
        let place = SubjectAddress::of(&self.key, StreamKind::Work, &format!("{token}.*"));
        self.broker.purge(&place).await
    }

    /// Removes the result, journal and restart history of an attempt, so that it can be rerun.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the messages cannot be removed.
    pub async fn forget(&self, sample: &str, attempt: u32) -> Result<(), QueueError> {
        for kind in ["rec", "jrn", "again"] {
            let place = self.data(kind, sample, attempt);
            self.broker.purge(&place).await?;
        }
        let mut pieces = self.data("part", sample, attempt);
        pieces.subject.push_str(".*");
        self.broker.purge(&pieces).await?;
        Ok(())
    }

    /// Adds an entry to the restart history of an attempt, and returns the whole history.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the history cannot be written or read.
    pub async fn record_restart(
        &self,
        sample: &str,
        attempt: u32,
        begun: &RestartEntry,
    ) -> Result<Vec<RestartEntry>, QueueError> {
        let place = self.data("again", sample, attempt);
        self.put(&place, &message::write(begun), Expect::Anything)
            .await?;
        let history = self.read_all(&place).await?.into_iter();
        Ok(history.map(|(entry, _)| entry).collect())
    }

    /// Returns the budget accounts, if they exist.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond or the message is invalid.
    pub async fn accounts(&self) -> Result<Option<BudgetAccounts>, QueueError> {
        let stored = self.broker.last(&self.state("books")).await?;
        let read = |stored: Stored| message::read(&stored.subject, &stored.bytes);
        stored.map(read).transpose()
    }

    /// Changes a message of the run's state by compare-and-set. `rest` is the end of its subject.
    /// `change` receives the current content, which is the default before the first change, and
    /// returns the result of this function. It may run several times.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the message cannot be read or written.
    pub async fn change<M: Message + Default + Send + Sync, T: Send>(
        &self,
        rest: &str,
        mut change: impl FnMut(&mut M) -> T + Send,
    ) -> Result<T, QueueError> {
        let place = self.state(rest);
        for tries in 0.. {
            let (mut content, expect) = match self.broker.last(&place).await? {
                Some(stored) => (
                    message::read(&stored.subject, &stored.bytes)?,
                    Expect::Last(stored.sequence),
                ),
                None => (M::default(), Expect::Nothing),
            };
            let gives = change(&mut content);
            let bytes = message::write(&content);
            match self.broker.put(&place, bytes, expect).await {
                Ok(_) => return Ok(gives),
                Err(QueueError::Conflict) => {
                    if tries >= IMMEDIATE_RETRIES {
                        // Under contention, delays of different lengths let one of the clients
                        // proceed.
                        let wait = now_ms() % 20 + u64::from(tries.min(50));
                        tokio::time::sleep(Duration::from_millis(wait)).await;
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(QueueError::Conflict)
    }

    /// Returns the valid messages of a subject, which may contain wildcards. With each, returns the
    /// time when the server received it, in milliseconds since 1970.
    async fn read_all<M: Message>(
        &self,
        place: &SubjectAddress,
    ) -> Result<Vec<(M, u64)>, QueueError> {
        let (mut all, mut from) = (Vec::new(), 1);
        while let Some(stored) = self.broker.next(place, from).await? {
            from = stored.sequence + 1;
            let message = message::read(&stored.subject, &stored.bytes);
            all.extend(message.map(|message| (message, stored.at_ms)));
        }
        Ok(all)
    }

    /// Calls [`Broker::put`], retrying temporary errors.
    async fn put(
        &self,
        place: &SubjectAddress,
        bytes: &[u8],
        expect: Expect,
    ) -> Result<u64, QueueError> {
        self.retry_temporary_errors(|| self.broker.put(place, bytes.to_vec(), expect))
            .await
    }

    /// Calls [`Broker::next`], retrying temporary errors.
    async fn next(&self, place: &SubjectAddress, from: u64) -> Result<Option<Stored>, QueueError> {
        self.retry_temporary_errors(|| self.broker.next(place, from))
            .await
    }

    /// Calls [`Broker::last`], retrying temporary errors.
    async fn last(&self, place: &SubjectAddress) -> Result<Option<Stored>, QueueError> {
        self.retry_temporary_errors(|| self.broker.last(place))
            .await
    }

    /// Retries an operation after temporary errors until it succeeds or the run is no longer in the
    /// queue.
    async fn retry_temporary_errors<T, F: Future<Output = Result<T, QueueError>> + Send>(
        &self,
        mut ask: impl FnMut() -> F + Send,
    ) -> Result<T, QueueError> {
        let mut wait = Duration::from_millis(100);
        loop {
            match ask().await {
                Err(error) if error.is_temporary() => {
                    tokio::time::sleep(wait).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                    let run = manifest(self.broker.as_ref(), &self.key).await;
                    if matches!(run, Ok(None)) {
                        return Err(QueueError::NoRun(self.key.to_string()));
                    }
                }
                result => return result,
            }
        }
    }
}
