//! `rlm-eval score`: rescores the answers of runs with another scorer.

mod settings;
mod rescore;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use harness::SharedBudget;
use harness::model::Status;
use records::AttemptRecord;
use records::run_dir::{RunDir, write_scores};
use report::summary::{Summary, table};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::report::note_if_running;
use super::runtime::{StopSignal, runtime};
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::folders::{FolderError, Found, folders_among};
use crate::grader::{self, Grader, GraderError, Rule};
use crate::models;
use crate::process::terminal;

use rescore::{Judging, Stopped, Verdicts, rescore};
use settings::{OtherScorer, ScoreSettings, budget_flag};

pub(crate) use settings::ScoreArgs;

/// Scores the answers, stores the scores, and prints them next to the recorded ones.
///
/// # Errors
/// [`Error::Settings`] for an unknown scorer, [`Error::RunDir`] for a folder without a run, or
/// [`Error::Stdout`].
pub(super) fn execute(args: &ScoreArgs) -> Result<Outcome, Error> {
    let settings = ScoreSettings::resolve(args)?;
    let runs = runs(&args.dirs)?;
    let grader: Arc<dyn Grader> = match &settings.scorer {
        OtherScorer::Rule(rule) => {
            if let Some(judge) = &settings.grader.judge {
                return Err(GraderError::NoJudge(judge.flag, rule.name().to_owned()).into());
            }
            Arc::new(Rule::other(Arc::clone(rule)))
        }
        OtherScorer::Outside(outside) => {
            let judge = settings.grader.judge.as_ref().map(|judge| {
                let cache = args.cache.as_deref();
                models::open_judge(judge, &settings.traffic, &settings.prices, cache)
            });
            grader::open_outside(outside, &settings.grader, judge.transpose()?)?
        }
    };
    let scorer = grader.name();
    if settings.grader.judge.is_none()
        && let Some(flag) = budget_flag(&settings.budget)
    {
        return Err(GraderError::NoJudge(flag, scorer.to_owned()).into());
    }
    let runtime = runtime()?;
    runtime.block_on(grader.check())?;
    let judgings = match settings.grader.judge {
        Some(_) => {
            let budget = SharedBudget::of_command(settings.budget);
            let open = |run| Judging::open(run, scorer, &budget);
            runs.iter().map(open).collect::<Result<Vec<_>, _>>()?
        }
        None => Vec::new(),
    };
    let earlier: usize = judgings.iter().map(Judging::verdicts).sum();
    if earlier > 0 {
        terminal::note(&format!(
            "reusing the scores of {earlier} answers from earlier starts"
        ));
    }
    let scoring = Scoring {
        concurrency: args.concurrency,
        grader: grader.as_ref(),
        verdicts: Verdicts::default(),
        runtime: &runtime,
    };
    let stop = StopSignal::catch(&runtime)?;
    let mut stop: Pin<Box<dyn Future<Output = ()>>> = Box::pin(stop.received());
    let mut judging = judgings.iter();
    let mut scored = Vec::with_capacity(runs.len());
    let mut worst = Outcome::Complete;
    for (run, number) in runs.iter().zip(1..) {
        if runs.len() > 1 {
            let path = run.path.display();
            terminal::note(&format!("run {number} of {}: {path}", runs.len()));
        }
        let (outcome, summary) = scoring.score(run, judging.next(), stop.as_mut())?;
        worst = worst.max(outcome);
        let Some(summary) = summary else {
            if number < runs.len() {
                terminal::note(&format!("runs not scored: {}", runs.len() - number));
            }
            break;
        };
        scored.push((run, summary));
    }
    if worst == Outcome::Complete {
        // Until then, the next start needs the verdicts and the spending on all runs.
        judgings.into_iter().try_for_each(Judging::finish)?;
    }
    print(args.json, scorer, &scored)?;
    Ok(worst)
}

