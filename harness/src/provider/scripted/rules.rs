//! File format of scripted models: a list of rules. The first matching rule determines the reply.

use std::num::NonZeroU32;

use globset::GlobSet;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::model::{Role, ToolCall, Usage};
use crate::provider::price::globs;
use crate::provider::{ProviderError, Request};
use crate::settings::PromptMode;

pub(super) struct Script {
    pub description: String,
    /// Latency of each reply in milliseconds.
    pub latency_ms: u64,
    rules: Vec<Rule>,
}

pub(super) struct Rule {
    when: When,
    samples: Option<GlobSet>,
    pub reply: Reply,
    /// Reasoning, which is separate from the text and also sent back in later requests.
    pub reasoning: Option<String>,
    pub usage: Option<Usage>,
    pub cost_usd: Option<f64>,
}

/// Content of a reply, or the error that replaces it.
#[derive(Debug)]
pub(super) enum Reply {
    /// Text and tool calls. Either may be empty.
    Text(ReplyText, ReplyCalls),
    /// An error like that of a server.
    Error(ErrorEntry),
}

#[derive(Debug)]
pub(super) enum ReplyText {
    /// A fixed text.
    Text(String),
    /// The value returned by this JavaScript, which can read the newest message in `context`.
    Compute(String),
}

#[derive(Debug)]
pub(super) enum ReplyCalls {
    /// Fixed calls.
    Calls(Vec<CallEntry>),
    /// The list of calls returned by this JavaScript, which can read the newest message in
    /// `context`.
    Compute(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallEntry {
    pub name: String,
    /// Arguments as an object, or as a string, which may be invalid JSON.
    #[serde(default)]
    pub arguments: Value,
}

/// An error, as a server would return it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ErrorEntry {
    /// HTTP status; 413 means that the conversation exceeds the model's context window.
    #[serde(deserialize_with = "error_status")]
    status: u16,
    message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    description: String,
    #[serde(default)]
    latency_ms: u64,
    rules: Vec<RuleEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleEntry {
    #[serde(default)]
    when: When,
    reply: Option<String>,
    compute: Option<String>,
    tool_calls: Option<Vec<CallEntry>>,
    compute_calls: Option<String>,
    error: Option<ErrorEntry>,
    reasoning: Option<String>,
    tokens: Option<Tokens>,
    #[serde(default, deserialize_with = "cost")]
    cost_usd: Option<f64>,
}

/// Token counts that a reply reports.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    input: u64,
    output: u64,
}

/// Conditions of a rule, all of which must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct When {
    roles: Option<Vec<Role>>,
    mode: Option<PromptMode>,
    depth: Option<u32>,
    /// Position of the request among the invocation's requests, 1-based.
    turn: Option<NonZeroU32>,
    /// Minimum position of the request among the invocation's requests, 1-based.
    from_turn: Option<NonZeroU32>,
    /// Globs, one of which must match the sample's id.
    samples: Option<Vec<String>>,
    /// Number of characters that the request, including the system prompt, must exceed.
    over_chars: Option<usize>,
    /// Text that a message of the request must contain.
    says: Option<String>,
    /// Texts that the system prompt must contain.
    system: Option<Vec<String>>,
}

impl Script {
    /// Returns the first matching rule.
    pub fn rule(&self, request: &Request) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.fits(request))
    }
}

impl ErrorEntry {
    /// Converts the entry to the error of a provider with this name.
    pub fn of(&self, provider: &str) -> ProviderError {
        let Self { status, message } = self;
        let (provider, status, message) = (provider.to_owned(), *status, message.clone());
        match status {
            401 => ProviderError::Unauthorized { provider, message },
            402 => ProviderError::NoCredit { provider, message },
            413 => ProviderError::ContextOverflow { message },
            429 => ProviderError::RateLimited {
                provider,
                message,
                retry_after: None,
            },
            408 | 409 | 500.. => ProviderError::Server {
                provider,
                status,
                message,
                retry_after: None,
            },
            _ => ProviderError::Refused {
                provider,
                status,
                message,
            },
        }
    }
}

