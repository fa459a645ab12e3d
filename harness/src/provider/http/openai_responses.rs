//! Implements the Responses API: <https://platform.openai.com/docs/api-reference/responses>. The
//! server stores nothing; every request contains the whole conversation.

use serde_json::{Value, json};

use super::endpoint_table::{accepts_parallel_field, seals_reasoning};
use super::finish_reason::FinishReasonField;
use super::json_fields::{items, text};
use super::messages::{arguments, data_url, paired};
use super::parsed_response::{
    Assembly, ParsedResponse, ResponseEnd, call, parse_event, said, unless_blank,
};
use super::settings::{Unsupported, add_extra};
use super::sse::SseEvent;
use super::structured::{is_strict, object_schema};
use crate::model::{MessageRole, Sampling, ToolChoice, ToolSpec};
use crate::provider::{Request, Response};

/// See [`super::wire::Wire::own_fields`]. A stored `prompt` or stored turns would precede the turns
/// of the request.
pub(super) const OWN_FIELDS: &[&str] = &[
    "model",
    "input",
    "instructions",
    "prompt",
    "previous_response_id",
    "conversation",
    "include",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
];

/// Checks that the API supports the settings.
pub(super) fn check(sampling: &Sampling) -> Result<(), Unsupported> {
    let unsupported = |setting, what: &str| {
        Err(Unsupported {
            setting,
            reason: format!("the Responses API does not support {what}"),
        })
    };
    if sampling.seed.is_some() {
        return unsupported("seed", "a seed");
    }
    if !sampling.stop.is_empty() {
        return unsupported("stop", "stop sequences");
    }
    if sampling.reasoning_tokens.is_some() {
        return unsupported(
            "reasoning_tokens",
            "a reasoning token budget; set the effort instead",
        );
    }
    Ok(())
}

pub(super) fn body(request: &Request) -> Value {
    let sampling = &request.sampling;
    let mut body = json!({"model": request.model, "input": input(request), "store": false});
    if !request.system.is_empty() {
        body["instructions"] = json!(request.system);
    }
    if let Some(temperature) = sampling.temperature {
        body["temperature"] = json!(temperature);
    }
    if let Some(most) = sampling.max_tokens {
        body["max_output_tokens"] = json!(most);
    }
    if let Some(effort) = sampling.effort {
        body["reasoning"] = json!({"effort": effort});
    }
    if !request.tools.is_off() {
        offer(request, &mut body);
    }
    if let Some(schema) = object_schema(request) {
        let strict = is_strict(schema);
        body["text"] = json!({"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": strict}});
    }
    let calls = !request.tools.is_off() && seals_reasoning(&request.model);
    if request.keep_reasoning || calls {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    add_extra(&mut body, &sampling.extra);
    body
}

fn offer(request: &Request, body: &mut Value) {
    let tools = &request.tools;
    let tool = |spec: &ToolSpec| {
        json!({
            "type": "function",
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
            // Set explicitly, because the default is strict, and strict mode rejects unsupported
            // schemas.
            "strict": is_strict(&spec.parameters),
        })
    };
    body["tools"] = tools.specs.iter().map(tool).collect();
    body["tool_choice"] = match &tools.choice {
        ToolChoice::Auto | ToolChoice::None => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Forced(name) => json!({"type": "function", "name": name}),
    };
    if accepts_parallel_field(&request.model) {
        body["parallel_tool_calls"] = json!(tools.parallel);
    }
}

fn input(request: &Request) -> Vec<Value> {
    let mut all = Vec::new();
    for message in paired(request) {
        match message.role {
            MessageRole::Assistant => {
                // Reasoning precedes the output that it led to. Turns with tool calls require it;
                // other turns include it only if reasoning is kept.
                if request.keep_reasoning || !message.tool_calls.is_empty() {
                    let carried = message.reasoning_signature.as_deref();
                    let carried = carried.and_then(|carry| serde_json::from_str(carry).ok());
                    all.extend::<Vec<Value>>(carried.unwrap_or_default());
                }
                if !message.content.is_empty() {
                    let part = json!({"type": "output_text", "text": message.content});
                    all.push(json!({"role": "assistant", "content": [part]}));
                }
                for call in &message.tool_calls {
                    all.push(
                        json!({"type": "function_call", "call_id": call.id, "name": call.name,
                        "arguments": arguments(call)}),
                    );
                }
            }
            MessageRole::User => {
                for result in &message.tool_results {
                    all.push(json!({"type": "function_call_output", "call_id": result.call, "output": result.content}));
                }
                let mut parts = Vec::new();
                if message.tool_results.is_empty() || !message.content.is_empty() {
                    parts.push(json!({"type": "input_text", "text": message.content}));
                }
                for image in &message.images {
                    parts.push(json!({"type": "input_image", "image_url": data_url(image)}));
                }
                if !parts.is_empty() {
                    all.push(json!({"role": "user", "content": parts}));
                }
            }
        }
    }
    all
}

