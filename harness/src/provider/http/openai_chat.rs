//! Chat completions: <https://platform.openai.com/docs/api-reference/chat>, and the dialects of compatible servers.

use serde_json::{Map, Value, json};

use super::endpoint::{Dialect, Unsupported};
use super::sse::SseEvent;
use super::wire::{
    Answer, Assembly, End, add_extra, append, arguments, call, count, data_url, items, paired,
    parse_event, text, unless_blank,
};
use crate::event::{Message, MessageRole};
use crate::outcome::Usage;
use crate::provider::{Request, Response, Sampling};
use crate::tool_call::{ToolCall, ToolChoice, ToolSpec, ToolUse};

/// The most stop sequences that the format takes.
const MOST_STOPS: usize = 4;

/// The fields in which servers say their reasoning.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning"];

/// The field of what is carried for reasoning that stood in the text.
const IN_TEXT: &str = "think";

/// Whether the settings can be said.
pub(super) fn check(dialect: Dialect, sampling: &Sampling) -> Result<(), Unsupported> {
    if sampling.stop.len() > MOST_STOPS {
        return Err(Unsupported {
            setting: "stop",
            reason: format!("chat completions take at most {MOST_STOPS} stop sequences"),
        });
    }
    if sampling.reasoning_tokens.is_some() && dialect != Dialect::Openrouter {
        return Err(Unsupported {
            setting: "reasoning_tokens",
            reason: "this server takes no number of reasoning tokens; set the effort instead"
                .to_owned(),
        });
    }
    if sampling.reasoning_tokens.is_some() && sampling.effort.is_some() {
        return Err(Unsupported {
            setting: "reasoning_tokens",
            reason: "OpenRouter takes either an effort or a number of reasoning tokens".to_owned(),
        });
    }
    Ok(())
}

/// The body of a request.
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
            Dialect::Openrouter | Dialect::Compatible => "max_tokens",
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
        offer(dialect, &request.tools, &mut body);
    }
    if stream {
        body["stream_options"] = json!({"include_usage": true});
    }
    add_extra(&mut body, &sampling.extra);
    body
}