/// Opens the runs in these folders. Skips files, because a glob also matches those next to runs.
fn runs(dirs: &[PathBuf]) -> Result<Vec<RunDir>, Error> {
    let found = match Found::below(&folders_among(dirs)) {
        Err(FolderError::Nothing(path) | FolderError::Read { path, .. }) => {
            // This error is more precise: it names the file that a run must contain.
            RunDir::open(&path)?;
            Found::default()
        }
        found => found?,
    };
    for left_out in &found.left_out {
        terminal::note(left_out);
    }
    let mut runs = Vec::with_capacity(found.runs.len());
    for dir in &found.runs {
        let run = RunDir::open(dir)?;
        note_if_running(&run);
        runs.push(run);
    }
    Ok(runs)
}

/// Scorer and settings shared by all runs that are scored.
struct Scoring<'a> {
    concurrency: usize,
    grader: &'a dyn Grader,
    verdicts: Verdicts,
    runtime: &'a Runtime,
}

impl Scoring<'_> {
    /// Scores a run. Returns no summary if scoring stopped, so that no further run is scored.
    fn score(
        &self,
        run: &RunDir,
        judging: Option<&Judging>,
        stop: Pin<&mut dyn Future<Output = ()>>,
    ) -> Result<(Outcome, Option<Summary>), Error> {
        let scorer = self.grader.name();
        let (records, stopped) = self.runtime.block_on(rescore(
            run,
            self.grader,
            self.concurrency,
            judging.map(|judging| (judging, &self.verdicts)),
            stop,
        ))?;
        if let Some(stopped) = stopped {
            let kept = judging.map(|judging| match judging.exhausted() {
                Some(_) => "run the same command with a larger budget to continue",
                None => "run the same command to continue",
            });
            let (done, of) = (records.iter().flatten().count(), records.len());
            return Ok((report_stopped(&stopped, done, of, kept), None));
        }
        let rescored: Vec<AttemptRecord> = records.into_iter().flatten().collect();
        let path = write_scores(run, &rescored, scorer)?;
        let new = Summary::new(&rescored, run.attempts_total()).with_wasted(run.wasted);
        terminal::note(&format!("scores: {}", path.display()));
        let failed: Vec<&AttemptRecord> = rescored
            .iter()
            .filter(|record| record.status == Status::Error && record.answer.is_some())
            .collect();
        let Some(first) = failed.first() else {
            return Ok((Outcome::Complete, Some(new)));
        };
        terminal::warning(&format!(
            "{} of {} answers have no score; first error, at {} attempt {}: {}",
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
        let outcome = match new.scored {
            0 => Outcome::InfrastructureFailed,
            _ => Outcome::Incomplete,
        };
        Ok((outcome, Some(new)))
    }
}

/// Prints the new scores next to the recorded ones.
fn print(as_json: bool, scorer: &str, scored: &[(&RunDir, Summary)]) -> Result<(), Error> {
    if as_json {
        let all: Vec<Value> = scored
            .iter()
            .map(|(run, new)| json!({ "dir": run.path.to_string_lossy(), "summary": new }))
            .collect();
        return match scored {
            [] => Ok(()),
            [(_, new)] => stdout::write_json(new),
            _ => stdout::write_json(&all),
        };
    }
    let mut columns = Vec::new();
    for (run, new) in scored {
        let old = Summary::new(&run.records, run.attempts_total()).with_wasted(run.wasted);
        let run_id = match scored {
            [_] => String::new(),
            _ => format!("{} ", run.lock.run.run_id),
        };
        columns.push((format!("{run_id}{} (recorded)", run.lock.run.scorer), old));
        columns.push((format!("{run_id}{scorer}"), new.clone()));
    }
    let columns: Vec<(&str, &Summary)> = columns
        .iter()
        .map(|(label, summary)| (label.as_str(), summary))
        .collect();
    stdout::write_table(|width| table(&columns, width))
}

/// Reports why scoring stopped and, if verdicts are stored, the progress and how to continue.
fn report_stopped(stopped: &Stopped, done: usize, of: usize, kept: Option<&str>) -> Outcome {
    let outcome = match stopped {
        Stopped::Interrupted => Outcome::Interrupted,
        Stopped::Because(why) => {
            terminal::warning(&format!("scoring was stopped: {why}"));
            Outcome::Incomplete
        }
    };
    if let Some(how_to_continue) = kept {
        terminal::note(&format!(
            "{done} of {of} attempts are scored and kept; {how_to_continue}"
        ));
    }
    outcome
}
