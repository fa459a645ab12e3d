//! Common interface to the wire formats, which creates requests and parses responses.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::endpoint::{Dialect, Unsupported};
use super::reasoning::{self, Api};
use super::sse::SseEvent;
use super::{anthropic, openai_chat, openai_responses};
use crate::model::lenient_json;
use crate::model::{Image, Message, MessageRole, Sampling, ToolCall, ToolResult, Usage};
use crate::prompt::{past_call, past_result};
use crate::provider::{Request, Response};

/// Format of requests and responses, including the server's dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Chat completions API of `OpenAI` and compatible servers.
    Chat(Dialect),
    /// Responses API of `OpenAI`.
    Responses,
    /// Messages API of Anthropic.
    Messages,
}

/// A parsed response and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedResponse {
    pub response: Response,
    pub end: ResponseEnd,
}

/// How a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ResponseEnd {
    /// The model finished.
    Complete,
    /// The response was cut off at the output token limit.
    Length,
    /// The model's context window was full.
    ContextFull,
    /// A filter withheld the response, or the model refused. Contains the server's message.
    Filter(String),
    /// The server failed while responding. Contains the server's message. A retry may succeed.
    Failed(String),
    /// The response is incomplete, and a retry would not change that. Contains the server's
    /// message.
    Unfinished(String),
}

impl ResponseEnd {
    /// Returns the severity of the ending, to choose the worst of several. Endings that lead to a
    /// retry are the worst.
    pub const fn rank(&self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Length => 1,
            Self::ContextFull => 2,
            Self::Filter(_) => 3,
            Self::Unfinished(_) => 4,
            Self::Failed(_) => 5,
        }
    }

    /// Returns the ending of a response without a finish reason: complete if the response has
    /// content, otherwise failed.
    pub fn without_finish_reason(response: &Response) -> Self {
        if response.text.trim().is_empty() && response.tool_calls.is_empty() {
            Self::Failed("empty response without a finish reason".to_owned())
        } else {
            Self::Complete
        }
    }
}

/// A response that is being assembled from events.
pub(super) trait Assembly: Send {
    /// Processes an event and returns whether it was the last one.
    ///
    /// # Errors
    /// Returns a description of the problem.
    fn take(&mut self, event: &SseEvent) -> Result<bool, String>;

    /// Returns the text received so far, without reasoning.
    fn text(&self) -> &str;

    /// Returns the response received so far, in the format of a response that is not streamed. With
    /// `complete`, returns `None` if the end is missing.
    fn whole(&self, complete: bool) -> Option<Value>;
}

