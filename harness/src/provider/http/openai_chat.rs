//! Implements chat completions, <https://platform.openai.com/docs/api-reference/chat>, and the
//! dialects of compatible servers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::endpoint_table::{Dialect, accepts_parallel_field};
use super::fault::reports_error;
use super::finish_reason::FinishReasonField;
use super::json_fields::{count, items, text};
use super::messages::{arguments, data_url, paired};
use super::parsed_response::{
    Assembly, ContentParts, ParsedResponse, ResponseEnd, call, parse_event, said, unless_blank,
};
use super::reported_usage::{Counted, cost};
use super::settings::{Unsupported, add_extra};
use super::sse::SseEvent;
use super::structured::{is_of_google, is_strict, object_schema};
use crate::model::lenient_json;
use crate::model::{Message, MessageRole, Sampling, ToolCall, ToolChoice, ToolSpec, Usage};
use crate::provider::{Request, Response};
use crate::text::split_reasoning;

/// Maximum number of stop sequences that the API accepts.
const MOST_STOPS: usize = 4;

/// Fields in which servers return reasoning.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning"];

/// Placeholder for the content of a turn in which the model returned nothing.
const NO_CONTENT: &str = "(no content)";

/// Key in [`Response::reasoning_signature`] for reasoning that was part of the text.
const IN_TEXT: &str = "think";

/// See [`super::wire::Wire::own_fields`]. The last two are the deprecated names of `tools` and
/// `tool_choice`.
pub(super) const OWN_FIELDS: &[&str] = &[
    "model",
    "messages",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
];

/// Checks that the dialect supports the settings.
pub(super) fn check(dialect: Dialect, sampling: &Sampling) -> Result<(), Unsupported> {
    if sampling.stop.len() > MOST_STOPS {
        return Err(Unsupported {
            setting: "stop",
            reason: format!("chat completions support at most {MOST_STOPS} stop sequences"),
        });
    }
    if sampling.reasoning_tokens.is_some() && dialect != Dialect::Openrouter {
        return Err(Unsupported {
            setting: "reasoning_tokens",
            reason: "this server does not support a reasoning token budget; set the effort instead"
                .to_owned(),
        });
    }
    if sampling.reasoning_tokens.is_some() && sampling.effort.is_some() {
        return Err(Unsupported {
            setting: "reasoning_tokens",
            reason: "OpenRouter accepts either an effort or a reasoning token budget".to_owned(),
        });
    }
    Ok(())
}

pub(super) fn body(dialect: Dialect, request: &Request, stream: bool) -> Value {
    let sampling = &request.sampling;
    let mut body = json!({"model": request.model, "messages": messages(request)});
    if let Some(temperature) = sampling.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(seed) = sampling.seed {
        body["seed"] = json!(seed);
    }
    if let Some(most) = sampling.max_tokens {
        let name = match dialect {
            Dialect::Openai => "max_completion_tokens",
            Dialect::Openrouter | Dialect::Google | Dialect::Compatible => "max_tokens",
        };
        body[name] = json!(most);
    }
    if !sampling.stop.is_empty() {
        body["stop"] = json!(sampling.stop);
    }
    match (dialect, sampling.effort, sampling.reasoning_tokens) {
        (Dialect::Openrouter, Some(effort), _) => body["reasoning"] = json!({"effort": effort}),
        (Dialect::Openrouter, None, Some(most)) => body["reasoning"] = json!({"max_tokens": most}),
        (_, Some(effort), _) => body["reasoning_effort"] = json!(effort),
        _ => {}
    }
    if dialect == Dialect::Openrouter {
        body["usage"] = json!({"include": true});
    }
    if !request.tools.is_off() {
        offer(dialect, request, &mut body);
    }
    if let Some(schema) = object_schema(request)
        && (dialect != Dialect::Google || is_of_google(schema))
    {
        let format = json!({"name": "answer", "schema": schema, "strict": is_strict(schema)});
        body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    }
    if stream {
        body["stream_options"] = json!({"include_usage": true});
    }
    add_extra(&mut body, &sampling.extra);
    body
}

