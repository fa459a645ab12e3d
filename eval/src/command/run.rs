//! `rlm-eval run`: runs an agent over a benchmark, scores it, and writes a run directory.
//!
//! Starting and resuming share one path: both prepare the run, open its folder, and make the
//! remaining attempts. A sweep uses the same path for each of its cells.

pub(super) mod dry_run;
pub(super) mod expense;
mod prepared;
mod queued;
mod resume;

mod config;
mod stop_signal;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use harness::{Engine, HaltReason, Model, SharedBudget};
use jiff::Timestamp;
use records::{AttemptRecord, RunIdentity};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;

use super::fork::Origin;
use super::{raised_budget, stdout};
use crate::error::Error;
use crate::exit::Outcome;
use crate::invocation::quoted;
use crate::journal::{ReplayedRunJournal, RunJournal};
use crate::machine_memory;
use crate::open_files;
use crate::program;
use crate::reporter;
use crate::run_event::{Reporter, RunPlan};
use crate::run_store::RunStore;
use crate::runner::{self, Run, RunError, RunOutcome, StopReason};
use crate::settings::{
    Display, EngineSettings, JudgeSettings, ModelSettings, QueueSettings, ResumeArgs,
    ResumeSettings, RunArgs, RunSettings, SettingsError,
};
use crate::{models, terminal};
use records::run_dir::{Journal, Lock, NewRun, Reopened, RunDir, RunWriter, merge_history};
use report::summary::{Summary, table};

use queued::{NotifyStored, Queued, Submission};
use resume::{Remaining, remaining};

pub(super) use prepared::Prepared;
pub use resume::ResumeError;
pub(super) use stop_signal::StopSignal;

/// Starts a run.
///
/// # Errors
/// [`Error`] for invalid settings and infrastructure failures. A low score is not an error.
pub fn execute(args: &RunArgs) -> Result<Outcome, Error> {
    let settings = RunSettings::resolve(args)?.announce();
    if settings.dry_run {
        if let Some(samples) = args.start.pilot {
            let stopped = pilot(args, samples)?;
            if stopped != Outcome::Complete {
                return Ok(stopped);
            }
        }
        return dry_run::execute(settings);
    }
    begin(&settings, None, &RunContext::Standalone)
}

/// Runs each of the first samples once, to estimate the expense of the rest.
///
/// # Errors
/// Like [`execute`].
pub(super) fn pilot(args: &RunArgs, samples: usize) -> Result<Outcome, Error> {
    let mut args = args.clone();
    args.start.dry_run = false;
    args.start.pilot = None;
    args.start.name = None;
    args.attempts = 1;
    args.max_samples = Some(args.max_samples.map_or(samples, |most| most.min(samples)));
    let settings = RunSettings::resolve(&args)?.settings;
    begin(
        &settings,
        None,
        &RunContext::SweepCell(CellStart::default()),
    )
}

/// Whether a run stands alone or is a cell of a sweep.
#[derive(Debug, Clone)]
pub(super) enum RunContext {
    /// Prints the summary.
    Standalone,
    /// Prints no summary: the run is a cell of a sweep, or a pilot.
    SweepCell(CellStart),
}

/// Settings with which a sweep starts a cell.
#[derive(Debug, Clone, Default)]
pub(super) struct CellStart {
    /// Budget of the sweep, if it has one.
    pub budget: Option<SharedBudget>,
    /// Maximum number of samples that this start runs, in the run's order; `None` for all.
    pub samples: Option<usize>,
}

impl RunContext {
    /// Returns the run with its engine bound to the budget of the sweep, if any.
    fn bound(&self, mut prepared: Prepared) -> Prepared {
        if let Some(budget) = self.budget() {
            prepared.engine = prepared.engine.within(budget);
        }
        prepared
    }

    const fn budget(&self) -> Option<&SharedBudget> {
        match self {
            Self::Standalone => None,
            Self::SweepCell(start) => start.budget.as_ref(),
        }
    }

    /// Whether this start runs only a part of the samples.
    const fn is_partial(&self) -> bool {
        matches!(
            self,
            Self::SweepCell(CellStart {
                samples: Some(_),
                ..
            })
        )
    }

