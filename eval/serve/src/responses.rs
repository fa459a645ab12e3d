//! Implements `POST /v1/responses`.
//!
//! Reference: <https://platform.openai.com/docs/api-reference/responses>. The server stores no
//! responses: each request contains its whole conversation.

use model::Status;
use serde_json::{Value, json};

use super::agents::AgentResult;
use super::error::ApiError;
use super::events::{Frames, named};
use super::interface::{Head, Interface, extension};
use super::request::{Fields, expected, is_plain_text, object, read_message, text};
use super::turn::{Speaker, Turn};

/// A response in the format of the Responses interface.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    head: Head,
    /// `sequence_number` of the next event.
    sequence: u64,
    /// Progress sent as reasoning so far; `None` before the first step.
    reasoning: Option<String>,
}

/// Parses the messages of a request.
fn conversation(fields: &mut Fields) -> Result<Vec<Turn>, ApiError> {
    let mut turns = Vec::new();
    if let Some(instructions) = fields.text("instructions")? {
        turns.push(Turn::new(Speaker::Instructions, instructions));
    }
    match fields.take("input") {
        Some(Value::String(text)) => turns.push(Turn::new(Speaker::User, text)),
        Some(Value::Array(items)) if !items.is_empty() => {
            for (at, item) in items.into_iter().enumerate() {
                turns.extend(read_item(item, &format!("input[{at}]"))?);
            }
        }
        Some(Value::Array(_)) | None => {
            return Err(ApiError::invalid(
                "input",
                "`input` must contain at least one message",
            ));
        }
        Some(other) => return Err(expected("input", "a string or an array of items", &other)),
    }
    Ok(turns)
}

