//! Follows a run whose attempts are made by workers.
//!
//! Submits the remaining attempts to a queue and converts the workers' messages to the events of a
//! run, so that they are stored and shown like those of a local run.

mod arrival;
mod workers_file;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::{Budget, HaltReason};
use queue::accounts::{Amounts, BudgetAccounts};
use queue::message::{self, Job, Manifest, State, VERSION, WorkerHeartbeat};
use queue::name::{RunKey, SubjectAddress};
use queue::{
    Broker, Expect, Follow, Limits, QueueError, RunQueue, Stored, change_manifest, now_ms,
};
use records::AttemptRecord;
use records::run_dir::RunDir;
use tokio::sync::{mpsc, watch};

use super::prepared::Prepared;
use crate::process::{program, terminal};
use crate::run::event::{Reporter, RunEvent, RunPlan};
use crate::run::resume::Remaining;
use crate::runner::{Progress, StopReason};
use crate::settings::{QueueSettings, RunSettings};

use workers_file::WorkersFile;

/// Time without messages after which attempts that are neither finished nor in the queue are
/// resubmitted.
const RESUBMIT_AFTER: Duration = Duration::from_secs(5);

/// Time allowed for in-flight results to arrive after a run is halted or cancelled, and for the
/// request that pauses a run.
const GRACE: Duration = Duration::from_secs(2);

/// A submitted run that this process follows.
pub(super) struct Queued {
    pub(super) queue: RunQueue,
    settings: QueueSettings,
    /// Unfinished attempts, mapped to the index of their sample in the dataset.
    open: BTreeMap<(String, u32), usize>,
    /// Unfinished attempts in submission order.
    order: Vec<(String, u32)>,
    /// Attempts that `rlm-eval queue pause --sample` keeps out of the queue.
    held: BTreeSet<(String, u32)>,
    errors_allowed: Option<u64>,
    plan: RunPlan,
    /// Receives each attempt as soon as its record is on disk.
    stored: mpsc::UnboundedReceiver<(String, u32)>,
}

/// Arguments of [`Queued::submit`].
pub(super) struct Submission<'a> {
    pub(super) settings: &'a RunSettings,
    pub(super) prepared: &'a Prepared,
    pub(super) plan: &'a RunPlan,
    pub(super) remaining: &'a Remaining,
    pub(super) errors_allowed: Option<u64>,
}

impl Queued {
    /// Submits the remaining attempts; those already in the queue stay there.
    ///
    /// # Errors
    /// [`QueueError`] if the server cannot be reached or rejects the run.
    pub(super) async fn submit(
        submission: Submission<'_>,
        queue_settings: &QueueSettings,
        stored: mpsc::UnboundedReceiver<(String, u32)>,
    ) -> Result<Self, QueueError> {
        let Submission {
            settings,
            prepared,
            plan,
            remaining,
            errors_allowed,
        } = submission;
        let key = RunKey::of(&plan.identity.run_id);
        let broker = queue::connect(&queue_settings.access, &format!("run {key}")).await?;
        let limits = Limits {
            replicas: queue_settings.replicas,
            max_bytes: queue_settings.max_bytes,
            lease: queue_settings.lease,
        };
        broker.create(&key, limits).await?;
        let queue = RunQueue::new(Arc::clone(&broker), key.clone());
        for (sample, attempt) in &remaining.again {
            queue.forget(sample, *attempt).await?;
        }
        let spent = prepared.engine.spent();
        let earlier = Amounts {
            cost_usd: spent.cost_usd,
            tokens: spent.tokens as f64,
            calls: spent.calls as f64,
        };
        let raise = |accounts: &mut BudgetAccounts| accounts.raise_to(earlier);
        queue.change("books", raise).await?;
        let manifest = Manifest {
            v: VERSION,
            key: key.clone(),
            run_id: plan.identity.run_id.clone(),
            state: State::Open,
            program: program::this().digest(),
            dataset_digest: prepared.dataset.digest().to_owned(),
            fingerprint: prepared.fingerprint.as_str().to_owned(),
            identity: serde_json::to_value(&plan.identity).unwrap_or_default(),
            flags: settings.flags.clone(),
            attempts_total: plan.attempts_total,
            lease_s: queue_settings.lease.as_secs(),
            max_deliveries: queue_settings.tries,
            limits: amounts(plan.budget),
            cancelled: Vec::new(),
            held: Vec::new(),
            paused_workers: Vec::new(),
            dismissed: Vec::new(),
            submitted_ms: now_ms(),
        };
        let (resubmitted, manifest) = publish(broker.as_ref(), manifest).await?;
        let jobs = remaining.jobs.iter();
        let open: BTreeMap<_, _> = jobs
            .map(|(index, attempt)| ((prepared.id(*index), *attempt), *index))
            .collect();
        let jobs = remaining.jobs.iter();
        let mut order: Vec<_> = jobs
            .map(|(index, attempt)| (prepared.id(*index), *attempt))
            .collect();
        let lengths = mean_durations(queue_settings, &remaining.earlier);
        // Samples of unknown length come first, then the longest. The stable sort keeps equal ones
        // in dataset order.
        order.sort_by(|a, b| {
            let of = |key: &(String, u32)| lengths.get(&key.0).copied().unwrap_or(f64::MAX);
            of(b).total_cmp(&of(a))
        });
        let queued = Self {
            queue,
            settings: queue_settings.clone(),
            open,
            order,
            held: held(&manifest),
            errors_allowed,
            plan: plan.clone(),
            stored,
        };
        let new = queued.submit_open(resubmitted).await?;
        terminal::note(&format!(
            "submitted {new} attempts to the queue at {} as {key}",
            queue_settings.access.url
        ));
        queued.announce_held();
        Ok(queued)
    }