    /// Keeps only attempts at the samples that this invocation runs.
    fn keep_part(&self, mut jobs: Vec<(usize, u32)>, prepared: &Prepared) -> Vec<(usize, u32)> {
        if let Self::SweepCell(CellStart {
            samples: Some(most),
            ..
        }) = self
        {
            let samples = prepared.samples();
            let first: BTreeSet<usize> = samples.iter().take(*most).copied().collect();
            jobs.retain(|(sample, _)| first.contains(sample));
        }
        jobs
    }

    /// Returns advice with the command that resumes the run in `dir`, with the flags `more` and the
    /// repeated flags `again`, each preceded by a space. A cell is resumed through its sweep,
    /// because only the sweep enforces the joint budget. Returns `None` if a budget of the cell or
    /// of the sweep must be raised first; the sweep reports that at its end.
    fn resume_advice(
        &self,
        dir: &Path,
        again: &str,
        more: &str,
        over_budget: bool,
    ) -> Option<String> {
        let Self::SweepCell(start) = self else {
            return Some(format!(
                "continue with `rlm-eval run --resume {}{more}{again}`",
                quoted(&dir.display().to_string()),
            ));
        };
        let again = match again {
            "" => String::new(),
            again => format!(" --{again}"),
        };
        let sweep = dir.parent().unwrap_or(dir).display().to_string();
        let budget = start.budget.as_ref();
        if over_budget || budget.and_then(SharedBudget::exhausted).is_some() {
            return None;
        }
        Some(format!(
            "continue with `rlm-eval sweep --resume {}{more}{again}`",
            quoted(&sweep)
        ))
    }
}

/// Opens benchmark and models and returns the number of samples that match. Writes nothing.
///
/// # Errors
/// [`Error`] for settings that the benchmark, the model or the engine cannot use.
pub(super) fn matching(settings: &RunSettings) -> Result<usize, Error> {
    let prepared = Prepared::new(settings)?;
    Ok(prepared.map_or(0, |prepared| prepared.samples().len()))
}

/// Returns the minimum expense of a run, or `None` if no sample matches.
///
/// # Errors
/// Like [`matching`], and for a sample that cannot be generated or read.
pub(super) fn least(settings: &RunSettings) -> Result<Option<expense::Sum>, Error> {
    let Some(prepared) = Prepared::new(settings)? else {
        return Ok(None);
    };
    dry_run::estimated_least(settings, &prepared).map(Some)
}

/// Returns the ids of the selected samples, grouped by cluster, in dataset order. `None` if no
/// sample matches.
///
/// # Errors
/// Like [`matching`], and for a sample that cannot be generated or read.
pub(super) fn clusters(settings: &RunSettings) -> Result<Option<Vec<Vec<String>>>, Error> {
    let Some(prepared) = Prepared::new(settings)? else {
        return Ok(None);
    };
    let mut clusters: Vec<Vec<String>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for index in prepared.samples() {
        let sample = prepared.dataset.sample(*index).map_err(RunError::from)?;
        match sample.cluster {
            Some(cluster) => {
                let place = *places.entry(cluster).or_insert(clusters.len());
                if place == clusters.len() {
                    clusters.push(Vec::new());
                }
                clusters[place].push(sample.id);
            }
            None => clusters.push(vec![sample.id]),
        }
    }
    Ok(Some(clusters))
}

/// Performs the checks of [`resume`] without changing anything.
///
/// # Errors
/// Like [`resume`].
pub(super) fn check_resume(args: &ResumeArgs) -> Result<(), Error> {
    let settings = ResumeSettings::resolve(args)?.settings;
    let Some(prepared) = Prepared::new(&settings.run)? else {
        return Ok(());
    };
    let reopened = Reopened::open(&settings.dir)?;
    remaining(
        &reopened,
        &prepared,
        settings.retry_errors,
        settings.allow_program_change,
    )?;
    Ok(())
}

/// Starts a run in a new folder. `at` is the folder and the run's id; without it, the folder is
/// created below `--log-dir`.
///
/// # Errors
/// Like [`execute`].
pub(super) fn begin(
    settings: &RunSettings,
    at: Option<(&Path, String)>,
    run_context: &RunContext,
) -> Result<Outcome, Error> {
    start(settings, at, run_context, None)
}