fn read_item(item: Value, place: &str) -> Result<Option<Turn>, ApiError> {
    let mut item = object(item, place)?;
    let kind = match item.shift_remove("type") {
        None | Some(Value::Null) => "message".to_owned(),
        Some(kind) => text(kind, &format!("{place}.type"))?,
    };
    let mut take = |name: &str| item.shift_remove(name).unwrap_or_default();
    Ok(Some(match kind.as_str() {
        "message" => read_message(&mut item, place, false)?,
        // Reasoning of another model is not part of the conversation.
        "reasoning" => return Ok(None),
        "function_call" => {
            let call = format!("{}({})", plain(&take("name")), plain(&take("arguments")));
            Turn::new(Speaker::Assistant, call)
        }
        "function_call_output" => Turn::new(Speaker::Tool, plain(&take("output"))),
        other => {
            return Err(ApiError::unsupported(
                place,
                format!("agents do not accept items of type `{other}`"),
            ));
        }
    }))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Rejects features that agents do not support.
fn refuse(fields: &mut Fields) -> Result<(), ApiError> {
    let is_none = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let tools = "agents call only their own tools, not the client's";
    fields.refuse("tools", is_none, tools)?;
    let stored = "this server does not store responses: send the whole conversation as `input`";
    fields.refuse("previous_response_id", |_| false, stored)?;
    fields.refuse("conversation", |_| false, stored)?;
    fields.refuse("prompt", |_| false, "this server does not store prompts")?;
    fields.refuse(
        "background",
        |value| value == false,
        "agents do not run in the background; use `stream`",
    )?;
    fields.refuse(
        "text",
        |text| text["format"].is_null() || text["format"]["type"] == "text",
        "agents answer only with text",
    )?;
    fields.refuse("modalities", is_plain_text, "agents answer only with text")
}

impl Responses {
    /// Returns a response with all fields that libraries expect.
    fn response(&self, status: &str, output: &Value, answered: Option<&AgentResult>) -> Value {
        let incomplete = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
        let mut response = json!({
            "id": format!("resp_{}", self.head.id),
            "object": "response",
            "created_at": self.head.created,
            "status": status,
            "background": false,
            "error": null,
            "incomplete_details": incomplete,
            "instructions": null,
            "max_output_tokens": null,
            "metadata": {},
            "model": self.head.model,
            "output": output,
            "parallel_tool_calls": false,
            "previous_response_id": null,
            "reasoning": {"effort": null, "summary": null},
            "store": false,
            "temperature": null,
            "text": {"format": {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "top_p": null,
            "truncation": "disabled",
            "usage": answered.map(usage),
        });
        if let Some(answered) = answered {
            response["rlm"] = extension(answered, &self.head.ignored);
        }
        response
    }

    fn message(&self, status: &str, content: &Value) -> Value {
        json!({
            "type": "message",
            "id": format!("msg_{}", self.head.id),
            "status": status,
            "role": "assistant",
            "content": content,
        })
    }

    fn reasoning_item(&self, summary: &Value) -> Value {
        json!({"type": "reasoning", "id": format!("rs_{}", self.head.id), "summary": summary})
    }

    fn event(&mut self, name: &str, mut members: Value) -> String {
        members["type"] = json!(name);
        members["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        named(name, &members)
    }

    /// Returns the fields shared by all events about the reasoning: its item and position.
    fn about_reasoning(&self) -> Value {
        json!({"item_id": format!("rs_{}", self.head.id), "output_index": 0, "summary_index": 0})
    }

    /// Ends the reasoning and returns its item, or `None` if no reasoning was sent.
    fn end_reasoning(&mut self, frames: &mut Frames) -> Option<Value> {
        let text = self.reasoning.take()?;
        let mut done = self.about_reasoning();
        done["text"] = json!(text);
        frames.push(self.event("response.reasoning_summary_text.done", done));
        let summary = json!({"type": "summary_text", "text": text});
        let mut part = self.about_reasoning();
        part["part"] = summary.clone();
        frames.push(self.event("response.reasoning_summary_part.done", part));
        let item = self.reasoning_item(&json!([summary]));
        let done = json!({"output_index": 0, "item": item});
        frames.push(self.event("response.output_item.done", done));
        Some(item)
    }
}

/// Returns the text of an answer as a part of its message.
fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// Returns the `status` of the response: `incomplete` if the agent did not end normally, with or
/// without an answer.
const fn word(status: Status) -> &'static str {
    match status {
        Status::Ok => "completed",
        Status::Limit | Status::Error | Status::Cancelled => "incomplete",
    }
}

impl Interface for Responses {
    const MESSAGES: &'static str = "input";

    fn parse(fields: &mut Fields) -> Result<(Vec<Turn>, Self), ApiError> {
        refuse(fields)?;
        Ok((conversation(fields)?, Self::default()))
    }

    fn set_head(&mut self, head: Head) {
        self.head = head;
    }

    fn whole(&self, answered: &AgentResult) -> Value {
        let word = word(answered.status);
        let text = answered.answer.as_deref().unwrap_or_default();
        let message = self.message(word, &json!([output_text(text)]));
        self.response(word, &json!([message]), Some(answered))
    }

    fn begin(&mut self) -> Frames {
        let response = self.response("in_progress", &json!([]), None);
        ["response.created", "response.in_progress"]
            .map(|name| self.event(name, json!({"response": response})))
            .into()
    }

    fn step(&mut self, line: &str) -> Frames {
        let mut frames = Frames::new();
        if self.reasoning.is_none() {
            self.reasoning = Some(String::new());
            let item = self.reasoning_item(&json!([]));
            let added = json!({"output_index": 0, "item": item});
            frames.push(self.event("response.output_item.added", added));
            let mut part = self.about_reasoning();
            part["part"] = json!({"type": "summary_text", "text": ""});
            frames.push(self.event("response.reasoning_summary_part.added", part));
        }
        let text = format!("{line}\n");
        let mut delta = self.about_reasoning();
        delta["delta"] = json!(text);
        frames.push(self.event("response.reasoning_summary_text.delta", delta));
        self.reasoning.get_or_insert_default().push_str(&text);
        frames
    }

    fn end(&mut self, answered: &AgentResult) -> Frames {
        let mut frames = Frames::new();
        let mut output: Vec<Value> = self.end_reasoning(&mut frames).into_iter().collect();
        let place = output.len();
        let word = word(answered.status);
        let text = answered.answer.as_deref().unwrap_or_default();
        let added = json!({
            "output_index": place,
            "item": self.message("in_progress", &json!([])),
        });
        frames.push(self.event("response.output_item.added", added));
        let about = json!({
            "item_id": format!("msg_{}", self.head.id),
            "output_index": place,
            "content_index": 0,
        });
        let with = |name: &str, value: Value| {
            let mut event = about.clone();
            event[name] = value;
            event
        };
        frames.push(self.event("response.content_part.added", with("part", output_text(""))));
        let mut delta = with("delta", json!(text));
        delta["logprobs"] = json!([]);
        frames.push(self.event("response.output_text.delta", delta));
        let mut done = with("text", json!(text));
        done["logprobs"] = json!([]);
        frames.push(self.event("response.output_text.done", done));
        frames.push(self.event(
            "response.content_part.done",
            with("part", output_text(text)),
        ));
        let message = self.message(word, &json!([output_text(text)]));
        let done = json!({"output_index": place, "item": message});
        frames.push(self.event("response.output_item.done", done));
        output.push(message);
        let response = self.response(word, &json!(output), Some(answered));
        let name = format!("response.{word}");
        frames.push(self.event(&name, json!({"response": response})));
        frames
    }

    fn failed(&mut self, error: &ApiError) -> Frames {
        let mut response = self.response("failed", &json!([]), None);
        response["error"] = error.of_response();
        vec![self.event("response.failed", json!({"response": response}))]
    }
}

fn usage(answered: &AgentResult) -> Value {
    let usage = answered.stats.usage.unwrap_or_default();
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_input_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total(),
        "cost": answered.stats.cost_usd(),
    })
}