    /// Returns the unfinished attempts that belong in the queue, in submission order.
    fn submittable(&self) -> impl Iterator<Item = &(String, u32)> {
        let all = self.order.iter();
        all.filter(move |key| self.open.contains_key(*key) && !self.held.contains(*key))
    }

    /// Submits all unfinished attempts that are not held, and returns the number of those that were
    /// not in the queue yet. `resubmitted` is whether they were submitted before.
    async fn submit_open(&self, resubmitted: bool) -> Result<u64, QueueError> {
        let still = self.submittable();
        let jobs = still.map(|(sample, attempt)| Job {
            resubmitted,
            ..Job::new(sample.clone(), *attempt)
        });
        self.queue.submit(jobs.collect()).await
    }

    /// Receives results until all attempts are finished or the run is stopped. The second value is
    /// whether the run can be removed from the queue.
    pub(super) async fn follow(
        mut self,
        events: mpsc::UnboundedSender<RunEvent>,
        mut failure: watch::Receiver<bool>,
        stop: impl Future<Output = ()>,
    ) -> (Progress, bool) {
        let mut made = Progress::default();
        // Sending fails only after the end of the run.
        let _ = events.send(RunEvent::RunStarted(self.plan.clone()));
        let mut state = State::Open;
        let followed = self
            .collect(&events, &mut failure, stop, &mut made, &mut state)
            .await;
        if let Err(error) = followed {
            terminal::warning(&error.to_string());
            made.ending = StopReason::Interrupted;
        }
        let is_over = self.open.is_empty() || state == State::Cancelled;
        let is_over = is_over && made.ending == StopReason::Done;
        (made, is_over)
    }

    async fn collect(
        &mut self,
        events: &mpsc::UnboundedSender<RunEvent>,
        failure: &mut watch::Receiver<bool>,
        stop: impl Future<Output = ()>,
        made: &mut Progress,
        state: &mut State,
    ) -> Result<(), QueueError> {
        let key = self.queue.key().clone();
        let mut arrivals = self.queue.arrivals().await?;
        let mut workers = self.queue.watch_workers().await?;
        let SubjectAddress { stream, subject } = SubjectAddress::manifest(Some(&key));
        let mut manifests = self
            .queue
            .broker()
            .follow(&stream, vec![subject], Follow::LastOfEach)
            .await?;
        let mut file = WorkersFile::new(&self.plan.dir);
        let mut checked = Instant::now();
        let began = Instant::now();
        // It counts from this start.
        let time_limit = self.plan.budget.time;
        let mut ends_at: Option<Instant> = None;
        let mut unneeded = Vec::new();
        tokio::pin!(stop);
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        while !self.open.is_empty() {
            tokio::select! {
                Some(arrival) = arrivals.recv() => {
                    checked = Instant::now();
                    self.arrive(&arrival, made, events).await?;
                    if self.errors_allowed.is_some_and(|allowed| made.errors() > allowed) {
                        made.ending = StopReason::TooManyErrors { errors: made.errors() };
                        self.pause().await?;
                        break;
                    }
                }
                Some(stored) = workers.recv() => {
                    if let Ok(heartbeat) = message::read::<WorkerHeartbeat>(&stored.subject, &stored.bytes) {
                        Self::warn_if_unfit(&file, &heartbeat);
                        file.take(heartbeat, stored.at_ms);
                    }
                }
                Some(stored) = manifests.recv() => {
                    if let Ok(manifest) = message::read::<Manifest>(&stored.subject, &stored.bytes) {
                        self.apply_manifest(manifest, state);
                    }
                    match state {
                        State::Halted { reason } => {
                            made.ending = StopReason::Halted(HaltReason::OverBudget(reason.clone()));
                            ends_at.get_or_insert(Instant::now() + GRACE);
                        }
                        State::Cancelled => { ends_at.get_or_insert(Instant::now() + GRACE); }
                        State::Open | State::Paused | State::Complete => {}
                    }
                }
                Some(stored) = self.stored.recv() => {
                    if self.settings.max_bytes.is_some() {
                        unneeded.push(stored);
                        self.forget(&mut unneeded).await?;
                    }
                }
                _ = tick.tick() => {
                    let counts = self.queue.counts().await.ok();
                    file.write(state, counts, self.open.len());
                    self.forget(&mut unneeded).await?;
                    if ends_at.is_some_and(|at| at <= Instant::now()) {
                        break;
                    }
                    if let Some(limit) = time_limit && began.elapsed() >= limit && ends_at.is_none() {
                        let reason = format!(
                            "the --time-limit budget is used up ({:.1} s of {} s)",
                            began.elapsed().as_secs_f64(),
                            limit.as_secs_f64()
                        );
                        let halted = change_manifest(self.queue.broker(), &key, |manifest| {
                            if manifest.state != State::Cancelled {
                                manifest.state = State::Halted { reason: reason.clone() };
                            }
                        });
                        // After a temporary error, the next tick tries again.
                        if let Err(error) = halted.await && !error.is_temporary() {
                            return Err(error);
                        }
                    }
                    if checked.elapsed() >= RESUBMIT_AFTER && *state == State::Open {
                        checked = Instant::now();
                        self.resubmit_lost(counts).await?;
                    }
                }
                () = &mut stop => {
                    made.ending = StopReason::Interrupted;
                    self.pause().await?;
                    break;
                }
                _ = failure.changed() => break,
            }
        }
        file.write(state, self.queue.counts().await.ok(), self.open.len());
        Ok(())
    }