fn offer(dialect: Dialect, request: &Request, body: &mut Value) {
    let tools = &request.tools;
    let tool = |spec: &ToolSpec| {
        json!({"type": "function", "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
        }})
    };
    body["tools"] = tools.specs.iter().map(tool).collect();
    body["tool_choice"] = match &tools.choice {
        ToolChoice::Auto | ToolChoice::None => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Forced(name) => json!({"type": "function", "function": {"name": name}}),
    };
    if !matches!(dialect, Dialect::Google | Dialect::Compatible)
        && accepts_parallel_field(&request.model)
    {
        body["parallel_tool_calls"] = json!(tools.parallel);
    }
}

fn messages(request: &Request) -> Vec<Value> {
    let mut all = Vec::new();
    if !request.system.is_empty() {
        all.push(json!({"role": "system", "content": request.system}));
    }
    for message in paired(request) {
        match message.role {
            MessageRole::Assistant => all.push(assistant(&message, request.keep_reasoning)),
            MessageRole::User => {
                for result in &message.tool_results {
                    all.push(json!({"role": "tool", "tool_call_id": result.call, "content": result.content}));
                }
                let is_more = !message.content.is_empty() || !message.images.is_empty();
                if message.tool_results.is_empty() || is_more {
                    all.push(json!({"role": "user", "content": content(&message)}));
                }
            }
        }
    }
    all
}

fn assistant(message: &Message, keep_reasoning: bool) -> Value {
    let mut turn = json!({"role": "assistant", "content": message.content});
    // Some servers, such as Moonshot's and Cloudflare's, reject a turn without content.
    if message.content.trim().is_empty() && message.tool_calls.is_empty() {
        turn["content"] = json!(NO_CONTENT);
    }
    // Values that must be sent back to the server, such as signatures of its reasoning.
    let carried: Map<String, Value> = message
        .reasoning_signature
        .as_deref()
        .and_then(|carry| serde_json::from_str(carry).ok())
        .unwrap_or_default();
    let calls: Vec<Value> = message
        .tool_calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            let function = json!({"name": call.name, "arguments": arguments(call)});
            let mut turn = json!({"id": call.id, "type": "function", "function": function});
            let extra = carried.get("extra_content").map(|extra| &extra[index]);
            if let Some(extra) = extra.filter(|extra| !extra.is_null()) {
                turn["extra_content"] = extra.clone();
            }
            turn
        })
        .collect();
    if !calls.is_empty() {
        turn["tool_calls"] = json!(calls);
    }
    if let Some(details) = carried.get("reasoning_details") {
        turn["reasoning_details"] = details.clone();
    } else {
        // Reasoning is sent back in the server's own fields. DeepSeek and Kimi reject a tool call
        // without the reasoning that led to it.
        for name in THOUGHTS {
            if let Some(thoughts) = carried.get(name)
                && (keep_reasoning || !calls.is_empty())
            {
                turn[name] = thoughts.clone();
            }
        }
        if let Some(thoughts) = carried.get(IN_TEXT)
            && keep_reasoning
        {
            let thoughts = text(thoughts);
            turn["content"] = json!(format!(
                "<think>\n{thoughts}\n</think>\n\n{}",
                message.content
            ));
        }
    }
    turn
}

fn content(message: &Message) -> Value {
    if message.images.is_empty() {
        return json!(message.content);
    }
    let mut parts = Vec::new();
    if !message.content.is_empty() {
        parts.push(json!({"type": "text", "text": message.content}));
    }
    parts.extend(images(message));
    json!(parts)
}

fn images(message: &Message) -> Vec<Value> {
    let part = |image| json!({"type": "image_url", "image_url": {"url": data_url(image)}});
    message.images.iter().map(part).collect()
}

/// Returns the choice with the lowest index, which is the only one that is used.
pub(super) fn used_choice(body: &Value) -> Option<&Value> {
    items(&body["choices"])
        .iter()
        .min_by_key(|choice| index(choice))
}

/// Returns the index of a choice; 0 if it is missing.
fn index(choice: &Value) -> u64 {
    count(&choice["index"])
}

