//! `eval ask`: one agent on one question.

use std::sync::Arc;

use harness::Task;
use harness::event::{Event, EventKind, EventSink};
use harness::outcome::Status;

use super::run::{engine, runtime, stop_signal};
use super::stdout;
use crate::cli::AskArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::settings::AskSettings;
use crate::terminal;

/// Runs it: the answer on stdout, progress on stderr.
///
/// # Errors
/// [`Error`] for settings that are wrong, and if the agent gives no answer because infrastructure failed.
pub fn execute(args: &AskArgs) -> Result<Outcome, Error> {
    let settings = AskSettings::resolve(args)?.announce();
    let task = Task {
        run_id: "ask".to_owned(),
        sample: "ask".to_owned(),
        attempt: 1,
        query: settings.query.read()?,
        context: settings.context.read()?,
    };
    let engine = engine(&settings.engine, None)?;
    let outcome = runtime()?.block_on(async {
        tokio::select! {
            outcome = engine.run(&task, Arc::new(Progress)) => Some(outcome),
            () = stop_signal() => None,
        }
    });
    let Some(outcome) = outcome else {
        return Ok(Outcome::Interrupted);
    };
    match (outcome.status, outcome.answer) {
        (_, Some(answer)) => {
            stdout::write(&(answer + "\n"))?;
            Ok(Outcome::Complete)
        }
        (Status::Error, None) => Err(Error::NoAnswer(outcome.error.unwrap_or_default())),
        (_, None) => {
            terminal::note(&format!("no answer: {}", outcome.error.unwrap_or_default()));
            Ok(Outcome::Incomplete)
        }
    }
}

/// Tells on stderr what the agents do, a line each.
struct Progress;

impl EventSink for Progress {
    fn emit(&self, event: Event) {
        let told = match &event.kind {
            EventKind::IterationStart { iteration } => format!("iteration {iteration}"),
            EventKind::DelegationSpawn { child, .. } => format!("calls {child}"),
            EventKind::IterationEnd {
                error: Some(error), ..
            } => format!("cell failed: {error}"),
            EventKind::LlmError { error, .. } => format!("model failed: {error}"),
            EventKind::InvocationEnd {
                status, iterations, ..
            } => {
                format!("ended {status} after {iterations} iterations")
            }
            _ => return,
        };
        terminal::progress(&format!("{}: {told}", event.invocation));
    }
}
