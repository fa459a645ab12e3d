//! Runs the attempts of a run, a limited number at a time, and reports what happens as [`RunEvent`]s.
//!
//! Data flows one way: attempts send events; one thread hands them to the run directory and the reporters.
//! Invariant: the runner shows and stores nothing itself.

mod maker;
mod shared_samples;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchmarks::{Dataset, DatasetError, Sample};
use harness::model::{
    AttemptOutcome, EVENT_VERSION, Event, EventKind, EventSink, Image, Stats, Status, Usage,
};
use harness::provider::http::strike_out;
use harness::{Engine, HaltReason, Spent, Task};
use jiff::Timestamp;
use records::run_dir::{RunDirError, latest};
use records::{AttemptRecord, RunIdentity};
use report::summary::Summary;
use serde_json::json;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::grader::{Answered, Grade, Grader, JudgeLog, grade};
use crate::record::{judged, of_attempt};
use crate::run_event::{Reporter, RunEvent, RunPlan};
use crate::run_store::RunStore;
use shared_samples::SharedSamples;

pub use maker::Maker;

/// How long a stopped run waits for its attempts. One that is busy for longer is left to itself.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Maximum events that are stored in one batch before they are reported.
const EVENTS_AT_ONCE: usize = 1_000;

/// What to run.
pub struct Run {
    /// Its plan, which is reported first.
    pub plan: RunPlan,
    /// How agents work.
    pub engine: Arc<Engine>,
    /// Where samples come from.
    pub dataset: Arc<dyn Dataset>,
    /// What scores the answers.
    pub grader: Arc<dyn Grader>,
    /// The attempts to make, in this order: which sample, and which attempt at it from 1.
    pub jobs: Vec<(usize, u32)>,
    /// What earlier starts of the run have finished. Jobs may make some of it again.
    pub earlier: Vec<AttemptRecord>,
    /// Attempts that may end in an error in this start; one more would stop the run. None for any number.
    pub errors_allowed: Option<u64>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// What came of it.
    pub summary: Arc<Summary>,
    /// What ended it.
    pub ending: Ending,
}

/// What ended a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Every attempt was made.
    Done,
    /// It was stopped from outside.
    Interrupted,
    /// More attempts ended in an error than were allowed.
    TooManyErrors {
        /// How many did, in this start.
        errors: u64,
    },
    /// One of its calls found what ends it.
    Halted(HaltReason),
}

/// What ends a run before its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A sample cannot be made or read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The run directory cannot be written; what was written stays.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
}

/// Runs every attempt, or those until `stop` says so. Finished attempts are stored in either case.
///
/// # Errors
/// [`RunError`] if samples cannot be had or records cannot be written.
pub async fn run(
    run: Run,
    writer: RunStore,
    reporter: Box<dyn Reporter>,
    stop: impl Future<Output = ()>,
) -> Result<Ended, RunError> {
    let attempts_total = run.plan.attempts_total;
    let earlier = run.earlier.iter().map(AttemptRecord::without_texts);
    let earlier = earlier.collect();
    conduct(
        attempts_total,
        earlier,
        writer,
        reporter,
        async |events, failure| {
            let engine = Arc::clone(&run.engine);
            let mut made = attempts(run, &events, failure, stop).await;
            if made.is_halted()
                && let Some(reason) = engine.halt_reason()
            {
                made.ending = Ending::Halted(reason);
            }
            made
        },
    )
    .await
}