    /// Removes the results of stored attempts from the queue. After a temporary error, the rest
    /// stays in `stored` to be tried again.
    async fn forget(&self, stored: &mut Vec<(String, u32)>) -> Result<(), QueueError> {
        while let Some((sample, attempt)) = stored.last() {
            match self.queue.forget(sample, *attempt).await {
                Err(error) if error.is_temporary() => break,
                forgotten => forgotten?,
            }
            stored.pop();
        }
        Ok(())
    }

    /// Resubmits attempts that are neither finished nor in the queue, for example because someone
    /// removed them.
    async fn resubmit_lost(&self, counts: Option<queue::Counts>) -> Result<(), QueueError> {
        let Some(counts) = counts else { return Ok(()) };
        if counts.waiting + counts.under_way >= self.submittable().count() as u64 {
            return Ok(());
        }
        // A worker that receives an attempt that finished after this count skips it.
        self.submit_open(true).await.map(|_| ())
    }

    async fn pause(&self) -> Result<(), QueueError> {
        let paused = change_manifest(self.queue.broker(), self.queue.key(), |manifest| {
            if manifest.state == State::Open {
                manifest.state = State::Paused;
            }
        });
        match tokio::time::timeout(GRACE, paused).await {
            Ok(paused) => paused.map(|_| ()),
            // Without a reply, the workers continue, and their results stay in the queue.
            Err(_) => Ok(()),
        }
    }

    fn apply_manifest(&mut self, manifest: Manifest, state: &mut State) {
        for sample in &manifest.cancelled {
            let before = self.open.len();
            self.open.retain(|(id, _), _| id != sample);
            if self.open.len() < before {
                terminal::note(&format!(
                    "cancelled the attempts at {}",
                    terminal::one_line(sample)
                ));
            }
        }
        if *state != manifest.state {
            match &manifest.state {
                State::Paused => terminal::note(
                    "paused: workers take no attempts; continue with `rlm-eval queue resume`",
                ),
                State::Open => terminal::note("resumed: workers take attempts again"),
                State::Cancelled => terminal::note("cancelled: no more attempts are made"),
                State::Halted { .. } | State::Complete => {}
            }
        }
        let held = held(&manifest);
        if self.held != held {
            self.held = held;
            self.announce_held();
        }
        *state = manifest.state;
    }

    /// Explains why the run does not end while `rlm-eval queue pause --sample` holds attempts.
    fn announce_held(&self) {
        let held = self.held.iter().filter(|key| self.open.contains_key(*key));
        let samples: BTreeSet<_> = held.map(|(sample, _)| terminal::one_line(sample)).collect();
        if samples.is_empty() {
            return;
        }
        let samples: Vec<String> = samples.into_iter().map(|id| id.to_string()).collect();
        terminal::note(&format!(
            "the run waits for held samples: {}; `rlm-eval queue resume {} --sample ID` returns one",
            samples.join(", "),
            self.plan.identity.run_id
        ));
    }

    fn warn_if_unfit(file: &WorkersFile, heartbeat: &WorkerHeartbeat) {
        if let Some(why) = &heartbeat.unfit
            && file.is_news(heartbeat)
        {
            terminal::warning(&format!(
                "worker {} cannot work on this run: {}",
                terminal::one_line(&heartbeat.worker),
                terminal::one_line(why)
            ));
        }
    }