impl Wire {
    /// Returns the request path, relative to the base URL.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat(_) => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/v1/messages",
        }
    }

    /// Returns the path of the list of models, relative to the base URL.
    pub const fn models_path(self) -> &'static str {
        match self {
            Self::Chat(_) | Self::Responses => "/models",
            Self::Messages => "/v1/models?limit=1000",
        }
    }

    /// Returns the name and value of the header with the API key.
    pub fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Messages => ("x-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }
    }

    /// Returns the fields of a request that users must not set, because the harness needs them to
    /// parse the response or because the run's recorded settings would be wrong.
    pub const fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::Chat(_) => openai_chat::OWN_FIELDS,
            Self::Responses => openai_responses::OWN_FIELDS,
            Self::Messages => anthropic::OWN_FIELDS,
        }
    }

    /// See [`super::Endpoint::cannot_force_tools`].
    pub fn cannot_force(self, model: &str, sampling: &Sampling) -> bool {
        match self {
            Self::Messages => anthropic::cannot_force(model, sampling),
            _ => false,
        }
    }

    /// Checks that the format supports the settings.
    ///
    /// # Errors
    /// Returns [`Unsupported`] for the first setting that is not supported.
    pub fn check(self, model: &str, sampling: &Sampling) -> Result<(), Unsupported> {
        let own = self.own_fields().iter();
        if let Some(field) = own
            .copied()
            .find(|field| sampling.extra.contains_key(*field))
        {
            return Err(Unsupported {
                setting: "extra",
                reason: format!("the harness sets the field `{field}`, so it cannot be overridden"),
            });
        }
        if let Some(api) = self.reasoning_api() {
            reasoning::check(api, model, sampling)?;
        }
        match self {
            Self::Chat(dialect) => openai_chat::check(dialect, sampling),
            Self::Responses => openai_responses::check(sampling),
            Self::Messages => anthropic::check(model, sampling),
        }
    }

    /// Returns the API whose reasoning settings the server accepts; `None` if the server translates
    /// them or its API is unknown.
    const fn reasoning_api(self) -> Option<Api> {
        match self {
            Self::Chat(Dialect::Openai) | Self::Responses => Some(Api::Openai),
            Self::Chat(Dialect::Google) => Some(Api::Google),
            Self::Messages => Some(Api::Anthropic),
            Self::Chat(Dialect::Openrouter | Dialect::Compatible) => None,
        }
    }

    /// Returns the body of a request.
    pub fn body(self, request: &Request, stream: bool) -> Value {
        let mut body = match self {
            Self::Chat(dialect) => openai_chat::body(dialect, request, stream),
            Self::Responses => openai_responses::body(request),
            Self::Messages => anthropic::body(request),
        };
        if stream {
            body["stream"] = json!(true);
        }
        body
    }

    /// Parses a response.
    ///
    /// # Errors
    /// Returns a description of the problem and its place in the response.
    pub fn read(self, body: &Value) -> Result<ParsedResponse, String> {
        match self {
            Self::Chat(_) => openai_chat::read(body),
            Self::Responses => openai_responses::read(body),
            Self::Messages => anthropic::read(body),
        }
    }

    /// Returns the error in the used choice of a body, if the format is chat completions.
    pub fn inner_error(self, body: &Value) -> Option<Value> {
        let Self::Chat(_) = self else { return None };
        let error = openai_chat::used_choice(body)?.get("error")?;
        Some(json!({"error": error}))
    }

    /// Returns the usage and the cost in US dollars that a body reports, even if the body is
    /// otherwise invalid.
    pub fn bill(self, body: &Value) -> Option<(Usage, Option<f64>)> {
        let usage = &body["usage"];
        match self {
            Self::Chat(_) => openai_chat::usage(usage),
            Self::Responses => openai_responses::usage(usage),
            Self::Messages => anthropic::usage(usage),
        }
        .map(|counted| (counted, cost(usage)))
    }

    /// Returns the finish reason as reported by the server.
    pub fn finish_reason(self, body: &Value) -> &str {
        match self {
            Self::Chat(_) => {
                openai_chat::used_choice(body).map_or("", |it| text(&it["finish_reason"]))
            }
            Self::Responses => match text(&body["incomplete_details"]["reason"]) {
                "" => text(&body["status"]),
                reason => reason,
            },
            Self::Messages => text(&body["stop_reason"]),
        }
    }

    /// Starts assembling a streamed response.
    pub fn assembly(self) -> Box<dyn Assembly> {
        match self {
            Self::Chat(_) => Box::<openai_chat::Chunks>::default(),
            Self::Responses => Box::<openai_responses::Events>::default(),
            Self::Messages => Box::<anthropic::Events>::default(),
        }
    }
}

/// Maximum characters of a tool name that all APIs accept.
const LONGEST_NAME: usize = 64;

/// Whether all APIs accept a tool's name.
fn is_name(name: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_valid)
}

/// Returns a name that all APIs accept. A model may have called a tool by an invalid name, which
/// the APIs would reject in later requests.
fn valid_name(name: &str) -> String {
    if is_name(name) {
        return name.to_owned();
    }
    let is_valid = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
    let chars = name.chars();
    let valid = chars.map(|char| if is_valid(char) { char } else { '_' });
    let valid: String = valid.take(LONGEST_NAME).collect();
    if valid.is_empty() {
        "_".to_owned()
    } else {
        valid
    }
}