impl CallEntry {
    /// Converts the entry to a tool call, whose id consists of `turn` and its `index` in the
    /// response.
    pub fn to_call(&self, turn: u32, index: usize) -> ToolCall {
        ToolCall {
            id: format!("call_{turn}_{index}"),
            name: self.name.clone(),
            arguments: match &self.arguments {
                Value::Null => "{}".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        }
    }
}

impl Rule {
    fn fits(&self, request: &Request) -> bool {
        let caller = &request.caller;
        let When {
            roles,
            mode,
            depth,
            turn,
            from_turn,
            samples: _,
            over_chars,
            says,
            system,
        } = &self.when;
        roles
            .as_ref()
            .is_none_or(|roles| roles.contains(&caller.role))
            && mode.is_none_or(|mode| mode == caller.mode)
            && depth.is_none_or(|depth| depth == caller.depth)
            && turn.is_none_or(|turn| turn.get() == caller.turn)
            && from_turn.is_none_or(|from| caller.turn >= from.get())
            && self
                .samples
                .as_ref()
                .is_none_or(|samples| samples.is_match(&caller.sample))
            && over_chars.is_none_or(|most| chars(request) > most)
            && says.as_ref().is_none_or(|text| {
                let mut messages = request.messages.iter();
                messages.any(|message| message.all_text().contains(text))
            })
            && system
                .iter()
                .flatten()
                .all(|text| request.system.contains(text.as_str()))
    }
}

/// Deserializes the HTTP status of an error.
fn error_status<'de, D: Deserializer<'de>>(from: D) -> Result<u16, D::Error> {
    let status = u16::deserialize(from)?;
    if (400..=599).contains(&status) {
        return Ok(status);
    }
    Err(D::Error::custom(format!(
        "invalid status {status}: expected an HTTP status from 400 to 599"
    )))
}

/// Deserializes a cost.
fn cost<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let cost = Option::<f64>::deserialize(from)?;
    match cost {
        Some(dollars) if !(dollars.is_finite() && dollars >= 0.0) => Err(D::Error::custom(
            format!("invalid cost {dollars}: expected US dollars, at least 0"),
        )),
        cost => Ok(cost),
    }
}

fn chars(request: &Request) -> usize {
    let messages = request.messages.iter();
    messages.fold(request.system.chars().count(), |sum, message| {
        sum + message.all_text().chars().count()
    })
}

/// Parses the YAML text of a scripted model.
///
/// # Errors
/// Returns a description of the problem, its place, and what would be valid.
pub(super) fn parse(text: &str) -> Result<Script, String> {
    let file: ScriptFile = crate::text::yaml::read(text).map_err(|error| error.to_string())?;
    let mut rules = Vec::new();
    for (number, mut entry) in (1..).zip(file.rules) {
        let reply =
            reply_of(&mut entry).map_err(|problem| format!("rule {number}: expected {problem}"))?;
        let samples = entry.when.samples.as_deref().map(globs).transpose();
        let samples = samples.map_err(|error| format!("rule {number}, `when.samples`: {error}"))?;
        rules.push(Rule {
            when: entry.when,
            samples,
            reply,
            reasoning: entry.reasoning,
            usage: entry.tokens.map(|tokens| Usage {
                input_tokens: tokens.input,
                output_tokens: tokens.output,
                ..Usage::default()
            }),
            cost_usd: entry.cost_usd,
        });
    }
    if rules.is_empty() {
        return Err("`rules` is empty: a scripted model needs at least one rule".to_owned());
    }
    Ok(Script {
        description: file.description,
        latency_ms: file.latency_ms,
        rules,
    })
}

/// Removes and returns the reply of an entry.
///
/// # Errors
/// Returns a description of the expected fields.
fn reply_of(entry: &mut RuleEntry) -> Result<Reply, &'static str> {
    let said = match (entry.reply.take(), entry.compute.take()) {
        (Some(text), None) => Some(ReplyText::Text(text)),
        (None, Some(code)) => Some(ReplyText::Compute(code)),
        (None, None) => None,
        (Some(_), Some(_)) => {
            return Err("exactly one of `reply`, `compute` and `error`");
        }
    };
    let called = match (entry.tool_calls.take(), entry.compute_calls.take()) {
        (Some(calls), None) => Some(ReplyCalls::Calls(calls)),
        (None, Some(code)) => Some(ReplyCalls::Compute(code)),
        (None, None) => None,
        (Some(_), Some(_)) => return Err("at most one of `tool_calls` and `compute_calls`"),
    };
    match (said, called, entry.error.take()) {
        (None, None, Some(error)) => Ok(Reply::Error(error)),
        (said, called, None) if said.is_some() || called.is_some() => Ok(Reply::Text(
            said.unwrap_or(ReplyText::Text(String::new())),
            called.unwrap_or(ReplyCalls::Calls(Vec::new())),
        )),
        _ => Err("exactly one of `reply`, `compute` and `error`, or tool calls"),
    }
}