    async fn arrive(
        &mut self,
        stored: &Stored,
        made: &mut Progress,
        events: &mpsc::UnboundedSender<RunEvent>,
    ) -> Result<(), QueueError> {
        let read = match self.queue.open(stored).await {
            Ok(None) => return Ok(()),
            Ok(Some((header, body))) if header.wasted.is_some() => {
                arrival::store_wasted(&self.plan.dir, &header, &body, stored.sequence);
                return Ok(());
            }
            Ok(Some((header, body))) => arrival::read(&self.plan.identity, &header, &body),
            Err(error @ QueueError::Message { .. }) => Err(error.to_string()),
            Err(error) => return Err(error),
        };
        match read {
            Ok(attempt) => {
                let key = (attempt.record.id.clone(), attempt.record.attempt);
                // Skip a redelivered result that an earlier start has already stored.
                if let Some(index) = self.open.remove(&key) {
                    attempt.report(index, made, events);
                }
            }
            Err(why) => {
                terminal::warning(&format!(
                    "removed an invalid result from the queue: {}",
                    terminal::one_line(&why)
                ));
                self.queue.reject(stored).await?;
            }
        }
        Ok(())
    }
}

/// Removes a run from the queue. Call it only after all results are stored.
///
/// # Errors
/// [`QueueError`].
pub(super) async fn remove(queue: &RunQueue) -> Result<(), QueueError> {
    change_manifest(queue.broker(), queue.key(), |manifest| {
        if manifest.state != State::Cancelled {
            manifest.state = State::Complete;
        }
    })
    .await?;
    queue.broker().remove(queue.key()).await
}

/// Publishes a manifest. It replaces an older one, but keeps which samples are cancelled or held,
/// and which workers are paused or dismissed. Returns whether there was an older one, and the
/// published manifest.
async fn publish(broker: &dyn Broker, new: Manifest) -> Result<(bool, Manifest), QueueError> {
    let place = SubjectAddress::manifest(Some(&new.key));
    loop {
        let before = queue::manifest(broker, &new.key).await?;
        let is_there = before.is_some();
        let (manifest, expect) = match before {
            None => (new.clone(), Expect::Nothing),
            Some((before, sequence)) => {
                let kept = Manifest {
                    cancelled: before.cancelled,
                    held: before.held,
                    paused_workers: before.paused_workers,
                    dismissed: before.dismissed,
                    submitted_ms: before.submitted_ms,
                    ..new.clone()
                };
                (kept, Expect::Last(sequence))
            }
        };
        match broker.put(&place, message::write(&manifest), expect).await {
            Err(QueueError::Conflict) => {}
            written => return written.map(|_| (is_there, manifest)),
        }
    }
}

fn held(manifest: &Manifest) -> BTreeSet<(String, u32)> {
    let held = manifest.held.iter();
    held.map(|job| (job.sample.clone(), job.attempt)).collect()
}

fn amounts(budget: Budget) -> Amounts<Option<f64>> {
    Amounts {
        cost_usd: budget.cost_usd,
        tokens: budget.tokens.map(|most| most as f64),
        calls: budget.calls.map(|most| most as f64),
    }
}

/// Returns the mean duration of each sample's attempts in seconds, keyed by sample id.
fn mean_durations(settings: &QueueSettings, earlier: &[AttemptRecord]) -> HashMap<String, f64> {
    let mut sums: HashMap<String, (f64, f64)> = HashMap::new();
    let mut add = |records: &[AttemptRecord]| {
        for record in records {
            let (sum, number) = sums.entry(record.id.clone()).or_default();
            *sum += record.total_time_s;
            *number += 1.0;
        }
    };
    add(earlier);
    if let Some(path) = &settings.order_by {
        match RunDir::open(path) {
            Ok(run) => add(&run.records),
            Err(error) => terminal::warning(&format!("--queue-order-by: {error}")),
        }
    }
    let mean = |(id, (sum, number)): (String, (f64, f64))| (id, sum / number);
    sums.into_iter().map(mean).collect()
}

/// Reporter that forwards events to `inner` and sends each finished attempt to `stored`. An event
/// is reported only after it is stored.
pub(super) struct NotifyStored {
    pub(super) inner: Box<dyn Reporter>,
    pub(super) stored: mpsc::UnboundedSender<(String, u32)>,
}

impl Reporter for NotifyStored {
    fn report(&mut self, event: &RunEvent) {
        self.inner.report(event);
        if let RunEvent::AttemptFinished(record) = event {
            // The receiver is dropped only at the end of the run.
            let _ = self.stored.send((record.id.clone(), record.attempt));
        }
    }
}
