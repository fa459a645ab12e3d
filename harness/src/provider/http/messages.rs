//! Messages of a request in a form that all wire formats accept.

use std::borrow::Cow;

use serde_json::Value;

use crate::model::{Image, Message, MessageRole, ToolCall, ToolResult};
use crate::prompt::{past_call, past_result};
use crate::provider::Request;

/// Maximum characters of a tool name that all APIs accept.
const LONGEST_NAME: usize = 64;

/// Returns a name that all APIs accept. A model may have called a tool by an invalid name, which
/// the APIs would reject in later requests.
fn valid_name(name: &str) -> String {
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
        let has_valid_name = |call: &ToolCall| valid_name(&call.name) == call.name;
        if whole && message.tool_calls.iter().all(has_valid_name) {
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
