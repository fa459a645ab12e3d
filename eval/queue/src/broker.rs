//! The interface of a queue server: streams, conditional writes of messages, and deliveries that
//! must be acknowledged.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::QueueError;
use crate::name::{RunKey, SubjectAddress};

/// Settings for the connection to a queue server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; several servers of a cluster are separated by
    /// commas.
    pub url: String,
    /// Credentials file with a JWT and an NKey seed.
    pub creds: Option<PathBuf>,
    /// File with the seed of an NKey.
    pub nkey: Option<PathBuf>,
    /// File with additional certificate authorities to trust.
    pub ca: Option<PathBuf>,
    /// Files with the client certificate and its private key.
    pub cert: Option<(PathBuf, PathBuf)>,
}

/// Limits of a run's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of servers that store each message.
    pub replicas: usize,
    /// Maximum bytes of stored records, trajectories and journals; `None` for no limit.
    pub max_bytes: Option<u64>,
    /// Time without a heartbeat after which an attempt is delivered again.
    pub lease: Duration,
}

/// Condition for writing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// No condition.
    Anything,
    /// The subject does not have a message yet.
    Nothing,
    /// The last message of the subject has this sequence number.
    Last(u64),
}

/// A message stored in a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Subject of the message.
    pub subject: String,
    /// Sequence number in the stream.
    pub sequence: u64,
    /// Content of the message.
    pub bytes: Vec<u8>,
    /// Time when the server received it, in milliseconds since 1970 by the server's clock.
    pub at_ms: u64,
}

/// Start position for following a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// The first message of the stream.
    Start,
    /// The last message of each subject.
    LastOfEach,
}

/// Number of a run's unfinished attempts by state, and size of its results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of attempts that wait for a worker.
    pub waiting: u64,
    /// Number of attempts that workers have taken and not yet acknowledged, including those of
    /// workers that died.
    pub under_way: u64,
    /// Bytes of stored records, trajectories and journals.
    pub bytes: u64,
}

/// A delivered attempt. Without acknowledgment, it is delivered again when its lease expires.
#[async_trait]
pub trait Delivery: Send + Sync {
    /// Returns the content of the message.
    fn bytes(&self) -> &[u8];
    /// Returns the subject of the message.
    fn subject(&self) -> &str;
    /// Returns how often the attempt has been delivered, including this delivery.
    fn number(&self) -> u64;
    /// Sends a heartbeat, which renews the lease of the attempt.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn keep(&self) -> Result<(), QueueError>;
    /// Removes the attempt from the queue, because it has finished or cannot be run.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn done(&self) -> Result<(), QueueError>;
    /// Returns the attempt to the queue, to be delivered again after a delay.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn give_back(&self, after: Duration) -> Result<(), QueueError>;
}

/// A queue server.
#[async_trait]
pub trait Broker: Send + Sync {
    /// Creates the streams of a run that do not exist yet.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the streams cannot be created.
    async fn create(&self, run: &RunKey, limits: Limits) -> Result<(), QueueError>;
    /// Removes the streams of a run and its manifest.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the streams or messages cannot be removed.
    async fn remove(&self, run: &RunKey) -> Result<(), QueueError>;
    /// Writes a message and returns its sequence number.
    ///
    /// # Errors
    /// Returns [`QueueError::Conflict`] if the condition does not hold, and [`QueueError::Full`] if
    /// the stream is full.
    async fn put(
        &self,
        place: &SubjectAddress,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Result<u64, QueueError>;
    /// Returns the last message of a subject, if any.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn last(&self, place: &SubjectAddress) -> Result<Option<Stored>, QueueError>;
    /// Returns the first message of a subject whose sequence number is at least `from`. The subject
    /// may contain wildcards.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn next(&self, place: &SubjectAddress, from: u64) -> Result<Option<Stored>, QueueError>;
    /// Removes all messages of a subject and returns their number. The subject may contain
    /// wildcards.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the messages cannot be removed.
    async fn purge(&self, place: &SubjectAddress) -> Result<u64, QueueError>;
    /// Returns a receiver for the existing and future messages of `subjects` in stream order.
    /// Subjects may contain wildcards. Delivery resumes after connection failures and ends when the
    /// receiver is dropped.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the stream cannot be found.
    async fn follow(
        &self,
        stream: &str,
        subjects: Vec<String>,
        from: Follow,
    ) -> Result<mpsc::Receiver<Stored>, QueueError>;
    /// Requests up to `wanted` attempts of a run, which arrive as they become available. The
    /// channel closes after `wait`, or when `wanted` attempts have arrived.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn take(
        &self,
        run: &RunKey,
        wanted: usize,
        wait: Duration,
    ) -> Result<mpsc::Receiver<Box<dyn Delivery>>, QueueError>;
    /// Counts the unfinished attempts and stored bytes of a run.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn counts(&self, run: &RunKey) -> Result<Counts, QueueError>;
    /// Returns the number of messages received and the number sent over this connection.
    fn traffic(&self) -> (u64, u64);
}
