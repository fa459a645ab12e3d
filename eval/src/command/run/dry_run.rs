//! `eval run --dry-run`: what a run would send, and an estimate of what it would take. Nothing is run or written.

use std::sync::Arc;

use harness::event::{Message, Role};
use harness::outcome::Usage;
use harness::prompt::PromptMode;
use harness::provider::http::{IMAGE_TOKENS, estimate_tokens};
use harness::provider::{Caller, IgnoreCalls, ProviderError, Request, Sampling};
use harness::{Engine, Model, Protocol, Task, ToolUse};
use serde::Serialize;
use serde_json::json;

use super::prepared::Prepared;
use super::runtime;
use crate::command::stdout;
use crate::error::Error;
use crate::exit::Outcome;
use crate::runner::images;
use crate::settings::{RunSettings, model_ref};

/// Tokens that a response is taken to have, and that an iteration's output is taken to add to the conversation.
const PER_TURN: u64 = 500;

/// The sizes of a sample's first request, in characters.
#[derive(Serialize)]
struct Row {
    id: String,
    context_chars: usize,
    system_chars: usize,
    message_chars: usize,
    images: usize,
    tokens: u64,
}

/// What attempts take if each makes so many calls.
#[derive(Serialize)]
struct Estimate {
    calls: u64,
    tokens: u64,
    cost_usd: Option<f64>,
}

/// Shows the samples, the sizes of their prompts and an estimate, and asks the model once if that is wanted.
///
/// # Errors
/// [`Error`] for settings that cannot be used, a sample that cannot be had, or a key that is refused.
pub(super) fn execute(mut settings: RunSettings) -> Result<Outcome, Error> {
    settings.engine.store.cache = None;
    settings.engine.store.record = None;
    let Some(prepared) = Prepared::new(&settings)? else {
        return Ok(Outcome::NothingMatched);
    };
    let mut rows = Vec::new();
    for sample in prepared.samples() {
        let sample = prepared
            .dataset
            .sample(*sample)
            .map_err(crate::runner::RunError::from)?;
        let task = Task {
            run_id: "dry-run".to_owned(),
            sample: sample.id.clone(),
            attempt: 1,
            query: sample.query.clone(),
            context: Arc::clone(&sample.context),
            images: images(&sample.images),
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
    let [least, most] = bounds(&settings).map(|calls| estimate(&settings, &rows, calls));
    let key = if settings.check_key {
        Some(check_key(&prepared.engine)?)
    } else {
        None
    };
    if settings.json {
        stdout::write_json(&json!({
            "samples": rows,
            "attempts_at_each": settings.attempts,
            "least": least,
            "most": most,
            "key": key,
        }))?;
    } else {
        stdout::write(&text(&settings, &rows, &least, &most, key.as_deref()))?;
    }
    Ok(Outcome::Complete)
}

/// The fewest and the most calls of an attempt's root.
fn bounds(settings: &RunSettings) -> [u64; 2] {
    let engine = &settings.engine;
    let lone = engine.protocol == Protocol::Rlm && engine.max_depth == 0;
    if engine.protocol == Protocol::Direct || lone {
        return [1, 1];
    }
    let most = u64::from(engine.max_iterations);
    if engine.protocol == Protocol::Tools {
        return [1, most];
    }
    // The first return is shown back once.
    let least = if engine.confirm_first_return { 2 } else { 1 };
    [most.min(least), most]
}

fn estimate(settings: &RunSettings, rows: &[Row], calls: u64) -> Estimate {
    let prices = &settings.engine.budget.prices;
    let mut all = Estimate {
        calls: 0,
        tokens: 0,
        cost_usd: Some(0.0),
    };
    let attempts = u64::from(settings.attempts);
    for row in rows {
        for call in 0..calls {
            let usage = Usage {
                input_tokens: row.tokens + call * 2 * PER_TURN,
                output_tokens: PER_TURN,
                ..Usage::default()
            };
            let cost = prices.cost_usd(&settings.engine.model, &usage);
            all.calls += attempts;
            all.tokens += usage.total() * attempts;
            all.cost_usd = all
                .cost_usd
                .zip(cost)
                .map(|(sum, cost)| sum + cost * f64::from(settings.attempts));
        }
    }
    all
}

fn text(
    settings: &RunSettings,
    rows: &[Row],
    least: &Estimate,
    most: &Estimate,
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
            crate::terminal::one_line(&row.id),
            row.context_chars,
            row.system_chars,
            row.message_chars
        ));
    }
    let dollars = |estimate: &Estimate| {
        let cost = estimate.cost_usd.map(|cost| format!("${cost:.2}"));
        cost.unwrap_or_else(|| "unknown (no price for the model; see --prices)".to_owned())
    };
    text.push_str(&format!(
        "sizes in characters; {} sample{}, {} attempt{} each\n\
         at least {} calls, ~{} tokens, cost {}\n\
         at most  {} calls, ~{} tokens, cost {}\n\
         of the roots alone: the agents that they call come on top; 4 characters are taken for a token, and \
         {PER_TURN} tokens for each response and each output\n",
        rows.len(),
        plural(rows.len() == 1),
        settings.attempts,
        plural(settings.attempts == 1),
        least.calls,
        least.tokens,
        dollars(least),
        most.calls,
        most.tokens,
        dollars(most),
    ));
    if let Some(key) = key {
        text.push_str(&format!("{key}\n"));
    }
    text
}

/// The ending of a word for one thing or several.
fn plural(is_one: bool) -> &'static str {
    if is_one { "" } else { "s" }
}

/// Asks the main model for a few tokens.
fn check_key(engine: &Engine) -> Result<String, Error> {
    let model = engine.main_model();
    if model_ref::http(&model.reference).is_none() {
        return Ok(format!("key: {} needs none", model.reference));
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
            // The fewest that every server takes.
            max_tokens: Some(16),
            ..Sampling::default()
        }),
        tools: ToolUse::default(),
        keep_reasoning: false,
        caller: Caller {
            sample: "dry-run".to_owned(),
            attempt: 1,
            invocation: "root".to_owned(),
            role: Role::Direct,
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
