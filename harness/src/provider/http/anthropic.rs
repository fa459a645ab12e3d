//! Implements the Messages API: <https://docs.anthropic.com/en/api/messages>.

use serde_json::{Value, json};

use super::fallback::RequestFallback;
use super::finish_reason::FinishReasonField;
use super::json_fields::{append, count, text};
use super::messages::paired;
use super::parsed_response::{
    Assembly, ParsedResponse, ResponseEnd, call, parse_event, unless_blank,
};
use super::reasoning::{self, Api, Rules, Thinking};
use super::settings::{Unsupported, add_extra};
use super::sse::SseEvent;
use super::structured::{is_of_anthropic, object_schema};
use crate::model::lenient_json;
use crate::model::{Effort, Message, MessageRole, Sampling, ToolChoice, ToolSpec, ToolUse, Usage};
use crate::provider::{Request, Response};

/// Default output token limit, because the API requires one. The reasoning budget is added to it.
const DEFAULT_MAX_TOKENS: u32 = 8_192;

/// Default output token limit for the efforts `xhigh` and `max`. Anthropic recommends at least this
/// limit, because thinking counts as output.
const HIGH_EFFORT_MAX_TOKENS: u32 = 64_000;

/// Minimum reasoning budget that the API accepts.
const LEAST_REASONING: u32 = 1_024;

/// See [`super::wire::Wire::own_fields`].
pub(super) const OWN_FIELDS: &[&str] = &[
    "model",
    "messages",
    "system",
    "stream",
    "tools",
    "tool_choice",
];

/// Checks that the API supports the settings for a model.
pub(super) fn check(model: &str, sampling: &Sampling) -> Result<(), Unsupported> {
    let unsupported = |setting, reason: String| Err(Unsupported { setting, reason });
    if sampling.seed.is_some() {
        return unsupported("seed", "Anthropic's API does not support a seed".to_owned());
    }
    let rules = reasoning::rules(Api::Anthropic, model);
    let is_adaptive = rules.is_some_and(|rules| rules.thinking == Thinking::Adaptive);
    if let Some(budget) = sampling.reasoning_tokens {
        let problem = if is_adaptive {
            format!("`{model}` does not support a reasoning token budget; set the effort instead")
        } else if sampling.effort == Some(Effort::None) {
            "the effort none turns reasoning off".to_owned()
        } else if budget < LEAST_REASONING {
            format!("Anthropic's API requires at least {LEAST_REASONING}")
        } else if sampling.max_tokens.is_some_and(|most| most <= budget) {
            "must be less than the output token limit, because Anthropic's API counts reasoning as output"
                .to_owned()
        } else {
            String::new()
        };
        if !problem.is_empty() {
            return unsupported("reasoning_tokens", problem);
        }
    }
    let is_warm = sampling
        .temperature
        .is_some_and(|temperature| (temperature - 1.0).abs() > f64::EPSILON);
    if is_warm && is_adaptive {
        return unsupported(
            "temperature",
            format!("`{model}` supports only temperature 1"),
        );
    }
    let thinks = thinking(sampling, rules).is_some_and(|thinking| thinking["type"] != "disabled");
    if is_warm && thinks {
        let beside = match sampling.reasoning_tokens {
            Some(_) => "a reasoning token budget",
            None => "an effort",
        };
        return unsupported(
            "temperature",
            format!("Anthropic's API supports only temperature 1 with {beside}"),
        );
    }
    Ok(())
}

/// Returns the `thinking` field of a request, or `None` for the model's default.
fn thinking(sampling: &Sampling, rules: Option<&Rules>) -> Option<Value> {
    if let Some(budget) = sampling.reasoning_tokens {
        return Some(json!({"type": "enabled", "budget_tokens": budget}));
    }
    match (sampling.effort?, rules) {
        (Effort::None, None) => Some(json!({"type": "disabled"})),
        (Effort::None, Some(rules)) => rules.none_as.as_ref().map(|kind| json!({"type": kind})),
        (_, Some(rules)) if rules.thinking != Thinking::Budget => Some(json!({"type": "adaptive"})),
        _ => None,
    }
}