/// Returns the messages in a form that all wire formats accept: the result of every tool call is in
/// the next message. Converts unpaired calls and results, or all of them if the request has no
/// tools, to text. Changes invalid names of tools.
pub(super) fn paired(request: &Request) -> Vec<Cow<'_, Message>> {
    let messages = &request.messages;
    let off = request.tools.is_off();
    let paired = messages.iter().enumerate().map(|(index, message)| {
        let other = match message.role {
            MessageRole::Assistant => messages.get(index + 1),
            MessageRole::User => index.checked_sub(1).and_then(|index| messages.get(index)),
        };
        let other = other.filter(|other| !off && other.role != message.role);
        let answered = |id: &str| {
            other.is_some_and(|other| other.tool_results.iter().any(|result| result.call == id))
        };
        let asked =
            |id: &str| other.is_some_and(|other| other.tool_calls.iter().any(|call| call.id == id));
        let whole = message.tool_calls.iter().all(|call| answered(&call.id))
            && message
                .tool_results
                .iter()
                .all(|result| asked(&result.call));
        if whole && message.tool_calls.iter().all(|call| is_name(&call.name)) {
            return Cow::Borrowed(&**message);
        }
        let mut message = Message::clone(message);
        for call in &mut message.tool_calls {
            call.name = valid_name(&call.name);
        }
        if whole {
            return Cow::Owned(message);
        }
        // Signatures are valid only for an unchanged message.
        message.reasoning_signature = None;
        let (kept, past) = message
            .tool_calls
            .into_iter()
            .partition(|call| answered(&call.id));
        message.tool_calls = kept;
        let past: Vec<ToolCall> = past;
        let called = past
            .iter()
            .map(|call| past_call(&call.name, &call.arguments));
        let (kept, past) = message
            .tool_results
            .into_iter()
            .partition(|result| asked(&result.call));
        message.tool_results = kept;
        let past: Vec<ToolResult> = past;
        let said = past.iter().map(|result| past_result(&result.content));
        let own = Some(message.content).filter(|content| !content.trim().is_empty());
        let parts: Vec<String> = said.chain(own).chain(called).collect();
        message.content = parts.join("\n\n");
        Cow::Owned(message)
    });
    paired.collect()
}

/// Replaces ids of tool calls that are missing or not unique in the conversation.
pub(super) fn make_call_ids_unique(response: &mut Response, request: &Request) {
    let earlier = request
        .messages
        .iter()
        .flat_map(|message| &message.tool_calls);
    let mut known: HashSet<String> = earlier.map(|call| call.id.clone()).collect();
    for (index, call) in response.tool_calls.iter_mut().enumerate() {
        if call.id.is_empty() || known.contains(&call.id) {
            call.id = format!("call_{}_{index}", request.messages.len());
        }
        known.insert(call.id.clone());
    }
}

/// Creates a tool call from its fields, or returns `None` if the name is missing.
pub(super) fn call(id: &Value, name: &Value, arguments: &Value) -> Option<ToolCall> {
    let name = text(name);
    (!name.is_empty()).then(|| ToolCall {
        id: text(id).to_owned(),
        name: name.to_owned(),
        arguments: match arguments {
            Value::Null => String::new(),
            Value::String(arguments) => lenient_json::valid(arguments).into_owned(),
            other => other.to_string(),
        },
    })
}

/// Returns the arguments of an earlier call as a JSON object, even if they were invalid, because
/// servers insert them into templates.
pub(super) fn arguments(call: &ToolCall) -> String {
    match serde_json::from_str(&call.arguments) {
        Ok(Value::Object(_)) => call.arguments.clone(),
        _ => Value::Object(call.input()).to_string(),
    }
}

/// Returns an image as a data URL.
pub(super) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type, image.data)
}

/// Adds user-supplied fields to a body. [`Wire::check`] has rejected the [`Wire::own_fields`].
pub(super) fn add_extra(body: &mut Value, extra: &Map<String, Value>) {
    for (name, value) in extra {
        body[name.as_str()] = value.clone();
    }
}

/// Returns a value as a token count; 0 if it is missing or not a non-negative integer.
pub(super) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Token counts of a request and its response, as reported by the server.
pub(super) struct Counted {
    /// All input tokens, including those read from and written to a cache.
    pub input: u64,
    /// Input tokens read from a cache.
    pub cached: u64,
    /// Input tokens written to a cache.
    pub written: u64,
    /// All output tokens, including reasoning.
    pub output: u64,
    /// Reasoning tokens.
    pub reasoning: u64,
}

