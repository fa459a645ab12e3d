//! Endings of HTTP responses: every finish reason of each format, streamed and whole.

use harness::provider::http::Timeouts;
use harness::provider::{LONGEST_LABEL, ProviderError, Response, Sampling};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

use crate::http::{ask, request};
use fault_server::{Behavior, FaultServer};

/// Content of `http_endings.yaml`, which documents its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    endings: Endings,
    bodies: Vec<Body>,
    streams: Vec<Stream>,
    counts: Vec<Count>,
    labels: Vec<Label>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Endings {
    chat: Vec<Ending>,
    responses: Vec<Ending>,
    messages: Vec<Ending>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ending {
    with: Map<String, Value>,
    #[serde(default)]
    beside: Map<String, Value>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default = "ada")]
    text: String,
    comes: String,
}

fn events_kind() -> String {
    "text/event-stream".to_owned()
}

fn ada() -> String {
    "Ada".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    format: String,
    #[serde(rename = "body")]
    sent: String,
    comes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stream {
    format: String,
    #[serde(default = "events_kind")]
    kind: String,
    #[serde(rename = "stream")]
    sent: String,
    comes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    usage: Map<String, Value>,
    /// Format to skip; empty if the row applies to all formats.
    #[serde(default)]
    not: String,
    #[serde(default = "ada")]
    text: String,
    comes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Label {
    format: String,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    streams: bool,
    #[serde(rename = "body")]
    sent: String,
    id: Option<String>,
    finish: Option<String>,
}

/// Returns the outcome of a response with this body, in the form that `http_endings.yaml` uses.
fn comes(format: &str, is_stream: bool, body: &str) -> String {
    show(answered(format, is_stream, body))
}

fn answered(format: &str, is_stream: bool, body: &str) -> Result<Response, ProviderError> {
    let kind = if is_stream {
        "text/event-stream"
    } else {
        "application/json"
    };
    answered_as(kind, format, is_stream, body)
}

fn answered_as(
    kind: &str,
    format: &str,
    is_stream: bool,
    body: &str,
) -> Result<Response, ProviderError> {
    let headers = vec![("content-type".to_owned(), kind.to_owned())];
    answered_with(headers, format, is_stream, body)
}

fn answered_with(
    headers: Vec<(String, String)>,
    format: &str,
    is_stream: bool,
    body: &str,
) -> Result<Response, ProviderError> {
    let server = FaultServer::list(vec![Behavior::Status(200, headers, body.to_owned())]);
    let timeouts = Timeouts {
        connect: Duration::from_secs(120),
        idle: Duration::from_secs(120),
        request: Duration::from_secs(120),
    };
    let request = request(Sampling::default());
    ask(format, &server.openai(), &request, is_stream, timeouts)
}

fn show(result: Result<Response, ProviderError>) -> String {
    match result {
        Ok(response) => {
            let calls = response.tool_calls.iter();
            let calls: String = calls
                .map(|call| format!(" {}({})", call.name, call.arguments))
                .collect();
            format!("ok: {}{calls}", response.text)
        }
        Err(ProviderError::Truncated { response }) => format!("truncated: {}", response.text),
        Err(ProviderError::ContextOverflow { message }) => format!("overflow: {message}"),
        Err(error @ ProviderError::Filtered { .. }) => format!("filtered: {error}"),
        Err(error) if error.is_transient() => format!("retried: {error}"),
        Err(error) => format!("final: {error}"),
    }
}

fn events(all: &[Value]) -> String {
    all.iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

fn over(mut object: Value, with: &Map<String, Value>) -> Value {
    for (name, value) in with {
        object[name] = value.clone();
    }
    object
}

fn chat(row: &Ending) -> [String; 2] {
    let message = json!({"role": "assistant", "content": row.text, "refusal": row.refusal});
    let choice = over(json!({"index": 0, "message": message}), &row.with);
    let whole = over(json!({"model": "m1", "choices": [choice]}), &row.beside);
    let delta =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let (start, end) = row.text.split_at(row.text.len() / 2);
    let last = over(json!({"index": 0, "delta": {}}), &row.with);
    let streamed = [
        delta(json!({"role": "assistant", "content": start})),
        delta(json!({"content": end, "refusal": row.refusal})),
        over(json!({"choices": [last]}), &row.beside),
    ];
    [whole.to_string(), events(&streamed) + "data: [DONE]\n\n"]
}

fn responses(row: &Ending) -> [String; 2] {
    let part = json!({"type": "output_text", "text": row.text});
    let output = json!([{"type": "message", "role": "assistant", "content": [part]}]);
    let whole = over(json!({"model": "m1", "output": output}), &row.with);
    let status = whole["status"].as_str().unwrap_or("completed");
    let known = ["completed", "failed", "incomplete", "cancelled"];
    let name = if known.contains(&status) {
        status
    } else {
        "completed"
    };
    let streamed = [
        json!({"type": "response.created", "response": {"model": "m1", "status": "in_progress"}}),
        json!({"type": "response.output_text.delta", "delta": row.text}),
        json!({"type": format!("response.{name}"), "response": whole}),
    ];
    [whole.to_string(), events(&streamed)]
}

fn messages(row: &Ending) -> [String; 2] {
    let message = json!({"type": "message", "role": "assistant", "model": "m1", "content": []});
    let mut whole = over(message.clone(), &row.with);
    whole["content"] = json!([{"type": "text", "text": row.text}]);
    let streamed = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": row.text}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": row.with}),
        json!({"type": "message_stop"}),
    ];
    [whole.to_string(), events(&streamed)]
}