/// Takes the events of a run as they come, from wherever its attempts are made: `make` sends them and says at the end what was made.
///
/// # Errors
/// [`RunError`] if records cannot be written, or what `make` ended by.
pub async fn conduct(
    attempts_total: u64,
    earlier: Vec<AttemptRecord>,
    writer: RunStore,
    reporter: Box<dyn Reporter>,
    make: impl AsyncFnOnce(mpsc::UnboundedSender<RunEvent>, watch::Receiver<bool>) -> Progress,
) -> Result<Ended, RunError> {
    let (events, inbox) = mpsc::unbounded_channel();
    let (failed, failure) = watch::channel(false);
    let consumer = std::thread::spawn(move || consume(inbox, writer, reporter, &failed));
    let mut records = earlier;
    let made = make(events.clone(), failure).await;
    records.extend(made.records);
    let summary = Arc::new(Summary::new(&latest(records), attempts_total));
    send(&events, RunEvent::RunFinished(Arc::clone(&summary)));
    let stored = tokio::task::spawn_blocking(move || consumer.join()).await;
    // The consumer does not panic; if it did, what it wrote is on disk and the panic was printed.
    let stored = match stored {
        Ok(Ok(Err(error))) => return Err(error.into()),
        Ok(Ok(Ok(stored))) => stored.map(Arc::new),
        Ok(Err(_)) | Err(_) => None,
    };
    match made.error {
        Some(error) => Err(error.into()),
        None => Ok(Ended {
            summary: stored.unwrap_or(summary),
            ending: made.ending,
        }),
    }
}

/// Hands events to the run directory first and then to the reporter, up to the run's end; gives the summary as the
/// former has stored it, or its first error.
fn consume(
    mut inbox: mpsc::UnboundedReceiver<RunEvent>,
    mut writer: RunStore,
    mut reporter: Box<dyn Reporter>,
    failed: &watch::Sender<bool>,
) -> Result<Option<Summary>, RunDirError> {
    let mut first = None;
    while let Some(event) = inbox.blocking_recv() {
        // Whatever came while the last events were on their way to the disk: it waits for the disk once.
        let mut events = vec![event];
        while events.len() < EVENTS_AT_ONCE
            && let Ok(event) = inbox.try_recv()
        {
            events.push(event);
        }
        writer.report_all(&events);
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
    }
    match first {
        Some(error) => Err(error),
        None => Ok(writer.take_summary()),
    }
}

/// The attempts that ended, and why there are not more.
pub struct Progress {
    /// Without the texts: a run of tens of thousands of attempts keeps them all.
    records: Vec<AttemptRecord>,
    /// How many of them ended in an error.
    errors: u64,
    /// What ended the run.
    pub ending: Ending,
    error: Option<DatasetError>,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            errors: 0,
            ending: Ending::Done,
            error: None,
        }
    }
}

/// Makes the attempts, or those that end before something stops the run.
async fn attempts(
    run: Run,
    events: &mpsc::UnboundedSender<RunEvent>,
    mut failure: watch::Receiver<bool>,
    stop: impl Future<Output = ()>,
) -> Progress {
    let concurrency = run.plan.concurrency;
    let identity = Arc::new(run.plan.identity.clone());
    send(events, RunEvent::RunStarted(run.plan));
    let samples = Arc::new(SharedSamples::new(Arc::clone(&run.dataset), &run.jobs));
    run.engine.expect(run.jobs.len());
    let mut jobs = run.jobs.into_iter();
    let mut running = JoinSet::new();
    let mut names = HashMap::new();
    let mut made = Progress::default();
    tokio::pin!(stop);
    loop {
        if !made.is_halted()
            && let Some(reason) = run.engine.halt_reason()
        {
            made.ending = Ending::Halted(reason);
        }
        while running.len() < concurrency
            && !made.is_halted()
            && let Some((index, attempt)) = jobs.next()
        {
            let job = Job {
                identity: Arc::clone(&identity),
                engine: Arc::clone(&run.engine),
                samples: Arc::clone(&samples),
                grader: Arc::clone(&run.grader),
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
                        broken(&identity, run.dataset.as_ref(), index, attempt, &panic.to_string())
                    }
                };
                match record {
                    Ok(record) => made.add(record, events),
                    Err(error) => {
                        made.error = Some(error);
                        break;
                    }
                }
                if run.errors_allowed.is_some_and(|allowed| made.errors > allowed) {
                    let errors = made.errors;
                    made.ending = Ending::TooManyErrors { errors };
                    break;
                }
            }
            () = &mut stop => {
                made.ending = Ending::Interrupted;
                break;
            }
            _ = failure.changed() => break,
            // No attempt is begun any more; those under way end by themselves, unless all of them would fail.
            reason = run.engine.halted(), if !made.is_halted() => made.ending = Ending::Halted(reason),
        }
        if let Ending::Halted(HaltReason::Failing(_)) = made.ending {
            break;
        }
    }
    running.abort_all();
    // Some ended at the same moment: they count.
    let stopping = async {
        while let Some(ended) = running.join_next().await {
            if let Ok(Ok(record)) = ended {
                made.add(record, events);
            }
        }
    };
    // Whether all stopped in time makes no difference to what is stored.
    let _ = timeout(STOP_GRACE, stopping).await;
    made
}

