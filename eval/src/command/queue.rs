//! `rlm-eval queue`: shows, pauses, resumes and cancels the runs in a queue.

mod settings;

use std::sync::Arc;

use queue::message::{Job, Manifest, State, WorkerHeartbeat};
use queue::name::RunKey;
use queue::{Broker, QueueError, RunQueue, change_manifest, manifest, manifests, now_ms};
use serde_json::json;

use super::runtime::runtime;
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal;
use crate::settings::SettingsError;
use settings::{QueueAction, QueueTarget, QueueTargetArgs};

pub(crate) use settings::QueueCommandArgs;

/// Seconds without a heartbeat after which a worker is reported as lost.
const LOST_AFTER_S: u64 = 10;

/// Executes one action on a queue.
///
/// # Errors
/// [`Error::Queue`] if the server cannot be reached or does not know the run.
pub(super) fn execute(args: &QueueCommandArgs) -> Result<Outcome, Error> {
    let (QueueAction::Status(given)
    | QueueAction::Pause(given)
    | QueueAction::Resume(given)
    | QueueAction::Cancel(given)) = &args.action;
    let target = QueueTarget::resolve(given)?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let broker = queue::connect(&target.access, "rlm-eval queue").await?;
        match &args.action {
            QueueAction::Status(_) => status(&broker, &target, given.json).await,
            action => apply_action(&broker, action, given, &target).await,
        }
    })
}

async fn apply_action(
    broker: &Arc<dyn Broker>,
    action: &QueueAction,
    given: &QueueTargetArgs,
    target: &QueueTarget,
) -> Result<Outcome, Error> {
    let Some(run) = &target.run else {
        return Err(SettingsError::with_hint(
            "missing run: expected its id or folder".to_owned(),
            "`rlm-eval queue status` lists the runs of a queue".to_owned(),
        )
        .into());
    };
    manifest_of(broker.as_ref(), run).await?;
    let queue = RunQueue::new(Arc::clone(broker), run.clone());
    let report = match (&given.sample, &given.worker) {
        (Some(sample), _) => apply_to_sample(&queue, action, sample).await?,
        (None, Some(worker)) => apply_to_worker(&queue, action, worker).await?,
        (None, None) => apply_to_run(&queue, action).await?,
    };
    terminal::note(&report);
    Ok(Outcome::Complete)
}

/// Returns the manifest of a run, or [`QueueError::NoRun`] if the run is not in the queue.
async fn manifest_of(broker: &dyn Broker, run: &RunKey) -> Result<Manifest, QueueError> {
    let found = manifest(broker, run).await?;
    let (manifest, _) = found.ok_or_else(|| QueueError::NoRun(run.to_string()))?;
    Ok(manifest)
}

async fn apply_to_run(queue: &RunQueue, action: &QueueAction) -> Result<String, QueueError> {
    let (state, report) = match action {
        QueueAction::Pause(_) => (
            State::Paused,
            "paused: workers finish their current attempts and take no more",
        ),
        QueueAction::Cancel(_) => (
            State::Cancelled,
            "cancelled: finished attempts are kept; collect them with `rlm-eval run --resume`",
        ),
        QueueAction::Resume(_) | QueueAction::Status(_) => (State::Open, "resumed"),
    };
    change_manifest(queue.broker(), queue.key(), |manifest| {
        manifest.state = state.clone();
    })
    .await?;
    Ok(report.to_owned())
}

async fn apply_to_sample(
    queue: &RunQueue,
    action: &QueueAction,
    sample: &str,
) -> Result<String, QueueError> {
    let shown = terminal::one_line(sample).into_owned();
    let jobs = queue.jobs_of(sample).await?;
    let number = jobs.len();
    match action {
        QueueAction::Pause(_) => {
            change_manifest(queue.broker(), queue.key(), |manifest| {
                for job in &jobs {
                    if !manifest.held.contains(job) {
                        manifest.held.push(job.clone());
                    }
                }
            })
            .await?;
            queue.remove_jobs_at(sample).await?;
            Ok(format!(
                "{number} attempts at {shown} are held until they are resumed"
            ))
        }
        QueueAction::Cancel(_) => {
            change_manifest(queue.broker(), queue.key(), |manifest| {
                if !manifest.cancelled.iter().any(|one| one == sample) {
                    manifest.cancelled.push(sample.to_owned());
                }
            })
            .await?;
            queue.remove_jobs_at(sample).await?;
            Ok(format!(
                "{number} attempts at {shown} were removed from the queue"
            ))
        }
        QueueAction::Resume(_) | QueueAction::Status(_) => {
            let before = manifest(queue.broker(), queue.key()).await?;
            let held = before.map_or_else(Vec::new, |(manifest, _)| manifest.held);
            let back = held.into_iter().filter(|job| job.sample == sample);
            let back: Vec<_> = back
                .map(|job| Job {
                    resubmitted: true,
                    ..job
                })
                .collect();
            change_manifest(queue.broker(), queue.key(), |manifest| {
                manifest.held.retain(|job| job.sample != sample);
                manifest.cancelled.retain(|one| one != sample);
            })
            .await?;
            let back = queue.submit(back).await?;
            Ok(format!(
                "{back} attempts at {shown} were returned to the queue"
            ))
        }
    }
}

