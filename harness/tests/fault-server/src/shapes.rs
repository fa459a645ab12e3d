//! Responses of the fault server in the format of each API: as a complete body and as a stream of
//! events.

use serde_json::{Value, json};

use crate::exchange::{Behavior, ReceivedRequest};

/// Returns an error in the format of the API at `path`.
pub fn error(path: &str, message: &str) -> Value {
    if path.ends_with("/messages") {
        json!({"type": "error", "error": {"type": "api_error", "message": message}})
    } else {
        json!({"error": {"type": "server_error", "code": "server_error", "message": message}})
    }
}

/// Returns the body of a response that is not streamed.
pub fn whole(request: &ReceivedRequest, behavior: &Behavior) -> Value {
    let model = served_model(request);
    if request.path.ends_with("/models") {
        return json!({"object": "list", "data": [
            {"id": "model-b", "object": "model"}, {"id": "model-a", "object": "model"},
        ]});
    }
    let counts = !matches!(behavior, Behavior::NoUsage(_));
    let mut answer = if request.path.ends_with("/messages") {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": model,
            "content": messages_content(behavior), "stop_reason": messages_end(behavior), "stop_sequence": null})
    } else if request.path.ends_with("/responses") {
        let end = responses_end(behavior);
        json!({"id": "resp_1", "object": "response", "model": model, "error": null,
            "status": if end.is_null() { "completed" } else { "incomplete" },
            "incomplete_details": end, "output": responses_output(behavior)})
    } else {
        json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
            "choices": chat_choices(behavior)})
    };
    if counts {
        answer["usage"] = usage(request);
    }
    answer
}

/// Returns the events of a streamed response, each followed by a blank line.
pub fn events(request: &ReceivedRequest, behavior: &Behavior) -> Vec<String> {
    let answer = whole(request, behavior);
    if request.path.ends_with("/messages") {
        message_events(&answer)
    } else if request.path.ends_with("/responses") {
        response_events(&answer)
    } else {
        chat_events(&answer)
    }
}

fn served_model(request: &ReceivedRequest) -> String {
    format!(
        "{}-served",
        request.body["model"].as_str().unwrap_or("none")
    )
}

fn usage(request: &ReceivedRequest) -> Value {
    if request.path.ends_with("/messages") {
        json!({"input_tokens": 8, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 3, "output_tokens": 7})
    } else if request.path.ends_with("/responses") {
        json!({"input_tokens": 11, "input_tokens_details": {"cached_tokens": 3},
            "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 18})
    } else {
        json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18,
            "prompt_tokens_details": {"cached_tokens": 3}, "completion_tokens_details": {"reasoning_tokens": 2}})
    }
}

fn text(behavior: &Behavior) -> &str {
    match behavior {
        Behavior::Text(text) | Behavior::NoUsage(text) | Behavior::Length(text) => text,
        _ => "",
    }
}

fn chat_choices(behavior: &Behavior) -> Value {
    let (message, end) = match behavior {
        Behavior::Empty => return json!([]),
        Behavior::Code(code) => (
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
                "function": {"name": "execute_code", "arguments": json!({"code": code}).to_string()}}]}),
            "tool_calls",
        ),
        Behavior::Calls(text, calls) => {
            let calls: Vec<Value> = calls
                .iter()
                .enumerate()
                .map(|(index, (name, arguments))| {
                    json!({"id": format!("call_{index}"), "type": "function",
                    "function": {"name": name, "arguments": arguments}})
                })
                .collect();
            (
                json!({"role": "assistant", "content": text, "tool_calls": calls}),
                "tool_calls",
            )
        }
        Behavior::Filter => (
            json!({"role": "assistant", "content": ""}),
            "content_filter",
        ),
        Behavior::Length(text) => (json!({"role": "assistant", "content": text}), "length"),
        other => (json!({"role": "assistant", "content": text(other)}), "stop"),
    };
    json!([{"index": 0, "message": message, "finish_reason": end}])
}

fn messages_content(behavior: &Behavior) -> Value {
    match behavior {
        Behavior::Empty | Behavior::Filter => json!([]),
        Behavior::Code(code) => {
            json!([{"type": "tool_use", "id": "toolu_1", "name": "execute_code", "input": {"code": code}}])
        }
        Behavior::Calls(text, calls) => {
            let mut blocks = vec![json!({"type": "text", "text": text})];
            blocks.extend(calls.iter().enumerate().map(|(index, (name, arguments))| {
                let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
                json!({"type": "tool_use", "id": format!("call_{index}"), "name": name, "input": input})
            }));
            json!(blocks)
        }
        other => json!([{"type": "text", "text": text(other)}]),
    }
}

fn messages_end(behavior: &Behavior) -> &'static str {
    match behavior {
        Behavior::Filter => "refusal",
        Behavior::Length(_) => "max_tokens",
        Behavior::Code(_) | Behavior::Calls(..) => "tool_use",
        _ => "end_turn",
    }
}