pub(super) fn read(body: &Value) -> Result<ParsedResponse, String> {
    if !body["choices"].is_array() {
        return Err("`choices` is missing".to_owned());
    }
    let choice = used_choice(body).ok_or("`choices` is empty")?;
    let message = choice["message"]
        .as_object()
        .ok_or("`choices[0].message` is missing")?;
    let message = Value::Object(message.clone());
    check_content(&message["content"])?;
    let ContentParts {
        text: mut said,
        refusal,
        thoughts,
    } = said(&message["content"]);
    let refusal = text(&message["refusal"]).to_owned() + &refusal;
    let mut reasoning = unless_blank(text(&message["reasoning_content"]).to_owned())
        .or_else(|| unless_blank(text(&message["reasoning"]).to_owned()))
        .or_else(|| unless_blank(thoughts));
    let mut carry = Map::new();
    for name in THOUGHTS {
        if let Some(thoughts) = unless_blank(text(&message[name]).to_owned()) {
            carry.insert(name.to_owned(), json!(thoughts));
            break;
        }
    }
    // Some servers return the whole answer as reasoning.
    let calls = items(&message["tool_calls"]);
    if said.trim().is_empty()
        && calls.is_empty()
        && refusal.is_empty()
        && end_of(choice) == Some(ResponseEnd::Complete)
        && let Some(filed) = &reasoning
    {
        let rest = filed.rsplit_once("</think>").map(|(_, rest)| rest.trim());
        let rest = rest.filter(|rest| !rest.is_empty());
        rest.unwrap_or(filed).clone_into(&mut said);
        carry.clear();
    } else if let Some(found) = split_reasoning(&said) {
        carry.insert(IN_TEXT.to_owned(), json!(found.reasoning));
        reasoning = reasoning.or_else(|| unless_blank(found.reasoning.to_owned()));
        said = String::from(found.rest.unwrap_or_default());
    }
    let mut tool_calls: Vec<ToolCall> = Vec::new();
    let mut extras = Vec::new();
    for item in items(&message["tool_calls"]) {
        let function = &item["function"];
        if let Some(call) = call(&item["id"], &function["name"], &function["arguments"]) {
            tool_calls.push(call);
            extras.push(&item["extra_content"]);
        }
    }
    if extras.iter().any(|extra| !extra.is_null()) {
        carry.insert("extra_content".to_owned(), json!(extras));
    }
    if let Some(details) = message.get("reasoning_details") {
        carry.insert("reasoning_details".to_owned(), details.clone());
    }
    let response = Response {
        text: said,
        reasoning,
        tool_calls,
        reasoning_signature: (!carry.is_empty()).then(|| Value::Object(carry).to_string()),
        usage: usage(&body["usage"]),
        cost_usd: cost(&body["usage"]),
        served_model: unless_blank(text(&body["model"]).to_owned()),
        ..Response::default()
    };
    let end = end_of(choice);
    let is_unsaid = end.is_none();
    let end = match end.unwrap_or_else(|| ResponseEnd::without_finish_reason(&response)) {
        // A refusal replaces the answer and the missing finish reason.
        _ if is_unsaid && !refusal.is_empty() => ResponseEnd::Filter(refusal),
        ResponseEnd::Complete | ResponseEnd::Filter(_) if !refusal.is_empty() => {
            ResponseEnd::Filter(refusal)
        }
        end => end,
    };
    Ok(ParsedResponse { response, end })
}

/// Checks that the content of a message is missing, a string or a list.
fn check_content(content: &Value) -> Result<(), String> {
    match content {
        Value::Null | Value::String(_) | Value::Array(_) => Ok(()),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err("`content` is neither text nor a list of parts".to_owned())
        }
    }
}

/// Returns the stated ending of a choice, if any. The native finish reason takes precedence over
/// "complete", because a router may report an incomplete response as complete.
fn end_of(choice: &Value) -> Option<ResponseEnd> {
    let native = text(&choice["native_finish_reason"]);
    let behind = FinishReasonField::Chat.known("native_finish_reason", native);
    match FinishReasonField::Chat.ending("finish_reason", &choice["finish_reason"]) {
        None | Some(ResponseEnd::Complete) if behind.is_some() => behind,
        Some(ResponseEnd::Failed(said)) if !native.is_empty() => Some(ResponseEnd::Failed(
            format!("{said}, and `native_finish_reason` `{native}`"),
        )),
        end => end,
    }
}

pub(super) fn usage(usage: &Value) -> Option<Usage> {
    usage["prompt_tokens"].as_u64()?;
    Some(Counted::read(usage, ["prompt_tokens", "completion_tokens"]).usage())
}

/// Received part of a streamed response.
#[derive(Default)]
pub(super) struct Chunks {
    /// Choices by index. Their chunks may alternate.
    choices: BTreeMap<u64, Choice>,
    done: bool,
    id: Value,
    model: Value,
    usage: Value,
}

