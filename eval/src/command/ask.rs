//! `rlm-eval ask`: one agent on one question.

use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use benchmarks::Image;
use harness::Task;
use harness::model::{Event, EventKind, EventSink, Status};
use report::sanitize::sanitize;

use super::run::{StopSignal, engine, runtime};
use super::stdout;
use crate::cli::AskArgs;
use crate::error::Error;
use crate::exit::Outcome;
use crate::runner::images;
use crate::settings::AskSettings;
use crate::{protocol_fit, terminal};

/// Runs it: the answer on stdout, progress on stderr.
///
/// # Errors
/// [`Error`] for settings that are wrong, and if the agent gives no answer because infrastructure failed.
pub fn execute(args: &AskArgs) -> Result<Outcome, Error> {
    let settings = AskSettings::resolve(args)?.announce();
    protocol_fit::check_question(settings.engine.treatment.protocol)?;
    let shown = settings.images.iter().map(|path| Image::read(path));
    let shown = shown.collect::<Result<Vec<_>, _>>()?;
    let task = Task {
        run_id: "ask".to_owned(),
        sample: "ask".to_owned(),
        attempt: 1,
        query: settings.query.read()?,
        context: settings.context.read()?,
        images: images(&shown),
    };
    let (engine, _) = engine(&settings.engine, None, None)?;
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = engine.run(&task, Arc::new(Progress)) => Some(outcome),
            () = stop.received() => None,
        }
    });
    let Some(outcome) = outcome else {
        return Ok(Outcome::Interrupted);
    };
    match (outcome.status, outcome.answer) {
        (_, Some(answer)) => {
            print(&answer)?;
            Ok(Outcome::Complete)
        }
        (Status::Error, None) => Err(Error::NoAnswer(outcome.error.unwrap_or_default())),
        (_, None) => {
            terminal::note(&format!("no answer: {}", outcome.error.unwrap_or_default()));
            Ok(Outcome::Incomplete)
        }
    }
}

/// The answer as it is, but for a person without its control characters.
fn print(answer: &str) -> Result<(), Error> {
    if io::stdout().is_terminal() {
        stdout::write(&format!("{}\n", terminal::plain_text(answer)))
    } else {
        stdout::write(&format!("{answer}\n"))
    }
}

/// Columns of a line of progress.
const WIDTH: usize = 200;

/// Prints on stderr what the agents do, one line per event.
struct Progress;

impl EventSink for Progress {
    fn emit(&self, event: Event) {
        let text = match &event.kind {
            EventKind::IterationStart { iteration } => format!("iteration {iteration}"),
            EventKind::DelegationSpawn { child, .. } => format!("calls {child}"),
            EventKind::IterationEnd {
                error: Some(error), ..
            } => format!("cell failed: {error}"),
            EventKind::LlmError { error, .. } => format!("model failed: {error}"),
            EventKind::InvocationEnd {
                status, iterations, ..
            } => {
                let s = if *iterations == 1 { "" } else { "s" };
                format!("ended {status} after {iterations} iteration{s}")
            }
            _ => return,
        };
        terminal::progress(&sanitize(&format!("{}: {text}", event.invocation), WIDTH));
    }
}
