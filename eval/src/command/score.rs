//! `eval score`: the answers of a run by another scorer.

use std::sync::Arc;

use harness::model::Status;

use super::report::tell_if_at_work;
use super::run::runtime;
use super::stdout;
use crate::cli::ScoreArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::grader::{self, Grader, GraderError, Rule};
use crate::record::AttemptRecord;
use crate::rescore::{rescore, store};
use crate::run_dir::RunDir;
use crate::settings::{OtherScorer, ScoreSettings};
use crate::summary::{Summary, table};
use crate::{models, terminal};

/// Scores it, stores the scores, and prints them beside the recorded ones.
///
/// # Errors
/// [`Error::Settings`] for an unknown scorer, [`Error::RunDir`] for a folder that holds no run, or [`Error::Stdout`].
pub(super) fn execute(args: &ScoreArgs) -> Result<Outcome, Error> {
    let settings = ScoreSettings::resolve(args)?;
    let run = RunDir::open(&settings.dir)?;
    tell_if_at_work(&run);
    let grader: Arc<dyn Grader> = match settings.scorer {
        OtherScorer::Rule(rule) if settings.grader.judge.is_some() => {
            return Err(GraderError::NoJudge(rule.name().to_owned()).into());
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
    let rescored = runtime()?.block_on(async {
        grader.check().await?;
        Ok::<_, Error>(rescore(&run, grader.as_ref(), settings.concurrency).await)
    })?;
    let path = store(&run, &rescored, scorer)?;
    let total = run.attempts_total();
    let new = Summary::new(&rescored, total).with_wasted(run.wasted);
    if settings.json {
        stdout::write_json(&new)?;
    } else {
        let old = Summary::new(&run.records, total).with_wasted(run.wasted);
        let recorded = format!("{} (recorded)", run.lock.run.scorer);
        stdout::write(&table(&[(&recorded, &old), (scorer, &new)]))?;
    }
    terminal::note(&format!("scores: {}", path.display()));
    let failed: Vec<&AttemptRecord> = rescored
        .iter()
        .filter(|record| record.status == Status::Error && record.answer.is_some())
        .collect();
    let Some(first) = failed.first() else {
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
    Ok(match new.scored {
        0 => Outcome::InfrastructureFailed,
        _ => Outcome::Incomplete,
    })
}
