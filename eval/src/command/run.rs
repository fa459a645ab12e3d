//! `rlm-eval run`: runs an agent over a benchmark, scores it, and writes a run directory.
//!
//! Starting and resuming share one path: both prepare the run, open its folder, and make the
//! remaining attempts. A sweep uses the same path for each of its cells.

pub(super) mod dry_run;
pub(super) mod expense;
mod context;
mod prepared;
mod origin;
mod attempts;
mod queued;

pub(super) mod config;
pub(super) mod engine;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use harness::SharedBudget;
use jiff::Timestamp;
use records::run_dir::{Lock, NewRun, Reopened, RunDir, longest_responses, merge_history};
use tokio::runtime::Runtime;

use super::runtime::{StopSignal, runtime};
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::invocation::quoted;
use crate::process::{program, terminal};
use crate::run::resume::{Remaining, afresh};
use crate::runner::RunError;
use crate::settings::{
    EstimateArgs, ModelSettings, ResumeArgs, ResumeSettings, RunArgs, RunSettings, SettingsError,
};

use attempts::run_attempts;

pub(super) use attempts::gate;
pub(super) use context::{AttemptStart, CellStart, RunContext, attempt_start};
pub(super) use origin::Origin;
pub(super) use prepared::Prepared;

/// Starts a run.
///
/// # Errors
/// [`Error`] for invalid settings and infrastructure failures. A low score is not an error.
pub fn execute(args: &RunArgs) -> Result<Outcome, Error> {
    let settings = RunSettings::resolve(args)?.announce();
    if settings.start.estimate.dry_run {
        if let Some(samples) = settings.start.estimate.pilot {
            let stopped = pilot(args, samples, None)?;
            if stopped != Outcome::Complete {
                return Ok(stopped);
            }
        }
        return dry_run::execute(settings);
    }
    start(&settings, None, &RunContext::Standalone, None)
}

/// Runs each of the first samples once, to estimate the expense of the rest. `budget` is the budget
/// of the sweep, if it has one.
///
/// # Errors
/// Like [`execute`].
pub(super) fn pilot(
    args: &RunArgs,
    samples: usize,
    budget: Option<SharedBudget>,
) -> Result<Outcome, Error> {
    let mut args = args.clone();
    args.start.estimate = EstimateArgs::default();
    args.start.name = None;
    args.attempts = 1;
    // The expense is estimated whatever the score is.
    args.conduct.min_score = None;
    if args.partition.is_some() {
        // `--max-samples` would limit all shards together.
        let Some(prepared) = Prepared::new(&RunSettings::resolve(&args)?.settings)? else {
            return Ok(Outcome::NothingMatched);
        };
        let order = prepared.order();
        args.select_only(&order[..samples.min(order.len())]);
    } else {
        args.max_samples = Some(args.max_samples.map_or(samples, |most| most.min(samples)));
    }
    let settings = RunSettings::resolve(&args)?.settings;
    start(&settings, None, &RunContext::Pilot(budget), None)
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
    dry_run::least(settings, &prepared).map(Some)
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
    prepared.remaining(&reopened, settings.policy, settings.begun.as_ref())?;
    Ok(())
}

/// Starts a run in a new folder. `at` is the folder and the run's id; without it, the folder is
/// created below `--log-dir`. If `origin` is given, the run is a fork that continues its attempt.
///
/// # Errors
/// Like [`execute`].
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
    let (runtime, prepared) = opened(prepared, settings, run_context)?;
    let budget = settings.engine.conduct.budget;
    if matches!(run_context, RunContext::Standalone)
        && expense::limits_expense(budget)
        && let Some(warning) = dry_run::least(settings, &prepared)?.shortfall(budget, "")
    {
        terminal::warning(&warning);
    }
    let new_run = match at {
        Some((path, id)) => NewRun::create_at(path)?.with_id(id),
        None => match &settings.start.name {
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
    let config = prepared.config(settings, &identity);
    let lock = Lock::new(prepared.fingerprint.clone(), identity.clone());
    let writer = new_run.begin(&config, lock, prepared.order())?;
    if let Some(origin) = origin {
        origin.write(&writer, &identity)?;
    }
    let mut remaining = Remaining {
        jobs: prepared.jobs(),
        again: BTreeSet::new(),
        earlier: Vec::new(),
    };
    run_context.restrict(&mut remaining, &prepared);
    run_attempts(
        settings,
        prepared,
        identity,
        remaining,
        writer,
        runtime,
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

/// Starts the runtime and the browser, or checks that the queue's server can be reached, before the
/// run gets a folder. Binds the engine to the budget of the sweep, if any.
fn opened(
    mut prepared: Prepared,
    settings: &RunSettings,
    run_context: &RunContext,
) -> Result<((Runtime, StopSignal), Prepared), Error> {
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    match (&settings.queue, run_context.budget()) {
        (None, budget) => {
            prepared = runtime.block_on(prepared.with_browser(settings))?;
            if let Some(budget) = budget {
                prepared.engine = prepared.engine.within(budget);
            }
        }
        (Some(_), Some(_)) => {
            return Err(SettingsError::with_hint(
                "--queue uses several processes, but the budget of a sweep works only within one process".to_owned(),
                "give each cell its own budget, or omit --queue".to_owned(),
            )
            .into());
        }
        (Some(queue), None) => {
            runtime.block_on(queue::connect(&queue.access, "rlm-eval run"))?;
        }
    }
    Ok(((runtime, stop), prepared))
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
    let longest = longest_responses(dir)?;
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
        policy,
        run: mut settings,
        begun,
    } = ResumeSettings::resolve(args)?.announce();
    restore_length_forecast(&mut settings, &dir)?;
    let Some(prepared) = Prepared::new(&settings)? else {
        return Ok(Outcome::NothingMatched);
    };
    let (runtime, prepared) = opened(prepared, &settings, run_context)?;
    let reopened = Reopened::open(&dir)?;
    let mut remaining = prepared.remaining(&reopened, policy, begun.as_ref())?;
    run_context.restrict(&mut remaining, &prepared);
    let spent = reopened.spent()?;
    let (usage, calls) = (Some(spent.usage), spent.llm_calls);
    let charged = harness::Spent::new(usage, spent.cost_usd, calls);
    prepared.engine.charge(charged);
    if let Some(truncated_record) = &reopened.truncated_record {
        terminal::note(&format!(
            "line {} of samples.jsonl is truncated; its attempt will be rerun",
            truncated_record.line
        ));
    }
    let identity = reopened.lock.run.clone();
    let mut config = prepared.config(&settings, &identity);
    for changed in merge_history(&mut config, &reopened.config) {
        // A changed server address was already reported when the settings were resolved.
        if changed.name != "address" {
            terminal::note(&format!(
                "{} from now on; config.json keeps both",
                report::differences::changed(&changed, "before")
            ));
        }
    }
    let is_queued = settings.queue.is_some();
    let afresh = afresh(&reopened, &remaining, is_queued, |sample| {
        prepared.id(sample)
    })?;
    let order = prepared.order();
    let resumed = reopened.resume(&config, order, &remaining.again, &afresh, program::this())?;
    for problem in &resumed.damaged_journals {
        terminal::warning(&format!(
            "{problem}; the recorded responses are lost, and the attempt starts over"
        ));
    }
    run_attempts(
        &settings,
        prepared,
        identity,
        remaining,
        resumed.writer,
        runtime,
        run_context,
    )
}
