//! What a queue needs of a server: streams, messages by subject with compare-and-set, and deliveries that are acknowledged.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::QueueError;
use crate::name::{Place, RunKey};

/// How a server is reached. Nothing of it is sent to anybody but the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// `nats://HOST[:PORT]` or `tls://HOST[:PORT]`; several of a cluster with commas.
    pub url: String,
    /// A credentials file: JWT and NKey seed.
    pub creds: Option<PathBuf>,
    /// A file with the seed of an NKey.
    pub nkey: Option<PathBuf>,
    /// Certificates of the authorities that the server's certificate is checked by, beside the system's.
    pub ca: Option<PathBuf>,
    /// The client's certificate and key.
    pub cert: Option<(PathBuf, PathBuf)>,
}

/// How a run's streams are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Servers that keep each message.
    pub replicas: usize,
    /// Most bytes of records, trajectories and journals that are kept at once; none for no bound.
    pub max_bytes: Option<u64>,
    /// Time without a sign of life after which an attempt is delivered again.
    pub lease: Duration,
}

/// What a place must hold for a message to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Anything.
    Anything,
    /// Nothing.
    Nothing,
    /// The message with this number, as its last.
    Last(u64),
}

/// A message that a stream keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its subject.
    pub subject: String,
    /// Its number in the stream.
    pub sequence: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When the server got it, in milliseconds since 1970 by the server's clock.
    pub at_ms: u64,
}

/// Where a stream is followed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Its first message.
    Start,
    /// The last message of each subject.
    LastOfEach,
}

/// How much of a run lies in the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Attempts that nobody makes.
    pub waiting: u64,
    /// Attempts that a worker makes, or made before it died.
    pub under_way: u64,
    /// Bytes of records, trajectories and journals.
    pub bytes: u64,
}

/// An attempt that was delivered. Dropped without an answer, it is delivered again after its lease.
#[async_trait]
pub trait Delivery: Send + Sync {
    /// Its bytes.
    fn bytes(&self) -> &[u8];
    /// Its subject.
    fn subject(&self) -> &str;
    /// How often it was delivered, this time included.
    fn number(&self) -> u64;
    /// It is still being worked on.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn keep(&self) -> Result<(), QueueError>;
    /// It is done, or nothing can be done with it: it leaves the queue.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn done(&self) -> Result<(), QueueError>;
    /// Another may have it, after so long.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn give_back(&self, after: Duration) -> Result<(), QueueError>;
}

/// A server.
#[async_trait]
pub trait Broker: Send + Sync {
    /// Makes the streams of a run, where they are not there yet.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn create(&self, run: &RunKey, limits: Limits) -> Result<(), QueueError>;
    /// Removes the streams of a run, and its entry among the runs.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn remove(&self, run: &RunKey) -> Result<(), QueueError>;
    /// Writes a message, and gives its number.
    ///
    /// # Errors
    /// [`QueueError::Conflict`] if the place does not hold what is expected.
    async fn put(&self, place: &Place, bytes: Vec<u8>, expect: Expect) -> Result<u64, QueueError>;
    /// The last message at a place.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn last(&self, place: &Place) -> Result<Option<Stored>, QueueError>;
    /// The first message at a place with at least this number.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn next(&self, place: &Place, from: u64) -> Result<Option<Stored>, QueueError>;
    /// Removes all messages at a place, which may have wildcards.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn purge(&self, place: &Place) -> Result<u64, QueueError>;
    /// Messages at a place, which may have wildcards, in the order of the stream, and those that will come. It goes on across failures
    /// of the connection and ends when the receiver is dropped.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn follow(
        &self,
        place: &Place,
        from: Follow,
    ) -> Result<mpsc::Receiver<Stored>, QueueError>;
    /// At most so many attempts of a run, each as it comes. The channel closes after `wait`, or when all have come.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn take(
        &self,
        run: &RunKey,
        wanted: usize,
        wait: Duration,
    ) -> Result<mpsc::Receiver<Box<dyn Delivery>>, QueueError>;
    /// How much of a run there is.
    ///
    /// # Errors
    /// [`QueueError`].
    async fn counts(&self, run: &RunKey) -> Result<Counts, QueueError>;
    /// Messages that this connection has received and sent so far.
    fn traffic(&self) -> (u64, u64);
}
