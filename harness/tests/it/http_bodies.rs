//! Bodies and headers of requests in every format, as the server receives them.

use harness::model::{Image, Message};
use harness::prompt::AnswerSchema;
use harness::provider::http::{Timeouts, endpoint};
use harness::provider::{Effort, Request, Response, Sampling};
use harness::{ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use crate::http::{FORMATS, KEY, ask, request};
use fault_server::{Behavior, FaultServer, ReceivedRequest};

const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(120),
    idle: Duration::from_secs(120),
    request: Duration::from_secs(120),
};

/// Provider prefixes of all formats. `openrouter` and `google` are dialects of `openai`.
const SERVERS: [&str; 5] = [
    "openai",
    "openrouter",
    "google",
    "openai-responses",
    "anthropic",
];

/// Body fields that users may override. All other fields are reserved for the harness.
const FREE: [&str; 16] = [
    "temperature",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "stop",
    "stop_sequences",
    "reasoning_effort",
    "reasoning",
    "output_config",
    "thinking",
    "top_p",
    "store",
    "usage",
    "response_format",
    "text",
];

fn seen(format: &str, request: &Request, stream: bool) -> ReceivedRequest {
    let server = FaultServer::list(vec![Behavior::Text("ok".to_owned())]);
    ask(format, &server.openai(), request, stream, TIMEOUTS).unwrap();
    let seen = server.seen().remove(0);
    let fields = seen.body.as_object().unwrap().keys();
    for field in fields.filter(|field| !FREE.contains(&field.as_str())) {
        let sampling = Sampling {
            extra: [(field.clone(), json!([]))].into_iter().collect(),
            ..Sampling::default()
        };
        let refused = endpoint(format).unwrap().check("m1", &sampling);
        let reason = refused.map_err(|unsupported| unsupported.reason);
        assert!(
            reason.is_err_and(|reason| reason.contains(&format!("`{field}`"))),
            "{format}: users can override the reserved field {field}"
        );
    }
    seen
}

fn image() -> Image {
    Image {
        media_type: "image/png".to_owned(),
        data: "iVBORw0KGgo=".to_owned(),
    }
}

fn sent(format: &str, request: &Request, stream: bool) -> String {
    let seen = seen(format, request, stream);
    let headers: Vec<String> = [
        "authorization",
        "x-api-key",
        "anthropic-version",
        "x-title",
        "content-type",
    ]
    .into_iter()
    .filter_map(|name| Some(format!("{name}: {}\n", seen.header(name)?)))
    .collect();
    let body = serde_json::to_string_pretty(&seen.body).unwrap();
    format!(
        "{} {}\n{}\n{body}",
        seen.method,
        seen.path,
        headers.concat()
    )
    .replace(KEY, "THE-KEY")
}

#[test]
fn sends_request_with_all_settings() {
    for server in SERVERS {
        let mut full = Sampling {
            temperature: Some(1.0),
            seed: Some(7),
            max_tokens: Some(5_000),
            stop: vec!["END".to_owned()],
            effort: Some(Effort::Low),
            reasoning_tokens: Some(2_000),
            extra: json!({"top_p": 0.9}).as_object().unwrap().clone(),
            ..Sampling::default()
        };
        // Remove the settings that the format rejects, as a user would have to.
        while let Err(unsupported) = endpoint(server).unwrap().check("m1", &full) {
            match unsupported.setting {
                "seed" => full.seed = None,
                "stop" => full.stop.clear(),
                "reasoning_tokens" => full.reasoning_tokens = None,
                other => panic!("{other}: {}", unsupported.reason),
            }
        }
        let mut request = request(full);
        Arc::make_mut(&mut request.messages[0]).images.push(image());
        request
            .messages
            .push(Message::assistant("I look.\n").into());
        request.messages.push(Message::user("Go on.").into());
        insta::assert_snapshot!(format!("everything-{server}"), sent(server, &request, true));
    }
}

fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: format!("What {name} does."),
        parameters,
    }
}