async fn apply_to_worker(
    queue: &RunQueue,
    action: &QueueAction,
    worker: &str,
) -> Result<String, Error> {
    let known = queue.workers().await?;
    if !known
        .iter()
        .any(|(heartbeat, _)| heartbeat.worker == worker)
    {
        let names: Vec<_> = known.iter().map(|(one, _)| one.worker.as_str()).collect();
        return Err(SettingsError::with_hint(
            format!("unknown worker `{worker}` of this run"),
            format!("known workers: {}", names.join(", ")),
        )
        .into());
    }
    change_manifest(queue.broker(), queue.key(), |manifest| {
        manifest.paused_workers.retain(|one| one != worker);
        manifest.dismissed.retain(|one| one != worker);
        match action {
            QueueAction::Pause(_) => manifest.paused_workers.push(worker.to_owned()),
            QueueAction::Cancel(_) => manifest.dismissed.push(worker.to_owned()),
            QueueAction::Resume(_) | QueueAction::Status(_) => {}
        }
    })
    .await?;
    Ok(match action {
        QueueAction::Pause(_) => {
            format!("worker {worker} finishes its current attempts of this run and takes no more")
        }
        QueueAction::Cancel(_) => {
            format!("worker {worker} returns its current attempts of this run and takes no more")
        }
        _ => format!("worker {worker} takes attempts of this run"),
    })
}

async fn status(
    broker: &Arc<dyn Broker>,
    target: &QueueTarget,
    as_json: bool,
) -> Result<Outcome, Error> {
    let all = match &target.run {
        None => manifests(broker.as_ref()).await?,
        Some(run) => vec![manifest_of(broker.as_ref(), run).await?],
    };
    let mut runs = Vec::new();
    for manifest in all {
        let queue = RunQueue::new(Arc::clone(broker), manifest.key.clone());
        let counts = queue.counts().await?;
        let workers = queue.workers().await?;
        let accounts = queue.accounts().await?;
        runs.push((manifest, counts, workers, accounts));
    }
    if as_json {
        let each = runs.iter().map(|(manifest, counts, workers, accounts)| {
            json!({
                "key": manifest.key,
                "run_id": manifest.run_id,
                "state": manifest.state,
                "attempts_total": manifest.attempts_total,
                "waiting": counts.waiting,
                "under_way": counts.under_way,
                "bytes": counts.bytes,
                "cancelled": manifest.cancelled,
                "held": manifest.held,
                "spent": accounts.as_ref().map(queue::accounts::BudgetAccounts::total),
                "workers": workers.iter().map(|(heartbeat, at_ms)| json!({
                    "worker": heartbeat,
                    "heard_ms": at_ms,
                })).collect::<Vec<_>>(),
            })
        });
        stdout::write_json(&each.collect::<Vec<_>>())?;
        return Ok(Outcome::Complete);
    }
    if runs.is_empty() {
        terminal::note("the queue is empty");
    }
    let mut text = String::new();
    for (manifest, counts, workers, _) in &runs {
        text.push_str(&run_lines(manifest, *counts));
        for (heartbeat, at_ms) in workers {
            text.push_str(&worker_line(heartbeat, *at_ms));
        }
    }
    stdout::write(&text)?;
    Ok(Outcome::Complete)
}

fn run_lines(manifest: &Manifest, counts: queue::Counts) -> String {
    let state = match &manifest.state {
        State::Open => "open".to_owned(),
        State::Paused => "paused".to_owned(),
        State::Halted { reason } => format!("halted: {}", terminal::one_line(reason)),
        State::Cancelled => "cancelled".to_owned(),
        State::Complete => "complete".to_owned(),
    };
    format!(
        "{}  {state}\n  {} attempts in total, {} waiting, {} under way, {:.1} MB of results in the \
         queue\n",
        terminal::one_line(&manifest.run_id),
        manifest.attempts_total,
        counts.waiting,
        counts.under_way,
        counts.bytes as f64 / 1e6
    )
}

fn worker_line(heartbeat: &WorkerHeartbeat, at_ms: u64) -> String {
    let silent = now_ms().saturating_sub(at_ms) / 1000;
    let state = match (&heartbeat.unfit, heartbeat.leaving) {
        (Some(why), _) => format!("cannot work on the run: {}", terminal::one_line(why)),
        (None, true) => "left".to_owned(),
        (None, false) if silent > LOST_AFTER_S => format!("lost: no heartbeat for {silent} s"),
        (None, false) => format!(
            "{} of {} under way",
            heartbeat.under_way.len(),
            heartbeat.concurrency
        ),
    };
    format!(
        "  worker {}  {state}, {} finished\n",
        terminal::one_line(&heartbeat.worker),
        heartbeat.finished
    )
}