impl Progress {
    fn is_halted(&self) -> bool {
        matches!(self.ending, Ending::Halted(_))
    }

    /// Attempts that ended in an error.
    pub const fn errors(&self) -> u64 {
        self.errors
    }

    /// An attempt ended.
    pub fn add(&mut self, record: AttemptRecord, events: &mpsc::UnboundedSender<RunEvent>) {
        // One that the run's own end stopped: it is made again when the run is resumed.
        if record.status == Status::Cancelled {
            return;
        }
        self.errors += u64::from(record.status == Status::Error);
        self.records.push(record.without_texts());
        send(events, RunEvent::AttemptFinished(Arc::new(record)));
    }
}

/// One attempt to be made.
struct Job {
    identity: Arc<RunIdentity>,
    engine: Arc<Engine>,
    samples: Arc<SharedSamples>,
    grader: Arc<dyn Grader>,
    index: usize,
    attempt: u32,
}

impl Job {
    async fn run(
        self,
        events: mpsc::UnboundedSender<RunEvent>,
    ) -> Result<AttemptRecord, DatasetError> {
        let sample = self.sample().await?;
        let attempt = self.attempt;
        send(
            &events,
            RunEvent::AttemptStarted {
                sample: sample.id.clone(),
                attempt,
            },
        );
        let started_at = Timestamp::now();
        let task = Task {
            run_id: self.identity.run_id.clone(),
            sample: sample.id.clone(),
            attempt,
            query: sample.query.clone(),
            follow_ups: sample.follow_ups.clone(),
            context: Arc::clone(&sample.context),
            images: images(&sample.images),
        };
        let began = Instant::now();
        let outcome = self
            .engine
            .run(&task, Arc::new(Forward(events.clone())))
            .await;
        let outcome = with_turns(outcome, self.grader.name());
        let is_judged = match outcome.status {
            Status::Ok => true,
            Status::Limit => outcome.answer.is_some(),
            Status::Error | Status::Cancelled => false,
        };
        let judged = judged(outcome.answer.as_deref(), outcome.state.as_ref());
        let grade = match judged.filter(|_| is_judged) {
            Some(answer) => {
                let answered = Answered {
                    sample: &sample,
                    attempt,
                    answer: &answer,
                };
                let benchmark = &self.identity.benchmark;
                let log = Judging {
                    engine: &self.engine,
                    task: &task,
                    began,
                    events: &events,
                };
                let grade = grade(self.grader.as_ref(), benchmark, answered, &log).await;
                self.halt_for(&grade);
                Some(grade)
            }
            None => None,
        };
        Ok(of_attempt(
            &self.identity,
            &sample,
            attempt,
            &outcome,
            grade,
            started_at,
        )
        .of_sample(self.index))
    }
}

impl Job {
    /// The sample, made or read where that holds up no other attempt: it may take a whole row group of a file.
    ///
    /// # Errors
    /// Those of [`Dataset::sample`]. A panic is propagated here, so that it is reported as the attempt's.
    async fn sample(&self) -> Result<Arc<Sample>, DatasetError> {
        let samples = Arc::clone(&self.samples);
        let index = self.index;
        let made = tokio::task::spawn_blocking(move || samples.get(index)).await;
        made.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends, and this attempt with it.
            Err(error) => std::panic::resume_unwind(Box::new(error.to_string())),
        })
    }

    /// Ends the run if no answer can be judged any more.
    fn halt_for(&self, grade: &Grade) {
        if let Some(reason) = &grade.halts {
            self.engine.halt(reason.clone());
        }
    }
}