/// Returns two tools: one whose schema servers can enforce, and one with an optional argument.
fn tools(choice: ToolChoice, parallel: bool) -> ToolUse {
    let strict = json!({"type": "object", "properties": {"code": {"type": "string", "description": "Code."}},
        "required": ["code"], "additionalProperties": false});
    let loose =
        json!({"type": "object", "properties": {"start": {"type": "integer", "minimum": 0}}});
    ToolUse {
        specs: [spec("execute_code", strict), spec("read", loose)].into(),
        choice,
        parallel,
    }
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

fn result(call: &str, content: &str, is_error: bool) -> ToolResult {
    ToolResult {
        call: call.to_owned(),
        content: content.to_owned(),
        is_error,
    }
}

fn called(calls: Vec<ToolCall>, carry: Option<&str>) -> Message {
    Response {
        text: "I compute.".to_owned(),
        tool_calls: calls,
        reasoning_signature: carry.map(str::to_owned),
        ..Response::default()
    }
    .to_message()
}

/// Returns a conversation with two parallel calls, the second with invalid JSON, and a response
/// without calls.
fn conversation(choice: ToolChoice, carry: Option<&str>) -> Request {
    let mut request = request(Sampling::default());
    request.tools = tools(choice, false);
    let calls = vec![
        call("a1", "execute_code", r#"{"code":"6 * 7"}"#),
        call("a2", "read", "from the start"),
    ];
    request.messages.push(called(calls, carry).into());
    let mut told = Message::user("Look at this.");
    told.tool_results = vec![
        result("a1", "42", false),
        result("a2", "error: no JSON", true),
    ];
    told.images.push(image());
    request.messages.push(told.into());
    request.messages.push(Message::assistant("").into());
    request.messages.push(Message::user("Call a tool.").into());
    request
}

#[test]
fn sends_conversation_with_tool_calls() {
    let forced = || ToolChoice::Forced("execute_code".to_owned());
    for server in SERVERS {
        let request = conversation(forced(), None);
        insta::assert_snapshot!(format!("tool-{server}"), sent(server, &request, false));
    }
    // Signed and encrypted reasoning is sent back to the server.
    let thought = json!([{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]).to_string();
    let mut request = conversation(forced(), Some(&thought));
    request.sampling = Arc::new(Sampling {
        reasoning_tokens: Some(2_000),
        ..Sampling::default()
    });
    let thinking = sent("anthropic", &request, false);
    insta::assert_snapshot!("tool-anthropic-thinking", thinking);
    let sealed =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2Vh"});
    let mut request = conversation(forced(), Some(&json!([sealed]).to_string()));
    request.model = "gpt-5-mini".to_owned();
    let reasoning = sent("openai-responses", &request, false);
    insta::assert_snapshot!("tool-openai-responses-reasoning", reasoning);
    let signed = json!({"extra_content": [null, {"signature": "c2ln"}]}).to_string();
    let request = conversation(ToolChoice::Auto, Some(&signed));
    insta::assert_snapshot!("tool-google-signed", sent("google", &request, false));
}

#[test]
fn sends_disabled_or_unpaired_calls_as_text() {
    let off = conversation(ToolChoice::None, None);
    let mut orphans = conversation(ToolChoice::Auto, None);
    Arc::make_mut(&mut orphans.messages[2])
        .tool_results
        .remove(0);
    orphans.messages.remove(0);
    let mut only_results = conversation(ToolChoice::Auto, None);
    only_results.messages.drain(..2);
    for (name, request) in [
        ("off", off),
        ("orphans", orphans),
        ("results", only_results),
    ] {
        insta::assert_snapshot!(format!("text-{name}"), sent("openai", &request, false));
    }
}

#[test]
fn sends_back_kept_reasoning_unchanged() {
    let carried = [
        (
            "openrouter",
            json!({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}], "reasoning": "hm"}),
        ),
        ("google", json!({"reasoning_content": "hm"})),
        ("openai", json!({"think": "hm"})),
        (
            "openai-responses",
            json!([{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}]),
        ),
        (
            "anthropic",
            json!([{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]),
        ),
    ];
    let mut said = String::new();
    for (server, carry) in carried {
        for keep in [false, true] {
            let mut request = request(Sampling::default());
            let mut message = Message::assistant("I said.");
            // Agents remove the reasoning from messages unless `keep_reasoning` is set.
            message.reasoning_signature = keep.then(|| carry.to_string());
            request.messages.push(message.into());
            request.messages.push(Message::user("Go on.").into());
            request.keep_reasoning = keep;
            let body = seen(server, &request, false).body;
            let list = if body["messages"].is_array() {
                "messages"
            } else {
                "input"
            };
            said += &format!(
                "{server}, kept {keep}: {} {}\n",
                body[list], body["include"]
            );
        }
    }
    insta::assert_snapshot!("kept-reasoning", said);
}

/// Anthropic requires signed reasoning within a turn. After the turn, it is sent back only if the
/// definition keeps reasoning.
#[test]
fn sends_signed_reasoning_until_turn_ends() {
    let signed = json!([{"type": "thinking", "thinking": "hm", "signature": "c2ln"}]).to_string();
    for (answer, keep, expected) in [
        (None, false, 1),
        (Some(""), false, 1),
        (Some("It is 42."), false, 0),
        (Some("It is 42."), true, 1),
    ] {
        let mut request = request(Sampling::default());
        request.tools = tools(ToolChoice::Auto, false);
        request.keep_reasoning = keep;
        let calls = vec![call("a1", "read", "{}")];
        request.messages.push(called(calls, Some(&signed)).into());
        let mut told = Message::user("");
        told.tool_results = vec![result("a1", "42", false)];
        request.messages.push(told.into());
        if let Some(answer) = answer {
            request.messages.push(Message::assistant(answer).into());
            request.messages.push(Message::user("And now?").into());
        }
        let body = seen("anthropic", &request, false).body;
        let sent = body["messages"].to_string().matches("c2ln").count();
        assert_eq!(sent, expected, "{answer:?}, kept {keep}");
    }
}

#[test]
fn sends_reasoning_with_its_calls() {
    for field in ["reasoning_content", "reasoning"] {
        let carry = json!({field: "hm"}).to_string();
        let request = conversation(ToolChoice::Auto, Some(&carry));
        let body = seen("openai", &request, false).body;
        let messages = body["messages"].as_array().unwrap().iter();
        let sent: Vec<&Value> = messages.filter_map(|message| message.get(field)).collect();
        assert_eq!(sent, [&json!("hm")], "{field}: {body}");
    }
}

#[test]
fn sends_tool_choices() {
    let forced = || ToolChoice::Forced("read".to_owned());
    let choices = [
        ToolChoice::Auto,
        ToolChoice::None,
        ToolChoice::Required,
        forced(),
    ];
    let mut said = String::new();
    for server in SERVERS {
        for choice in &choices {
            for parallel in [false, true] {
                let mut request = request(Sampling::default());
                request.tools = tools(choice.clone(), parallel);
                let seen = seen(server, &request, false);
                let fields = ["tool_choice", "parallel_tool_calls"].map(|name| seen.body.get(name));
                let [choice_said, parallel_said] =
                    fields.map(|field| field.map_or("-".to_owned(), Value::to_string));
                let count = seen.body["tools"].as_array().map_or(0, Vec::len);
                let parallel = if parallel { "parallel" } else { "one by one" };
                said += &format!(
                    "{server}, {choice:?}, {parallel}: {count} tools, {choice_said}, parallel {parallel_said}\n"
                );
            }
        }
    }
    insta::assert_snapshot!("tool-choices", said);
}

#[test]
fn rejects_unsupported_settings() {
    let some = |change: fn(&mut Sampling)| {
        let mut sampling = Sampling::default();
        change(&mut sampling);
        sampling
    };
    let rows = [
        (
            some(|s| s.seed = Some(1)),
            [None, Some("seed"), Some("seed")],
        ),
        (
            some(|s| s.stop = vec!["a".to_owned(); 4]),
            [None, Some("stop"), None],
        ),
        (
            some(|s| s.stop = vec!["a".to_owned(); 5]),
            [Some("stop"), Some("stop"), None],
        ),
        (
            some(|s| s.effort = Some(Effort::Minimal)),
            [None, None, Some("effort")],
        ),
        (some(|s| s.effort = Some(Effort::High)), [None, None, None]),
        (
            some(|s| s.reasoning_tokens = Some(1_024)),
            [Some("reasoning_tokens"), Some("reasoning_tokens"), None],
        ),
        (
            some(|s| s.reasoning_tokens = Some(1_023)),
            [
                Some("reasoning_tokens"),
                Some("reasoning_tokens"),
                Some("reasoning_tokens"),
            ],
        ),
        (
            some(|s| (s.temperature, s.reasoning_tokens) = (Some(0.5), Some(2_000))),
            [
                Some("reasoning_tokens"),
                Some("reasoning_tokens"),
                Some("temperature"),
            ],
        ),
    ];
    for (sampling, expected) in rows {
        let got = FORMATS.map(|format| {
            let checked = endpoint(format).unwrap().check("m1", &sampling);
            checked.err().map(|unsupported| unsupported.setting)
        });
        assert_eq!(got, expected, "{sampling:?}");
    }
}

/// Body fields that set the reasoning effort.
const OF_REASONING: [&str; 4] = ["reasoning_effort", "reasoning", "thinking", "output_config"];

#[test]
fn sends_effort_by_model() {
    let adaptive = |effort: &str| json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": effort}});
    let rows = [
        (
            "openai",
            "m1",
            Effort::Xhigh,
            json!({"reasoning_effort": "xhigh"}),
        ),
        (
            "openai",
            "gpt-5.6",
            Effort::None,
            json!({"reasoning_effort": "none"}),
        ),
        (
            "openai",
            "gpt-6.2-sol",
            Effort::Max,
            json!({"reasoning_effort": "max"}),
        ),
        (
            "openai-responses",
            "gpt-6.2-sol",
            Effort::Max,
            json!({"reasoning": {"effort": "max"}}),
        ),
        (
            "openrouter",
            "openai/o1",
            Effort::None,
            json!({"reasoning": {"effort": "none"}}),
        ),
        (
            "ollama",
            "gpt-5",
            Effort::Max,
            json!({"reasoning_effort": "max"}),
        ),
        (
            "google",
            "gemini-4-neon",
            Effort::Xhigh,
            json!({"reasoning_effort": "xhigh"}),
        ),
        (
            "google",
            "gemini-2.5-flash",
            Effort::None,
            json!({"reasoning_effort": "none"}),
        ),
        (
            "anthropic",
            "m1",
            Effort::High,
            json!({"output_config": {"effort": "high"}}),
        ),
        (
            "anthropic",
            "m1",
            Effort::None,
            json!({"thinking": {"type": "disabled"}}),
        ),
        ("anthropic", "claude-sonnet-4-5", Effort::None, json!({})),
        (
            "anthropic",
            "claude-opus-4-5",
            Effort::High,
            json!({"output_config": {"effort": "high"}}),
        ),
        ("anthropic", "claude-opus-4-6", Effort::Max, adaptive("max")),
        (
            "anthropic",
            "claude-opus-4-8",
            Effort::Xhigh,
            adaptive("xhigh"),
        ),
        ("anthropic", "claude-opus-4-8", Effort::None, json!({})),
        (
            "anthropic",
            "claude-sonnet-5",
            Effort::None,
            json!({"thinking": {"type": "disabled"}}),
        ),
        (
            "anthropic",
            "claude-sonnet-5-5",
            Effort::None,
            json!({"thinking": {"type": "between_tools"}}),
        ),
        ("anthropic", "claude-opus-5-5", Effort::Low, adaptive("low")),
    ];
    for (server, model, effort, expected) in rows {
        let sampling = Sampling {
            effort: Some(effort),
            ..Sampling::default()
        };
        let checked = endpoint(server).unwrap().check(model, &sampling);
        assert_eq!(checked, Ok(()), "{server}/{model}");
        let mut request = request(sampling);
        model.clone_into(&mut request.model);
        let body = seen(server, &request, false).body;
        let mut said = body.as_object().unwrap().clone();
        said.retain(|field, _| OF_REASONING.contains(&field.as_str()));
        assert_eq!(Value::Object(said), expected, "{server}/{model}");
        if server == "anthropic" {
            let high = matches!(effort, Effort::Xhigh | Effort::Max);
            let expected = if high { 64_000 } else { 8_192 };
            assert_eq!(body["max_tokens"], json!(expected), "{model}");
        }
    }
}

#[test]
fn rejects_unsupported_efforts() {
    let effort = |effort| Sampling {
        effort: Some(effort),
        ..Sampling::default()
    };
    let tokens = |effort| Sampling {
        effort,
        reasoning_tokens: Some(2_000),
        ..Sampling::default()
    };
    let warm = |effort| Sampling {
        effort,
        temperature: Some(0.5),
        ..Sampling::default()
    };
    let no_effort = "does not support the effort";
    let rows = [
        (
            "openai",
            "gpt-5",
            effort(Effort::Xhigh),
            format!("`gpt-5` {no_effort} xhigh; expected minimal, low, medium, high"),
        ),
        (
            "openai-responses",
            "gpt-6.2-astra",
            effort(Effort::None),
            format!("`gpt-6.2-astra` {no_effort} none; expected low, medium, high, xhigh, max"),
        ),
        (
            "google",
            "gemini-x",
            effort(Effort::Max),
            format!("`gemini-x` {no_effort} max; expected none, minimal, low, medium, high, xhigh"),
        ),
        (
            "vertex",
            "google/gemini-3.1-pro-preview",
            effort(Effort::None),
            format!("`google/gemini-3.1-pro-preview` {no_effort} none; expected low, medium, high"),
        ),
        (
            "anthropic",
            "m1",
            effort(Effort::Minimal),
            format!("`m1` {no_effort} minimal; expected none, low, medium, high, xhigh, max"),
        ),
        (
            "anthropic",
            "claude-opus-4-6",
            effort(Effort::Xhigh),
            format!("`claude-opus-4-6` {no_effort} xhigh; expected none, low, medium, high, max"),
        ),
        (
            "anthropic",
            "claude-opus-5-5",
            effort(Effort::None),
            format!("`claude-opus-5-5` {no_effort} none; expected low, medium, high, xhigh, max"),
        ),
        (
            "anthropic",
            "claude-sonnet-4-5",
            effort(Effort::High),
            format!("`claude-sonnet-4-5` {no_effort} high; expected none"),
        ),
        (
            "anthropic",
            "claude-opus-4-8",
            tokens(None),
            "`claude-opus-4-8` does not support a reasoning token budget; set the effort instead"
                .to_owned(),
        ),
        (
            "anthropic",
            "claude-opus-4-6",
            tokens(Some(Effort::None)),
            "the effort none turns reasoning off".to_owned(),
        ),
        (
            "anthropic",
            "claude-opus-4-8",
            warm(None),
            "`claude-opus-4-8` supports only temperature 1".to_owned(),
        ),
        (
            "anthropic",
            "claude-opus-4-6",
            warm(Some(Effort::High)),
            "Anthropic's API supports only temperature 1 with an effort".to_owned(),
        ),
    ];
    for (server, model, sampling, reason) in rows {
        let checked = endpoint(server).unwrap().check(model, &sampling);
        let got = checked.map_err(|unsupported| unsupported.reason);
        assert_eq!(got, Err(reason), "{server}/{model}");
    }
    let kept = [
        ("claude-opus-4-6", tokens(None)),
        ("claude-opus-4-6", warm(None)),
    ];
    for (model, sampling) in kept {
        let checked = endpoint("anthropic").unwrap().check(model, &sampling);
        assert_eq!(checked, Ok(()), "{model}");
    }
}

/// Some Anthropic models reject forced tools regardless of their thinking settings.
#[test]
fn forces_tools_only_if_supported() {
    for (model, effort, expected) in [
        ("claude-opus-4-8", None, "tool"),
        ("claude-opus-4-8", Some(Effort::Low), "auto"),
        ("claude-opus-5-5", None, "auto"),
        ("claude-sonnet-5-5", Some(Effort::None), "auto"),
    ] {
        let mut request = request(Sampling {
            effort,
            ..Sampling::default()
        });
        model.clone_into(&mut request.model);
        request.tools = tools(ToolChoice::Forced("read".to_owned()), false);
        let body = seen("anthropic", &request, false).body;
        assert_eq!(body["tool_choice"]["type"], json!(expected), "{model}");
        let anthropic = endpoint("anthropic").unwrap();
        let cannot = anthropic.cannot_force_tools(model, &request.sampling);
        assert_eq!(cannot, expected == "auto", "{model}");
    }
}

#[test]
fn replaces_rejected_fields() {
    let rows = [
        (
            "openai",
            "422 max_completion_tokens: Extra inputs are not permitted",
            json!({"max_tokens": 16, "max_completion_tokens": null}),
        ),
        (
            "vllm",
            "400 Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            json!({"max_tokens": null, "max_completion_tokens": 16}),
        ),
        (
            "openai",
            "400 The tool_choice parameter does not support being set to required or object in thinking mode",
            json!({"tool_choice": "auto", "max_completion_tokens": 16}),
        ),
        (
            "openai-responses",
            "400 tool_choice 'specified' is incompatible with thinking enabled",
            json!({"tool_choice": "auto"}),
        ),
        (
            "anthropic",
            "400 Thinking may not be enabled when tool_choice forces tool use.",
            json!({"tool_choice": {"type": "auto", "disable_parallel_tool_use": true}}),
        ),
        (
            "openai",
            "400 Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
            json!({"parallel_tool_calls": null}),
        ),
    ];
    for (format, error, expected) in rows {
        let (status, message) = error.split_once(' ').unwrap();
        let body = json!({"error": {"message": message}}).to_string();
        let server = FaultServer::list(vec![
            Behavior::Status(status.parse().unwrap(), Vec::new(), body),
            Behavior::Text("ok".to_owned()),
        ]);
        let mut request = request(Sampling {
            max_tokens: Some(16),
            ..Sampling::default()
        });
        request.tools = tools(ToolChoice::Forced("read".to_owned()), false);
        ask(format, &server.openai(), &request, false, TIMEOUTS).unwrap();
        let seen = server.seen();
        assert_eq!(seen.len(), 2, "{error}");
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&seen[1].body[field], value, "{error}: {field}");
        }
    }
    // An error about a field's value must not cause the field to be replaced.
    let body = json!({"error": {"message": "max_completion_tokens is too large: 16"}}).to_string();
    let server = FaultServer::list(vec![Behavior::Status(400, Vec::new(), body)]);
    let request = request(Sampling {
        max_tokens: Some(16),
        ..Sampling::default()
    });
    ask("openai", &server.openai(), &request, false, TIMEOUTS).unwrap_err();
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn omits_unsupported_parallel_calls() {
    for (format, model, sent) in [
        ("openai", "o1", false),
        ("openai", "o3-mini", false),
        ("openai-responses", "o4-mini-2025-04-16", false),
        ("openrouter", "openai/o3-mini", false),
        ("openai", "gpt-5", true),
        ("openai-responses", "gpt-5", true),
    ] {
        let mut request = request(Sampling::default());
        model.clone_into(&mut request.model);
        request.tools = tools(ToolChoice::Auto, true);
        let body = seen(format, &request, false).body;
        let has_field = body.get("parallel_tool_calls").is_some();
        assert_eq!(has_field, sent, "{format} {model}");
    }
}

#[test]
fn replaces_invalid_tool_names() {
    for (name, expected) in [
        ("read", "read"),
        ("functions.execute_code", "functions_execute_code"),
        ("x<|channel|>commentary", "x__channel__commentary"),
        ("lies ü", "lies__"),
        (&*"n".repeat(70), &*"n".repeat(64)),
    ] {
        for format in FORMATS {
            let mut request = request(Sampling::default());
            request.tools = tools(ToolChoice::Auto, false);
            let calls = vec![call("a1", name, "{}")];
            request.messages.push(called(calls, None).into());
            let mut told = Message::user("");
            told.tool_results = vec![result("a1", "error: no such tool", true)];
            request.messages.push(told.into());
            let body = seen(format, &request, false).body.to_string();
            let has_name = body.contains(&format!("\"name\":\"{expected}\""));
            assert!(has_name && body.contains("error: no such tool"), "{body}");
        }
    }
}

/// Models of each server: one that supports answer schemas and one that does not. An empty name
/// means that there is no such model.
const OF_SCHEMAS: [(&str, [&str; 2]); 6] = [
    ("openai", ["m1", ""]),
    ("openrouter", ["m1", ""]),
    ("google", ["gemini-3-pro", "gemma-3-27b-it"]),
    ("openai-responses", ["m1", ""]),
    (
        "anthropic",
        ["claude-sonnet-4-5", "claude-sonnet-4-20250514"],
    ),
    ("ollama", ["", "m1"]),
];

/// Covers five schemas: a closed object, an open object, one with a maximum, one with a pattern,
/// and a type other than `object`, which is never sent as a schema.
#[test]
fn sends_schemas_if_supported() {
    let closed = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
    let open = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let bounded = json!({"type": "object", "properties": {"n": {"type": "array", "items": {"type": "integer", "maximum": 3}}}, "required": ["n"], "additionalProperties": false});
    let pattern = json!({"type": "object", "properties": {"n": {"type": "string", "pattern": "^a"}}, "additionalProperties": false});
    let number = json!({"type": "integer"});
    let mut said = String::new();
    for (server, models) in OF_SCHEMAS {
        for model in models.into_iter().filter(|model| !model.is_empty()) {
            said += &format!("{server}/{model}\n");
            for schema in [&closed, &open, &bounded, &pattern, &number] {
                let mut request = request(Sampling::default());
                model.clone_into(&mut request.model);
                request.answer_schema = Some(AnswerSchema::new(schema.clone()).unwrap());
                let body = seen(server, &request, false).body;
                let format = body.get("response_format").or(body.get("text"));
                let format = format.or(body.get("output_config"));
                let format = format.map_or("nothing".to_owned(), Value::to_string);
                said += &format!("  {schema}\n    {format}\n");
            }
        }
    }
    insta::assert_snapshot!("schemas", said);
}

/// Both settings are fields of `output_config`.
#[test]
fn sends_schema_and_effort_to_anthropic() {
    let mut request = request(Sampling {
        effort: Some(Effort::Low),
        ..Sampling::default()
    });
    "claude-opus-4-6".clone_into(&mut request.model);
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    request.answer_schema = Some(AnswerSchema::new(schema.clone()).unwrap());
    let body = seen("anthropic", &request, false).body;
    let wanted = json!({"effort": "low", "format": {"type": "json_schema", "schema": schema}});
    assert_eq!(body["output_config"], wanted);
}

/// Columns: ids of the calls in the conversation, number of the request, and the id that replaces
/// `call_0`.
#[test]
fn replaces_ids_of_calls_that_are_not_unique() {
    let function = json!({"name": "read", "arguments": "{}"});
    let calls = json!([{"id": "call_0", "type": "function", "function": function}]);
    let choice = json!({"message": {"tool_calls": calls}, "finish_reason": "tool_calls"});
    let body = json!({"choices": [choice]}).to_string();
    let rows: [(&[&str], u32, &str); 4] = [
        (&["a"], 2, "call_0"),
        (&["call_0"], 2, "call_3_0"),
        (&["call_0", "call_5_0"], 3, "call_6_0"),
        (&["call_0"], 9, "call_17_0"),
    ];
    for (earlier, turn, expected) in rows {
        let mut request = request(Sampling::default());
        request.tools = tools(ToolChoice::Auto, false);
        request.caller.turn = turn;
        for id in earlier {
            let answer = Message {
                tool_results: vec![result(id, "seen", false)],
                ..Message::user("")
            };
            let asked = called(vec![call(id, "read", "{}")], None);
            request.messages.push(asked.into());
            request.messages.push(answer.into());
        }
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let server = FaultServer::list(vec![Behavior::Status(200, headers, body.clone())]);
        let response = ask("openai", &server.openai(), &request, false, TIMEOUTS).unwrap();
        assert_eq!(response.tool_calls[0].id, expected, "{earlier:?}, {turn}");
    }
}