/// Whether the API rejects a forced tool call, because the model reasons with these settings or
/// does not support forced calls.
pub(super) fn cannot_force(model: &str, sampling: &Sampling) -> bool {
    let rules = reasoning::rules(Api::Anthropic, model);
    let of_extra = sampling.extra.get("thinking").cloned();
    let thinking = of_extra.or_else(|| thinking(sampling, rules));
    let thinks = thinking.is_some_and(|thinking| thinking["type"] != "disabled");
    thinks || rules.is_some_and(|rules| rules.refuses_forced_tools)
}

/// Returns the body of a request. Marks the system prompt as a cacheable prefix and, for agents
/// with several turns, also the conversation.
pub(super) fn body(request: &Request) -> Value {
    let sampling = &request.sampling;
    let rules = reasoning::rules(Api::Anthropic, &request.model);
    let room = match sampling.effort {
        Some(Effort::Xhigh | Effort::Max) => HIGH_EFFORT_MAX_TOKENS,
        _ => DEFAULT_MAX_TOKENS,
    };
    let budget = sampling.reasoning_tokens.unwrap_or(0);
    let most = sampling.max_tokens.unwrap_or(room.saturating_add(budget));
    let mut body = json!({"model": request.model, "max_tokens": most});
    if !request.system.is_empty() {
        body["system"] = json!([{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]);
    }
    body["messages"] = json!(messages(request));
    if let Some(temperature) = sampling.temperature {
        body["temperature"] = json!(temperature);
    }
    if !sampling.stop.is_empty() {
        body["stop_sequences"] = json!(sampling.stop);
    }
    if let Some(effort) = sampling.effort.filter(|effort| *effort != Effort::None) {
        body["output_config"] = json!({"effort": effort});
    }
    if let Some(schema) = object_schema(request).filter(|schema| is_of_anthropic(schema)) {
        body["output_config"]["format"] = json!({"type": "json_schema", "schema": schema});
    }
    if let Some(thinking) = thinking(sampling, rules) {
        body["thinking"] = thinking;
    }
    if !request.tools.is_off() {
        offer(&request.tools, &mut body);
    }
    add_extra(&mut body, &sampling.extra);
    // The prompt asks the model to call the tool instead.
    if cannot_force(&request.model, sampling) {
        RequestFallback::FreeChoice.apply(&mut body);
    }
    body
}

fn offer(tools: &ToolUse, body: &mut Value) {
    let tool = |spec: &ToolSpec| {
        json!({
            "name": spec.name,
            "description": spec.description,
            "input_schema": spec.parameters,
        })
    };
    body["tools"] = tools.specs.iter().map(tool).collect();
    body["tool_choice"] = match &tools.choice {
        ToolChoice::Auto | ToolChoice::None => json!({"type": "auto"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Forced(name) => json!({"type": "tool", "name": name}),
    };
    if !tools.parallel {
        body["tool_choice"]["disable_parallel_tool_use"] = json!(true);
    }
}

fn messages(request: &Request) -> Vec<Value> {
    let mut all = Vec::new();
    let said = paired(request);
    // The API requires a turn's reasoning until the turn ends, which is when the model responds
    // without a tool call.
    let ends_turn = |message: &Message| {
        message.role == MessageRole::Assistant
            && message.tool_calls.is_empty()
            && !message.content.trim().is_empty()
    };
    let turn = said.iter().rposition(|message| ends_turn(message));
    for (at, message) in said.iter().enumerate() {
        let keeps = request.keep_reasoning || turn.is_none_or(|end| at > end);
        let (role, content) = match message.role {
            MessageRole::Assistant => ("assistant", assistant(message, keeps)),
            MessageRole::User => ("user", user(message)),
        };
        // The API rejects empty turns, and merges consecutive turns of the same role.
        if !content.is_empty() {
            all.push(json!({"role": role, "content": content}));
        }
    }
    let goes_on = request.caller.role.has_repl() || !request.tools.is_off();
    if goes_on
        && let Some(content) = all
            .last_mut()
            .and_then(|last| last["content"].as_array_mut())
        && let Some(block) = content.last_mut()
    {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    all
}

/// Converts a user message. Tool results come first, because otherwise the server does not match
/// them with their calls.
fn user(message: &Message) -> Vec<Value> {
    let block = |text: &str| json!({"type": "text", "text": text});
    let mut content = Vec::new();
    for result in &message.tool_results {
        let mut block_of_result = json!({"type": "tool_result", "tool_use_id": result.call});
        // The API rejects blank text.
        if !result.content.trim().is_empty() {
            block_of_result["content"] = json!([block(&result.content)]);
        }
        if result.is_error {
            block_of_result["is_error"] = json!(true);
        }
        content.push(block_of_result);
    }
    let needs_text = content.is_empty() && message.images.is_empty();
    if needs_text || !message.content.trim().is_empty() {
        content.push(block(&message.content));
    }
    content.extend(message.images.iter().map(|image| {
        json!({"type": "image", "source":
            {"type": "base64", "media_type": image.media_type, "data": image.data}})
    }));
    content
}

fn assistant(message: &Message, keeps_reasoning: bool) -> Vec<Value> {
    // The server rejects tool calls that are not preceded by their signed reasoning.
    let carried = message
        .reasoning_signature
        .as_deref()
        .filter(|_| keeps_reasoning)
        .and_then(|carry| serde_json::from_str(carry).ok());
    let mut content: Vec<Value> = carried.unwrap_or_default();
    if !message.content.trim().is_empty() {
        content.push(json!({"type": "text", "text": message.content.trim_end()}));
    }
    for call in &message.tool_calls {
        content.push(
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input()}),
        );
    }
    content
}

pub(super) fn read(body: &Value) -> Result<ParsedResponse, String> {
    let content = body["content"].as_array().ok_or("`content` is missing")?;
    let mut said = String::new();
    let mut reasoning = Vec::new();
    let mut thoughts = Vec::new();
    let mut tool_calls = Vec::new();
    for block in content {
        match text(&block["type"]) {
            "text" => said.push_str(text(&block["text"])),
            "thinking" => {
                reasoning.push(text(&block["thinking"]));
                thoughts.push(block.clone());
            }
            "redacted_thinking" => thoughts.push(block.clone()),
            "tool_use" => tool_calls.extend(call(&block["id"], &block["name"], &block["input"])),
            _ => {}
        }
    }
    let carry = (!thoughts.is_empty()).then(|| json!(thoughts).to_string());
    let response = Response {
        text: said,
        reasoning: unless_blank(reasoning.join("\n")),
        tool_calls,
        reasoning_signature: carry,
        ..Response::default()
    };
    let end = FinishReasonField::Messages.ending("stop_reason", &body["stop_reason"]);
    let end = match end.unwrap_or_else(|| ResponseEnd::without_finish_reason(&response)) {
        // The explanation of a refusal is in a separate field or in the model's text.
        ResponseEnd::Filter(word) => {
            let why = [text(&body["stop_details"]["explanation"]), &response.text];
            let why = why.into_iter().find(|why| !why.trim().is_empty());
            ResponseEnd::Filter(why.map_or(word, str::to_owned))
        }
        end => end,
    };
    Ok(ParsedResponse { response, end })
}

/// Parses usage. The API reports cached input separately from other input, and includes reasoning
/// in the output.
pub(super) fn usage(usage: &Value) -> Option<Usage> {
    let fresh = usage["input_tokens"].as_u64()?;
    let cached = count(&usage["cache_read_input_tokens"]);
    let written = count(&usage["cache_creation_input_tokens"]);
    Some(Usage {
        input_tokens: fresh.saturating_add(cached).saturating_add(written),
        cached_input_tokens: cached,
        cache_write_tokens: written,
        output_tokens: count(&usage["output_tokens"]),
        reasoning_tokens: count(&usage["output_tokens_details"]["thinking_tokens"]),
        estimated: false,
    })
}

/// Received part of a streamed response.
#[derive(Default)]
pub(super) struct Events {
    message: Value,
    /// Blocks in the order of their indices.
    blocks: Vec<Block>,
    text: String,
    done: bool,
}

/// Received part of a content block. Deltas of several blocks may alternate.
struct Block {
    index: u64,
    content: Value,
    /// JSON of a tool call's arguments, which arrives in pieces.
    input: String,
}

impl Assembly for Events {
    fn take(&mut self, event: &SseEvent) -> Result<bool, String> {
        let data = parse_event(event)?;
        match text(&data["type"]) {
            "message_start" if self.message.is_object() => {
                return Err("a second message starts before the first has ended".to_owned());
            }
            "message_start" => self.message = data["message"].clone(),
            "content_block_start" => {
                let next = self.blocks.last().map_or(0, |block| block.index + 1);
                self.open(
                    data["index"].as_u64().unwrap_or(next),
                    data["content_block"].clone(),
                );
            }
            "content_block_delta" => self.take_delta(data["index"].as_u64(), &data["delta"])?,
            "content_block_stop" => self.close_block(data["index"].as_u64()),
            "message_delta" => {
                if let Some(fields) = data["delta"]
                    .as_object()
                    .filter(|_| self.message.is_object())
                {
                    let before = &self.message["stop_reason"];
                    let after = &fields.get("stop_reason").cloned().unwrap_or_default();
                    let ends =
                        FinishReasonField::Messages.should_change("stop_reason", before, after);
                    for (name, value) in fields {
                        let is_said = !value.is_null() && (ends || !name.starts_with("stop_"));
                        if is_said {
                            self.message[name.as_str()] = value.clone();
                        }
                    }
                }
                if let Some(usage) = data["usage"]
                    .as_object()
                    .filter(|_| self.message["usage"].is_object())
                {
                    for (name, value) in usage.iter().filter(|(_, value)| !value.is_null()) {
                        self.message["usage"][name.as_str()] = value.clone();
                    }
                }
            }
            "message_stop" => {
                self.done = true;
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn whole(&self, complete: bool) -> Option<Value> {
        if complete && !self.done {
            return None;
        }
        let mut message = self.message.clone();
        if message.is_object() {
            message["content"] = self
                .blocks
                .iter()
                .map(|block| block.content.clone())
                .collect();
        }
        Some(message)
    }
}

impl Events {
    /// Inserts a block after all blocks with the same or a lower index.
    fn open(&mut self, index: u64, content: Value) {
        let place = self.blocks.partition_point(|block| block.index <= index);
        let block = Block {
            index,
            content,
            input: String::new(),
        };
        self.blocks.insert(place, block);
        self.read_text();
    }

    /// Returns the newest block with this index. Without an index, returns the last block.
    fn block(&mut self, index: Option<u64>) -> Option<&mut Block> {
        let is_it = |block: &&mut Block| index.is_none_or(|index| block.index == index);
        self.blocks.iter_mut().rev().find(is_it)
    }

    fn take_delta(&mut self, index: Option<u64>, delta: &Value) -> Result<(), String> {
        if self.block(index).is_none() {
            // Some servers omit the start of a block. Creating the block keeps the model's output.
            let content = match text(&delta["type"]) {
                "text_delta" => json!({"type": "text", "text": ""}),
                "thinking_delta" => json!({"type": "thinking", "thinking": ""}),
                kind => {
                    return Err(format!("`{kind}` arrived before the start of its block"));
                }
            };
            self.open(index.unwrap_or(0), content);
        }
        let last = self.blocks.last().map(|block| block.index);
        let Some(block) = self.block(index).filter(|block| block.content.is_object()) else {
            return Ok(());
        };
        let is_last = last == Some(block.index);
        block.input.push_str(text(&delta["partial_json"]));
        for name in ["text", "thinking", "signature"] {
            append(&mut block.content, name, text(&delta[name]));
        }
        if is_last {
            self.text.push_str(text(&delta["text"]));
        } else {
            self.read_text();
        }
        Ok(())
    }

    /// Rebuilds the text after a change before its end.
    fn read_text(&mut self) {
        let texts = self.blocks.iter().map(|block| text(&block.content["text"]));
        self.text = texts.collect();
    }

    fn close_block(&mut self, index: Option<u64>) {
        let is_call = |block: &&mut Block| block.content["type"] == "tool_use";
        let Some(block) = self.block(index).filter(is_call) else {
            return;
        };
        if !block.input.is_empty() {
            let parsed = lenient_json::piece(&lenient_json::join_text(&block.input));
            block.content["input"] = parsed.unwrap_or_else(|_| json!(block.input));
        }
    }
}
