//! Runs the attempts of a run with limited concurrency and reports [`RunEvent`]s.
//!
//! Data flows one way: attempts send events, and one thread passes them to the run directory and
//! then to the reporters. Invariant: the runner itself does not show or store anything.

pub mod selection;

mod job;
mod shared_samples;

pub(crate) mod record;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use benchmarks::DatasetError;
use harness::model::Status;
use harness::{Engine, HaltReason, Spent};
use records::AttemptRecord;
use records::run_dir::{RunDirError, RunWriter, latest};
use report::summary::Summary;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, timeout};

use crate::process::{machine_memory, terminal};
use crate::run::event::{Reporter, RunEvent, RunPlan};
use crate::run::store::store;
use job::{Job, send};
use shared_samples::SharedSamples;

pub use job::AttemptRunner;

/// Maximum time that a stopped run waits for its attempts to end. Attempts that take longer are
/// abandoned.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Maximum events stored in one batch before they are reported.
const MAX_BATCH_EVENTS: usize = 1_000;

/// A run to execute.
pub struct Run {
    /// Plan, reported first.
    pub plan: RunPlan,
    /// Maker of the attempts.
    pub runner: AttemptRunner,
    /// Attempts to make, in order: index of the sample and 1-based number of the attempt.
    pub jobs: Vec<(usize, u32)>,
    /// Records of attempts finished by earlier starts. `jobs` may list some of these attempts
    /// again, to be rerun.
    pub earlier: Vec<AttemptRecord>,
    /// Maximum attempts of this start that may end in an error before the run stops; `None` for no
    /// limit.
    pub errors_allowed: Option<u64>,
}

/// Outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// Summary of the run.
    pub summary: Arc<Summary>,
    /// Reason why the run ended.
    pub ending: StopReason,
}

/// Reason why a run ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum StopReason {
    /// Every attempt was made.
    #[default]
    Done,
    /// The caller stopped the run.
    Interrupted,
    /// More attempts ended in an error than were allowed.
    TooManyErrors {
        /// Number of attempts of this start that ended in an error.
        errors: u64,
    },
    /// A budget is used up, or every further request would fail.
    Halted(HaltReason),
}

/// Failure that ends a run early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A sample cannot be generated or read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The run directory cannot be written. Earlier writes are kept.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

/// Runs the attempts until all are made or the run stops early for another [`StopReason`]; `stop`
/// interrupts it. Finished attempts are stored in every case.
///
/// # Errors
/// [`RunError`] if samples are unavailable or records cannot be written.
pub async fn run(
    run: Run,
    writer: RunWriter,
    reporter: Box<dyn Reporter>,
    stop: impl Future<Output = ()>,
) -> Result<RunOutcome, RunError> {
    let attempts_total = run.plan.attempts_total;
    let earlier = run.earlier.iter().map(AttemptRecord::without_texts);
    let earlier = earlier.collect();
    conduct(
        attempts_total,
        earlier,
        writer,
        reporter,
        async |events, failure| {
            let engine = Arc::clone(&run.runner.engine);
            let mut made = attempts(run, &events, failure, stop).await;
            if made.is_halted()
                && let Some(reason) = engine.halt_reason()
            {
                made.ending = StopReason::Halted(reason);
            }
            made
        },
    )
    .await
}

/// Processes the events of a run whose attempts are made by `make`, locally or elsewhere.
///
/// # Errors
/// [`RunError`] if records cannot be written, or the error of `make`.
pub async fn conduct(
    attempts_total: u64,
    earlier: Vec<AttemptRecord>,
    writer: RunWriter,
    reporter: Box<dyn Reporter>,
    make: impl AsyncFnOnce(mpsc::UnboundedSender<RunEvent>, watch::Receiver<bool>) -> Progress,
) -> Result<RunOutcome, RunError> {
    let (events, inbox) = mpsc::unbounded_channel();
    let (failed, failure) = watch::channel(false);
    let consumer = std::thread::spawn(move || consume(inbox, writer, reporter, &failed));
    let mut records = earlier;
    let made = make(events.clone(), failure).await;
    records.extend(made.records);
    let summary = Arc::new(Summary::new(&latest(records), attempts_total));
    send(&events, RunEvent::RunFinished(Arc::clone(&summary)));
    let stored = tokio::task::spawn_blocking(move || consumer.join()).await;
    // A panic of the consumer is a bug, and was printed. Everything written before it is on disk.
    let stored = match stored {
        Ok(Ok(Err(error))) => return Err(error.into()),
        Ok(Ok(Ok(stored))) => stored.map(Arc::new),
        Ok(Err(_)) | Err(_) => None,
    };
    match made.error {
        Some(error) => Err(error.into()),
        None => Ok(RunOutcome {
            summary: stored.unwrap_or(summary),
            ending: made.ending,
        }),
    }
}

