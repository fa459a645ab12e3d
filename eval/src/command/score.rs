//! `rlm-eval score`: scores the answers of a run again with another scorer.

use std::sync::Arc;

use harness::model::Status;
use records::AttemptRecord;
use records::run_dir::RunDir;
use report::summary::{Summary, table};

use super::report::note_if_running;
use super::run::{StopSignal, runtime};
use super::stdout;
use crate::cli::ScoreArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::grader::{self, Grader, GraderError, Rule};
use crate::rescore::{Judging, Stopped, rescore, store};
use crate::settings::{OtherScorer, ScoreSettings, budget_flag};
use crate::{models, terminal};

/// Scores the answers, stores the scores, and prints them next to the recorded ones.
///
/// # Errors
/// [`Error::Settings`] for an unknown scorer, [`Error::RunDir`] for a folder without a run, or
/// [`Error::Stdout`].
pub(super) fn execute(args: &ScoreArgs) -> Result<Outcome, Error> {
    let settings = ScoreSettings::resolve(args)?;
    let run = RunDir::open(&settings.dir)?;
    note_if_running(&run);
    let grader: Arc<dyn Grader> = match settings.scorer {
        OtherScorer::Rule(rule) if settings.grader.judge.is_some() => {
            return Err(GraderError::no_judge("--judge-model", rule.name()).into());
        }
        OtherScorer::Rule(rule) => Arc::new(Rule::other(rule)),
        OtherScorer::Outside(outside) => {
            let judge = settings.grader.judge.as_ref().map(|judge| {
                let cache = settings.cache.as_deref();
                models::open_judge(judge, &settings.traffic, &settings.prices, cache)
            });
            grader::open_outside(&outside, &settings.grader, judge.transpose()?)?
        }
    };
    let scorer = grader.name();
    if settings.grader.judge.is_none()
        && let Some(flag) = budget_flag(&settings.budget)
    {
        return Err(GraderError::no_judge(flag, scorer).into());
    }
    let runtime = runtime()?;
    runtime.block_on(grader.check())?;
    let judging = match settings.grader.judge {
        Some(_) => Some(Judging::open(&run, scorer, settings.budget)?),
        None => None,
    };
    let earlier = judging.as_ref().map_or(0, Judging::verdicts);
    if earlier > 0 {
        terminal::note(&format!(
            "earlier starts have left the scores of {earlier} answers"
        ));
    }
    let stop = StopSignal::catch(&runtime)?;
    let rescored = runtime.block_on(rescore(
        &run,
        grader.as_ref(),
        settings.concurrency,
        judging.as_ref(),
        stop.received(),
    ))?;
    let (done, of) = (rescored.done(), run.records.len());
    let rescored = match rescored.whole() {
        Ok(rescored) => rescored,
        Err(stopped) => {
            let kept = judging.as_ref().map(|judging| match judging.exhausted() {
                Some(_) => "the same command with a larger budget goes on",
                None => "the same command goes on",
            });
            return Ok(left(&stopped, done, of, kept));
        }
    };
    let path = store(&run, &rescored, scorer)?;
    let total = run.attempts_total();
    let new = Summary::new(&rescored, total).with_wasted(run.wasted);
    if settings.json {
        stdout::write_json(&new)?;
    } else {
        let old = Summary::new(&run.records, total).with_wasted(run.wasted);
        let recorded = format!("{} (recorded)", run.lock.run.scorer);
        stdout::write_table(|width| table(&[(&recorded, &old), (scorer, &new)], width))?;
    }
    terminal::note(&format!("scores: {}", path.display()));
    let failed: Vec<&AttemptRecord> = rescored
        .iter()
        .filter(|record| record.status == Status::Error && record.answer.is_some())
        .collect();
    let Some(first) = failed.first() else {
        judging.map_or(Ok(()), Judging::finish)?;
        return Ok(Outcome::Complete);
    };
    terminal::warning(&format!(
        "{} of {} answers have no score; {} attempt {}: {}",
        failed.len(),
        rescored
            .iter()
            .filter(|record| record.answer.is_some())
            .count(),
        first.id,
        first.attempt,
        first.error.as_deref().unwrap_or_default()
    ));
    if judging.is_some() {
        terminal::note("run the same command again to score only these");
    }
    Ok(match new.scored {
        0 => Outcome::InfrastructureFailed,
        _ => Outcome::Incomplete,
    })
}

/// Reports what is left of a stopped scoring and, if verdicts are stored, how to resume it.
fn left(stopped: &Stopped, done: usize, of: usize, kept: Option<&str>) -> Outcome {
    let outcome = match stopped {
        Stopped::Interrupted => Outcome::Interrupted,
        Stopped::Because(why) => {
            terminal::warning(&format!("scoring was stopped: {why}"));
            Outcome::Incomplete
        }
    };
    if let Some(goes_on) = kept {
        terminal::note(&format!(
            "{done} of {of} attempts are scored and kept; {goes_on}"
        ));
    }
    outcome
}
