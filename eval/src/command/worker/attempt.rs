//! Makes one attempt that a worker received, sends the result, and acknowledges the delivery.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use benchmarks::DatasetError;
use harness::HaltReason;
use harness::model::{Event, Status};
use jiff::Timestamp;
use queue::message::{self, Job, RestartEntry, ResultHeader, State, UnderWay, VERSION};
use queue::{Delivery, QueueError, name, now_ms};
use records::AttemptRecord;
use tokio::sync::mpsc;

use super::served::Served;
use super::state::WorkerMode;
use super::stream_journal::{OpenJournal, wasted};
use crate::process::terminal;
use crate::run::event::RunEvent;

/// Outcome of an attempt started by this worker.
enum DeliveryOutcome {
    /// Finished, with its record and its trajectory as JSON Lines.
    Made(Box<AttemptRecord>, Vec<u8>),
    /// Taken over by another worker.
    Lost,
    /// Returned to the queue for another worker.
    Returned,
    /// Cancelled, because its run or sample was.
    Dropped,
}

impl Served {
    /// Makes a delivered attempt and acknowledges the delivery. After an error, it is delivered
    /// again when its lease expires.
    pub(super) async fn attempt(self: Arc<Self>, delivery: Box<dyn Delivery>) {
        let busy = self.worker.begin();
        if let Err(error) = self.handle_delivery(delivery.as_ref()).await {
            terminal::warning(&error.to_string());
        }
        drop(busy);
    }

    async fn handle_delivery(&self, delivery: &dyn Delivery) -> Result<(), QueueError> {
        let job: Job = match message::read(delivery.subject(), delivery.bytes()) {
            Ok(job) => job,
            Err(error) => {
                terminal::warning(&format!(
                    "removed an invalid attempt from the queue: {error}"
                ));
                return delivery.done().await;
            }
        };
        let of_subject = delivery
            .subject()
            .ends_with(&name::attempt(&job.sample, job.attempt));
        let index = self
            .samples
            .get(&job.sample)
            .copied()
            .filter(|_| of_subject);
        let Some(index) = index else {
            terminal::warning(&format!(
                "removed an attempt at an unknown sample from the queue: {}",
                terminal::one_line(&job.sample)
            ));
            return delivery.done().await;
        };
        if self.manifest.borrow().cancelled.contains(&job.sample) {
            return delivery.done().await;
        }
        let head = ResultHeader {
            v: VERSION,
            sample: job.sample.clone(),
            attempt: job.attempt,
            worker: self.worker.settings.name.clone(),
            delivery: delivery.number(),
            nonce: nonce(&self.worker.settings.name, &job, delivery.number()),
            pieces: 0,
            bytes: 0,
            sha256: String::new(),
            wasted: None,
        };
        let Some(_claim) = self.claims.claim(&job.sample, job.attempt) else {
            terminal::warning(&format!(
                "ignored a second delivery of attempt {} at {}, which this worker is already \
                 making; if its lease had expired, raise --queue-lease",
                job.attempt,
                terminal::one_line(&job.sample)
            ));
            // The message stays open until the attempt has a result.
            return self.record_return(&head).await;
        };
        if self.is_start_blocked() {
            let after = Duration::from_secs(1);
            return self.return_to_queue(delivery, &head, after).await;
        }
        let (mut bytes, mut last) = (Vec::new(), 0);
        if delivery.number() > 1 || job.resubmitted {
            if self.queue.has_result(&job.sample, job.attempt).await? {
                return delivery.done().await;
            }
            (bytes, last) = self.queue.take_journal(&job.sample, job.attempt).await?;
        }
        if delivery.number() > 1 {
            let history = self.history(&head).await?;
            let most = self.manifest.borrow().max_deliveries;
            // Only lost deliveries count toward the maximum, not returned ones.
            let returned = history.iter().filter(|begun| begun.returned).count() as u64;
            if delivery.number().saturating_sub(returned) > most {
                return self.give_up(delivery, &head, index, &history, &bytes).await;
            }
        }
        let journal = self.journal.open(&self.queue, &head, bytes, last);
        let key = (job.sample.clone(), job.attempt);
        let begun = UnderWay {
            sample: job.sample.clone(),
            attempt: job.attempt,
            since_ms: now_ms(),
            delivery: delivery.number(),
            calls: 0,
        };
        self.under_way.lock().insert(key.clone(), begun);
        let lease = Duration::from_secs(self.manifest.borrow().lease_s);
        let done = tokio::select! {
            done = self.make_and_send(delivery, &head, index, journal) => done,
            never = keep(delivery, lease / 3) => match never {},
        };
        self.under_way.lock().remove(&key);
        done
    }

