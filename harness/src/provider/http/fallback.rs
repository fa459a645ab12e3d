//! Alternatives for request fields that a server rejects for a model.
//!
//! Servers with the same API format differ in small ways, which are not documented for every model.
//! If a server rejects a request and the error names a field with a known alternative, the request
//! is sent again with the alternative. If that works, later requests to the model use it
//! immediately.

use std::collections::{BTreeSet, HashMap};

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::provider::ProviderError;

/// A change to the body of a request that a server has rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RequestFallback {
    /// Renames the output token limit to its alternative name.
    TokenLimit,
    /// Stops forcing a tool call, because some models reject forced calls while they reason. If the
    /// model then calls no tool, the protocol asks again.
    FreeChoice,
    /// Omits `parallel_tool_calls`.
    NoParallelField,
}

/// The changes that each model requires.
#[derive(Debug, Default)]
pub(super) struct Fallbacks(Mutex<HashMap<String, BTreeSet<RequestFallback>>>);

/// New and old name of the field for the output token limit.
const LIMITS: [&str; 2] = ["max_completion_tokens", "max_tokens"];

/// Words in errors that reject a field, not only its value.
const REFUSING: [&str; 10] = [
    "unsupported",
    "not support",
    "extra",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "not allowed",
    "invalid field",
    "no such",
];

impl Fallbacks {
    /// Applies the changes that a model requires.
    pub fn apply(&self, model: &str, body: &mut Value) {
        if let Some(known) = self.0.lock().get(model) {
            for fallback in known {
                fallback.apply(body);
            }
        }
    }

    /// Stores a change for later requests to a model.
    pub fn keep(&self, model: &str, fallback: RequestFallback) {
        let mut known = self.0.lock();
        known.entry(model.to_owned()).or_default().insert(fallback);
    }
}

impl RequestFallback {
    /// Returns the change to try after an error, if the error's message names a field of the body.
    pub fn of(error: &ProviderError, body: &Value) -> Option<Self> {
        let ProviderError::Refused {
            status: 400 | 422,
            message,
            ..
        } = error
        else {
            return None;
        };
        let message = message.to_lowercase();
        let refuses = REFUSING.iter().any(|word| message.contains(word));
        let [new, old] = LIMITS.map(|name| body.get(name).is_some());
        if (new ^ old) && refuses && message.contains(LIMITS[0]) {
            return Some(Self::TokenLimit);
        }
        let names_choice = ["tool_choice", "tool choice"]
            .iter()
            .any(|name| message.contains(name));
        if names_choice && forces(&body["tool_choice"]) {
            return Some(Self::FreeChoice);
        }
        let has_field = body.get("parallel_tool_calls").is_some();
        (has_field && refuses && message.contains("parallel_tool_calls"))
            .then_some(Self::NoParallelField)
    }

    pub fn apply(self, body: &mut Value) {
        let Some(fields) = body.as_object_mut() else {
            return;
        };
        match self {
            Self::TokenLimit => {
                let [new, old] = LIMITS;
                if let Some(limit) = fields.remove(new) {
                    fields.insert(old.to_owned(), limit);
                } else if let Some(limit) = fields.remove(old) {
                    fields.insert(new.to_owned(), limit);
                }
            }
            Self::FreeChoice => {
                if let Some(choice) = fields
                    .get_mut("tool_choice")
                    .filter(|choice| forces(choice))
                {
                    free(choice);
                }
            }
            Self::NoParallelField => {
                fields.remove("parallel_tool_calls");
            }
        }
    }
}

/// Whether a `tool_choice` in any API's format forces a call.
fn forces(choice: &Value) -> bool {
    match choice {
        Value::String(word) => word == "required",
        Value::Object(fields) => fields
            .get("type")
            .is_some_and(|kind| kind != "auto" && kind != "none"),
        _ => false,
    }
}

/// Changes a `tool_choice` so that the model need not call a tool.
fn free(choice: &mut Value) {
    // Anthropic's format, which may have other fields.
    let is_of_anthropic = ["tool", "any"].iter().any(|kind| choice["type"] == *kind);
    match choice.as_object_mut().filter(|_| is_of_anthropic) {
        Some(fields) => {
            fields.remove("name");
            fields.insert("type".to_owned(), json!("auto"));
        }
        None => *choice = json!("auto"),
    }
}
