//! A run that a worker serves: checks that this machine can make the run's attempts, reports
//! progress, and halts the run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use harness::provider::MaybeShared;
use harness::{Budget, SharedBudget};
use parking_lot::Mutex;
use queue::message::{Manifest, State, UnderWay, VERSION, WorkerCount, WorkerHeartbeat};
use queue::{QueueError, RunQueue, change_manifest, now_ms};
use records::RunIdentity;
use tokio::sync::watch;

use super::claims::Claims;
use super::lease::Lease;
use super::state::{BusyGuard, Worker, WorkerMode};
use super::stream_journal::StreamJournal;
use crate::command::run::Prepared;
use crate::error::Error;
use crate::process::{program, terminal};
use crate::runner::AttemptRunner;

/// Time between two heartbeats of a worker.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);

/// Number of missed heartbeats after which a worker is no longer counted.
const MAX_MISSED_HEARTBEATS: u64 = 4;

/// A run that this worker serves.
pub(super) struct Served {
    pub(super) worker: Arc<Worker>,
    pub(super) queue: RunQueue,
    pub(super) manifest: watch::Receiver<Manifest>,
    /// Manifest whose settings this worker has prepared.
    pub(super) prepared_for: Manifest,
    pub(super) attempt_runner: AttemptRunner,
    /// Dataset index of each of the run's samples, by sample id.
    pub(super) samples: HashMap<String, usize>,
    pub(super) journal: Arc<StreamJournal>,
    pub(super) lease: Arc<Lease>,
    pub(super) claims: Claims,
    pub(super) under_way: Mutex<BTreeMap<(String, u32), UnderWay>>,
    pub(super) finished: AtomicU64,
    /// Reason why this worker no longer takes attempts of the run.
    pub(super) unfit: Mutex<Option<String>>,
}

impl Served {
    /// Opens everything that attempts need and checks that it matches the run. The worker is busy
    /// meanwhile, except while the server cannot be reached.
    ///
    /// # Errors
    /// The reason why this worker cannot serve the run.
    pub(super) async fn prepare(
        worker: &Arc<Worker>,
        queue: &RunQueue,
        manifest: watch::Receiver<Manifest>,
        busy: &mut Option<BusyGuard>,
    ) -> Result<Self, String> {
        let now = manifest.borrow().clone();
        let own = program::this().digest();
        if now.program != own {
            return Err(format!(
                "it was submitted by a different build: program {}, but this program is {own}",
                now.program
            ));
        }
        let identity: RunIdentity = serde_json::from_value(now.identity.clone())
            .map_err(|error| format!("invalid identity: {error}"))?;
        let spent = SharedBudget::of_command(Budget::default());
        let clock_ms = loop {
            let error = match clock(queue, worker).await {
                Ok(clock_ms) => break clock_ms,
                Err(error) => error,
            };
            let is_open = manifest.borrow().state == State::Open;
            let may_retry = is_open && *worker.mode.borrow() == WorkerMode::Work;
            if !may_retry || !error.is_temporary() {
                return Err(error.to_string());
            }
            terminal::warning(&error.to_string());
            *busy = None;
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
        };
        busy.get_or_insert_with(|| worker.begin());
        let lease = Arc::new(Lease::new(
            queue.clone(),
            worker.settings.name.clone(),
            manifest.clone(),
            Duration::from_secs(now.lease_s.max(30)),
            spent.clone(),
            clock_ms,
        ));
        let shared = MaybeShared(Some(Arc::clone(&lease) as _));
        let settings = worker.settings.of_run(&now.flags).map_err(explain)?;
        let prepared = tokio::task::spawn_blocking(move || {
            let mut settings = settings;
            settings.engine.shared_pace = shared;
            let prepared = Prepared::new(&settings)?;
            Ok::<_, Error>((prepared, settings))
        });
        let (prepared, settings) = match prepared.await {
            Ok(Ok((Some(prepared), settings))) => (prepared, settings),
            Ok(Ok((None, _))) => return Err("none of its samples exist on this machine".to_owned()),
            Ok(Err(error)) => return Err(explain(error)),
            Err(error) => return Err(error.to_string()),
        };
        if prepared.dataset.digest() != now.dataset_digest {
            return Err(format!(
                "the data on this machine differs: digest {}, but the run has {}",
                prepared.dataset.digest(),
                now.dataset_digest
            ));
        }
        let fingerprint = prepared.fingerprint.as_str();
        if fingerprint != now.fingerprint {
            return Err(format!(
                "its settings result in a different fingerprint on this machine: {fingerprint}, \
                 but the run has {}",
                now.fingerprint
            ));
        }
        let prepared = prepared.with_browser(&settings).await.map_err(explain)?;
        let samples = prepared.samples().iter();
        let samples = samples.map(|index| (prepared.id(*index), *index)).collect();
        let journal = Arc::new(StreamJournal::default());
        let engine = prepared
            .engine
            .within(&spent)
            .with_external_budget(Arc::clone(&lease) as _)
            .with_journal(Arc::clone(&journal) as _);
        Ok(Self {
            worker: Arc::clone(worker),
            queue: queue.clone(),
            manifest,
            prepared_for: now,
            attempt_runner: AttemptRunner {
                identity: Arc::new(identity),
                engine: Arc::new(engine),
                dataset: prepared.dataset,
                grader: prepared.grader,
                further: prepared.further,
            },
            samples,
            journal,
            lease,
            claims: Claims::default(),
            under_way: Mutex::default(),
            finished: AtomicU64::new(0),
            unfit: Mutex::default(),
        })
    }

