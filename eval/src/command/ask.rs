//! `rlm-eval ask`: runs one agent on one question and prints its answer.
//!
//! It shares the engine settings of `rlm-eval run`, but works without a benchmark and a scorer.

mod settings;
mod person;

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use benchmarks::{AppEnvironment, UserEnvironment, document_uri, read_image, with_selection};
use harness::Task;
use harness::model::web::Browser;
use harness::model::{Event, EventKind, EventSink, Stats, Status, WebEvent};
use parking_lot::Mutex;
use report::sanitize::sanitize;
use report::summary::{amount, usd};

use super::run::engine;
use super::runtime::{StopSignal, runtime};
use super::serve::recorder::Recorder;
use super::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal::{self, counted};
use crate::reporter::Narrator;
use crate::run::protocol_fit;
use crate::settings::QuerySource;
use crate::web::{EnvironmentSource, Web, WebSettings};
use person::TerminalPerson;
use settings::AskSettings;

pub(crate) use settings::AskArgs;

/// Runs the agent: the answer goes to stdout, progress to stderr.
///
/// # Errors
/// [`Error`] for invalid settings or an infrastructure failure before the agent answers.
pub fn execute(args: &AskArgs) -> Result<Outcome, Error> {
    let settings = AskSettings::resolve(args)?.announce();
    let world = world(&settings, &args.document)?;
    protocol_fit::check_question(&settings.engine.treatment, world.as_ref())?;
    if matches!(settings.query, QuerySource::Stdin) {
        protocol_fit::check_nobody_answers(
            &settings.engine.treatment,
            "stdin is already used for the question; pass the question with --query",
        )?;
    }
    let images = settings.images.iter().map(|path| read_image(path));
    let images = images.collect::<Result<Vec<_>, _>>()?;
    let selection = args.selection.as_deref();
    let selection = selection.filter(|text| !text.trim().is_empty());
    let mut task = Task {
        run_id: "ask".to_owned(),
        sample: "ask".to_owned(),
        attempt: 1,
        query: match selection {
            Some(selection) => with_selection(&settings.query.read()?, selection),
            None => settings.query.read()?,
        },
        follow_ups: Vec::new(),
        context: settings.context.read()?,
        images,
    };
    let (engine, _) = engine::open(&settings.engine, None, None)?;
    let mut engine = engine.with_person(Arc::new(TerminalPerson::default()));
    let recorder = match &args.log_dir {
        Some(folder) => Some(Arc::new(Recorder::begin(
            "asked",
            "ask",
            &settings.engine,
            folder,
            &engine,
        )?)),
        None => None,
    };
    let runtime = runtime()?;
    let stop = StopSignal::catch(&runtime)?;
    let mut web = None;
    if let Some(world) = world {
        let how = WebSettings {
            browsers: 1,
            trust_pages: settings.engine.trust_pages,
            // A local address on the command line is explicit consent.
            allow_local: settings.engine.allow_local || settings.names_local_address(),
            is_visible: args.show,
        };
        let opened = Arc::new(runtime.block_on(Web::open(EnvironmentSource::One(world), how))?);
        engine = engine.with_browser(Arc::clone(&opened) as Arc<dyn Browser>);
        web = Some(opened);
    }
    let progress: Arc<dyn EventSink> = if args.verbose {
        Arc::new(Verbose::default())
    } else {
        Arc::new(Progress)
    };
    let record = recorder.as_ref().map(|recorder| {
        let record = Recorder::attempt(recorder, "ask", Arc::new(|_| {}));
        recorder.run_id().clone_into(&mut task.run_id);
        record.sample().clone_into(&mut task.sample);
        record
    });
    let progress: Arc<dyn EventSink> = match &record {
        Some(record) => Arc::new(Both(progress, record.sink())),
        None => progress,
    };
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = engine.run(&task, progress) => Some(outcome),
            () = stop.received() => None,
        }
    });
    if let (Some(record), Some(outcome)) = (&record, &outcome) {
        record.end(outcome);
    }
    drop(record);
    // The answer is printed even if the run directory or the app cannot be written.
    let recorded: Result<(), Error> = recorder.as_ref().map_or(Ok(()), |recorder| {
        recorder.finish()?;
        let dir = recorder.dir().display();
        terminal::note(&format!("run directory: {dir}"));
        Ok(())
    });
    let Some(outcome) = outcome else {
        return recorded.and(Ok(Outcome::Interrupted));
    };
    if let Some(spent) = spent(&outcome.stats) {
        terminal::progress(&spent);
    }
    let saved = web.map_or(Ok(()), |web| {
        if let Some(sum) = web.refused() {
            terminal::note(&format!("{sum}; allow an origin with --allow ORIGIN"));
        }
        save(args.save.as_deref(), web.launched())
    });
    if let Some(answer) = &outcome.answer {
        print(answer)?;
    }
    recorded.and(saved)?;
    match (outcome.status, outcome.answer) {
        (_, Some(_)) => Ok(Outcome::Complete),
        (Status::Error, None) => Err(Error::NoAnswer(outcome.error.unwrap_or_default())),
        (_, None) => {
            terminal::note(&format!("no answer: {}", outcome.error.unwrap_or_default()));
            Ok(Outcome::Incomplete)
        }
    }
}