    fn is_start_blocked(&self) -> bool {
        let now = self.manifest.borrow();
        let name = &self.worker.settings.name;
        now.state != State::Open
            || !now.has_same_settings(&self.prepared_for)
            || now.paused_workers.contains(name)
            || now.dismissed.contains(name)
            || *self.worker.mode.borrow() != WorkerMode::Work
            || self.unfit.lock().is_some()
    }

    async fn make_and_send(
        &self,
        delivery: &dyn Delivery,
        head: &ResultHeader,
        index: usize,
        mut journal: OpenJournal,
    ) -> Result<(), QueueError> {
        match self.make(head, index, &mut journal).await {
            DeliveryOutcome::Made(record, trajectory) => {
                let mut body = serde_json::to_vec(&record).unwrap_or_default();
                body.push(b'\n');
                body.extend(trajectory);
                match self.queue.send(head.clone(), &body).await {
                    Ok(()) => {
                        self.finished.fetch_add(1, Ordering::Relaxed);
                        delivery.done().await
                    }
                    Err(QueueError::Conflict) => {
                        terminal::warning(&format!(
                            "attempt {} at {} was also made by another worker; its cost here \
                             counts as wasted",
                            head.attempt,
                            terminal::one_line(&head.sample)
                        ));
                        self.book_wasted(head, &journal).await?;
                        delivery.done().await
                    }
                    Err(error) => Err(error),
                }
            }
            DeliveryOutcome::Lost => {
                terminal::warning(&format!(
                    "another worker has taken over attempt {} at {}",
                    head.attempt,
                    terminal::one_line(&head.sample)
                ));
                self.book_wasted(head, &journal).await
            }
            DeliveryOutcome::Returned => self.return_to_queue(delivery, head, Duration::ZERO).await,
            DeliveryOutcome::Dropped => {
                let lines = journal.added.lock().all();
                self.book(head, &lines, "w").await?;
                delivery.done().await
            }
        }
    }

    /// Makes the attempt. Stops early if it is lost, returned or dropped.
    async fn make(
        &self,
        head: &ResultHeader,
        index: usize,
        journal: &mut OpenJournal,
    ) -> DeliveryOutcome {
        let (events, mut inbox) = mpsc::unbounded_channel();
        let making = self.attempt_runner.make(index, head.attempt, events);
        let mut lines = Vec::new();
        let key = (head.sample.clone(), head.attempt);
        let mut take = |event: RunEvent| {
            if let RunEvent::Engine(event) = event {
                self.count_call(&key, &event);
                lines.extend(serde_json::to_vec(&event).unwrap_or_default());
                lines.push(b'\n');
            }
        };
        let mut manifest = self.manifest.clone();
        let mut mode = self.worker.mode.clone();
        tokio::pin!(making);
        let made = loop {
            tokio::select! {
                Some(event) = inbox.recv() => take(event),
                made = &mut making => break made,
                Ok(()) = journal.lost.changed() => if *journal.lost.borrow() { return DeliveryOutcome::Lost },
                Ok(()) = manifest.changed() => {
                    let now = manifest.borrow();
                    if now.state == State::Cancelled || now.cancelled.contains(&head.sample) {
                        return DeliveryOutcome::Dropped;
                    }
                    if now.dismissed.contains(&self.worker.settings.name) {
                        return DeliveryOutcome::Returned;
                    }
                }
                Ok(()) = mode.changed() => if *mode.borrow() == WorkerMode::Return { return DeliveryOutcome::Returned },
            }
        };
        while let Ok(event) = inbox.try_recv() {
            take(event);
        }
        match made {
            Err(error) => {
                self.halt(&unavailable(&error)).await;
                DeliveryOutcome::Returned
            }
            Ok(record) if record.status == Status::Cancelled => {
                if let Some(reason) = self.attempt_runner.engine.halt_reason() {
                    self.halt(&reason).await;
                }
                DeliveryOutcome::Returned
            }
            Ok(record) => DeliveryOutcome::Made(Box::new(record), lines),
        }
    }

    fn count_call(&self, key: &(String, u32), event: &Event) {
        if matches!(event.kind, harness::model::EventKind::LlmRequest { .. })
            && let Some(one) = self.under_way.lock().get_mut(key)
        {
            one.calls += 1;
        }
    }