/// The outcome with what `checks` judges where no world has made a state of it: the answers.
fn with_turns(mut outcome: AttemptOutcome, scorer: &str) -> AttemptOutcome {
    if outcome.state.is_none() && outcome.answer.is_some() && scorer == benchmarks::Checks::NAME {
        let answers = outcome.earlier_answers.iter().map(String::as_str);
        let answers = answers.chain(outcome.answer.as_deref());
        let turns: Vec<_> = answers.map(|answer| json!({ "answer": answer })).collect();
        outcome.state = Some(json!({ "turns": turns }));
    }
    outcome
}

/// Images as models take them.
pub fn images(of: &[benchmarks::Image]) -> Vec<Image> {
    let image = |image: &benchmarks::Image| Image {
        media_type: image.media_type.to_owned(),
        data: image.data.clone(),
    };
    of.iter().map(image).collect()
}

/// The record of an attempt that the harness itself broke.
fn broken(
    identity: &RunIdentity,
    dataset: &dyn Dataset,
    index: usize,
    attempt: u32,
    reason: &str,
) -> Result<AttemptRecord, DatasetError> {
    let outcome = AttemptOutcome {
        earlier_answers: Vec::new(),
        status: Status::Error,
        answer: None,
        error: Some(strike_out(format!("the harness failed: {reason}"))),
        state: None,
        stats: Stats::default(),
    };
    let sample = dataset.sample(index)?;
    Ok(of_attempt(identity, &sample, attempt, &outcome, None, Timestamp::now()).of_sample(index))
}

/// Makes what a judge is asked part of its attempt's events, and books it on the run's budget.
struct Judging<'a> {
    engine: &'a Engine,
    task: &'a Task,
    began: Instant,
    events: &'a mpsc::UnboundedSender<RunEvent>,
}

impl JudgeLog for Judging<'_> {
    fn log(&self, event: EventKind) {
        match &event {
            EventKind::JudgeRequest { .. } => self.engine.book(Spent {
                calls: 1,
                ..Spent::default()
            }),
            EventKind::JudgeBilled { usage, cost_usd } => self.book(Some(*usage), *cost_usd),
            EventKind::JudgeResponse { usage, cost_usd } => self.book(*usage, *cost_usd),
            _ => {}
        }
        let event = Event {
            v: EVENT_VERSION,
            run_id: self.task.run_id.clone(),
            sample: self.task.sample.clone(),
            attempt: self.task.attempt,
            at_ms: Some(self.began.elapsed().as_secs_f64() * 1e3),
            invocation: "judge".to_owned(),
            parent: None,
            depth: 0,
            kind: event,
        };
        send(self.events, RunEvent::Engine(event));
    }

    fn forbids_more(&self) -> Option<String> {
        self.engine.exhausted().map(|error| error.to_string())
    }
}

impl Judging<'_> {
    fn book(&self, usage: Option<Usage>, cost_usd: Option<f64>) {
        self.engine.book(Spent {
            cost_usd: cost_usd.unwrap_or(0.0),
            tokens: usage.map_or(0, |usage| usage.total()),
            calls: 0,
        });
    }
}

/// Makes the engine's events part of the run's.
struct Forward(mpsc::UnboundedSender<RunEvent>);

impl EventSink for Forward {
    fn emit(&self, event: Event) {
        send(&self.0, RunEvent::Engine(event));
    }
}

/// Once the run has ended, or if the consumer panicked, nobody receives it.
fn send(events: &mpsc::UnboundedSender<RunEvent>, event: RunEvent) {
    let _ = events.send(event);
}