/// Starts a run like [`begin`]. If `origin` is given, the run is a fork that continues its attempt.
///
/// # Errors
/// Like [`begin`].
pub(super) fn start(
    settings: &RunSettings,
    at: Option<(&Path, String)>,
    run_context: &RunContext,
    origin: Option<&Origin>,
) -> Result<Outcome, Error> {
    let Some(prepared) = Prepared::new(settings)? else {
        return Ok(Outcome::NothingMatched);
    };
    if let Some(origin) = origin {
        origin.check_dataset(prepared.dataset.digest())?;
    }
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let prepared = runtime.block_on(opened(prepared, settings, run_context))?;
    let prepared = run_context.bound(prepared);
    if matches!(run_context, RunContext::Standalone) {
        let least = dry_run::least(settings, &prepared)?;
        let caps = expense::Caps::from(settings.engine.conduct.budget);
        if let Some(warning) = least.shortfall(caps, "") {
            terminal::warning(&warning);
        }
    }
    let new_run = match at {
        Some((path, id)) => NewRun::create_at(path)?.with_id(id),
        None => match &settings.name {
            Some(name) => {
                let path = settings.log_dir.join(name);
                if path.exists() {
                    return Err(duplicate_name(&path).into());
                }
                NewRun::create_at(&path)?
            }
            None => NewRun::create(
                &settings.log_dir,
                prepared.dataset.name(),
                &Prepared::root_label(settings),
                Timestamp::now(),
            )?,
        },
    };
    let identity = prepared.identity(settings, new_run.id());
    let jobs = prepared.jobs();
    let plan = RunPlan {
        run_id: identity.run_id.clone(),
        dir: new_run.path().to_owned(),
        identity: identity.clone(),
        attempts_total: jobs.len() as u64,
        attempts_done: 0,
        scores_done: Vec::new(),
        concurrency: settings.concurrency,
        budget: settings.engine.conduct.budget,
    };
    let whole = prepared.attempts_of_all_shards();
    let order = prepared.order();
    let config = config::config(settings, &identity, plan.attempts_total, whole, &order);
    let lock = Lock::new(prepared.fingerprint.clone(), identity.clone());
    let writer = new_run.begin(&config, lock, order)?;
    if let Some(origin) = origin {
        origin.write(&writer, &identity)?;
    }
    let remaining = Remaining {
        jobs: run_context.keep_part(jobs, &prepared),
        again: BTreeSet::new(),
        earlier: Vec::new(),
    };
    run_attempts(
        settings,
        prepared,
        plan,
        remaining,
        writer,
        (runtime, stop),
        run_context,
    )
}

/// Returns the error for a run name that is already in use.
fn duplicate_name(path: &Path) -> SettingsError {
    let shown = path.display().to_string();
    let problem = format!("--name: {shown} already exists");
    let hint = if RunDir::is_begun(path) {
        format!("resume it with `rlm-eval run --resume {}`", quoted(&shown))
    } else {
        "choose another name, or resume the run with --resume".to_owned()
    };
    SettingsError::with_hint(problem, hint)
}

/// Starts the browser, or checks that the queue's server can be reached, before the run gets a
/// folder.
async fn opened(
    prepared: Prepared,
    settings: &RunSettings,
    run_context: &RunContext,
) -> Result<Prepared, Error> {
    let Some(queue) = &settings.queue else {
        return prepared.with_browser(settings).await;
    };
    if run_context.budget().is_some() {
        return Err(SettingsError::with_hint(
            "--queue uses several processes, but the budget of a sweep works only within one process".to_owned(),
            "give each cell its own budget, or omit --queue".to_owned(),
        )
        .into());
    }
    queue::connect(&queue.access, "rlm-eval run").await?;
    Ok(prepared)
}

/// Initializes the servers' forecast of response lengths from the run's earlier responses. Reads
/// nothing if no model is called over HTTP.
fn restore_length_forecast(settings: &mut RunSettings, dir: &Path) -> Result<(), Error> {
    let agents = &mut settings.engine.models;
    let judge = settings
        .grader
        .judge
        .as_mut()
        .map(|judge| &mut judge.models);
    let asks_servers = |models: &ModelSettings| !models.servers.is_empty();
    if !asks_servers(agents) && !judge.as_deref().is_some_and(asks_servers) {
        return Ok(());
    }
    let longest = Reopened::longest_responses(dir)?;
    agents.longest_response = longest.agents;
    if let Some(judge) = judge {
        judge.longest_response = longest.judge;
    }
    Ok(())
}