pub(super) fn read(body: &Value) -> Result<ParsedResponse, String> {
    let end = end_of(body);
    let output = match (body["output"].as_array(), &end) {
        (Some(output), _) => output.as_slice(),
        // The `output` of an incomplete response may be missing.
        (None, Some(end)) if *end != ResponseEnd::Complete => &[],
        (None, _) => return Err("`output` is missing".to_owned()),
    };
    if output.is_empty() && matches!(end, None | Some(ResponseEnd::Complete)) {
        return Err("`output` is empty".to_owned());
    }
    let has_final = output.iter().any(is_final);
    let mut messages = Vec::new();
    let mut refusal = String::new();
    let mut broken = None;
    let mut reasoning = Vec::new();
    let mut comments = Vec::new();
    let mut thoughts = Vec::new();
    let mut tool_calls = Vec::new();
    for item in output {
        broken = broken.or_else(|| incomplete_status(item));
        match text(&item["type"]) {
            "message" => {
                let said = said(&item["content"]);
                refusal.push_str(&said.refusal);
                // Interim messages are not part of the answer.
                if has_final && !is_final(item) {
                    comments.push(said.text);
                } else if !said.text.is_empty() {
                    messages.push(said.text);
                }
            }
            "reasoning" => {
                let parts = items(&item["summary"])
                    .iter()
                    .chain(items(&item["content"]));
                reasoning.extend(parts.map(|part| text(&part["text"])));
                // The server stores nothing, so reasoning without encrypted content cannot be sent
                // back.
                if item["encrypted_content"].is_string() {
                    thoughts.push(json!({
                        "type": "reasoning",
                        "id": item["id"],
                        "summary": items(&item["summary"]),
                        "encrypted_content": item["encrypted_content"],
                    }));
                }
            }
            "function_call" => {
                tool_calls.extend(call(&item["call_id"], &item["name"], &item["arguments"]));
            }
            _ => {}
        }
    }
    reasoning.extend(comments.iter().map(String::as_str));
    let response = Response {
        text: messages.join("\n\n"),
        reasoning: unless_blank(reasoning.join("\n")),
        reasoning_signature: (!thoughts.is_empty()).then(|| Value::from(thoughts).to_string()),
        tool_calls,
        ..Response::default()
    };
    let end = match end.unwrap_or_else(|| ResponseEnd::without_finish_reason(&response)) {
        ResponseEnd::Complete | ResponseEnd::Filter(_) | ResponseEnd::Failed(_)
            if !refusal.is_empty() =>
        {
            ResponseEnd::Filter(refusal)
        }
        ResponseEnd::Complete if let Some(status) = broken => {
            ResponseEnd::Failed(format!("`status` of an item of `output` is `{status}`"))
        }
        end => end,
    };
    Ok(ParsedResponse { response, end })
}

/// Whether an output item is the final answer, according to its `phase`.
fn is_final(item: &Value) -> bool {
    item["type"] == "message" && item["phase"] == "final_answer"
}

/// Returns the status of an output item if it is incomplete. A failed hosted tool does not count,
/// because the model handles its failure.
fn incomplete_status(item: &Value) -> Option<String> {
    let status = text(&item["status"]).trim().to_lowercase();
    let is_own = ["message", "reasoning", "function_call"].contains(&text(&item["type"]));
    let is_broken = status == "incomplete"
        || is_own && ["in_progress", "failed", "cancelled"].contains(&status.as_str());
    is_broken.then_some(status)
}

/// Returns the stated ending of a response, if any. `incomplete_details` takes precedence if the
/// status is `incomplete` or missing.
fn end_of(body: &Value) -> Option<ResponseEnd> {
    let status = FinishReasonField::Responses.ending("status", &body["status"]);
    if status.is_some() && severity(text(&body["status"])) != INCOMPLETE {
        return status;
    }
    let details = &body["incomplete_details"]["reason"];
    let detailed = FinishReasonField::ResponsesDetails.ending("incomplete_details.reason", details);
    detailed.or(status)
}

/// Severity of the status `incomplete`.
const INCOMPLETE: u8 = 2;

