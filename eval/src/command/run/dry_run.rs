//! `rlm-eval run --dry-run`: shows what a run would send and estimates its cost. Does not run
//! agents or write files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use harness::model::{Message, Protocol, Role};
use harness::provider::http::{IMAGE_TOKENS, estimate_tokens};
use harness::provider::{Caller, IgnoreCalls, ProviderError, Request, Sampling};
use harness::settings::PromptMode;
use harness::{Engine, Model, Task, ToolUse};
use records::run_dir::{RunDir, read_lock};
use serde::Serialize;
use serde_json::json;

use super::expense::{Expense, Sum, basis};
use super::prepared::Prepared;
use crate::command::runtime::runtime;
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::process::terminal::{counted, one_line};
use crate::settings::RunSettings;
use crate::sweep::Plan;

/// Sizes of a sample's context and first request.
#[derive(Serialize)]
struct Row {
    id: String,
    context_chars: usize,
    system_chars: usize,
    message_chars: usize,
    images: usize,
    tokens: u64,
}

/// Prints the samples, the sizes of their prompts and the estimated expense, and optionally checks
/// the key with one request.
///
/// # Errors
/// [`Error`] for unusable settings, an unavailable sample, or a rejected key.
pub(super) fn execute(mut settings: RunSettings) -> Result<Outcome, Error> {
    settings.engine.store.cache = None;
    settings.engine.store.record = None;
    let Some(prepared) = Prepared::new(&settings)? else {
        return Ok(Outcome::NothingMatched);
    };
    let rows = rows(&prepared, prepared.samples())?;
    let expense = expense(&settings, &rows);
    let likely = likely(&settings, &prepared);
    let key = if settings.start.check_key {
        Some(check_key(&settings, &prepared.engine)?)
    } else {
        None
    };
    if settings.start.json {
        let mut shown = json!(expense);
        shown["likely"] = json!(likely);
        shown["samples"] = json!(rows);
        shown["attempts_at_each"] = json!(settings.attempts);
        shown["key"] = json!(key);
        stdout::write_json(&shown)?;
    } else {
        stdout::write(&text(
            &settings,
            &rows,
            &expense,
            likely.as_ref(),
            key.as_deref(),
        ))?;
    }
    Ok(Outcome::Complete)
}

/// Estimates the expense of a run, from its settings and from earlier runs; `None` if no sample
/// matches. The minimum is that of the first `certain` samples, or of all if that is `None`.
///
/// # Errors
/// Like [`execute`].
pub(in crate::command) fn estimate_run(
    settings: &RunSettings,
    certain: Option<usize>,
) -> Result<Option<(Expense, Option<Likely>)>, Error> {
    let Some(prepared) = Prepared::new(settings)? else {
        return Ok(None);
    };
    let rows = rows(&prepared, prepared.samples())?;
    let mut estimate = expense(settings, &rows);
    if let Some(first) = certain.and_then(|count| rows.get(..count)) {
        estimate.least = expense(settings, first).least;
    }
    Ok(Some((estimate, likely(settings, &prepared))))
}

/// Returns the minimum expense of a run, estimated from the first requests of some samples.
///
/// # Errors
/// [`Error`] for a sample that cannot be generated or read.
pub(super) fn least(settings: &RunSettings, prepared: &Prepared) -> Result<Sum, Error> {
    let samples = prepared.samples();
    let stride = samples.len().div_ceil(MAX_SAMPLED);
    let some: Vec<usize> = samples.iter().step_by(stride.max(1)).copied().collect();
    let rows = rows(prepared, &some)?;
    let sizes: Vec<u64> = rows.iter().map(|row| row.tokens).collect();
    let all: Vec<u64> = sizes.iter().cycle().take(samples.len()).copied().collect();
    Ok(Expense::new(settings, &all).least)
}

/// Maximum number of samples that are read to check a budget before a run.
const MAX_SAMPLED: usize = 20;

/// Expected expense, estimated from the attempts of earlier runs.
#[derive(Debug, Clone, Copy, Serialize)]
pub(in crate::command) struct Likely {
    #[serde(flatten)]
    pub sum: Sum,
    /// Number of attempts that the estimate is based on.
    pub attempts: u64,
    /// Number of runs with these attempts.
    pub runs: u64,
}

impl std::fmt::Display for Likely {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            sum,
            attempts,
            runs,
        } = self;
        let attempts = counted(*attempts, "attempt");
        let runs = counted(*runs, "earlier run");
        write!(f, "likely: {sum}, based on {attempts} of {runs}")
    }
}

/// Returns the entries of a folder and of the sweep folders in it, which may be run directories.
fn run_folders(log_dir: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let mut folders = inside(log_dir);
    let sweeps: Vec<PathBuf> = folders
        .iter()
        .filter(|folder| Plan::is_in(folder))
        .flat_map(|sweep| inside(sweep))
        .collect();
    folders.extend(sweeps);
    folders
}