/// Resumes a run.
///
/// # Errors
/// Like [`execute`], and [`Error::Resume`] if the existing run is a different experiment.
pub(super) fn resume(args: &ResumeArgs, run_context: &RunContext) -> Result<Outcome, Error> {
    let ResumeSettings {
        dir,
        retry_errors,
        allow_program_change,
        run: mut settings,
    } = ResumeSettings::resolve(args)?.announce();
    restore_length_forecast(&mut settings, &dir)?;
    let Some(prepared) = Prepared::new(&settings)? else {
        return Ok(Outcome::NothingMatched);
    };
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let prepared = runtime.block_on(opened(prepared, &settings, run_context))?;
    let prepared = run_context.bound(prepared);
    let reopened = Reopened::open(&dir)?;
    let mut remaining = remaining(&reopened, &prepared, retry_errors, allow_program_change)?;
    remaining.jobs = run_context.keep_part(remaining.jobs, &prepared);
    let spent = reopened.spent()?;
    prepared.engine.charge(harness::Spent {
        cost_usd: spent.cost_usd.unwrap_or(0.0),
        tokens: spent.usage.total(),
        calls: spent.llm_calls,
    });
    if let Some(truncated_record) = reopened.truncated_record() {
        terminal::note(&format!(
            "line {} of samples.jsonl is truncated; its attempt will be rerun",
            truncated_record.line
        ));
    }
    let identity = reopened.lock().run.clone();
    let plan = RunPlan {
        run_id: identity.run_id.clone(),
        dir,
        attempts_total: prepared.jobs().len() as u64,
        attempts_done: (remaining.earlier.len() - remaining.again.len()) as u64,
        scores_done: remaining
            .earlier
            .iter()
            .filter_map(|record| Some((record.id.clone(), record.score?)))
            .collect(),
        concurrency: settings.concurrency,
        budget: settings.engine.conduct.budget,
        identity,
    };
    let whole = prepared.attempts_of_all_shards();
    let order = prepared.order();
    let mut config = config::config(
        &settings,
        &plan.identity,
        plan.attempts_total,
        whole,
        &order,
    );
    for changed in merge_history(&mut config, reopened.config()) {
        // A changed server address was already reported when the settings were resolved.
        if changed.name != "address" {
            terminal::note(&format!(
                "{} from now on; config.json keeps both",
                report::differences::changed(&changed, "before")
            ));
        }
    }
    let afresh = resume::afresh(&reopened, &remaining, settings.queue.is_some());
    let writer = reopened.resume(&config, order, &remaining.again, &afresh, program::this())?;
    run_attempts(
        &settings,
        prepared,
        plan,
        remaining,
        writer,
        (runtime, stop),
        run_context,
    )
}

