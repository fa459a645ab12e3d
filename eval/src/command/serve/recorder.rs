//! Writes the run directory of an agent that answers questions in `serve`, `mcp` or `ask`.
//!
//! Each question is recorded as an attempt at a separate sample, and its events are stored as they
//! arrive. As in a run, one thread makes all writes. A question whose client disconnects ends as
//! `cancelled`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use benchmarks::Sample;
use harness::Engine;
use harness::model::{AttemptOutcome, Event, EventKind, EventSink, Stats, Status};
use harness::prompt::template_digests;
use jiff::Timestamp;
use parking_lot::Mutex;
use records::run_dir::{
    CONFIG_VERSION, Fingerprint, Lock, NewRun, RunDirError, RunWriter, latest, read_records,
};
use records::{AttemptRecord, RunIdentity};
use report::summary::Summary;
use serde_json::json;
use serve::{OnProgress, Progress};
use tokio::sync::mpsc;

use super::steps;
use crate::command::run::config;
use crate::models;
use crate::process::program;
use crate::run::event::RunEvent;
use crate::run::store::store;
use crate::runner::record::of_attempt;
use crate::settings::{EngineSettings, recorded_agents, recorded_fields};

const MAX_BATCH_EVENTS: usize = 1_000;

/// Writer of a run directory, which records each question as an attempt.
pub(in crate::command) struct Recorder {
    identity: RunIdentity,
    dir: PathBuf,
    next: AtomicU64,
    events: Mutex<Option<mpsc::UnboundedSender<RunEvent>>>,
    failure: Arc<Mutex<Option<String>>>,
    writer: Mutex<Option<JoinHandle<Result<(), RunDirError>>>>,
}

/// A question in progress. If it is dropped before [`Attempt::end`], it is recorded as cancelled.
pub(in crate::command) struct Attempt {
    recorder: Arc<Recorder>,
    sample: Sample,
    began_at: Timestamp,
    began: Instant,
    sink: Arc<Sink>,
    is_over: Mutex<bool>,
}

/// Sends events to the writer, and progress lines and spending to the waiting client.
struct Sink {
    recorder: Arc<Recorder>,
    progress: OnProgress,
    /// Statistics so far, which are recorded if the question is dropped.
    stats: Mutex<Stats>,
}

impl Recorder {
    /// Creates a run directory. `benchmark` is recorded as its benchmark, and `name` as the name
    /// under which clients call the agent.
    pub(in crate::command) fn begin(
        benchmark: &str,
        name: &str,
        settings: &EngineSettings,
        log_dir: &Path,
        engine: &Engine,
    ) -> Result<Self, RunDirError> {
        let mode = settings.effective.word(settings.treatment.protocol);
        let new_run = NewRun::create(log_dir, benchmark, mode, Timestamp::now())?;
        let fingerprint = fingerprint(benchmark, settings, engine);
        let identity = config::identity(settings, engine, new_run.id(), benchmark, &fingerprint);
        let config = json!({
            "v": CONFIG_VERSION,
            "eval_version": env!("CARGO_PKG_VERSION"),
            "javascript_engine": program::this().engine(),
            "run": identity,
            // The number of questions is not known in advance.
            "attempts_total": null,
            "served_as": name,
            "benchmark": { "name": benchmark, "attempts": 1 },
            "engine": recorded_agents(settings),
        });
        let dir = new_run.path().to_owned();
        let lock = Lock::new(fingerprint, identity.clone());
        let run = new_run.begin(&config, lock, Vec::new())?;
        let (events, inbox) = mpsc::unbounded_channel();
        let failure = Arc::new(Mutex::new(None));
        let failed = Arc::clone(&failure);
        let samples = dir.join("samples.jsonl");
        let writer = std::thread::spawn(move || write(run, inbox, &failed, &samples));
        Ok(Self {
            identity,
            dir,
            next: AtomicU64::new(1),
            events: Mutex::new(Some(events)),
            failure,
            writer: Mutex::new(Some(writer)),
        })
    }

    pub(in crate::command) fn run_id(&self) -> &str {
        &self.identity.run_id
    }

    pub(in crate::command) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the error that prevents further writing, if any.
    pub(in crate::command) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    /// Starts recording a question.
    pub(in crate::command) fn attempt(
        this: &Arc<Self>,
        client: &str,
        progress: OnProgress,
    ) -> Attempt {
        let number = this.next.fetch_add(1, Ordering::Relaxed);
        let sample = Sample {
            id: format!("request-{number:06}"),
            metadata: BTreeMap::from([("client".to_owned(), json!(client))]),
            ..Sample::default()
        };
        this.send(RunEvent::AttemptStarted {
            sample: sample.id.clone(),
            attempt: 1,
        });
        Attempt {
            sink: Arc::new(Sink {
                recorder: Arc::clone(this),
                progress,
                stats: Mutex::default(),
            }),
            recorder: Arc::clone(this),
            sample,
            began_at: Timestamp::now(),
            began: Instant::now(),
            is_over: Mutex::new(false),
        }
    }

    /// Waits until everything, including the summary, is written.
    pub(in crate::command) fn finish(&self) -> Result<(), RunDirError> {
        drop(self.events.lock().take());
        let writer = self.writer.lock().take();
        // A panic of the thread is ignored: its message is already printed, and everything written
        // so far is on disk.
        match writer.map(JoinHandle::join) {
            Some(Ok(Err(error))) => Err(error),
            _ => Ok(()),
        }
    }