    /// Records this restart of the attempt. Returns all its entries, including those about returned
    /// deliveries.
    async fn history(&self, head: &ResultHeader) -> Result<Vec<RestartEntry>, QueueError> {
        let workers = self.queue.workers().await?;
        let had = |one: &&(message::WorkerHeartbeat, u64)| {
            let mut all = one.0.under_way.iter();
            all.any(|one| one.sample == head.sample && one.attempt == head.attempt)
        };
        let before = workers.iter().filter(had).max_by_key(|(_, at_ms)| *at_ms);
        let before = before.map(|(heartbeat, at_ms)| {
            format!(
                "{} on {}, last heartbeat at {}",
                heartbeat.worker,
                heartbeat.host,
                time(*at_ms)
            )
        });
        self.record(head, before, false).await
    }

    /// Adds an entry about this delivery to the restart history of the attempt, and returns the
    /// whole history.
    async fn record(
        &self,
        head: &ResultHeader,
        before: Option<String>,
        returned: bool,
    ) -> Result<Vec<RestartEntry>, QueueError> {
        let entry = RestartEntry {
            v: VERSION,
            delivery: head.delivery,
            worker: head.worker.clone(),
            at_ms: now_ms(),
            before,
            returned,
        };
        self.queue
            .record_restart(&head.sample, head.attempt, &entry)
            .await
    }

    /// Returns an attempt to the queue without counting it as lost.
    async fn return_to_queue(
        &self,
        delivery: &dyn Delivery,
        head: &ResultHeader,
        after: Duration,
    ) -> Result<(), QueueError> {
        self.record_return(head).await?;
        delivery.give_back(after).await
    }

    /// Records that no worker lost the attempt with this delivery.
    async fn record_return(&self, head: &ResultHeader) -> Result<(), QueueError> {
        self.record(head, None, true).await.map(drop)
    }

    /// Sends an error as the result of an attempt that was started too often without being
    /// finished.
    async fn give_up(
        &self,
        delivery: &dyn Delivery,
        head: &ResultHeader,
        index: usize,
        history: &[RestartEntry],
        journal: &[u8],
    ) -> Result<(), QueueError> {
        let sample = match self.attempt_runner.dataset.sample(index) {
            Ok(sample) => sample,
            Err(error) => {
                self.halt(&unavailable(&error)).await;
                return self.return_to_queue(delivery, head, Duration::ZERO).await;
            }
        };
        let lost = history.iter().filter(|begun| !begun.returned);
        let each = lost.map(|begun| {
            let before = begun.before.as_deref().unwrap_or("an unknown worker");
            format!("{}: {before}", begun.delivery - 1)
        });
        let error = format!(
            "{} workers started the attempt, but none finished it ({})",
            head.delivery - 1,
            each.collect::<Vec<_>>().join("; ")
        );
        let runner = &self.attempt_runner;
        let record = runner.failed(&sample, index, head.attempt, error);
        let mut body = serde_json::to_vec(&record).unwrap_or_default();
        body.push(b'\n');
        self.book(head, journal, "g").await?;
        match self.queue.send(head.clone(), &body).await {
            Ok(()) | Err(QueueError::Conflict) => delivery.done().await,
            Err(error) => Err(error),
        }
    }

    /// Books responses that were paid for but are not used: those received after another worker
    /// took over the attempt or, if no other worker continued the journal, all that this worker
    /// received.
    async fn book_wasted(
        &self,
        head: &ResultHeader,
        journal: &OpenJournal,
    ) -> Result<(), QueueError> {
        let own = journal.added.lock().last;
        let newest = self.queue.journal_end(&head.sample, head.attempt).await?;
        let lines = if newest == own {
            journal.added.lock().all()
        } else {
            journal.added.lock().refused.clone()
        };
        self.book(head, &lines, "w").await
    }

    /// Books the lines of a journal as wasted. `suffix` makes their subject unique.
    async fn book(
        &self,
        head: &ResultHeader,
        lines: &[u8],
        suffix: &str,
    ) -> Result<(), QueueError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.queue.send(wasted(head, suffix), lines).await
    }
}

fn unavailable(error: &DatasetError) -> HaltReason {
    HaltReason::Failing(format!("a sample is unavailable: {error}"))
}

/// Renews the lease of a delivery at this interval, forever.
async fn keep(delivery: &dyn Delivery, every: Duration) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(every).await;
        // A failed renewal is retried at the next interval.
        let _ = delivery.keep().await;
    }
}

/// Returns a unique name for the messages of a worker about one delivery.
fn nonce(worker: &str, job: &Job, number: u64) -> String {
    let all = format!(
        "{worker} {} {} {number} {}",
        job.sample,
        job.attempt,
        now_ms()
    );
    name::hash(all)[..16].to_owned()
}

fn time(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok();
    let at = at.and_then(|at| Timestamp::from_millisecond(at).ok());
    at.map_or_else(String::new, |at| {
        at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    })
}