/// Received part of a choice.
#[derive(Default)]
struct Choice {
    text: String,
    reasoning: String,
    refusal: String,
    calls: Vec<Call>,
    details: Vec<Value>,
    /// Whether text arrived in deltas. A later message may then repeat it.
    by_deltas: bool,
    /// Fields that describe the ending.
    ending: Map<String, Value>,
}

/// Received part of a tool call.
#[derive(Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Value,
}

impl Call {
    /// Returns the call in the format of a non-streaming response.
    fn whole(&self) -> Value {
        let function = json!({"name": self.name, "arguments": self.arguments});
        json!({"id": self.id, "function": function, "extra_content": self.extra})
    }
}

/// Maximum number of choices to store. A broken server may send more.
const MOST_CHOICES: usize = 128;

/// Maximum number of tool calls to store in a choice. A broken server may send more.
const MOST_CALLS: usize = 64;

/// Fields that describe the ending of a choice.
const ENDING: [&str; 3] = ["finish_reason", "native_finish_reason", "error"];

impl Assembly for Chunks {
    fn take(&mut self, event: &SseEvent) -> Result<bool, String> {
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(true);
        }
        let chunk = parse_event(event)?;
        // Some servers omit the id or leave it empty in later chunks.
        if text(&self.id).is_empty() && chunk["id"].is_string() {
            self.id = chunk["id"].clone();
        }
        if let Some(model) = chunk.get("model").filter(|model| model.is_string()) {
            self.model = model.clone();
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage.clone();
        }
        for part in items(&chunk["choices"]) {
            let parts = ["delta", "message"].map(|name| &part[name]);
            for message in parts {
                check_content(&message["content"])?;
            }
            if parts.iter().all(|message| message.is_null()) && !text(&part["text"]).is_empty() {
                return Err("`choices[0].delta` is missing".to_owned());
            }
            if part["index"].as_f64().is_some_and(|index| index < 0.0) {
                return Err(format!("`choices[].index` is {}", part["index"]));
            }
            let index = index(part);
            if self.choices.contains_key(&index) || self.choices.len() < MOST_CHOICES {
                self.choices.entry(index).or_default().take(part);
            }
        }
        Ok(false)
    }

    fn text(&self) -> &str {
        let Some(choice) = self.used_choice() else {
            return "";
        };
        match split_reasoning(&choice.text) {
            Some(found) => found.rest.unwrap_or_default(),
            None => &choice.text,
        }
    }

    fn whole(&self, complete: bool) -> Option<Value> {
        let choice = self.used_choice();
        // Some servers omit `[DONE]`, but all send a finish reason.
        let says_end = |choice: &Choice| !choice.ending.is_empty();
        let others_say = self.choices.values().any(says_end);
        if complete && !choice.is_some_and(says_end) && (others_say || !self.done) {
            return None;
        }
        let choices: Vec<Value> = choice.map(Choice::whole).into_iter().collect();
        Some(json!({"id": self.id, "model": self.model, "choices": choices, "usage": self.usage}))
    }
}

impl Chunks {
    /// Returns the choice with the lowest index, which is the only one that is used.
    fn used_choice(&self) -> Option<&Choice> {
        self.choices.values().next()
    }
}

/// Whether a message repeats the text that has already arrived in deltas.
fn repeats(message: &str, pieces: &str) -> bool {
    let [message, pieces] = [message, pieces].map(lenient_json::join_text);
    message.starts_with(&*pieces)
}