fn responses_output(behavior: &Behavior) -> Value {
    match behavior {
        Behavior::Empty | Behavior::Filter => json!([]),
        Behavior::Code(code) => {
            json!([{"type": "function_call", "id": "fc_1", "call_id": "call_1",
            "name": "execute_code", "arguments": json!({"code": code}).to_string()}])
        }
        Behavior::Calls(text, calls) => {
            let mut items = vec![json!({"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}]})];
            items.extend(calls.iter().enumerate().map(|(index, (name, arguments))| {
                json!({"type": "function_call", "id": format!("fc_{index}"), "call_id": format!("call_{index}"),
                    "name": name, "arguments": arguments})
            }));
            json!(items)
        }
        other => json!([{"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text(other), "annotations": []}]}]),
    }
}

fn responses_end(behavior: &Behavior) -> Value {
    match behavior {
        Behavior::Filter => json!({"reason": "content_filter"}),
        Behavior::Length(_) => json!({"reason": "max_output_tokens"}),
        _ => Value::Null,
    }
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// Splits a text into pieces of at most five characters.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(5)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn chat_events(answer: &Value) -> Vec<String> {
    let chunk = |choices: Value| {
        let chunk = json!({"id": answer["id"], "object": "chat.completion.chunk", "created": 1,
            "model": answer["model"], "choices": choices});
        format!("data: {chunk}\n\n")
    };
    let mut events = Vec::new();
    for choice in answer["choices"].as_array().into_iter().flatten() {
        let message = &choice["message"];
        let delta =
            |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]));
        events.push(delta(json!({"role": "assistant", "content": ""})));
        for piece in pieces(message["content"].as_str().unwrap_or_default()) {
            events.push(delta(json!({"content": piece})));
        }
        for (index, call) in message["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let mut start = call.clone();
            start["index"] = json!(index);
            start["function"]["arguments"] = json!("");
            events.push(delta(json!({"tool_calls": [start]})));
            for piece in pieces(call["function"]["arguments"].as_str().unwrap_or_default()) {
                let call = json!({"index": index, "function": {"arguments": piece}});
                events.push(delta(json!({"tool_calls": [call]})));
            }
        }
        events.push(chunk(
            json!([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]),
        ));
    }
    if let Some(usage) = answer.get("usage") {
        let chunk = json!({"id": answer["id"], "object": "chat.completion.chunk", "created": 1,
            "model": answer["model"], "choices": [], "usage": usage});
        events.push(format!("data: {chunk}\n\n"));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn message_events(answer: &Value) -> Vec<String> {
    let mut start = answer.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    if start.get("usage").is_some() {
        start["usage"]["output_tokens"] = json!(1);
    }
    let mut events = vec![
        event(
            "message_start",
            &json!({"type": "message_start", "message": start}),
        ),
        event("ping", &json!({"type": "ping"})),
    ];
    for (index, block) in answer["content"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let mut empty = block.clone();
        let deltas: Vec<Value> = if block["type"] == "tool_use" {
            empty["input"] = json!({});
            let input = pieces(
                &block["input"]
                    .as_str()
                    .map_or_else(|| block["input"].to_string(), str::to_owned),
            )
            .into_iter();
            input
                .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
                .collect()
        } else {
            empty["text"] = json!("");
            let text = pieces(block["text"].as_str().unwrap_or_default()).into_iter();
            text.map(|piece| json!({"type": "text_delta", "text": piece}))
                .collect()
        };
        let name = "content_block_start";
        events.push(event(
            name,
            &json!({"type": name, "index": index, "content_block": empty}),
        ));
        for delta in deltas {
            let name = "content_block_delta";
            events.push(event(
                name,
                &json!({"type": name, "index": index, "delta": delta}),
            ));
        }
        events.push(event(
            "content_block_stop",
            &json!({"type": "content_block_stop", "index": index}),
        ));
    }
    let mut end = json!({"type": "message_delta",
        "delta": {"stop_reason": answer["stop_reason"], "stop_sequence": null}});
    if answer.get("usage").is_some() {
        end["usage"] = json!({"output_tokens": answer["usage"]["output_tokens"]});
    }
    events.push(event("message_delta", &end));
    events.push(event("message_stop", &json!({"type": "message_stop"})));
    events
}

fn response_events(answer: &Value) -> Vec<String> {
    let created = json!({"type": "response.created",
        "response": {"id": "resp_1", "model": answer["model"], "status": "in_progress", "output": []}});
    let mut events = vec![event("response.created", &created)];
    for (index, item) in answer["output"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let (name, text) = match item["arguments"].as_str() {
            Some(arguments) => ("response.function_call_arguments.delta", arguments),
            None => (
                "response.output_text.delta",
                item["content"][0]["text"].as_str().unwrap_or_default(),
            ),
        };
        for piece in pieces(text) {
            events.push(event(
                name,
                &json!({"type": name, "output_index": index, "delta": piece}),
            ));
        }
    }
    let name = if answer["status"] == "completed" {
        "response.completed"
    } else {
        "response.incomplete"
    };
    events.push(event(name, &json!({"type": name, "response": answer})));
    events
}
