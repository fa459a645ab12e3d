//! Implements `POST /v1/chat/completions`.
//!
//! Reference: <https://platform.openai.com/docs/api-reference/chat>. By default, a stream reports
//! progress in `reasoning_content`, the field that other servers of reasoning models use.

use model::{Status, Usage};
use serde_json::{Value, json};

use super::agents::AgentResult;
use super::error::ApiError;
use super::events::{Frames, data};
use super::interface::{Head, Interface, extension};
use super::request::{Fields, expected, is_plain_text, object, read_message};
use super::turn::Turn;

/// A response in the format of chat completions.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    head: Head,
    with_usage: bool,
    has_sent_role: bool,
}

/// Parses the messages of a request.
fn conversation(fields: &mut Fields) -> Result<Vec<Turn>, ApiError> {
    let messages = match fields.take("messages") {
        Some(Value::Array(messages)) if !messages.is_empty() => messages,
        Some(Value::Array(_)) | None => {
            return Err(ApiError::invalid(
                "messages",
                "`messages` must contain at least one message",
            ));
        }
        Some(other) => return Err(expected("messages", "an array", &other)),
    };
    let turns = messages.into_iter().enumerate();
    let turns = turns.map(|(at, message)| turn(message, &format!("messages[{at}]")));
    turns.collect()
}

fn turn(message: Value, place: &str) -> Result<Turn, ApiError> {
    let mut message = object(message, place)?;
    let mut turn = read_message(&mut message, place, true)?;
    // The conversation may contain earlier tool calls of another model.
    if let Some(calls) = message
        .shift_remove("tool_calls")
        .filter(|calls| !calls.is_null())
    {
        turn.text.push_str(&format!("\n{calls}"));
    }
    Ok(turn)
}

/// Rejects features that agents do not support.
fn refuse(fields: &mut Fields) -> Result<(), ApiError> {
    let is_none = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let tools = "agents call only their own tools, not the client's";
    fields.refuse("tools", is_none, tools)?;
    fields.refuse("functions", is_none, tools)?;
    fields.refuse(
        "n",
        |n| n == 1,
        "a request gets only one answer; send several requests",
    )?;
    fields.refuse(
        "response_format",
        |format| format["type"] == "text",
        "agents answer only with text",
    )?;
    let no = |value: &Value| value == false || value == 0;
    fields.refuse(
        "logprobs",
        no,
        "answers of agents do not have probabilities",
    )?;
    fields.refuse(
        "top_logprobs",
        no,
        "answers of agents do not have probabilities",
    )?;
    fields.refuse("modalities", is_plain_text, "agents answer only with text")?;
    fields.refuse("audio", |_| false, "agents answer only with text")
}

impl Chat {
    fn chunk(&self, choices: &Value) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.head.id),
            "object": "chat.completion.chunk",
            "created": self.head.created,
            "model": self.head.model,
            "choices": choices,
        })
    }

    fn delta(&mut self, name: &str, text: &str) -> Value {
        let mut delta = json!({});
        if !self.has_sent_role {
            self.has_sent_role = true;
            delta["role"] = json!("assistant");
        }
        delta[name] = json!(text);
        self.chunk(&json!([{"index": 0, "delta": delta, "finish_reason": null}]))
    }
}

impl Interface for Chat {
    const MESSAGES: &'static str = "messages";

    fn parse(fields: &mut Fields) -> Result<(Vec<Turn>, Self), ApiError> {
        refuse(fields)?;
        let turns = conversation(fields)?;
        let options = fields.take("stream_options");
        let chat = Self {
            with_usage: options.is_some_and(|options| options["include_usage"] == true),
            ..Self::default()
        };
        Ok((turns, chat))
    }

    fn set_head(&mut self, head: Head) {
        self.head = head;
    }

    fn whole(&self, answered: &AgentResult) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.head.id),
            "object": "chat.completion",
            "created": self.head.created,
            "model": self.head.model,
            "choices": [{
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": answered.answer.as_deref().unwrap_or_default(),
                    "refusal": null,
                },
                "logprobs": null,
                "finish_reason": finish_reason(answered.status),
            }],
            "usage": usage(answered),
            "rlm": extension(answered, &self.head.ignored),
        })
    }

    fn begin(&mut self) -> Frames {
        let first = self.delta("content", "");
        vec![data(&first)]
    }

    fn step(&mut self, line: &str) -> Frames {
        let chunk = self.delta("reasoning_content", &format!("{line}\n"));
        vec![data(&chunk)]
    }

    fn end(&mut self, answered: &AgentResult) -> Frames {
        let text = answered.answer.as_deref().unwrap_or_default();
        let content = self.delta("content", text);
        let mut last = self.chunk(&json!([{
            "index": 0,
            "delta": {},
            "finish_reason": finish_reason(answered.status),
        }]));
        last["rlm"] = extension(answered, &self.head.ignored);
        let mut frames = vec![data(&content), data(&last)];
        if self.with_usage {
            let mut chunk = self.chunk(&json!([]));
            chunk["usage"] = usage(answered);
            frames.push(data(&chunk));
        }
        frames.push("data: [DONE]\n\n".to_owned());
        frames
    }

    fn failed(&mut self, error: &ApiError) -> Frames {
        vec![data(&error.to_json()), "data: [DONE]\n\n".to_owned()]
    }
}

/// Returns the finish reason: `length` if the agent did not end normally, with or without an
/// answer.
const fn finish_reason(status: Status) -> &'static str {
    match status {
        Status::Ok => "stop",
        Status::Limit | Status::Error | Status::Cancelled => "length",
    }
}

fn usage(answered: &AgentResult) -> Value {
    let usage = answered.stats.usage.unwrap_or_default();
    let Usage {
        input_tokens,
        cached_input_tokens,
        output_tokens,
        reasoning_tokens,
        ..
    } = usage;
    json!({
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": cached_input_tokens},
        "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
        "cost": answered.stats.cost_usd(),
    })
}
