//! Implements chat completions, <https://platform.openai.com/docs/api-reference/chat>, and the
//! dialects of compatible servers.

mod chunks;

use serde_json::{Map, Value, json};

use super::endpoint_table::{Dialect, accepts_parallel_field};
use super::finish_reason::FinishReasonField;
use super::json_fields::{count, items, text};
use super::messages::{arguments, data_url, paired};
use super::parsed_response::{ContentParts, ParsedResponse, ResponseEnd, call, said, unless_blank};
use super::settings::{Unsupported, add_extra};
use super::structured::{is_of_google, is_strict, object_schema};
use crate::model::{Message, MessageRole, Sampling, ToolCall, ToolChoice, ToolSpec};
use crate::provider::{Request, Response};
use crate::text::split_reasoning;

pub(super) use chunks::Chunks;

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
    let message = &choice["message"];
    if !message.is_object() {
        return Err("`choices[0].message` is missing".to_owned());
    }
    check_content(&message["content"])?;
    let ContentParts {
        text: mut said,
        refusal,
        thoughts,
    } = said(&message["content"]);
    let refusal = text(&message["refusal"]).to_owned() + &refusal;
    let mut carry = Map::new();
    let mut reasoning = unless_blank(thoughts);
    let mut fields = THOUGHTS
        .into_iter()
        .map(|name| (name, text(&message[name])));
    if let Some((name, thoughts)) = fields.find(|(_, thoughts)| !thoughts.trim().is_empty()) {
        carry.insert(name.to_owned(), json!(thoughts));
        reasoning = Some(thoughts.to_owned());
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
