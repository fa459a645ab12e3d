//! The interface of a queue server: streams, messages by subject with compare-and-set, and
//! deliveries that must be acknowledged.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::QueueError;
use crate::name::{RunKey, SubjectAddress};

/// Connection settings for a server. The credentials are sent only to that server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; several servers of a cluster are separated by
    /// commas.
    pub url: String,
    /// Credentials file: Credentials file with a JWT and an NKey seed.
    pub creds: Option<PathBuf>,
    /// File with the seed of an NKey.
    pub nkey: Option<PathBuf>,
    /// Additional trusted certificate authorities for the server's certificate.
    pub ca: Option<PathBuf>,
    /// Files with the client certificate and its key.
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
    /// The last message of the subject has this number.
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

/// Numbers of a run's attempts, and its stored bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of attempts that no worker has taken.
    pub waiting: u64,
    /// Number of attempts that workers are running, or were running when they died.
    pub under_way: u64,
    /// Bytes of records, trajectories and journals.
    pub bytes: u64,
}

/// A delivered attempt. If it is dropped without acknowledgment, it is delivered again when its
/// lease expires.
#[async_trait]
pub trait Delivery: Send + Sync {
    /// Returns the content of the message.
    fn bytes(&self) -> &[u8];
    /// Returns the subject of the message.
    fn subject(&self) -> &str;
    /// Returns the number of deliveries, including this one.
    fn number(&self) -> u64;
    /// Extends the lease of an attempt that is still running.
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
    /// Creates the missing streams of a run.
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
    /// Returns [`QueueError::Conflict`] if the condition does not hold.
    async fn put(
        &self,
        place: &SubjectAddress,
        bytes: Vec<u8>,
        expect: Expect,
    ) -> Result<u64, QueueError>;
    /// Returns the last message of a subject.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn last(&self, place: &SubjectAddress) -> Result<Option<Stored>, QueueError>;
    /// Returns the first message of a subject with at least this sequence number.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn next(&self, place: &SubjectAddress, from: u64) -> Result<Option<Stored>, QueueError>;
    /// Removes all messages of a subject, which may contain wildcards. Returns their number.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the streams or messages cannot be removed.
    async fn purge(&self, place: &SubjectAddress) -> Result<u64, QueueError>;
    /// Returns a receiver for the existing and future messages of subjects of one stream,
    /// which may contain wildcards, in stream order. Delivery resumes after connection failures and
    /// ends when the receiver is dropped.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the stream cannot be found.
    async fn follow(
        &self,
        stream: &str,
        subjects: Vec<String>,
        from: Follow,
    ) -> Result<mpsc::Receiver<Stored>, QueueError>;
    /// Requests up to `wanted` attempts of a run, delivered as they become available. The channel
    /// closes after `wait`, or when all `wanted` attempts have arrived.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn take(
        &self,
        run: &RunKey,
        wanted: usize,
        wait: Duration,
    ) -> Result<mpsc::Receiver<Box<dyn Delivery>>, QueueError>;
    /// Counts the attempts and stored bytes of a run in the queue.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    async fn counts(&self, run: &RunKey) -> Result<Counts, QueueError>;
    /// Returns the number of messages received and the number sent over this connection.
    fn traffic(&self) -> (u64, u64);
}