fn offer(dialect: Dialect, tools: &ToolUse, body: &mut Value) {
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
    if dialect != Dialect::Compatible {
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
    // What the server wants back: signatures of its reasoning.
    let carried: Map<String, Value> = message
        .carry
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
    } else if keep_reasoning {
        // As the server itself said it.
        for name in THOUGHTS {
            if let Some(thoughts) = carried.get(name) {
                turn[name] = thoughts.clone();
            }
        }
        if let Some(thoughts) = carried.get(IN_TEXT) {
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

/// Reads a response.
pub(super) fn read(body: &Value) -> Result<Answer, String> {
    let choices = body["choices"].as_array().ok_or("`choices` is missing")?;
    let choice = choices.first().ok_or("`choices` is empty")?;
    let message = choice["message"]
        .as_object()
        .ok_or("`choices[0].message` is missing")?;
    let message = Value::Object(message.clone());
    let mut said = match &message["content"] {
        Value::Array(parts) => parts.iter().map(|part| text(&part["text"])).collect(),
        content => text(content).to_owned(),
    };
    if said.is_empty() {
        text(&message["refusal"]).clone_into(&mut said);
    }
    let mut reasoning = unless_blank(text(&message["reasoning_content"]).to_owned())
        .or_else(|| unless_blank(text(&message["reasoning"]).to_owned()));
    let mut carry = Map::new();
    for name in THOUGHTS {
        if let Some(thoughts) = unless_blank(text(&message[name]).to_owned()) {
            carry.insert(name.to_owned(), json!(thoughts));
            break;
        }
    }
    if let Some((thoughts, rest)) = apart(&said) {
        carry.insert(IN_TEXT.to_owned(), json!(thoughts));
        reasoning = reasoning.or_else(|| unless_blank(thoughts.to_owned()));
        said = String::from(rest);
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
    let end = match text(&choice["finish_reason"]) {
        "length" => End::Length,
        reason if reason.starts_with("content_filter") => {
            let why = text(&message["refusal"]);
            End::Filter(if why.is_empty() {
                reason.to_owned()
            } else {
                why.to_owned()
            })
        }
        _ => End::Complete,
    };
    let response = Response {
        text: said,
        reasoning,
        tool_calls,
        carry: (!carry.is_empty()).then(|| Value::Object(carry).to_string()),
        usage: usage(&body["usage"]),
        cost_usd: body["usage"]["cost"].as_f64(),
        served_model: unless_blank(text(&body["model"]).to_owned()),
    };
    Ok(Answer { response, end })
}

/// Thoughts that stand before the text between tags, as servers without a parser for reasoning leave them.
fn apart(said: &str) -> Option<(&str, &str)> {
    let (thoughts, rest) = said
        .trim_start()
        .strip_prefix("<think>")?
        .split_once("</think>")?;
    Some((thoughts.trim(), rest.trim_start()))
}

pub(super) fn usage(usage: &Value) -> Option<Usage> {
    usage["prompt_tokens"].as_u64()?;
    Some(Usage {
        input_tokens: count(&usage["prompt_tokens"]),
        cached_input_tokens: count(&usage["prompt_tokens_details"]["cached_tokens"]),
        // OpenRouter's alone.
        cache_write_tokens: count(&usage["prompt_tokens_details"]["cache_write_tokens"]),
        output_tokens: count(&usage["completion_tokens"]),
        reasoning_tokens: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
        estimated: false,
    })
}

/// A streamed response as far as it came.
#[derive(Default)]
pub(super) struct Chunks {
    text: String,
    reasoning: String,
    refusal: String,
    calls: Vec<Value>,
    details: Vec<Value>,
    any_choice: bool,
    done: bool,
    finish_reason: Value,
    model: Value,
    usage: Value,
}

impl Assembly for Chunks {
    fn take(&mut self, event: &SseEvent) -> Result<bool, String> {
        if event.data == "[DONE]" {
            self.done = true;
            return Ok(true);
        }
        let chunk = parse_event(event)?;
        if let Some(model) = chunk.get("model").filter(|model| model.is_string()) {
            self.model = model.clone();
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage.clone();
        }
        for choice in items(&chunk["choices"]) {
            self.any_choice = true;
            if choice["finish_reason"].is_string() {
                self.finish_reason = choice["finish_reason"].clone();
            }
            let delta = &choice["delta"];
            self.text.push_str(text(&delta["content"]));
            self.refusal.push_str(text(&delta["refusal"]));
            let thought = ["reasoning_content", "reasoning"].map(|name| text(&delta[name]));
            self.reasoning.push_str(
                thought
                    .into_iter()
                    .find(|part| !part.is_empty())
                    .unwrap_or_default(),
            );
            self.details
                .extend_from_slice(items(&delta["reasoning_details"]));
            for call in items(&delta["tool_calls"]) {
                self.take_call(call);
            }
        }
        Ok(false)
    }

    fn text(&self) -> &str {
        match apart(&self.text) {
            Some((_, rest)) => rest,
            None if self.text.trim_start().starts_with("<think>") => "",
            None => &self.text,
        }
    }

    fn whole(&self, complete: bool) -> Option<Value> {
        // Some servers end without `[DONE]`, but none without saying why the model stopped.
        if complete && !self.done && self.finish_reason.is_null() {
            return None;
        }
        let mut message = json!({
            "role": "assistant", "content": self.text, "reasoning": self.reasoning, "refusal": self.refusal,
            "tool_calls": self.calls,
        });
        if !self.details.is_empty() {
            message["reasoning_details"] = json!(self.details);
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": self.finish_reason});
        Some(json!({
            "model": self.model,
            "choices": if self.any_choice { vec![choice] } else { Vec::new() },
            "usage": self.usage,
        }))
    }
}

/// More tool calls than any response has: the place of one is the server's to say.
const MOST_CALLS: usize = 64;

impl Chunks {
    fn take_call(&mut self, part: &Value) {
        let index = part["index"].as_u64().map_or(self.calls.len(), |index| {
            usize::try_from(index).unwrap_or(usize::MAX)
        });
        if index >= MOST_CALLS {
            return;
        }
        while self.calls.len() <= index {
            self.calls
                .push(json!({"function": {"name": "", "arguments": ""}}));
        }
        let call = &mut self.calls[index];
        if let Some(id) = part["id"].as_str().filter(|id| !id.is_empty()) {
            call["id"] = json!(id);
        }
        for name in ["name", "arguments"] {
            append(&mut call["function"], name, text(&part["function"][name]));
        }
        if let Some(extra) = part.get("extra_content") {
            call["extra_content"] = extra.clone();
        }
    }
}