/// Returns the expense expected from earlier runs of the same experiment in the log folder, or
/// `None` without such runs. Ignores unreadable runs.
fn likely(settings: &RunSettings, prepared: &Prepared) -> Option<Likely> {
    let (mut attempts, mut runs) = (0_u64, 0);
    let (mut calls, mut tokens, mut cost) = (0, 0, Some(0.0));
    for folder in run_folders(&settings.log_dir) {
        let is_same = read_lock(&folder)
            .is_ok_and(|lock| lock.run.fingerprint == prepared.fingerprint.as_str());
        let Some(run) = is_same.then(|| RunDir::open(&folder).ok()).flatten() else {
            continue;
        };
        runs += u64::from(!run.records.is_empty());
        for record in &run.records {
            attempts += 1;
            calls += u64::from(record.llm_calls.unwrap_or(0));
            tokens += record.usage.map_or(0, |usage| usage.total());
            cost = cost.zip(record.cost_usd).map(|(sum, cost)| sum + cost);
        }
    }
    let wanted = prepared.jobs().len() as u64;
    let scaled = |amount: u64| {
        let scaled = u128::from(amount) * u128::from(wanted) / u128::from(attempts.max(1));
        u64::try_from(scaled).unwrap_or(u64::MAX)
    };
    (attempts > 0).then(|| Likely {
        sum: Sum {
            calls: scaled(calls),
            tokens: scaled(tokens),
            cost_usd: cost.map(|cost| cost * wanted as f64 / attempts as f64),
        },
        attempts,
        runs,
    })
}

fn expense(settings: &RunSettings, rows: &[Row]) -> Expense {
    let first_requests: Vec<u64> = rows.iter().map(|row| row.tokens).collect();
    Expense::new(settings, &first_requests)
}

fn rows(prepared: &Prepared, samples: &[usize]) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for sample in samples {
        let sample = prepared
            .dataset
            .sample(*sample)
            .map_err(crate::runner::RunError::from)?;
        let task = Task {
            run_id: "dry-run".to_owned(),
            sample: sample.id.clone(),
            attempt: 1,
            query: sample.query.clone(),
            follow_ups: sample.follow_ups.clone(),
            context: Arc::clone(&sample.context),
            images: sample.images.clone(),
        };
        let request = prepared.engine.first_request(&task);
        let shown = sample.images.len() as u64 * IMAGE_TOKENS;
        let message = request
            .messages
            .iter()
            .map(|message| message.content.as_str());
        let message: String = message.collect();
        rows.push(Row {
            id: sample.id,
            context_chars: sample.context.chars().count(),
            system_chars: request.system.chars().count(),
            message_chars: message.chars().count(),
            images: sample.images.len(),
            tokens: estimate_tokens(&request.system) + estimate_tokens(&message) + shown,
        });
    }
    Ok(rows)
}

fn text(
    settings: &RunSettings,
    rows: &[Row],
    expense: &Expense,
    likely: Option<&Likely>,
    key: Option<&str>,
) -> String {
    let width = rows.iter().map(|row| row.id.chars().count()).max();
    let width = width.unwrap_or(0).max("SAMPLE".len());
    let mut text = format!(
        "{:width$}  {:>13}  {:>13}  {:>13}\n",
        "SAMPLE", "CONTEXT", "SYSTEM PROMPT", "FIRST MESSAGE"
    );
    for row in rows {
        let shown = match row.images {
            0 => String::new(),
            1 => " and 1 image".to_owned(),
            more => format!(" and {more} images"),
        };
        text.push_str(&format!(
            "{:width$}  {:>13}  {:>13}  {:>13}{shown}\n",
            one_line(&row.id),
            row.context_chars,
            row.system_chars,
            row.message_chars
        ));
    }
    text.push_str(&format!(
        "sizes in characters; {}, {} each\n{}{}\n",
        counted(rows.len() as u64, "sample"),
        counted(settings.attempts, "attempt"),
        expense.lines(),
        basis(settings),
    ));
    if let Some(likely) = likely {
        text.push_str(&format!("{likely}\n"));
    }
    if settings.grader.judge.is_some() {
        text.push_str(
            "not included: the judge's calls, which also count against the budgets of the run\n",
        );
    }
    if let Some(key) = key {
        text.push_str(&format!("{key}\n"));
    }
    text
}

/// Sends the main model a minimal request to check its key.
fn check_key(settings: &RunSettings, engine: &Engine) -> Result<String, Error> {
    let model = engine.main_model();
    if settings.engine.references.main().on_server().is_none() {
        return Ok(format!("key: not required for {}", model.reference));
    }
    let answered = runtime()?.block_on(ask_briefly(model))?;
    Ok(format!("key: accepted; {answered} answers"))
}

async fn ask_briefly(model: &Model) -> Result<String, ProviderError> {
    let request = Request {
        model: model.name.clone(),
        system: String::new(),
        messages: vec![Message::user("Say OK.").into()],
        sampling: Arc::new(Sampling {
            // The smallest value that every server accepts.
            max_tokens: Some(16),
            ..Sampling::default()
        }),
        tools: ToolUse::default(),
        answer_schema: None,
        keep_reasoning: false,
        caller: Caller {
            sample: "dry-run".to_owned(),
            attempt: 1,
            invocation: "root".to_owned(),
            role: Role::Root(Protocol::Direct),
            depth: 0,
            turn: 1,
            trims: 0,
            mode: PromptMode::Solver,
        },
    };
    let response = match model.provider.complete(&request, &IgnoreCalls).await {
        Ok(response) => response,
        Err(ProviderError::Truncated { response }) => *response,
        Err(error) => return Err(error),
    };
    Ok(response
        .served_model
        .unwrap_or_else(|| model.reference.clone()))
}
