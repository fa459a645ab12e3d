//! Responses: <https://platform.openai.com/docs/api-reference/responses>. Nothing is stored at the server; every
//! request carries the whole conversation.

use serde_json::{Map, Value, json};

use super::endpoint::{Unsupported, seals_reasoning};
use super::sse::SseEvent;
use super::wire::{
    Answer, Assembly, End, add_extra, arguments, call, count, data_url, items, paired, parse_event,
    text, unless_blank,
};
use crate::event::MessageRole;
use crate::outcome::Usage;
use crate::provider::{Request, Response, Sampling};
use crate::tool_call::{ToolChoice, ToolSpec, ToolUse};

/// Whether the settings can be said.
pub(super) fn check(sampling: &Sampling) -> Result<(), Unsupported> {
    let unsupported = |setting, what: &str| {
        Err(Unsupported {
            setting,
            reason: format!("the Responses API takes no {what}"),
        })
    };
    if sampling.seed.is_some() {
        return unsupported("seed", "seed");
    }
    if !sampling.stop.is_empty() {
        return unsupported("stop", "stop sequences");
    }
    if sampling.reasoning_tokens.is_some() {
        return unsupported(
            "reasoning_tokens",
            "number of reasoning tokens; set the effort instead",
        );
    }
    Ok(())
}

/// The body of a request.
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
        offer(&request.tools, &mut body);
    }
    let calls = !request.tools.is_off() && seals_reasoning(&request.model);
    if request.keep_reasoning || calls {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    add_extra(&mut body, &sampling.extra);
    body
}

fn offer(tools: &ToolUse, body: &mut Value) {
    let tool = |spec: &ToolSpec| {
        json!({
            "type": "function",
            "name": spec.name,
            "description": spec.description,
            "parameters": spec.parameters,
            // Absent, it would be on, and a schema that it does not take an error.
            "strict": is_strict(&spec.parameters),
        })
    };
    body["tools"] = tools.specs.iter().map(tool).collect();
    body["tool_choice"] = match &tools.choice {
        ToolChoice::Auto | ToolChoice::None => json!("auto"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Forced(name) => json!({"type": "function", "name": name}),
    };
    body["parallel_tool_calls"] = json!(tools.parallel);
}

/// Whether a schema surely is of the kind whose arguments the server can promise: every object closed and all of its
/// fields required, <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
fn is_strict(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    let known = [
        "type",
        "description",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
    ];
    let empty = Map::new();
    let fields = schema.get("properties").and_then(Value::as_object);
    let fields = fields.unwrap_or(&empty);
    let required = schema.get("required").map_or(&[][..], items);
    let closed = schema.get("additionalProperties") == Some(&json!(false));
    let is_object = schema.get("type") == Some(&json!("object"));
    schema.keys().all(|key| known.contains(&key.as_str()))
        && schema.contains_key("type")
        && (!is_object || closed)
        && fields.keys().all(|name| required.contains(&json!(name)))
        && fields.values().all(is_strict)
        && schema.get("items").is_none_or(is_strict)
}

fn input(request: &Request) -> Vec<Value> {
    let mut all = Vec::new();
    for message in paired(request) {
        match message.role {
            MessageRole::Assistant => {
                // What the model thought stands before what it came to. A turn that calls tools is not its own to it
                // without; of others it goes back where the definition keeps reasoning.
                if request.keep_reasoning || !message.tool_calls.is_empty() {
                    let carried = message.carry.as_deref();
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

/// Reads a response.
pub(super) fn read(body: &Value) -> Result<Answer, String> {
    let output = body["output"].as_array().ok_or("`output` is missing")?;
    let mut said = String::new();
    let mut reasoning = Vec::new();
    let mut thoughts = Vec::new();
    let mut tool_calls = Vec::new();
    for item in output {
        match text(&item["type"]) {
            "message" => {
                for part in items(&item["content"]) {
                    said.push_str(text(&part["text"]));
                    said.push_str(text(&part["refusal"]));
                }
            }
            "reasoning" => {
                let parts = items(&item["summary"])
                    .iter()
                    .chain(items(&item["content"]));
                reasoning.extend(parts.map(|part| text(&part["text"])));
                // Nothing is stored at the server: without its content sealed, an item is nothing to send back.
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
    let end = match text(&body["incomplete_details"]["reason"]) {
        "max_output_tokens" => End::Length,
        "content_filter" => End::Filter("content_filter".to_owned()),
        _ if output.is_empty() => return Err("`output` is empty".to_owned()),
        _ => End::Complete,
    };
    let response = Response {
        text: said,
        reasoning: unless_blank(reasoning.join("\n")),
        carry: (!thoughts.is_empty()).then(|| Value::from(thoughts).to_string()),
        tool_calls,
        usage: usage(&body["usage"]),
        served_model: unless_blank(text(&body["model"]).to_owned()),
        ..Response::default()
    };
    Ok(Answer { response, end })
}

pub(super) fn usage(usage: &Value) -> Option<Usage> {
    usage["input_tokens"].as_u64()?;
    Some(Usage {
        input_tokens: count(&usage["input_tokens"]),
        cached_input_tokens: count(&usage["input_tokens_details"]["cached_tokens"]),
        cache_write_tokens: 0,
        output_tokens: count(&usage["output_tokens"]),
        reasoning_tokens: count(&usage["output_tokens_details"]["reasoning_tokens"]),
        estimated: false,
    })
}

/// A streamed response as far as it came. Its last event holds the whole of it.
#[derive(Default)]
pub(super) struct Events {
    text: String,
    model: Value,
    whole: Option<Value>,
}

impl Assembly for Events {
    fn take(&mut self, event: &SseEvent) -> Result<bool, String> {
        if event.data == "[DONE]" {
            return Ok(true);
        }
        let data = parse_event(event)?;
        match text(&data["type"]) {
            "response.created" => self.model = data["response"]["model"].clone(),
            "response.output_text.delta" => self.text.push_str(text(&data["delta"])),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.whole = Some(data["response"].clone());
                return Ok(true);
            }
            // It has the fields of an error at its top, and ends the stream.
            "error" => {
                let nested = &data["error"];
                let error = if nested.is_object() { nested } else { &data };
                let error = json!({"code": error["code"], "message": error["message"]});
                self.whole = Some(json!({"model": self.model, "status": "failed", "error": error}));
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
        if self.whole.is_some() || complete {
            return self.whole.clone();
        }
        let part = json!({"type": "output_text", "text": self.text});
        Some(json!({"model": self.model, "output": [{"type": "message", "content": [part]}]}))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read;

    #[test]
    fn sealed_reasoning_is_carried_and_other_is_not() {
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
            assert_eq!(answer.response.carry, carry, "{output}");
        }
    }
}