impl Choice {
    fn take(&mut self, part: &Value) {
        for name in ENDING {
            let before = self.ending.get(name).unwrap_or(&Value::Null);
            let after = &part[name];
            let takes = match name {
                "error" => reports_error(after) && before.is_null(),
                // An unknown native finish reason does not describe the ending.
                "native_finish_reason"
                    if FinishReasonField::Chat.known(name, text(after)).is_none() =>
                {
                    !text(after).is_empty() && before.is_null()
                }
                "native_finish_reason"
                    if FinishReasonField::Chat.known(name, text(before)).is_none() =>
                {
                    true
                }
                _ => FinishReasonField::Chat.should_change(name, before, after),
            };
            if takes {
                self.ending.insert(name.to_owned(), after.clone());
            }
        }
        let is_delta = part["delta"]
            .as_object()
            .is_some_and(|delta| delta.values().any(|value| !value.is_null() && *value != ""));
        // Some servers use `message` for deltas, or for the whole text at the end.
        let delta = if is_delta || !part["message"].is_object() {
            &part["delta"]
        } else {
            &part["message"]
        };
        let said = said(&delta["content"]);
        if is_delta {
            self.by_deltas |= !said.text.is_empty();
        } else if self.by_deltas && repeats(&said.text, &self.text) {
            self.text.clear();
            self.refusal.clear();
            self.reasoning.clear();
            self.details.clear();
            if !items(&delta["tool_calls"]).is_empty() {
                self.calls.clear();
            }
        }
        self.text.push_str(&said.text);
        self.refusal.push_str(text(&delta["refusal"]));
        self.refusal.push_str(&said.refusal);
        let thoughts = THOUGHTS.map(|name| text(&delta[name]));
        let thoughts = thoughts.into_iter().find(|part| !part.is_empty());
        self.reasoning.push_str(thoughts.unwrap_or(&said.thoughts));
        self.details
            .extend_from_slice(items(&delta["reasoning_details"]));
        for call in items(&delta["tool_calls"]) {
            self.take_call(call);
        }
    }

    fn take_call(&mut self, part: &Value) {
        let index = part["index"].as_u64();
        let index = index.or_else(|| text(&part["index"]).trim().parse().ok());
        let id = text(&part["id"]);
        let name = text(&part["function"]["name"]);
        let arguments = &part["function"]["arguments"];
        let arguments = match arguments {
            Value::Object(_) => &arguments.to_string(),
            other => text(other),
        };
        let at = self.place_of_call(index, id, name, arguments);
        let at = at.unwrap_or_else(|| {
            self.calls.push(Call {
                index,
                ..Call::default()
            });
            self.calls.len() - 1
        });
        if self.calls.len() > MOST_CALLS {
            self.calls.pop();
            return;
        }
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() || call.id == id && !id.is_empty() && !name.is_empty() {
            name.clone_into(&mut call.name);
        } else if name != call.name {
            call.name.push_str(name);
        }
        call.arguments.push_str(arguments);
        if let Some(extra) = part.get("extra_content") {
            call.extra = extra.clone();
        }
    }

    /// Returns the position of the tool call that a piece belongs to, or `None` if it begins a new
    /// call.
    ///
    /// Servers differ: the index may be missing, the same for all calls, or different for the
    /// pieces of one call, and every piece may have a new id. Only the first piece and pieces with
    /// a name begin a call.
    fn place_of_call(
        &self,
        index: Option<u64>,
        id: &str,
        name: &str,
        arguments: &str,
    ) -> Option<usize> {
        let newest = self.calls.len().checked_sub(1)?;
        let at_index =
            index.and_then(|index| (self.calls.iter()).rposition(|call| call.index == Some(index)));
        let of_id = (self.calls.iter()).rposition(|call| !id.is_empty() && call.id == id);
        if name.is_empty() {
            return of_id.or(at_index).or(Some(newest));
        }
        let at = match index {
            Some(_) => at_index?,
            None => of_id.unwrap_or(newest),
        };
        let call = &self.calls[at];
        let is_other = if id.is_empty() || call.id.is_empty() {
            // Without ids, a call has ended if its arguments are complete.
            let has_ended = serde_json::from_str::<Value>(&call.arguments).is_ok();
            let is_same = name == call.name && arguments.trim().is_empty();
            let is_next = index.is_none() && !call.name.is_empty() && name != call.name;
            has_ended && !is_same || is_next
        } else {
            call.id != id
        };
        (!is_other).then_some(at)
    }

    /// Returns the choice in the format of a non-streaming response.
    fn whole(&self) -> Value {
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|call| call.index);
        let calls: Vec<Value> = calls.into_iter().map(Call::whole).collect();
        let mut message = json!({
            "role": "assistant", "content": self.text, "reasoning": self.reasoning, "refusal": self.refusal,
            "tool_calls": calls,
        });
        if !self.details.is_empty() {
            message["reasoning_details"] = json!(self.details);
        }
        let mut choice = self.ending.clone();
        choice.insert("message".to_owned(), message);
        Value::Object(choice)
    }
}