    fn send(&self, event: RunEvent) {
        if let Some(events) = self.events.lock().as_ref() {
            // The receiver outlives the sender.
            let _ = events.send(event);
        }
    }
}

/// Stores events until all senders are dropped, then writes the files derived from the records.
fn write(
    mut run: RunWriter,
    mut inbox: mpsc::UnboundedReceiver<RunEvent>,
    failed: &Mutex<Option<String>>,
    samples: &Path,
) -> Result<(), RunDirError> {
    let mut first = None;
    let mut events = Vec::new();
    while inbox.blocking_recv_many(&mut events, MAX_BATCH_EVENTS) > 0 {
        store(&mut run, &events);
        if let Some(error) = run.take_error() {
            failed.lock().get_or_insert_with(|| error.to_string());
            first.get_or_insert(error);
        }
        events.clear();
    }
    let (records, _) = read_records(samples)?;
    let records = latest(records);
    let summary = Summary::new(&records, records.len() as u64);
    run.finish(|wasted| summary.with_wasted(wasted));
    match first.or_else(|| run.take_error()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

impl Attempt {
    pub(in crate::command) fn sample(&self) -> &str {
        &self.sample.id
    }

    pub(in crate::command) fn sink(&self) -> Arc<dyn EventSink> {
        Arc::clone(&self.sink) as Arc<dyn EventSink>
    }

    /// Records the outcome of the question.
    pub(in crate::command) fn end(&self, outcome: &AttemptOutcome) {
        *self.is_over.lock() = true;
        self.record(outcome);
    }

    fn record(&self, outcome: &AttemptOutcome) {
        let identity = &self.recorder.identity;
        let record = AttemptRecord {
            // Questions have no scorer, so a limit or a refusal does not score 0.
            score: None,
            score_explanation: None,
            ..of_attempt(identity, &self.sample, 1, outcome, None, self.began_at)
        };
        let finished = RunEvent::AttemptFinished(Arc::new(record));
        self.recorder.send(finished);
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if *self.is_over.lock() {
            return;
        }
        let error = "the client disconnected or the server was stopped".to_owned();
        let mut stats = self.sink.stats.lock().clone();
        stats.total = self.began.elapsed();
        let outcome = AttemptOutcome::without_answer(Status::Cancelled, error.clone(), stats);
        let end = EventKind::AttemptEnd {
            status: Status::Cancelled,
            answer: None,
            error: Some(error),
        };
        self.recorder.send(RunEvent::Engine(Event {
            run_id: self.recorder.run_id().to_owned(),
            at_ms: Some(harness::model::ms(outcome.stats.total)),
            ..Event::of_root(&self.sample.id, 1, end)
        }));
        self.record(&outcome);
    }
}

impl EventSink for Sink {
    fn emit(&self, event: Event) {
        self.count(&event);
        if let Some(spent) = spent(&event.kind) {
            (self.progress)(spent);
        }
        if let Some(line) = steps::step(&event) {
            (self.progress)(Progress::Step(line));
        }
        self.recorder.send(RunEvent::Engine(event));
    }
}

impl Sink {
    fn count(&self, event: &Event) {
        let mut stats = self.stats.lock();
        match &event.kind {
            EventKind::InvocationStart { .. } => {
                stats.agents += 1;
                stats.depth_reached = stats.depth_reached.max(event.depth);
            }
            EventKind::IterationStart { iteration } if event.depth == 0 => {
                stats.iterations = *iteration;
            }
            EventKind::LlmRequest { .. } => stats.llm_calls += 1,
            EventKind::LlmRetry { .. } => stats.retries += 1,
            EventKind::LlmCached => stats.cached_calls += 1,
            EventKind::DelegationSpawn { .. } => stats.delegations += 1,
            EventKind::IterationEnd { error: Some(_), .. } => stats.failed_cells += 1,
            kind => {
                if let Some(Progress::Spent { usage, cost_usd }) = spent(kind) {
                    stats.add_usage(usage, cost_usd);
                }
            }
        }
    }
}

/// Returns the fingerprint, which covers everything that can change an answer.
fn fingerprint(benchmark: &str, settings: &EngineSettings, engine: &Engine) -> Fingerprint {
    let templates: BTreeMap<_, _> = template_digests().into_iter().collect();
    let others = json!({ "benchmark": benchmark, "prompt_templates": templates });
    let parts = recorded_fields(&settings.treatment).into_iter();
    let parts = parts
        .chain(recorded_fields(&settings.effective))
        .chain(recorded_fields(&others))
        .chain(models::parts(settings, benchmark, engine.models()));
    Fingerprint::of_treatment(parts.collect(), program::this())
}

/// Returns the usage and cost that an event reports; `None` for other events.
fn spent(event: &EventKind) -> Option<Progress> {
    match event {
        EventKind::LlmResponse {
            usage, cost_usd, ..
        } => Some(Progress::Spent {
            usage: *usage,
            cost_usd: *cost_usd,
        }),
        EventKind::LlmBilled { usage, cost_usd } => Some(Progress::Spent {
            usage: Some(*usage),
            cost_usd: *cost_usd,
        }),
        _ => None,
    }
}