/// Makes the remaining attempts. Prints the result and, for an incomplete run, how to resume it.
fn run_attempts(
    settings: &RunSettings,
    prepared: Prepared,
    plan: RunPlan,
    remaining: Remaining,
    writer: RunWriter,
    (runtime, stop): (Runtime, StopSignal),
    run_context: &RunContext,
) -> Result<Outcome, Error> {
    if let Some(remark) = open_files::fd_limit_warning(settings.concurrency, "--concurrency") {
        terminal::warning(&remark);
    }
    if let Some(remark) = machine_memory::memory_warning(settings.concurrency) {
        terminal::warning(&remark);
    }
    let dir = plan.dir.clone();
    if let Some(recorder) = &settings.engine.models.request_recorder {
        recorder.begin(&dir);
    }
    let again = settings.flags_to_repeat();
    let again: String = again.iter().map(|flag| format!(" {flag}")).collect();
    let mut spent = prepared.engine.spent();
    let identity = plan.identity.clone();
    let errors_allowed = settings
        .fail_on_error
        .map(|gate| gate.allowed(plan.attempts_total));
    let reporter = reporter::on_stderr(Display::detect().style(settings.verbose));
    let web = prepared.web.clone();
    let ended = match &settings.queue {
        None => {
            let journal = RunJournal::new(
                writer.journal(),
                settings.fsync_interval,
                terminal::note,
                terminal::warning,
            );
            let journal = Arc::new(journal);
            let mut engine = prepared.engine.with_journal(journal);
            if let Some(recording) = settings.engine.model.played_back() {
                engine = engine.playing_back(Arc::new(ReplayedRunJournal {
                    journal: Journal::of(recording),
                    warn: terminal::warning,
                }));
            }
            let run = Run {
                errors_allowed,
                plan,
                engine: Arc::new(engine),
                dataset: prepared.dataset,
                grader: prepared.grader,
                further: prepared.further,
                jobs: remaining.jobs,
                earlier: remaining.earlier,
            };
            let store = RunStore::new(writer);
            let engine = Arc::clone(&run.engine);
            let ended = runtime.block_on(runner::run(run, store, reporter, stop.received()));
            spent = engine.spent();
            ended
        }
        Some(queue) => {
            let submission = Submission {
                settings,
                spent: prepared.engine.spent(),
                prepared: &prepared,
                plan: &plan,
                jobs: &remaining.jobs,
                again: &remaining.again,
                earlier: &remaining.earlier,
                errors_allowed,
            };
            let queued = queued(submission, queue, writer, reporter, stop);
            match runtime.block_on(queued) {
                Ok(Some(ended)) => ended,
                Ok(None) => {
                    runtime.shutdown_background();
                    let how = run_context
                        .resume_advice(&dir, &again, "", false)
                        .unwrap_or_default();
                    terminal::note(&format!("run directory: {}", dir.display()));
                    terminal::note(&with_advice("workers make the attempts of this run", &how));
                    return Ok(Outcome::Complete);
                }
                Err(error) => {
                    runtime.shutdown_background();
                    let how = run_context
                        .resume_advice(&dir, &again, "", false)
                        .unwrap_or_default();
                    terminal::note(&with_advice("finished attempts are kept", &how));
                    return Err(error);
                }
            }
        }
    };
    // Do not wait for attempts that do not stop.
    runtime.shutdown_background();
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => {
            let how = run_context
                .resume_advice(&dir, &again, "", false)
                .unwrap_or_default();
            terminal::note(&with_advice("finished attempts are kept", &how));
            return Err(error.into());
        }
    };
    if matches!(run_context, RunContext::Standalone) {
        print(settings, &identity, &dir, &ended.summary)?;
    }
    if !run_context.is_partial() {
        terminal::note(&format!("run directory: {}", dir.display()));
    }
    if let Some(sum) = web.and_then(|web| web.refused()) {
        terminal::note(&format!("{sum}; allow an origin with `allow` in a row"));
    }
    let summary = &ended.summary;
    // The sweep itself reports that its budget is used up.
    let is_of_sweep = run_context
        .budget()
        .and_then(SharedBudget::exhausted)
        .is_some();
    match &ended.ending {
        StopReason::TooManyErrors { errors } => terminal::note(&format!(
            "stopped by --fail-on-error after {errors} attempts ended in an error"
        )),
        StopReason::Halted(HaltReason::OverBudget(message)) => {
            if !is_of_sweep {
                terminal::note(&format!("the run was stopped: {message}"));
            }
        }
        StopReason::Halted(HaltReason::Failing(_)) | StopReason::Done | StopReason::Interrupted => {
        }
    }
    if summary.cut_prompts > 0 {
        terminal::warning(&format!(
            "the server counted far fewer tokens than the prompts contain (attempts: {}), so it \
             probably truncated them to its context window; raise that window (Ollama: \
             OLLAMA_CONTEXT_LENGTH), otherwise the scores do not measure the whole context",
            summary.cut_prompts
        ));
    }
    let is_alone = matches!(run_context, RunContext::Standalone);
    let over_budget = matches!(ended.ending, StopReason::Halted(HaltReason::OverBudget(_)));
    let raised = if over_budget && is_alone {
        raised_budget::raised(&settings.engine.conduct.budget, spent)
    } else {
        String::new()
    };
    let how = |lead: &str, more: &str| {
        let how = run_context.resume_advice(&dir, &again, more, over_budget);
        how.map(|how| format!("; {lead}{how}")).unwrap_or_default()
    };
    // In a partial start, the sweep makes the remaining attempts later.
    let is_partial = run_context.is_partial() && matches!(ended.ending, StopReason::Done);
    if summary.attempts < summary.attempts_total && !is_of_sweep && !is_partial {
        terminal::note(&format!(
            "{} of {} attempts have not been made yet{}",
            summary.attempts_total - summary.attempts,
            summary.attempts_total,
            how(
                if raised.is_empty() {
                    ""
                } else {
                    "with a higher budget "
                },
                &raised
            )
        ));
    }
    if summary.statuses.error > 0 {
        terminal::note(&format!(
            "attempts that ended in an error: {}{}",
            summary.statuses.error,
            how("to rerun them, ", &format!("{raised} --retry-errors"))
        ));
    }
    if let StopReason::Halted(HaltReason::Failing(message)) = ended.ending {
        return Err(Error::Halted(message));
    }
    Ok(outcome(settings, &ended))
}

