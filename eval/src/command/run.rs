//! `eval run`: an agent over a benchmark, scored, with a run directory left behind.

mod config;
mod stop_signal;

use std::sync::Arc;

use benchmarks::Dataset;
use harness::{Engine, EngineConfig};
use jiff::Timestamp;

use super::stdout;
use crate::cli::RunArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::record::RunIdentity;
use crate::reporter;
use crate::run_dir::NewRun;
use crate::run_event::RunPlan;
use crate::runner::{self, Ended, Run};
use crate::selection::select;
use crate::settings::{Display, EngineSettings, RunSettings};
use crate::summary::{Summary, table};
use crate::{models, terminal};

pub(super) use stop_signal::StopSignal;

/// Runs it.
///
/// # Errors
/// [`Error`] for settings that are wrong and for infrastructure that fails. A low score is none.
pub fn execute(args: &RunArgs) -> Result<Outcome, Error> {
    let settings = RunSettings::resolve(args)?.announce();
    let dataset: Arc<dyn Dataset> = Arc::from(benchmarks::open(
        &settings.benchmark,
        &settings.benchmark_options,
    )?);
    let engine = engine(&settings.engine, Some(&settings.benchmark))?;
    let recording = engine.main_model().provider.recording();
    if let Some(recording) = &recording
        && recording.root_turns > settings.engine.max_iterations
    {
        terminal::warning(&format!(
            "the recording has samples of {} iterations, and --max-iterations {} ends them early",
            recording.root_turns, settings.engine.max_iterations
        ));
    }
    let recorded = recording
        .as_ref()
        .map(|recording| recording.samples.as_slice());
    let selected = select(dataset.as_ref(), &settings.selection, recorded)?;
    for note in &selected.notes {
        terminal::note(note);
    }
    if selected.indices.is_empty() {
        terminal::note("no sample matches: nothing was run");
        return Ok(Outcome::NothingMatched);
    }

    let scorer = dataset.scorer();
    let fingerprint = config::fingerprint(&settings, dataset.as_ref(), scorer.name());
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let new_run = NewRun::create(
        &settings.log_dir,
        &settings.benchmark,
        settings.engine.prompt_mode.as_str(),
        Timestamp::now(),
    )?;
    let identity = RunIdentity {
        run_id: new_run.id().to_owned(),
        benchmark: settings.benchmark.clone(),
        model: settings.engine.model.clone(),
        protocol: settings.engine.protocol.to_string(),
        prompt_mode: Some(settings.engine.prompt_mode.to_string()),
        drivers: Some(config::driver_names(&settings.engine)),
        max_depth: settings.engine.max_depth,
        max_iterations: settings.engine.max_iterations,
        dataset_digest: dataset.digest().to_owned(),
        scorer: scorer.name().to_owned(),
        fingerprint: fingerprint.as_str().to_owned(),
    };
    let plan = RunPlan {
        run_id: identity.run_id.clone(),
        dir: new_run.path().to_owned(),
        identity: identity.clone(),
        attempts_total: selected.indices.len() as u64 * u64::from(settings.attempts),
        attempts_done: 0,
        concurrency: settings.concurrency,
    };
    let order = selected
        .indices
        .iter()
        .map(|index| dataset.ids()[*index].clone())
        .collect();
    let config = config::config(&settings, &identity, plan.attempts_total);
    let dir = plan.dir.clone();
    let label = identity.label();
    let writer = new_run.begin(&config, fingerprint, identity, order)?;
    let run = Run {
        plan,
        engine: Arc::new(engine),
        dataset,
        samples: selected.indices,
        attempts: settings.attempts,
    };
    let display = Display::detect();
    let reporter = reporter::choose(display.is_terminal, display.ci, display.no_color);
    let ended = runtime.block_on(runner::run(run, writer, reporter, stop.received()));
    // Without waiting for an attempt that does not stop.
    runtime.shutdown_background();
    let ended = ended?;
    print(&settings, &label, &ended.summary)?;
    terminal::note(&format!("run directory: {}", dir.display()));
    Ok(outcome(&settings, &ended))
}

/// The engine of these settings, with its models open.
///
/// # Errors
/// [`Error`] for a model that cannot be opened or settings that contradict each other.
pub(super) fn engine(settings: &EngineSettings, benchmark: Option<&str>) -> Result<Engine, Error> {
    let models = models::open(&settings.model, &settings.aliases, benchmark)?;
    let config = EngineConfig {
        protocol: settings.protocol,
        prompt_mode: settings.prompt_mode,
        drivers: settings.drivers.clone(),
        max_depth: settings.max_depth,
        max_iterations: settings.max_iterations,
        max_blocks_per_iteration: settings.max_blocks_per_iteration,
        confirm_first_return: settings.confirm_first_return,
        sandbox: settings.sandbox.config.clone(),
        isolation: settings.sandbox.isolation.clone(),
        attempt_time: settings.attempt_time,
    };
    Ok(Engine::new(config, models, terminal::warning)?)
}

/// The async runtime of a command.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Error::Runtime)
}

fn print(settings: &RunSettings, label: &str, summary: &Summary) -> Result<(), Error> {
    if settings.json {
        return stdout::write_json(summary);
    }
    stdout::write(&table(&[(label, summary)]))
}

fn outcome(settings: &RunSettings, ended: &Ended) -> Outcome {
    let summary = &ended.summary;
    if ended.interrupted {
        return Outcome::Interrupted;
    }
    if summary.statuses.error > 0 && summary.scored == 0 {
        return Outcome::InfrastructureFailed;
    }
    if summary.scored < summary.attempts_total {
        return Outcome::Incomplete;
    }
    match (settings.min_score, &summary.score_errors_as_zero) {
        (Some(wanted), Some(score)) if score.mean < wanted => {
            terminal::note(&format!(
                "score {:.4} is below --min-score {wanted}",
                score.mean
            ));
            Outcome::GateFailed
        }
        _ => Outcome::Complete,
    }
}
