//! A run in the queue of a real server, with messages for test cases to modify.

use std::sync::Arc;
use std::time::Duration;

use nats_fixture::NatsServer;
use queue::accounts::Amounts;
use queue::message::{self, Job, Manifest, ResultHeader, State, VERSION};
use queue::name::{RunKey, SubjectAddress};
use queue::{Access, Broker, Delivery, Expect, Limits, RunQueue};
use serde_json::Value;
use tokio::sync::mpsc;

/// Time after which a test counts as hung.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// Limits whose lease never expires during a test.
pub const LIMITS: Limits = Limits {
    replicas: 1,
    max_bytes: None,
    lease: Duration::from_secs(3600),
};

/// A run in the queue of its own server.
pub struct QueuedRun {
    pub server: NatsServer,
    pub queue: RunQueue,
}

impl QueuedRun {
    /// Starts a server and submits a run without attempts. Returns `None` without a NATS server.
    pub async fn start() -> Option<Self> {
        Self::with(LIMITS).await
    }

    pub async fn with(limits: Limits) -> Option<Self> {
        let server = NatsServer::start()?;
        let broker = connect(server.url()).await;
        let queue = submit_run(broker, "run", limits).await;
        Some(Self { server, queue })
    }

    /// Returns a handle to the run over another connection.
    pub async fn client(&self) -> RunQueue {
        let broker = connect(self.server.url()).await;
        RunQueue::new(broker, self.queue.key().clone())
    }
}

/// Creates the streams of a run and stores its manifest.
pub async fn submit_run(broker: Arc<dyn Broker>, id: &str, limits: Limits) -> RunQueue {
    let key = RunKey::of(id);
    broker.create(&key, limits).await.unwrap();
    let place = SubjectAddress::manifest(Some(&key));
    let bytes = message::write(&manifest_of(id));
    broker.put(&place, bytes, Expect::Nothing).await.unwrap();
    RunQueue::new(broker, key)
}

pub async fn connect(url: &str) -> Arc<dyn Broker> {
    let access = Access {
        url: url.to_owned(),
        ..Access::default()
    };
    queue::connect(&access, "test").await.unwrap()
}

/// Fails the test if `future` does not complete before the deadline.
pub async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    let ended = tokio::time::timeout(DEADLINE, future).await;
    ended.unwrap_or_else(|_| panic!("timeout: {what}"))
}

/// Waits until a condition holds.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    in_time(what, async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Returns the next message of a channel.
pub async fn next<T>(receiver: &mut mpsc::Receiver<T>) -> T {
    in_time("a message arrives", receiver.recv())
        .await
        .expect("the channel is open")
}

/// Takes this number of attempts.
pub async fn take(queue: &RunQueue, number: usize) -> Vec<Box<dyn Delivery>> {
    let mut deliveries = queue.take(number, DEADLINE).await.unwrap();
    let mut taken = Vec::new();
    for _ in 0..number {
        taken.push(next(&mut deliveries).await);
    }
    taken
}

pub async fn take_one(queue: &RunQueue) -> Box<dyn Delivery> {
    take(queue, 1).await.remove(0)
}

/// Returns the attempt that was delivered.
pub fn job(delivery: &dyn Delivery) -> Job {
    message::read(delivery.subject(), delivery.bytes()).unwrap()
}

pub fn jobs<const N: usize>(attempts: [(&str, u32); N]) -> Vec<Job> {
    attempts
        .map(|(sample, attempt)| Job::new(sample.to_owned(), attempt))
        .to_vec()
}

/// Returns the header of a worker's result for the first attempt at sample `a`.
pub fn header(worker: &str, nonce: &str) -> ResultHeader {
    ResultHeader {
        v: VERSION,
        sample: "a".to_owned(),
        attempt: 1,
        worker: worker.to_owned(),
        delivery: 1,
        nonce: nonce.to_owned(),
        pieces: 0,
        bytes: 0,
        sha256: String::new(),
        wasted: None,
    }
}

pub fn manifest_of(id: &str) -> Manifest {
    Manifest {
        v: VERSION,
        key: RunKey::of(id),
        run_id: id.to_owned(),
        state: State::Open,
        program: "p".to_owned(),
        dataset_digest: "d".to_owned(),
        fingerprint: "f".to_owned(),
        identity: Value::Null,
        flags: Value::Null,
        attempts_total: 2,
        lease_s: 3600,
        max_deliveries: 3,
        limits: Amounts::default(),
        cancelled: Vec::new(),
        held: Vec::new(),
        paused_workers: Vec::new(),
        dismissed: Vec::new(),
        submitted_ms: 1,
    }
}