fn cases() -> Cases {
    serde_saphyr::from_str(include_str!("http_endings.yaml")).unwrap()
}

#[test]
fn streamed_and_whole_endings_agree() {
    type Forms = fn(&Ending) -> [String; 2];
    let endings = cases().endings;
    let formats: [(&str, Vec<Ending>, Forms); 3] = [
        ("openai", endings.chat, chat),
        ("openai-responses", endings.responses, responses),
        ("anthropic", endings.messages, messages),
    ];
    for (format, rows, forms) in formats {
        for row in rows {
            let [whole, streamed] = forms(&row);
            assert_eq!(comes(format, false, &whole), row.comes, "{format}: {whole}");
            assert_eq!(
                comes(format, true, &streamed),
                row.comes,
                "{format}: {streamed}"
            );
        }
    }
}

#[test]
fn handles_unusual_bodies_and_streams() {
    let Cases {
        bodies, streams, ..
    } = cases();
    for row in bodies {
        assert_eq!(
            comes(&row.format, false, &row.sent),
            row.comes,
            "{}",
            row.sent
        );
    }
    for row in streams {
        let got = show(answered_as(&row.kind, &row.format, true, &row.sent));
        assert_eq!(got, row.comes, "{} {}", row.kind, row.sent);
        // The content type and body determine the outcome, whether or not a stream was requested.
        let got = show(answered_as(&row.kind, &row.format, false, &row.sent));
        assert_eq!(got, row.comes, "{} {}", row.kind, row.sent);
    }
}

/// Returns a complete response of each format with the same token counts.
fn counted(row: &Count) -> [(&'static str, Value); 3] {
    let usage = |names: [&str; 2]| {
        let mut usage = Map::new();
        if let Some(reasoning) = row.usage.get("details") {
            let details = json!({"reasoning_tokens": reasoning});
            usage.insert(format!("{}_details", names[1]), details);
        }
        if let Some(cached) = row.usage.get("cached") {
            let details = json!({"cached_tokens": cached});
            usage.insert(format!("{}_details", names[0]), details);
        }
        for (name, value) in &row.usage {
            let name = match name.as_str() {
                "input" => names[0],
                "output" => names[1],
                "details" | "cached" => continue,
                other => other,
            };
            usage.insert(name.to_owned(), value.clone());
        }
        usage
    };
    let responses = usage(["input_tokens", "output_tokens"]);
    let part = json!({"type": "output_text", "text": row.text});
    let output = json!([{"type": "message", "content": [part]}]);
    let block = json!({"type": "text", "text": row.text});
    [
        (
            "openai",
            json!({"choices": [{"message": {"content": row.text}, "finish_reason": "stop"}],
            "usage": usage(["prompt_tokens", "completion_tokens"])}),
        ),
        (
            "openai-responses",
            json!({"status": "completed", "output": output, "usage": responses}),
        ),
        (
            "anthropic",
            json!({"content": [block], "stop_reason": "end_turn", "usage": responses}),
        ),
    ]
}

#[test]
fn replaces_implausible_counts_and_costs() {
    for row in cases().counts {
        for (format, body) in counted(&row) {
            if format == row.not {
                continue;
            }
            let response = answered(format, false, &body.to_string()).unwrap();
            let usage = response.usage.unwrap();
            let mark = if usage.estimated { "~" } else { "" };
            let cost = response.cost_usd.map(|cost| format!(" ${cost}"));
            let comes = format!(
                "{mark}{}+{}{}",
                usage.input_tokens,
                usage.output_tokens,
                cost.unwrap_or_default()
            );
            assert_eq!(comes, row.comes, "{format}: {body}");
        }
    }
}

#[test]
fn keeps_request_id_and_finish_reason() {
    let long = "x".repeat(LONGEST_LABEL + 1);
    for row in cases().labels {
        let headers = row.headers.iter();
        let headers = headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().into()));
        let sent = row.sent.replace("LONG", &long);
        let response = match answered_with(headers.collect(), &row.format, row.streams, &sent) {
            Ok(response) => response,
            Err(ProviderError::Truncated { response }) => *response,
            Err(error) => panic!("{sent}: {error}"),
        };
        let id = row.id.map(|id| id.replace("CUT", &long[1..]));
        assert_eq!(response.request_id, id, "{sent}");
        assert_eq!(response.finish_reason, row.finish, "{sent}");
        // Both fields are recorded only if present.
        let written = serde_json::to_value(&response).unwrap();
        assert_eq!(written.get("request_id").is_some(), id.is_some(), "{sent}");
        let read: Response = serde_json::from_value(written).unwrap();
        assert_eq!(read, response, "{sent}");
    }
}
