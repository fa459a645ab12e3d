//! Makes the attempts of a run, locally or through a queue, and reports how it ended.

use std::path::Path;
use std::sync::Arc;

use harness::{HaltReason, SharedBudget, Spent};
use queue::RunQueue;
use records::run_dir::{Journal, RunWriter};
use records::{AttemptRecord, RunIdentity};
use report::summary::{Summary, table};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;

use super::context::RunContext;
use super::prepared::Prepared;
use super::queued::{self, NotifyStored, Queued, Submission};
use crate::command::runtime::StopSignal;
use crate::command::{raised_budget, stdout};
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::{machine_memory, open_files, terminal};
use crate::reporter;
use crate::run::event::{Reporter, RunPlan};
use crate::run::journal::{ReplayedRunJournal, RunJournal};
use crate::run::resume::Remaining;
use crate::runner::{self, AttemptRunner, Run, RunOutcome, StopReason};
use crate::settings::{Display, QueueSettings, RunSettings};

/// Makes the remaining attempts. Prints the result and, for an incomplete run, how to resume it.
pub(super) fn run_attempts(
    settings: &RunSettings,
    prepared: Prepared,
    identity: RunIdentity,
    remaining: Remaining,
    writer: RunWriter,
    (runtime, stop): (Runtime, StopSignal),
    run_context: &RunContext,
) -> Result<Outcome, Error> {
    if let Some(remark) =
        open_files::fd_limit_warning(settings.conduct.concurrency, "--concurrency")
    {
        terminal::warning(&remark);
    }
    if let Some(remark) = machine_memory::memory_warning(settings.conduct.concurrency) {
        terminal::warning(&remark);
    }
    let dir = writer.path().to_owned();
    let earlier = remaining.earlier.iter();
    let plan = RunPlan {
        dir: dir.clone(),
        identity,
        attempts_total: prepared.jobs().len() as u64,
        attempts_done: (remaining.earlier.len() - remaining.again.len()) as u64,
        scores_done: earlier
            .filter_map(|record| Some((record.id.clone(), record.score?)))
            .collect(),
        concurrency: settings.conduct.concurrency,
        budget: settings.engine.conduct.budget,
    };
    if let Some(recorder) = &settings.engine.models.request_recorder {
        recorder.begin(&dir);
    }
    let again = settings.flags_to_repeat();
    let again: String = again.iter().map(|flag| format!(" {flag}")).collect();
    let note_with_advice = |note: &str| {
        let advice = run_context.resume_advice(&dir, &again, "", false);
        let advice = advice.map(|advice| format!("; {advice}"));
        terminal::note(&format!("{note}{}", advice.unwrap_or_default()));
    };
    let mut spent = prepared.engine.spent();
    let identity = plan.identity.clone();
    let errors_allowed = settings
        .conduct
        .fail_on_error
        .map(|gate| gate.allowed(plan.attempts_total));
    let reporter = reporter::on_stderr(Display::detect().style(settings.start.verbose));
    let web = prepared.web.clone();
    let ended = match &settings.queue {
        None => {
            let journal = RunJournal::new(writer.journal(), settings.fsync_interval);
            let mut engine = prepared.engine.with_journal(Arc::new(journal));
            if let Some(recording) = settings.engine.references.main().played_back() {
                let journal = ReplayedRunJournal(Journal::of(recording));
                engine = engine.playing_back(Arc::new(journal));
            }
            let run = Run {
                errors_allowed,
                plan,
                runner: AttemptRunner {
                    identity: Arc::new(identity.clone()),
                    engine: Arc::new(engine),
                    dataset: prepared.dataset,
                    grader: prepared.grader,
                    further: prepared.further,
                },
                jobs: remaining.jobs,
                earlier: remaining.earlier,
            };
            let engine = Arc::clone(&run.runner.engine);
            let ended = runtime.block_on(runner::run(run, writer, reporter, stop.received()));
            spent = engine.spent();
            ended.map(Some).map_err(Error::from)
        }
        Some(queue) => {
            let submission = Submission {
                settings,
                prepared: &prepared,
                plan: &plan,
                remaining: &remaining,
                errors_allowed,
            };
            let queued = queued(submission, queue, writer, reporter, stop, &mut spent);
            runtime.block_on(queued)
        }
    };
    // Do not wait for attempts that do not stop.
    runtime.shutdown_background();
    let ended = match ended {
        Ok(Some(ended)) => ended,
        Ok(None) => {
            terminal::note(&format!("run directory: {}", dir.display()));
            note_with_advice("workers make the attempts of this run");
            return Ok(Outcome::Complete);
        }
        Err(error) => {
            note_with_advice("finished attempts are kept");
            return Err(error);
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
/// run. If the run is halted, `spent` receives the spending of all workers and earlier starts.
async fn queued(
    submission: Submission<'_>,
    queue: &QueueSettings,
    writer: RunWriter,
    reporter: Box<dyn Reporter>,
    stop: StopSignal,
    spent: &mut Spent,
) -> Result<Option<RunOutcome>, Error> {
    let (tell, stored) = unbounded_channel();
    let earlier = submission.remaining.earlier.iter();
    let earlier = earlier.map(AttemptRecord::without_texts).collect();
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
    let ended = runner::conduct(
        attempts_total,
        earlier,
        writer,
        reporter,
        async |events, failure| {
            let (made, over) = queued.follow(events, failure, stop.received()).await;
            is_over = over;
            made
        },
    )
    .await;
    if let Ok(outcome) = &ended
        && matches!(outcome.ending, StopReason::Halted(_))
        && let Some(in_accounts) = spent_by_workers(&run).await
    {
        *spent = in_accounts;
    }
    // Remove the run from the queue only after everything is on disk.
    if is_over
        && ended.is_ok()
        && let Err(error) = queued::remove(&run).await
    {
        terminal::warning(&error.to_string());
    }
    Ok(Some(ended?))
}

/// Returns the spending in the accounts of a queue, or `None` if they cannot be read.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of tokens and calls, which are far below 2^53"
)]
async fn spent_by_workers(queue: &RunQueue) -> Option<Spent> {
    let total = queue.accounts().await.ok()??.total();
    Some(Spent {
        cost_usd: total.cost_usd,
        tokens: total.tokens.round() as u64,
        calls: total.calls.round() as u64,
    })
}

fn print(
    settings: &RunSettings,
    identity: &RunIdentity,
    dir: &Path,
    summary: &Summary,
) -> Result<(), Error> {
    if settings.start.json {
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
    gate(settings.conduct.min_score, summary)
}

/// Returns the outcome of a run, and prints a note if its mean score is below `--min-score`. A run
/// with errors is incomplete whatever its score; in its mean, errors count as 0.
pub(in crate::command) fn gate(min_score: Option<f64>, summary: &Summary) -> Outcome {
    /// Smaller differences are rounding errors of the mean.
    const ROUNDING: f64 = 1e-9;
    let (outcome, failed, errors) = if summary.scored < summary.attempts_total {
        (
            Outcome::Incomplete,
            Outcome::Incomplete,
            " with errors as zero",
        )
    } else {
        (Outcome::Complete, Outcome::GateFailed, "")
    };
    match (min_score, &summary.score_errors_as_zero) {
        (Some(wanted), Some(score))
            if summary.attempts == summary.attempts_total && score.mean < wanted - ROUNDING =>
        {
            terminal::note(&format!(
                "score {:.4}{errors} is below the required --min-score {wanted}",
                score.mean
            ));
            failed
        }
        _ => outcome,
    }
}
