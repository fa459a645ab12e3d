//! `rlm-eval worker`: makes attempts of the runs in a queue.

mod settings;
mod serve_run;
mod attempt;
mod served;
mod state;

mod claims;
mod lease;
mod stream_journal;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use queue::Follow;
use queue::message::{self, Manifest, State};
use queue::name::{RunKey, SubjectAddress};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;

use super::runtime::{StopSignal, runtime};
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::{open_files, terminal};

use serve_run::serve_run;
use settings::WorkerSettings;
use state::{Worker, WorkerMode};

pub(crate) use settings::WorkerArgs;

/// Interval at which the worker looks for the first run of a queue.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Makes attempts until a signal or `--idle-exit` stops the worker, which is a normal exit.
///
/// # Errors
/// [`Error`] for invalid settings, or if the server does not answer at the start.
pub(super) fn execute(args: &WorkerArgs) -> Result<Outcome, Error> {
    let settings = WorkerSettings::resolve(args)?;
    if let Some(remark) = open_files::fd_limit_warning(settings.args.concurrency, "--concurrency") {
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
        settings.name, settings.access.url, settings.args.concurrency
    ));
    let (mode_sender, mode) = watch::channel(WorkerMode::Work);
    let (busy, mut work_done) = mpsc::unbounded_channel();
    let drain = *settings.args.drain;
    let idle_exit = settings.args.idle_exit.as_deref().copied();
    let worker = Arc::new(Worker {
        permits: Arc::new(Semaphore::new(settings.args.concurrency)),
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
        // A task ends before the worker only by a panic.
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
        let task = tokio::spawn(serve_run(Arc::clone(&self.worker), receiver));
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