    /// Halts the run if its budget is used up, unless the run has a different budget by now. After
    /// a provider failure, this worker stops taking the run's attempts.
    pub(super) async fn halt(&self, reason: &harness::HaltReason) {
        match reason {
            harness::HaltReason::OverBudget(message) => {
                let key = self.queue.key();
                let halted = change_manifest(self.queue.broker(), key, |manifest| {
                    if manifest.state == State::Open && manifest.limits == self.prepared_for.limits
                    {
                        manifest.state = State::Halted {
                            reason: message.clone(),
                        };
                    }
                });
                if let Err(error) = halted.await {
                    terminal::warning(&error.to_string());
                }
            }
            harness::HaltReason::Failing(message) => {
                let is_new = self.unfit.lock().replace(message.clone()).is_none();
                if is_new {
                    terminal::warning(&format!("taking no more attempts of this run: {message}"));
                }
                let _ = self.announce(false).await;
            }
        }
    }

    /// Sends a heartbeat and updates the number of workers every [`HEARTBEAT_INTERVAL`].
    pub(super) async fn send_heartbeats(self: Arc<Self>) {
        loop {
            // A failed heartbeat is retried at the next interval.
            let _ = self.announce(false).await;
            if let Ok(workers) = self.count_workers().await {
                self.lease.set_workers(workers);
            }
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
        }
    }

    pub(super) async fn announce(&self, leaving: bool) -> Result<(), QueueError> {
        let under_way: Vec<_> = self.under_way.lock().values().cloned().collect();
        let heartbeat = WorkerHeartbeat {
            under_way,
            finished: self.finished.load(Ordering::Relaxed),
            spent: self.lease.spent(),
            unfit: self.unfit.lock().clone(),
            leaving,
            ..heartbeat(&self.worker)
        };
        self.queue.announce(&heartbeat).await
    }

    /// Returns the number of workers of the run: the count stored in the queue if it is recent,
    /// otherwise a new count, which is stored.
    async fn count_workers(&self) -> Result<u32, QueueError> {
        let known = self.queue.worker_count().await?;
        let lately = u64::try_from(HEARTBEAT_INTERVAL.as_millis()).unwrap_or(u64::MAX)
            * MAX_MISSED_HEARTBEATS;
        if let Some((worker_count, age_ms)) = known
            && age_ms < lately / 2
        {
            return Ok(worker_count.workers);
        }
        let all = self.queue.workers().await?;
        let newest = all.iter().map(|(_, at_ms)| *at_ms).max().unwrap_or(0);
        let alive = all.iter().filter(|(heartbeat, at_ms)| {
            newest.saturating_sub(*at_ms) < lately
                && !heartbeat.leaving
                && heartbeat.unfit.is_none()
        });
        let workers = u32::try_from(alive.count().max(1)).unwrap_or(u32::MAX);
        let worker_count = WorkerCount {
            v: VERSION,
            workers,
        };
        self.queue.set_worker_count(&worker_count).await?;
        Ok(workers)
    }

    /// Reports spending periodically.
    pub(super) async fn report_spending(self: Arc<Self>) {
        loop {
            tokio::time::sleep(self.lease.report_interval()).await;
            if self.lease.is_quiet() {
                continue;
            }
            // After a failure, the next report includes this spending.
            let _ = self.lease.report().await;
        }
    }
}

/// Returns a worker's heartbeat without the fields that describe a run.
pub(super) fn heartbeat(worker: &Worker) -> WorkerHeartbeat {
    WorkerHeartbeat {
        v: VERSION,
        worker: worker.settings.name.clone(),
        host: worker.settings.host.clone(),
        at_ms: now_ms(),
        concurrency: worker.settings.args.concurrency,
        under_way: Vec::new(),
        finished: 0,
        spent: queue::accounts::Amounts::default(),
        unfit: None,
        leaving: false,
    }
}

/// Estimates the server's clock offset from this machine, in milliseconds.
async fn clock(queue: &RunQueue, worker: &Worker) -> Result<f64, QueueError> {
    let before = now_ms();
    queue.announce(&heartbeat(worker)).await?;
    let after = now_ms();
    let own = queue.workers().await?;
    let own = own
        .iter()
        .find(|(heartbeat, _)| heartbeat.worker == worker.settings.name);
    Ok(own.map_or(0.0, |(_, at_ms)| {
        *at_ms as f64 - f64::midpoint(before as f64, after as f64)
    }))
}

/// Formats an error with its hint, for the worker and the submitter.
fn explain(error: impl Into<Error>) -> String {
    let error = error.into();
    let hint = error.hint().map(|hint| format!("; {hint}"));
    format!("{error}{}", hint.unwrap_or_default())
}