/// Returns the severity of a status, to choose the worse of the status and the event's type. A
/// missing status counts as completed.
fn severity(status: &str) -> u8 {
    match status.trim().to_lowercase().as_str() {
        "" | "completed" => 0,
        "incomplete" => INCOMPLETE,
        "cancelled" => 3,
        "failed" => 4,
        _ => 1,
    }
}

/// Received part of a streamed response. The last event normally contains the whole response.
#[derive(Default)]
pub(super) struct Events {
    text: String,
    refusal: String,
    /// Other output of the model: reasoning and tool-call arguments.
    beside: String,
    id: Value,
    model: Value,
    /// Completed output items.
    items: Vec<Value>,
    /// Output index of the last piece of text.
    index: Value,
    whole: Option<Value>,
}

impl Assembly for Events {
    fn take(&mut self, event: &SseEvent) -> Result<bool, String> {
        if event.data.trim() == "[DONE]" {
            return Ok(true);
        }
        let data = parse_event(event)?;
        match text(&data["type"]) {
            "response.created" => {
                self.id = data["response"]["id"].clone();
                self.model = data["response"]["model"].clone();
            }
            "response.output_text.delta" => {
                let index = &data["output_index"];
                if *index != self.index && !self.text.is_empty() {
                    self.text.push_str("\n\n");
                }
                self.index = index.clone();
                self.text.push_str(text(&data["delta"]));
            }
            "response.refusal.delta" => self.refusal.push_str(text(&data["delta"])),
            "response.refusal.done" if self.refusal.is_empty() => {
                self.refusal.push_str(text(&data["refusal"]));
            }
            "response.output_item.done" if self.items.len() < MOST_ITEMS => {
                self.items.push(data["item"].clone());
            }
            kind @ ("response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled") => {
                let ended = self.end(kind, &data["response"]);
                let severity = |response: &Value| severity(text(&response["status"]));
                let is_taken_back = |before: &Value| severity(&ended) < severity(before);
                if !self.whole.as_ref().is_some_and(is_taken_back) {
                    self.whole = Some(ended);
                }
                return Ok(true);
            }
            other if other.rsplit('.').next() == Some("delta") => {
                self.beside.push_str(text(&data["delta"]));
            }
            _ => {}
        }
        Ok(false)
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn whole(&self, complete: bool) -> Option<Value> {
        if self.whole.is_some() || complete {
            return self.whole.clone();
        }
        let beside = json!({"type": "reasoning", "content": [{"text": self.beside}]});
        Some(json!({"id": self.id, "model": self.model, "output": [beside, self.message()]}))
    }
}

/// Maximum number of output items to store. A broken server may send more.
const MOST_ITEMS: usize = 1_024;

impl Events {
    /// Returns the text received so far as an output item.
    fn message(&self) -> Value {
        let mut parts = vec![json!({"type": "output_text", "text": self.text})];
        if !self.refusal.is_empty() {
            parts.push(json!({"type": "refusal", "refusal": self.refusal}));
        }
        json!({"type": "message", "content": parts})
    }

    /// Returns the response in the last event. If its status and the event's type differ, the worse
    /// of the two counts. Adds output that was streamed but is missing in the event.
    fn end(&self, kind: &str, response: &Value) -> Value {
        let mut response = match response {
            Value::Object(_) => response.clone(),
            _ => json!({"model": self.model}),
        };
        if response["id"].is_null() {
            response["id"] = self.id.clone();
        }
        let says = kind.rsplit('.').next().unwrap_or_default();
        if severity(says) > severity(text(&response["status"])) {
            response["status"] = json!(says);
        }
        if items(&response["output"]).is_empty() {
            let mut output = self.items.clone();
            let is_message = |item: &Value| item["type"] == "message";
            let said = !self.text.is_empty() || !self.refusal.is_empty();
            if said && !output.iter().any(is_message) {
                output.push(self.message());
            }
            if !output.is_empty() {
                response["output"] = json!(output);
            }
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn keeps_only_encrypted_reasoning() {
        let sealed = json!({
            "type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "c2Vh",
        });
        let bare = json!({"type": "reasoning", "id": "rs_2", "summary": []});
        let call =
            json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"});
        let message =
            json!({"type": "message", "content": [{"type": "output_text", "text": "hi"}]});
        let rows = [
            (
                json!([sealed, bare, call]),
                Some(json!([sealed]).to_string()),
            ),
            (json!([bare, call]), None),
            (json!([sealed, message]), Some(json!([sealed]).to_string())),
            (json!([bare, message]), None),
        ];
        for (output, carry) in rows {
            let answer = read(&json!({"output": output})).unwrap();
            assert_eq!(answer.response.reasoning_signature, carry, "{output}");
        }
    }
}
