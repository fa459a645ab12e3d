//! Assembles a streamed response from its chunks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::fault::reports_error;
use super::super::finish_reason::FinishReasonField;
use super::super::json_fields::{items, text};
use super::super::parsed_response::{Assembly, parse_event, said};
use super::super::sse::SseEvent;
use super::{THOUGHTS, check_content, index};
use crate::model::lenient_json;
use crate::text::split_reasoning;

/// Received part of a streamed response.
#[derive(Default)]
pub(crate) struct Chunks {
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
