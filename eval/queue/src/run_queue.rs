//! One run in the queue: its attempts, results, journals, budget accounts and workers.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt as _;
use futures::stream;
use tokio::sync::mpsc;

use crate::accounts::BudgetAccounts;
use crate::message::{
    self, Job, MOST_BODY, Manifest, Message, PIECE, RestartEntry, ResultHeader, WorkerCount,
    WorkerHeartbeat,
};
use crate::name::{self, RunKey, StreamKind, SubjectAddress};
use crate::{Broker, Counts, Delivery, Expect, Follow, QueueError, Stored};

const MAX_CONCURRENT_WRITES: usize = 256;

/// Number of retries of a compare-and-set without a delay.
const IMMEDIATE_RETRIES: u32 = 8;

/// Maximum delay between two tries after a temporary error.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Returns the manifests of all runs in a queue. Invalid manifests are skipped.
///
/// # Errors
/// Returns [`QueueError`] if the server does not respond.
pub async fn manifests(broker: &dyn Broker) -> Result<Vec<Manifest>, QueueError> {
    let place = SubjectAddress::manifest(None);
    let mut all = Vec::new();
    let mut from = 1;
    loop {
        match broker.next(&place, from).await {
            Ok(Some(stored)) => {
                from = stored.sequence + 1;
                all.extend(message::read::<Manifest>(&stored.subject, &stored.bytes));
            }
            Ok(None) => return Ok(all),
            // The queue has never contained a run.
            Err(QueueError::Unavailable { reason, .. }) if reason.contains("no responders") => {
                return Ok(all);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns the manifest of a run and the sequence number of its message, or `None` if the run is
/// not in the queue.
///
/// # Errors
/// Returns [`QueueError`] if the server does not respond or the manifest is invalid.
pub async fn manifest(
    broker: &dyn Broker,
    run: &RunKey,
) -> Result<Option<(Manifest, u64)>, QueueError> {
    let place = SubjectAddress::manifest(Some(run));
    let Some(stored) = broker.last(&place).await? else {
        return Ok(None);
    };
    let manifest = message::read(&stored.subject, &stored.bytes)?;
    Ok(Some((manifest, stored.sequence)))
}

/// Changes the manifest of a run by compare-and-set and returns the result. `change` may run
/// several times.
///
/// # Errors
/// Returns [`QueueError::NoRun`] if the run is not in the queue, or another [`QueueError`] if the
/// manifest cannot be read or written.
pub async fn change_manifest(
    broker: &dyn Broker,
    run: &RunKey,
    change: impl Fn(&mut Manifest) + Send + Sync,
) -> Result<Manifest, QueueError> {
    let place = SubjectAddress::manifest(Some(run));
    loop {
        let Some((mut now, sequence)) = manifest(broker, run).await? else {
            return Err(QueueError::NoRun(run.to_string()));
        };
        let before = now.clone();
        change(&mut now);
        if now == before {
            return Ok(now);
        }
        match broker
            .put(&place, message::write(&now), Expect::Last(sequence))
            .await
        {
            Err(QueueError::Conflict) => {}
            written => return written.map(|_| now),
        }
    }
}

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
            match self
                .retry_temporary_errors(|| {
                    self.broker
                        .put(&place, message::write(&job), Expect::Nothing)
                })
                .await
            {
                Ok(_) => Ok(1),
                Err(QueueError::Conflict) => Ok(0),
                Err(error) => Err(error),
            }
        };
        let mut puts = stream::iter(jobs).map(put).buffered(MAX_CONCURRENT_WRITES);
        let mut new = 0;
        while let Some(put) = puts.next().await {
            new += put?;
        }
        Ok(new)
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
        let (mut jobs, mut from) = (Vec::new(), 1);
        while let Some(stored) = self.broker.next(&place, from).await? {
            from = stored.sequence + 1;
            jobs.extend(message::read::<Job>(&stored.subject, &stored.bytes));
        }
        Ok(jobs)
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

    /// Whether an attempt has a result that counts.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn has_result(&self, sample: &str, attempt: u32) -> Result<bool, QueueError> {
        let place = self.data("rec", sample, attempt);
        Ok(self.broker.last(&place).await?.is_some())
    }

    /// Stores the result of an attempt: first the pieces of its body, if it is long, then its
    /// header. Only the first header of an attempt is accepted, except for results marked as
    /// wasted. Temporary errors are retried.
    ///
    /// # Errors
    /// Returns [`QueueError::Conflict`] if the attempt already has a result from another delivery,
    /// or another [`QueueError`] if the result cannot be stored.
    pub async fn send(&self, mut header: ResultHeader, body: &[u8]) -> Result<(), QueueError> {
        header.bytes = body.len() as u64;
        header.sha256 = name::hash(body);
        let (sample, attempt) = (header.sample.as_str(), header.attempt);
        let mut place = match &header.wasted {
            None => self.data("rec", sample, attempt),
            Some(_) => self.data("waste", sample, attempt),
        };
        if header.wasted.is_some() {
            place.subject = format!("{}.{}", place.subject, header.nonce);
        }
        header.pieces = 0;
        if body.len() > PIECE {
            let mut pieces = self.data("part", sample, attempt);
            pieces.subject = format!("{}.{}", pieces.subject, header.nonce);
            for piece in body.chunks(PIECE) {
                header.pieces += 1;
                self.retry_temporary_errors(|| {
                    self.broker.put(&pieces, piece.to_vec(), Expect::Anything)
                })
                .await?;
            }
        }
        let mut bytes = message::write(&header);
        bytes.push(b'\n');
        if header.pieces == 0 {
            bytes.extend_from_slice(body);
        }
        let sent = self
            .retry_temporary_errors(|| self.broker.put(&place, bytes.clone(), Expect::Nothing))
            .await;
        match sent {
            // An earlier try may have succeeded although its reply was lost.
            Err(QueueError::Conflict) if self.is_own(&place, &header).await? => Ok(()),
            sent => sent.map(|_| ()),
        }
    }

    async fn is_own(
        &self,
        place: &SubjectAddress,
        header: &ResultHeader,
    ) -> Result<bool, QueueError> {
        let stored = self
            .retry_temporary_errors(|| self.broker.last(place))
            .await?;
        let is_own = |own: &ResultHeader| own.nonce == header.nonce && own.worker == header.worker;
        Ok(stored.is_some_and(|stored| head(&stored).is_ok_and(|(own, _)| is_own(&own))))
    }

    /// Returns a receiver for the headers of all results, starting with the first.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the stream cannot be found.
    pub async fn arrivals(&self) -> Result<mpsc::Receiver<Stored>, QueueError> {
        // Exclude journals and pieces, which would double the submitter's traffic for no benefit.
        let subject = |kind| SubjectAddress::of(&self.key, StreamKind::Data, kind).subject;
        let subjects = ["rec.>", "waste.>"].map(subject).to_vec();
        let stream = name::stream(&self.key, StreamKind::Data);
        self.broker.follow(&stream, subjects, Follow::Start).await
    }

    /// Reads the header and body of a result. Returns `None` for a message that is not a header,
    /// such as a piece.
    ///
    /// # Errors
    /// Returns [`QueueError::Message`] if the header is invalid, or if the body is incomplete or
    /// damaged.
    pub async fn open(
        &self,
        stored: &Stored,
    ) -> Result<Option<(ResultHeader, Vec<u8>)>, QueueError> {
        let mut parts = stored.subject.split('.').skip(3);
        let kind = parts.next().unwrap_or_default();
        if !["rec", "waste"].contains(&kind) {
            return Ok(None);
        }
        let (header, inline) = head(stored)?;
        let wrong = |problem: String| QueueError::Message {
            place: stored.subject.clone(),
            problem,
        };
        let mut place = self.data(kind, &header.sample, header.attempt);
        if kind == "waste" {
            place.subject = format!("{}.{}", place.subject, header.nonce);
        }
        if place.subject != stored.subject || (kind == "waste") != header.wasted.is_some() {
            return Err(wrong("the attempt does not match the subject".to_owned()));
        }
        let mut body = inline.to_vec();
        if header.pieces > 0 {
            if header.bytes > MOST_BODY || header.nonce.contains(['.', '*', '>', ' ']) {
                return Err(wrong(format!(
                    "invalid body of {} bytes in pieces",
                    header.bytes
                )));
            }
            let mut pieces = self.data("part", &header.sample, header.attempt);
            pieces.subject = format!("{}.{}", pieces.subject, header.nonce);
            let mut from = 1;
            while (body.len() as u64) < header.bytes {
                let piece = self
                    .retry_temporary_errors(|| self.broker.next(&pieces, from))
                    .await?;
                let Some(piece) = piece else {
                    return Err(wrong(format!(
                        "only {} of {} bytes were received",
                        body.len(),
                        header.bytes
                    )));
                };
                from = piece.sequence + 1;
                body.extend(piece.bytes);
            }
        }
        if body.len() as u64 != header.bytes || name::hash(&body) != header.sha256 {
            return Err(wrong("wrong checksum".to_owned()));
        }
        Ok(Some((header, body)))
    }

    /// Removes an invalid result, so that the attempt can be rerun.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the result cannot be removed.
    pub async fn reject(&self, stored: &Stored) -> Result<(), QueueError> {
        let place = SubjectAddress {
            stream: name::stream(&self.key, StreamKind::Data),
            subject: stored.subject.clone(),
        };
        self.broker.purge(&place).await.map(|_| ())
    }

    /// Takes over the journal of an attempt. Returns its complete lines, and the sequence number
    /// that the next [`journal`](Self::journal) call needs. Later writes of the previous owner are
    /// rejected.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the journal cannot be read or written.
    pub async fn take_journal(
        &self,
        sample: &str,
        attempt: u32,
    ) -> Result<(Vec<u8>, u64), QueueError> {
        let place = self.data("jrn", sample, attempt);
        loop {
            let (mut bytes, mut last, mut from) = (Vec::new(), 0, 1);
            while let Some(stored) = self
                .retry_temporary_errors(|| self.broker.next(&place, from))
                .await?
            {
                (last, from) = (stored.sequence, stored.sequence + 1);
                if stored.bytes == TAKEOVER_MARK {
                    whole_lines(&mut bytes);
                } else {
                    bytes.extend(stored.bytes);
                }
            }
            whole_lines(&mut bytes);
            let expect = after(last);
            match self
                .retry_temporary_errors(|| self.broker.put(&place, TAKEOVER_MARK.to_vec(), expect))
                .await
            {
                Ok(own) => return Ok((bytes, own)),
                // Read again: the previous owner has written meanwhile, or the server that
                // responded was not up to date.
                Err(QueueError::Conflict) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Appends lines to the journal of an attempt. `last` is the sequence number of its last
    /// message, or 0 for an empty journal. Returns the new sequence number.
    ///
    /// # Errors
    /// Returns [`QueueError::Conflict`] if another worker has taken over the journal.
    pub async fn journal(
        &self,
        sample: &str,
        attempt: u32,
        lines: &[u8],
        mut last: u64,
    ) -> Result<u64, QueueError> {
        let place = self.data("jrn", sample, attempt);
        for piece in lines.chunks(PIECE) {
            let put = || self.broker.put(&place, piece.to_vec(), after(last));
            last = match self.retry_temporary_errors(put).await {
                // An earlier try may have succeeded although its reply was lost. A takeover begins
                // with [`TAKEOVER_MARK`], so its first message is never equal to this piece.
                Err(QueueError::Conflict) => {
                    let next = || self.broker.next(&place, last + 1);
                    let next = self.retry_temporary_errors(next).await?;
                    let own = next.filter(|stored| stored.bytes == piece);
                    own.ok_or(QueueError::Conflict)?.sequence
                }
                put => put?,
            };
        }
        Ok(last)
    }

    /// Returns the sequence number of the last message of an attempt's journal, or 0 if there is
    /// none.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn journal_end(&self, sample: &str, attempt: u32) -> Result<u64, QueueError> {
        let place = self.data("jrn", sample, attempt);
        let last = self
            .retry_temporary_errors(|| self.broker.last(&place))
            .await?;
        Ok(last.map_or(0, |stored| stored.sequence))
    }

    /// Removes the journal of an attempt.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the journal cannot be removed.
    pub async fn drop_journal(&self, sample: &str, attempt: u32) -> Result<(), QueueError> {
        let place = self.data("jrn", sample, attempt);
        self.broker.purge(&place).await.map(|_| ())
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
        self.retry_temporary_errors(|| {
            self.broker
                .put(&place, message::write(begun), Expect::Anything)
        })
        .await?;
        let (mut all, mut from) = (Vec::new(), 1);
        while let Some(stored) = self.broker.next(&place, from).await? {
            from = stored.sequence + 1;
            all.extend(message::read::<RestartEntry>(
                &stored.subject,
                &stored.bytes,
            ));
        }
        Ok(all)
    }

    /// Stores the heartbeat of a worker, replacing its previous one.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the message cannot be written.
    pub async fn announce(&self, heartbeat: &WorkerHeartbeat) -> Result<(), QueueError> {
        let worker = &name::hash(&heartbeat.worker)[..16];
        let place = self.state(&format!("worker.{worker}"));
        let bytes = message::write(heartbeat);
        self.broker.put(&place, bytes, Expect::Anything).await?;
        Ok(())
    }

    /// Returns a receiver for the heartbeats of workers, starting with the last one of each worker.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the stream cannot be found.
    pub async fn watch_workers(&self) -> Result<mpsc::Receiver<Stored>, QueueError> {
        let SubjectAddress { stream, subject } = self.state("worker.*");
        let subjects = vec![subject];
        self.broker
            .follow(&stream, subjects, Follow::LastOfEach)
            .await
    }

    /// Returns the last heartbeat of each worker, with the time when the server received it in
    /// milliseconds since 1970. Invalid heartbeats are skipped.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn workers(&self) -> Result<Vec<(WorkerHeartbeat, u64)>, QueueError> {
        let place = self.state("worker.*");
        let (mut all, mut from) = (Vec::new(), 1);
        while let Some(stored) = self.broker.next(&place, from).await? {
            from = stored.sequence + 1;
            if let Ok(heartbeat) = message::read::<WorkerHeartbeat>(&stored.subject, &stored.bytes)
            {
                all.push((heartbeat, stored.at_ms));
            }
        }
        Ok(all)
    }

    /// Returns the last count of workers and its age in milliseconds, or `None` before the first
    /// count.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond or the message is invalid.
    pub async fn worker_count(&self) -> Result<Option<(WorkerCount, u64)>, QueueError> {
        let Some(stored) = self.broker.last(&self.state("roster")).await? else {
            return Ok(None);
        };
        let worker_count = message::read(&stored.subject, &stored.bytes)?;
        Ok(Some((worker_count, now_ms().saturating_sub(stored.at_ms))))
    }

    /// Stores a count of workers.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the message cannot be written.
    pub async fn set_worker_count(&self, worker_count: &WorkerCount) -> Result<(), QueueError> {
        let place = self.state("roster");
        let bytes = message::write(worker_count);
        self.broker.put(&place, bytes, Expect::Anything).await?;
        Ok(())
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
    /// `change` receives the current content and returns the new content and the result of this
    /// function. It may run several times.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the message cannot be read or written.
    pub async fn change<M: Message + Send + Sync, T: Send>(
        &self,
        rest: &str,
        mut change: impl FnMut(Option<M>) -> (M, T) + Send,
    ) -> Result<T, QueueError> {
        let place = self.state(rest);
        for tries in 0.. {
            let stored = self.broker.last(&place).await?;
            let expect = stored
                .as_ref()
                .map_or(Expect::Nothing, |stored| Expect::Last(stored.sequence));
            let read = |stored: Stored| message::read(&stored.subject, &stored.bytes);
            let (new, gives) = change(stored.map(read).transpose()?);
            match self.broker.put(&place, message::write(&new), expect).await {
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

/// Journal message that marks a takeover. Readers drop an incomplete line before it.
const TAKEOVER_MARK: &[u8] = &[0];

const fn after(last: u64) -> Expect {
    if last == 0 {
        Expect::Nothing
    } else {
        Expect::Last(last)
    }
}

/// Removes a truncated last line.
fn whole_lines(bytes: &mut Vec<u8>) {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
}

/// Splits the message of a result into the header and the body.
fn head(stored: &Stored) -> Result<(ResultHeader, &[u8]), QueueError> {
    let end = stored.bytes.iter().position(|byte| *byte == b'\n');
    let end = end.unwrap_or(stored.bytes.len());
    let header = message::read(&stored.subject, &stored.bytes[..end])?;
    Ok((header, stored.bytes.get(end + 1..).unwrap_or_default()))
}