/// Submits a run to a queue and follows it. Returns `None` with `--detach`, which only submits the
/// run.
async fn queued(
    submission: Submission<'_>,
    queue: &QueueSettings,
    writer: RunWriter,
    reporter: Box<dyn Reporter>,
    stop: StopSignal,
) -> Result<Option<Result<RunOutcome, RunError>>, Error> {
    let (tell, stored) = unbounded_channel();
    let earlier = submission.earlier.iter().map(AttemptRecord::without_texts);
    let earlier = earlier.collect();
    let attempts_total = submission.plan.attempts_total;
    let queued = Queued::submit(submission, queue, stored).await?;
    if queue.detach {
        return Ok(None);
    }
    let reporter = Box::new(NotifyStored {
        inner: reporter,
        stored: tell,
    });
    let run = queued.queue.clone();
    let mut is_over = false;
    let store = RunStore::new(writer);
    let ended = runner::conduct(
        attempts_total,
        earlier,
        store,
        reporter,
        async |events, failure| {
            let (made, over) = queued.follow(events, failure, stop.received()).await;
            is_over = over;
            made
        },
    )
    .await;
    // Remove the run from the queue only after everything is on disk.
    if is_over
        && ended.is_ok()
        && let Err(error) = queued::remove(&run).await
    {
        terminal::warning(&error.to_string());
    }
    Ok(Some(ended))
}

/// Appends advice to a note, if there is any.
fn with_advice(note: &str, advice: &str) -> String {
    if advice.is_empty() {
        note.to_owned()
    } else {
        format!("{note}; {advice}")
    }
}

/// Opens the models of the agents and of the judge, and creates the engine.
///
/// # Errors
/// [`Error`] for a model that cannot be opened or contradictory settings.
pub(super) fn engine(
    settings: &EngineSettings,
    benchmark: Option<&str>,
    judge: Option<&JudgeSettings>,
) -> Result<(Engine, Option<Model>), Error> {
    let (models, judge) = models::open(settings, benchmark, judge)?;
    let (treatment, conduct) = (settings.treatment.clone(), settings.conduct.clone());
    let engine = Engine::new(treatment, conduct, models, terminal::warning)?;
    Ok((engine, judge))
}

pub(super) fn runtime() -> Result<Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Error::Runtime)
}

fn print(
    settings: &RunSettings,
    identity: &RunIdentity,
    dir: &Path,
    summary: &Summary,
) -> Result<(), Error> {
    if settings.json {
        let mut summary = serde_json::json!(summary);
        summary["run"] = serde_json::json!(identity);
        summary["dir"] = dir.to_string_lossy().into();
        return stdout::write_json(&summary);
    }
    stdout::write_table(|width| table(&[(&identity.label(), summary)], width))
}

fn outcome(settings: &RunSettings, ended: &RunOutcome) -> Outcome {
    let summary = &ended.summary;
    match ended.ending {
        StopReason::Interrupted => return Outcome::Interrupted,
        StopReason::TooManyErrors { .. } => return Outcome::InfrastructureFailed,
        StopReason::Done | StopReason::Halted(_) => {}
    }
    if summary.statuses.error > 0 && summary.scored == 0 {
        return Outcome::InfrastructureFailed;
    }
    if summary.scored < summary.attempts_total {
        return Outcome::Incomplete;
    }
    gate(settings.min_score, summary)
}

/// Compares the mean score of a complete run with `--min-score`. Errors count as 0.
pub(super) fn gate(min_score: Option<f64>, summary: &Summary) -> Outcome {
    match (min_score, &summary.score_errors_as_zero) {
        (Some(wanted), Some(score)) if score.mean < wanted => {
            terminal::note(&format!(
                "score {:.4} is below the required --min-score {wanted}",
                score.mean
            ));
            Outcome::GateFailed
        }
        _ => Outcome::Complete,
    }
}