/// Formats calls, tokens and cost of an answer; `None` if the models did not report tokens.
fn spent(stats: &Stats) -> Option<String> {
    let usage = stats.usage.filter(|usage| usage.total() > 0)?;
    let calls = counted(stats.llm_calls, "call");
    let about = if usage.estimated { "~" } else { "" };
    let tokens = format!("{about}{} tokens", amount(usage.total()));
    let cost = match stats.cost_usd() {
        Some(cost) => format!("cost {about}{}", usd(cost)),
        None => "unknown cost".to_owned(),
    };
    Some(format!("{calls}, {tokens}, {cost}"))
}

struct Both(Arc<dyn EventSink>, Arc<dyn EventSink>);

impl EventSink for Both {
    fn emit(&self, event: Event) {
        self.0.emit(event.clone());
        self.1.emit(event);
    }
}

/// Returns the web page or the documents that the agent works on. `None` without either, unless the
/// protocol builds apps.
fn world(settings: &AskSettings, files: &[PathBuf]) -> Result<Option<UserEnvironment>, Error> {
    if let Some(site) = &settings.site {
        return Ok(Some(UserEnvironment::Site(site.clone())));
    }
    let mut documents: Vec<(String, String)> = Vec::new();
    for path in files {
        let failed = |reason| Error::File {
            flag: "--document",
            path: path.display().to_string(),
            reason,
        };
        let text = fs::read_to_string(path).map_err(failed)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let uri = document_uri(&name);
        if documents.iter().any(|(open, _)| *open == uri) {
            return Err(failed(io::Error::other("duplicate document name")));
        }
        documents.push((uri, text));
    }
    let protocol = settings.engine.treatment.protocol;
    // An agent that builds apps can start without a document.
    if documents.is_empty() && !protocol.capabilities().builds_apps() {
        return Ok(None);
    }
    Ok(Some(UserEnvironment::Apps(AppEnvironment {
        active: documents.first().map(|(uri, _)| uri.clone()),
        documents,
        ..AppEnvironment::default()
    })))
}

/// Saves the launched app if `--save` names a file.
fn save(path: Option<&Path>, launched: Option<String>) -> Result<(), Error> {
    let Some(path) = path else {
        return Ok(());
    };
    let Some(html) = launched else {
        terminal::note("no app was launched, so nothing was saved");
        return Ok(());
    };
    fs::write(path, html).map_err(|reason| Error::File {
        flag: "--save",
        path: path.display().to_string(),
        reason,
    })?;
    terminal::note(&format!("saved the app as {}", path.display()));
    Ok(())
}

/// Prints the answer. If stdout is a terminal, control characters are removed.
fn print(answer: &str) -> Result<(), Error> {
    if io::stdout().is_terminal() {
        stdout::write(&format!("{}\n", terminal::plain_text(answer)))
    } else {
        stdout::write(&format!("{answer}\n"))
    }
}

/// Maximum width of a progress line, in columns.
const WIDTH: usize = 200;

/// Prints every event of the agents on stderr, one line each.
#[derive(Default)]
struct Verbose(Mutex<Narrator>);

impl EventSink for Verbose {
    fn emit(&self, event: Event) {
        if let Some(line) = self.0.lock().line(&event) {
            terminal::progress(&line);
        }
    }
}

/// Prints the main events of the agents on stderr, one line each.
struct Progress;

impl EventSink for Progress {
    fn emit(&self, event: Event) {
        let text = match &event.kind {
            EventKind::IterationStart { iteration } => format!("iteration {iteration}"),
            EventKind::DelegationSpawn { child, .. } => format!("calls {child}"),
            EventKind::AgentCreated { child, name, .. } => format!("creates {child} ({name})"),
            EventKind::MessageSent { child } => format!("sends a message to {child}"),
            EventKind::IterationEnd {
                error: Some(error), ..
            } => format!("cell failed: {error}"),
            EventKind::Web {
                event: WebEvent::Refused { addresses },
            } => format!("blocked requests of its page: {}", addresses.join(", ")),
            EventKind::LlmError { error, .. } => format!("model failed: {error}"),
            EventKind::InvocationEnd {
                status, iterations, ..
            } => format!("ended {status} after {}", counted(*iterations, "iteration")),
            _ => return,
        };
        terminal::progress(&sanitize(&format!("{}: {text}", event.invocation), WIDTH));
    }
}
