//! `rlm-eval worker`: makes attempts of the runs in a queue.

mod attempt;
mod lease;
mod served;
mod stream_journal;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use queue::message::{self, Manifest, State};
use queue::name::{RunKey, SubjectAddress};
use queue::{Broker, Follow};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;

use super::run::{StopSignal, runtime};
use crate::error::Error;
use crate::exit::Outcome;
use crate::open_files;
use crate::settings::{WorkerArgs, WorkerSettings};
use crate::terminal;

use served::Served;

/// Interval at which the worker looks for the first run of a queue.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Instruction to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkerMode {
    /// Take attempts.
    Work,
    /// Finish the attempts in progress without taking more.
    Finish,
    /// Return the attempts in progress to the queue.
    Return,
}

/// A worker and its connection to the queue's server.
pub(super) struct Worker {
    pub(super) settings: WorkerSettings,
    pub(super) broker: Arc<dyn Broker>,
    /// Permits that limit concurrent attempts.
    pub(super) permits: Arc<Semaphore>,
    pub(super) mode: watch::Receiver<WorkerMode>,
    /// Number of attempts in progress plus runs being prepared.
    pub(super) under_way: AtomicUsize,
    /// Signals that a task began or ended.
    pub(super) busy: mpsc::UnboundedSender<()>,
}

/// Guard of a task. While it exists, the worker is not idle.
pub(super) struct BusyGuard(Arc<Worker>);

impl Worker {
    /// Registers a task, which ends when the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> BusyGuard {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        // The receiver is dropped when the worker ends.
        let _ = self.busy.send(());
        BusyGuard(Arc::clone(self))
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
        let _ = self.0.busy.send(());
    }
}

/// Makes attempts until a signal or `--idle-exit` stops the worker, which is a normal exit.
///
/// # Errors
/// [`Error`] for invalid settings, or if the server does not answer at the start.
pub(super) fn execute(args: &WorkerArgs) -> Result<Outcome, Error> {
    let settings = WorkerSettings::resolve(args)?;
    if let Some(remark) = open_files::fd_limit_warning(settings.concurrency, "--concurrency") {
        terminal::warning(&remark);
    }
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let outcome = runtime.block_on(work(settings, stop));
    runtime.shutdown_background();
    outcome
}

async fn work(settings: WorkerSettings, stop: StopSignal) -> Result<Outcome, Error> {
    let broker = queue::connect(&settings.access, &settings.name).await?;
    terminal::note(&format!(
        "worker {} takes attempts from {}, up to {} concurrently; Ctrl-C stops it",
        settings.name, settings.access.url, settings.concurrency
    ));
    let (mode_sender, mode) = watch::channel(WorkerMode::Work);
    let (busy, mut work_done) = mpsc::unbounded_channel();
    let drain = settings.drain;
    let idle_exit = settings.idle_exit;
    let worker = Arc::new(Worker {
        permits: Arc::new(Semaphore::new(settings.concurrency)),
        broker,
        mode,
        under_way: AtomicUsize::new(0),
        busy,
        settings,
    });
    let mut runs = Runs {
        worker: Arc::clone(&worker),
        all: HashMap::new(),
    };
    let stopped = stop.received();
    tokio::pin!(stopped);
    let mut manifests = None;
    let mut idle_since = Instant::now();
    loop {
        if manifests.is_none() {
            let SubjectAddress { stream, subject } = SubjectAddress::manifest(None);
            let broker = worker.broker.as_ref();
            let found = broker.follow(&stream, vec![subject], Follow::LastOfEach);
            // The stream of runs does not exist before the first run.
            manifests = found.await.ok();
        }
        let next = async {
            if let Some(manifests) = &mut manifests {
                manifests.recv().await
            } else {
                tokio::time::sleep(POLL_INTERVAL).await;
                None
            }
        };
        let idle = async {
            match idle_exit {
                Some(limit) => {
                    tokio::time::sleep(limit.saturating_sub(idle_since.elapsed())).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            message = next => if let Some(message) = message {
                match message::read::<Manifest>(&message.subject, &message.bytes) {
                    Ok(manifest) => runs.take(manifest),
                    Err(error) => terminal::warning(&format!("skipped a run: {error}")),
                }
            },
            Some(()) = work_done.recv() => idle_since = Instant::now(),
            () = idle => {
                if worker.under_way.load(Ordering::SeqCst) == 0 {
                    terminal::note("no attempts to make: the worker exits");
                    break;
                }
                idle_since = Instant::now();
            }
            () = &mut stopped => break,
        }
    }
    mode_sender.send_replace(WorkerMode::Finish);
    if worker.under_way.load(Ordering::SeqCst) > 0 {
        terminal::note(&format!(
            "finishing the current attempts for at most {} s",
            drain.as_secs_f64()
        ));
    }
    let finished = runs.finish();
    tokio::pin!(finished);
    if tokio::time::timeout(drain, &mut finished).await.is_err() {
        mode_sender.send_replace(WorkerMode::Return);
        // Attempts that cannot be returned are redelivered when their lease expires.
        let _ = tokio::time::timeout(Duration::from_secs(5), finished).await;
    }
    Ok(Outcome::Complete)
}

/// Runs that the worker has started to serve.
struct Runs {
    worker: Arc<Worker>,
    all: HashMap<RunKey, Known>,
}

struct Known {
    manifest: watch::Sender<Manifest>,
    task: JoinHandle<()>,
}

impl Runs {
    /// Handles a new or changed run.
    fn take(&mut self, manifest: Manifest) {
        let only = &self.worker.settings.runs;
        if !only.is_empty() && !only.contains(&manifest.key) {
            return;
        }
        if let Some(known) = self.all.get(&manifest.key)
            && !known.task.is_finished()
        {
            known.manifest.send_replace(manifest);
            return;
        }
        if manifest.state != State::Open {
            return;
        }
        let key = manifest.key.clone();
        let (sender, receiver) = watch::channel(manifest);
        let task = tokio::spawn(Served::serve(Arc::clone(&self.worker), receiver));
        let known = Known {
            manifest: sender,
            task,
        };
        self.all.insert(key, known);
    }

    /// Waits until the tasks of all runs end.
    async fn finish(&mut self) {
        for known in self.all.values_mut() {
            // A panic also ends a task.
            let _ = (&mut known.task).await;
        }
    }
}