impl Counted {
    /// Parses a usage object. `input` and `output` are the names of the fields for the token
    /// counts. The fields with these names and the suffix `_details` contain the details.
    ///
    /// Some gateways do not count cached tokens as input. In this case, the cached tokens exceed
    /// the input, or the total is the sum of input, output and cached tokens.
    ///
    /// Some servers (xAI, and Gemini behind gateways) do not count reasoning as output. In this
    /// case, the reasoning exceeds the output, or the total is the sum of input, output and
    /// reasoning. Google's own server reports reasoning only as part of the total.
    pub fn read(usage: &Value, [input, output]: [&str; 2]) -> Self {
        let most = |places: [&Value; 2]| places.into_iter().map(count).max().unwrap_or_default();
        let details = &usage[format!("{input}_details")];
        let cached = most([&details["cached_tokens"], &usage["cache_read_input_tokens"]]);
        // Only OpenRouter and gateways to Anthropic report cache writes.
        let written = most([
            &details["cache_write_tokens"],
            &usage["cache_creation_input_tokens"],
        ]);
        let details = &usage[format!("{output}_details")];
        let reasoning = most([&details["reasoning_tokens"], &usage["reasoning_tokens"]]);
        let (input, said) = (count(&usage[input]), count(&usage[output]));
        let total = count(&usage["total_tokens"]);
        let rest = total.saturating_sub(input.saturating_add(said));
        let cache = cached.saturating_add(written);
        let explains = |rest: u64| cache > 0 && rest == cache;
        let is_beside = cache > input || explains(rest) || explains(rest.saturating_sub(reasoning));
        let cache = if is_beside { cache } else { 0 };
        let rest = rest.saturating_sub(cache);
        let (output, reasoning) = if reasoning > said || reasoning > 0 && rest >= reasoning {
            (said.saturating_add(reasoning), reasoning)
        } else if reasoning == 0 {
            (said.saturating_add(rest), rest)
        } else {
            (said, reasoning)
        };
        Self {
            input: input.saturating_add(cache),
            cached,
            written,
            output,
            reasoning,
        }
    }

    pub const fn usage(self) -> Usage {
        Usage {
            input_tokens: self.input,
            cached_input_tokens: self.cached,
            cache_write_tokens: self.written,
            output_tokens: self.output,
            reasoning_tokens: self.reasoning,
            estimated: false,
        }
    }
}

/// Maximum plausible cost of one call in US dollars. A higher cost must be a mistake of the server.
const MAX_COST_USD: f64 = 1_000.0;

/// Returns the cost in US dollars that a server reports with its token counts. Ignores a cost below
/// 0 or above [`MAX_COST_USD`].
pub(super) fn cost(usage: &Value) -> Option<f64> {
    let said = usage["cost"].as_f64()?;
    (0.0..=MAX_COST_USD).contains(&said).then_some(said)
}

/// Contents of a message's parts, by kind.
#[derive(Default)]
pub(super) struct ContentParts {
    pub text: String,
    pub refusal: String,
    pub thoughts: String,
}

/// Parses the content of a message, which is a string or a list of parts.
pub(super) fn said(content: &Value) -> ContentParts {
    let mut said = ContentParts {
        text: text(content).to_owned(),
        ..ContentParts::default()
    };
    for part in items(content) {
        match &part["type"] {
            Value::Null => {
                said.text.push_str(text(&part["text"]));
                said.refusal.push_str(text(&part["refusal"]));
            }
            kind if kind == "text" || kind == "output_text" => {
                said.text.push_str(text(&part["text"]));
            }
            kind if kind == "refusal" => {
                let words = [&part["refusal"], &part["text"]].map(text);
                let words = words.into_iter().find(|words| !words.is_empty());
                // An empty part is also a refusal.
                said.refusal.push_str(words.unwrap_or("refusal"));
            }
            kind if kind == "thinking" || kind == "reasoning" => {
                for field in ["thinking", "reasoning", "text"] {
                    said.thoughts.push_str(text(&part[field]));
                    let inner = items(&part[field]).iter();
                    said.thoughts.extend(inner.map(|part| text(&part["text"])));
                }
            }
            _ => {}
        }
    }
    said
}

/// Returns a value as a string; empty if it is not a string.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the elements of a list; empty if the value is not a list.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Appends to a string field of an object, in place because a stream does this thousands of times.
pub(super) fn append(object: &mut Value, name: &str, more: &str) {
    if more.is_empty() {
        return;
    }
    match object.get_mut(name) {
        Some(Value::String(so_far)) => so_far.push_str(more),
        _ => object[name] = json!(more),
    }
}

/// Returns the text, or `None` if it is blank.
pub(super) fn unless_blank(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

/// Parses the data of an event. Unpaired surrogates remain marked, so that they can be joined when
/// the response is complete.
///
/// # Errors
/// Returns a description of the problem.
pub(super) fn parse_event(event: &SseEvent) -> Result<Value, String> {
    lenient_json::piece(&event.data).map_err(|error| format!("an event is not JSON: {error}"))
}