/// Passes events to the run directory first and then to the reporter, until the run ends. Returns
/// the stored summary or the first write error.
fn consume(
    mut inbox: mpsc::UnboundedReceiver<RunEvent>,
    mut writer: RunWriter,
    mut reporter: Box<dyn Reporter>,
    failed: &watch::Sender<bool>,
) -> Result<Option<Summary>, RunDirError> {
    let (mut first, mut summary) = (None, None);
    let mut events = Vec::new();
    // Batch the events that arrived during the last write, so that they wait for the disk once.
    while inbox.blocking_recv_many(&mut events, MAX_BATCH_EVENTS) > 0 {
        summary = store(&mut writer, &events).or(summary);
        if first.is_none() {
            first = writer.take_error();
            if first.is_some() {
                failed.send_replace(true);
            }
        }
        for event in &events {
            reporter.report(event);
        }
        if matches!(events.last(), Some(RunEvent::RunFinished(_))) {
            break;
        }
        events.clear();
    }
    match first {
        Some(error) => Err(error),
        None => Ok(summary),
    }
}

/// Finished attempts and the reason why the run ended.
#[derive(Default)]
pub struct Progress {
    /// Records without their texts, because a run may have tens of thousands of records.
    records: Vec<AttemptRecord>,
    /// Number of records with status `error`.
    errors: u64,
    /// Reason why the run ended.
    pub ending: StopReason,
    error: Option<DatasetError>,
}

/// Makes attempts until all are made or the run is stopped.
async fn attempts(
    run: Run,
    events: &mpsc::UnboundedSender<RunEvent>,
    mut failure: watch::Receiver<bool>,
    stop: impl Future<Output = ()>,
) -> Progress {
    let concurrency = run.plan.concurrency;
    let runner = run.runner;
    send(events, RunEvent::RunStarted(run.plan));
    let samples = Arc::new(SharedSamples::new(Arc::clone(&runner.dataset), &run.jobs));
    runner.engine.expect(run.jobs.len());
    let mut jobs = run.jobs.into_iter();
    let mut running = JoinSet::new();
    let mut names = HashMap::new();
    let mut made = Progress::default();
    let mut spent = Spent::default();
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(stop);
    loop {
        if !made.is_halted()
            && let Some(reason) = runner.engine.halt_reason()
        {
            made.ending = StopReason::Halted(reason);
        }
        while running.len() < concurrency
            && !made.is_halted()
            && let Some((index, attempt)) = jobs.next()
        {
            let job = Job {
                runner: runner.clone(),
                samples: Arc::clone(&samples),
                index,
                attempt,
            };
            let handle = running.spawn(job.run(events.clone()));
            names.insert(handle.id(), (index, attempt));
        }
        tokio::select! {
            ended = running.join_next_with_id() => {
                let record = match ended {
                    None => return made,
                    Some(Ok((id, record))) => {
                        if let Some((index, _)) = names.remove(&id) {
                            samples.ended(index);
                        }
                        record
                    }
                    Some(Err(panic)) => {
                        let Some((index, attempt)) = names.remove(&panic.id()) else { continue };
                        samples.ended(index);
                        runner.broken(index, attempt, &panic)
                    }
                };
                report_spending(&runner.engine, &mut spent, events);
                match record {
                    Ok(record) => made.add(record, events),
                    Err(error) => {
                        made.error = Some(error);
                        break;
                    }
                }
                if run.errors_allowed.is_some_and(|allowed| made.errors > allowed) {
                    let errors = made.errors;
                    made.ending = StopReason::TooManyErrors { errors };
                    break;
                }
            }
            () = &mut stop => {
                made.ending = StopReason::Interrupted;
                break;
            }
            _ = failure.changed() => break,
            _ = tick.tick() => {
                report_spending(&runner.engine, &mut spent, events);
                if let Some(warning) = machine_memory::low_memory_warning(running.len()) {
                    terminal::warning(&warning);
                }
            }
            // Do not start further attempts. Those in progress may finish, unless they would all
            // fail.
            reason = runner.engine.halted(), if !made.is_halted() => made.ending = StopReason::Halted(reason),
        }
        if let StopReason::Halted(HaltReason::Failing(_)) = made.ending {
            break;
        }
    }
    running.abort_all();
    // Count attempts that end while the others are being aborted.
    let stopping = async {
        while let Some(ended) = running.join_next().await {
            if let Ok(Ok(record)) = ended {
                made.add(record, events);
            }
        }
    };
    // Ignore a timeout, because a resumed run reruns attempts without a record.
    let _ = timeout(STOP_GRACE, stopping).await;
    made
}

/// Reports the amounts spent if they have changed.
fn report_spending(
    engine: &Engine,
    reported: &mut Spent,
    events: &mpsc::UnboundedSender<RunEvent>,
) {
    let spent = engine.spent();
    if spent != *reported {
        *reported = spent;
        send(events, RunEvent::Spending(spent));
    }
}

impl Progress {
    fn is_halted(&self) -> bool {
        matches!(self.ending, StopReason::Halted(_))
    }

    /// Returns the number of attempts that ended in an error.
    pub const fn errors(&self) -> u64 {
        self.errors
    }

    /// Adds a finished attempt and reports it.
    pub fn add(&mut self, record: AttemptRecord, events: &mpsc::UnboundedSender<RunEvent>) {
        // The end of the run cancelled the attempt, so a resumed run reruns it.
        if record.status == Status::Cancelled {
            return;
        }
        self.errors += u64::from(record.status == Status::Error);
        self.records.push(record.without_texts());
        send(events, RunEvent::AttemptFinished(Arc::new(record)));
    }
}
