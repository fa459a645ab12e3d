//! Outcomes of HTTP requests in every format, streamed and whole, to a server with configurable
//! failures.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use harness::model::{Message, Protocol, Role, Usage};
use harness::provider::http::{HttpClient, HttpProvider, Secret, Timeouts, endpoint};
use harness::provider::{
    CallEvent, CallSink, Caller, IgnoreCalls, Provider as _, ProviderError, Request, Response,
    Sampling,
};
use harness::settings::PromptMode;
use harness::{ToolChoice, ToolSpec, ToolUse};

use fault_server::{Behavior, FaultServer, refused};
use serde_json::json;

/// API key that tests send.
pub const KEY: &str = "sk-canary-0123456789";

/// Provider prefixes, one per format.
pub const FORMATS: [&str; 3] = ["openai", "openai-responses", "anthropic"];

/// Timeouts so long that only a test that hangs reaches them.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(120),
    idle: Duration::from_secs(120),
    request: Duration::from_secs(120),
};

/// Returns the timeouts for a server's behavior, which are short if it stalls.
fn timeouts_of(behavior: &Behavior, stream: bool) -> Timeouts {
    let mut timeouts = TIMEOUTS;
    match behavior {
        Behavior::Stall if stream => timeouts.idle = Duration::from_millis(600),
        Behavior::Stall => timeouts.request = Duration::from_secs(1),
        Behavior::StallInBody(_) => timeouts.idle = Duration::from_secs(5),
        // Much shorter than the whole stream, but much longer than the time to its first event.
        Behavior::Trickle(..) => timeouts.request = Duration::from_secs(5),
        _ => {}
    }
    timeouts
}

/// Runs `check` for each format and each value of `streams`. The checks run concurrently, because
/// some servers delay their responses.
fn each_format(streams: &[bool], check: impl Fn(&'static str, bool) + Sync) {
    std::thread::scope(|scope| {
        for format in FORMATS {
            for &stream in streams {
                let check = &check;
                scope.spawn(move || check(format, stream));
            }
        }
    });
}

/// Returns a request of an agent with a REPL.
pub fn request(sampling: Sampling) -> Request {
    Request {
        model: "m1".to_owned(),
        system: "You work in a REPL.".to_owned(),
        messages: vec![Message::user("What is 6 * 7?").into()],
        sampling: Arc::new(sampling),
        tools: ToolUse::default(),
        answer_schema: None,
        keep_reasoning: false,
        caller: Caller {
            sample: "s".to_owned(),
            attempt: 1,
            invocation: "root".to_owned(),
            role: Role::Root(Protocol::Rlm),
            depth: 0,
            trims: 0,
            turn: 1,
            mode: PromptMode::Solver,
        },
    }
}

/// Sends a request to a server at this address.
pub fn ask(
    format: &str,
    base_url: &str,
    request: &Request,
    stream: bool,
    timeouts: Timeouts,
) -> Result<Response, ProviderError> {
    ask_with_sink(format, base_url, request, (stream, timeouts), &IgnoreCalls)
}

fn ask_with_sink(
    format: &str,
    base_url: &str,
    request: &Request,
    (stream, timeouts): (bool, Timeouts),
    calls: &dyn CallSink,
) -> Result<Response, ProviderError> {
    let provider = provider(format, base_url, stream, timeouts);
    tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(provider.complete(request, calls))
}

fn provider(format: &str, base_url: &str, stream: bool, timeouts: Timeouts) -> HttpProvider {
    let http = HttpClient::new(timeouts).unwrap();
    let key = Some(Secret::new(KEY));
    HttpProvider::open(
        endpoint(format).unwrap(),
        base_url,
        key,
        Vec::new(),
        http,
        stream,
    )
    .unwrap()
}

fn outcome(format: &str, behavior: &Behavior, sampling: &Sampling, stream: bool) -> String {
    let server = FaultServer::list(vec![behavior.clone()]);
    let result = ask(
        format,
        &server.openai(),
        &request(sampling.clone()),
        stream,
        timeouts_of(behavior, stream),
    );
    result.map_or_else(|error| error.to_string(), |response| show(&response))
}

/// Formats a response. Abbreviates the usage if it equals the server's counts.
fn show(response: &Response) -> String {
    let counted = Usage {
        input_tokens: 11,
        cached_input_tokens: 3,
        cache_write_tokens: 0,
        output_tokens: 7,
        reasoning_tokens: response.usage.map_or(0, |usage| usage.reasoning_tokens),
        estimated: false,
    };
    let usage = match response.usage {
        Some(usage) if usage == counted => "counted".to_owned(),
        Some(usage) => format!(
            "{} in, {} out, estimated: {}",
            usage.input_tokens, usage.output_tokens, usage.estimated
        ),
        None => "none".to_owned(),
    };
    format!(
        "text {:?}{} by {} usage {usage}",
        response.text,
        show_calls(response),
        response.served_model.as_deref().unwrap_or("nobody"),
    )
}

fn show_calls(response: &Response) -> String {
    let calls = response.tool_calls.iter();
    calls
        .map(|call| format!(" {} {}({})", call.id, call.name, call.arguments))
        .collect()
}

fn status(status: u16) -> Behavior {
    Behavior::Status(
        status,
        Vec::new(),
        format!("{{\"error\": {{\"message\": \"no, {KEY}\"}}}}"),
    )
}

#[test]
fn all_formats_report_same_faults() {
    let text = || "forty-two: 42".to_owned();
    let answer = "text \"forty-two: 42\" by m1-served usage counted";
    let rows = [
        (Behavior::Text(text()), answer),
        (Behavior::Late(100, text()), answer),
        (
            Behavior::NoUsage(text()),
            "text \"forty-two: 42\" by m1-served usage 9 in, 4 out, estimated: true",
        ),
        (
            Behavior::Code("1 + 1".to_owned()),
            "text \"\" CALL_1 execute_code({\"code\":\"1 + 1\"}) by m1-served usage counted",
        ),
        (
            Behavior::Calls(
                "I look.".to_owned(),
                vec![
                    ("search", r#"{"regex":"ü.*"}"#),
                    ("read", "{}"),
                    ("search", r#"{"regex": "#),
                ],
            ),
            "text \"I look.\" call_0 search({\"regex\":\"ü.*\"}) call_1 read({}) call_2 search({\"regex\": ) by m1-served usage counted",
        ),
        (
            Behavior::Length(text()),
            "the response was cut off at the limit of output tokens",
        ),
        (status(400), "P rejected the request (400): no, [key]"),
        (status(401), "P rejected the API key: no, [key]"),
        (status(402), "the account at P is out of credit: no, [key]"),
        (status(403), "P rejected the request (403): no, [key]"),
        (status(404), "P rejected the request (404): no, [key]"),
        (status(408), "P failed (408): no, [key]"),
        (status(409), "P failed (409): no, [key]"),
        (status(429), "P rate-limited the request (429): no, [key]"),
        (status(500), "P failed (500): no, [key]"),
        (status(529), "P failed (529): no, [key]"),
        (Behavior::Stall, "P timed out after LIMIT: no RESPONSE"),
        (
            Behavior::StallInBody(text()),
            "P timed out after 5 s: no further data",
        ),
        (
            Behavior::Garbage,
            "invalid response from P: it is not JSON (expected value at line 1 column 1): <html>502 Bad Gateway</html>",
        ),
    ];
    for (behavior, expected) in rows {
        each_format(&[false, true], |format, stream| {
            let awaited = if stream {
                ("response", "0.6 s")
            } else {
                ("complete response", "1 s")
            };
            let id = if format == "anthropic" {
                "toolu_1"
            } else {
                "call_1"
            };
            let expected = expected
                .replace("CALL_1", id)
                .replace("RESPONSE", awaited.0)
                .replace("LIMIT", awaited.1);
            let expected = expected
                .strip_prefix('P')
                .map_or(expected.clone(), |rest| format!("{format}{rest}"))
                .replace(" at P ", &format!(" at {format} "))
                .replace(" from P", &format!(" from {format}"));
            let got = outcome(format, &behavior, &Sampling::default(), stream);
            assert_eq!(got, expected, "{format}, stream {stream}, {behavior:?}");
        });
    }
}

#[test]
fn reports_format_specific_faults() {
    let text = || "forty-two: 42".to_owned();
    let filtered = [
        "openai withheld the response: content_filter",
        "openai-responses withheld the response: content_filter",
        "anthropic withheld the response: refusal",
    ];
    let in_ok = [
        "openai failed (500): broke [key]",
        "openai-responses failed (500): broke [key]",
        "anthropic failed (500): broke [key]",
    ];
    let empty = [
        "invalid response from openai: `choices` is empty",
        "invalid response from openai-responses: `output` is empty",
        // Anthropic documents that an empty response is valid.
        "text \"\" by m1-served usage counted",
    ];
    let rows = [
        (Behavior::Filter, filtered),
        (Behavior::ErrorInOk(format!("broke {KEY}")), in_ok),
        (Behavior::Empty, empty),
    ];
    for (behavior, expected) in rows {
        for (format, expected) in FORMATS.into_iter().zip(expected) {
            for stream in [false, true] {
                let got = outcome(format, &behavior, &Sampling::default(), stream);
                assert_eq!(got, expected, "{format}, stream {stream}, {behavior:?}");
            }
        }
    }
    for format in FORMATS {
        for stream in [false, true] {
            let server = FaultServer::list(vec![Behavior::Reset]);
            let broken = [
                ask(
                    format,
                    &server.openai(),
                    &request(Sampling::default()),
                    stream,
                    TIMEOUTS,
                ),
                ask(
                    format,
                    &refused(),
                    &request(Sampling::default()),
                    stream,
                    TIMEOUTS,
                ),
            ];
            for result in broken {
                let error = result.unwrap_err();
                let is_connection = matches!(error, ProviderError::Connection { .. });
                let begins = format!("cannot connect to {format} at 127.0.0.1:");
                let says = error.to_string();
                assert!(is_connection && says.starts_with(&begins), "{says}");
            }
            let cut = outcome(format, &Behavior::Cut(text()), &Sampling::default(), stream);
            let broke = format!("response from {format} was interrupted: ");
            assert!(cut.starts_with(&broke), "{cut}");
        }
        let half = outcome(
            format,
            &Behavior::HalfJson(text()),
            &Sampling::default(),
            false,
        );
        assert!(
            half.starts_with(&format!("invalid response from {format}: it is not JSON")),
            "{half}"
        );
    }
}

#[test]
fn classifies_stream_errors_by_code() {
    let rows = [
        (
            r#"{"type": "error", "code": "server_error", "message": "broke"}"#,
            "openai-responses failed (500): broke",
        ),
        (
            r#"{"type": "error", "error": {"code": "rate_limit_exceeded", "message": "slow"}}"#,
            "openai-responses rate-limited the request (429): slow",
        ),
        (
            r#"{"type": "error", "code": "context_length_exceeded", "message": "too long"}"#,
            "the conversation exceeds the model's context window: too long",
        ),
    ];
    for (data, expected) in rows {
        let kind = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        let body = format!("event: error\ndata: {data}\n\n");
        let behavior = Behavior::Status(200, kind, body);
        let got = outcome("openai-responses", &behavior, &Sampling::default(), true);
        assert_eq!(got, expected, "{data}");
    }
}

#[test]
fn slow_stream_does_not_time_out() {
    let text = "a few characters at a time, for longer than a stall may last ".repeat(2);
    let timeouts = Timeouts {
        idle: Duration::from_secs(5),
        ..TIMEOUTS
    };
    each_format(&[true], |format, stream| {
        let server = FaultServer::list(vec![Behavior::Trickle(250, text.clone())]);
        let request = request(Sampling::default());
        let result = ask(format, &server.openai(), &request, stream, timeouts);
        let got = result.map_or_else(|error| error.to_string(), |response| show(&response));
        assert!(got.starts_with(&format!("text {text:?}")), "{got}");
    });
}

#[test]
fn estimates_tokens_of_response_stopped_early() {
    let text = format!("I look.\n```js\nx\n```\n{}", "more and more ".repeat(40));
    let early = Sampling {
        stop_after_blocks: Some(1),
        ..Sampling::default()
    };
    let timeouts = Timeouts {
        request: Duration::from_secs(60),
        ..TIMEOUTS
    };
    each_format(&[false], |format, stream| {
        // The stream is so slow that reading all of it would exceed the request timeout.
        let server = FaultServer::list(vec![Behavior::Trickle(700, text.clone())]);
        let request = request(early.clone());
        let result = ask(format, &server.openai(), &request, stream, timeouts);
        let got = result.map_or_else(|error| error.to_string(), |response| show(&response));
        let input = if format == "anthropic" { 11 } else { 9 };
        let expected = format!(
            "text \"I look.\\n```js\\nx\\n```\\n\" by m1-served usage {input} in, 5 out, estimated: true"
        );
        assert_eq!(got, expected, "{format}");
    });
}

#[test]
fn not_found_error_contains_address() {
    let rows = [
        ("openai", "404 page not found", "", true),
        ("openai", r#"{"detail": "Not Found"}"#, "", true),
        ("openai", "<html>404</html>", "/v1", false),
        ("anthropic", "404 page not found", "", false),
    ];
    for (format, body, path, hints) in rows {
        let server = FaultServer::list(vec![Behavior::Status(404, Vec::new(), body.to_owned())]);
        let base = format!("{}{path}", server.origin());
        let request = request(Sampling::default());
        let error = ask(format, &base, &request, false, TIMEOUTS).unwrap_err();
        let says = error.to_string();
        let end = if format == "anthropic" {
            "/v1/messages"
        } else {
            "/chat/completions"
        };
        assert!(
            says.contains(&format!("(no endpoint at {base}{end}")),
            "{says}"
        );
        let hint = format!("{base}/v1)");
        assert_eq!(says.ends_with(&hint), hints, "{says}");
    }
}

/// Collects the usage billed for failed tries.
#[derive(Default)]
struct Bills(Mutex<Vec<String>>);

impl CallSink for Bills {
    fn note(&self, event: CallEvent) {
        if let CallEvent::Billed { usage, .. } = event {
            let about = if usage.estimated { "~" } else { "" };
            let bill = format!(
                "{about}{} in, {} out",
                usage.input_tokens, usage.output_tokens
            );
            self.0.lock().unwrap().push(bill);
        }
    }
}

#[test]
fn bills_known_or_estimated_usage_of_failed_tries() {
    let text = || "forty-two: 42, and more of the same words to fill it".to_owned();
    let counted = ["11 in, 7 out"; 3];
    // Estimated from the text before the interruption. Anthropic reports the input tokens at the
    // start.
    let broken = ["~9 in, 8 out", "~9 in, 7 out", "~11 in, 7 out"];
    let nothing = [""; 3];
    // Nothing was received, but the server may still be generating.
    let expected = ["~9 in, 4000 out"; 3];
    // Estimated from the received text, although it cannot be parsed.
    let arrived = ["~9 in, 48 out", "~9 in, 54 out", "~9 in, 39 out"];
    let rows: Vec<(Behavior, bool, [&str; 3])> = vec![
        (Behavior::Filter, false, counted),
        (Behavior::Filter, true, counted),
        (Behavior::Empty, false, ["11 in, 7 out", "11 in, 7 out", ""]),
        (Behavior::Length(text()), false, nothing),
        (Behavior::Text(text()), true, nothing),
        (Behavior::Cut(text()), true, broken),
        (Behavior::Cut(text()), false, expected),
        (Behavior::StallInBody(text()), true, broken),
        (Behavior::Trickle(1000, text()), true, broken),
        (Behavior::Stall, true, expected),
        (status(500), true, nothing),
        (Behavior::Garbage, false, nothing),
        (Behavior::HalfJson(text()), false, arrived),
        (
            Behavior::Status(200, Vec::new(), "upstream gone".to_owned()),
            false,
            ["~9 in, 4 out"; 3],
        ),
        (Behavior::ErrorInOk(text()), true, nothing),
        (Behavior::Reset, true, nothing),
    ];
    for (behavior, stream, expected) in rows {
        each_format(&[stream], |format, stream| {
            let place = FORMATS.iter().position(|other| *other == format);
            let expected = expected[place.unwrap()];
            let server = FaultServer::list(vec![behavior.clone()]);
            // The timeout interrupts a trickle in the middle.
            let timeouts = timeouts_of(&behavior, stream);
            let bills = Bills::default();
            let request = request(Sampling::default());
            let _ = ask_with_sink(
                format,
                &server.openai(),
                &request,
                (stream, timeouts),
                &bills,
            );
            let got = bills.0.into_inner().unwrap().join("; ");
            let what = format!("{format}, stream {stream}, {behavior:?}");
            if matches!(behavior, Behavior::Trickle(..)) {
                // The amount of text received before the timeout depends on the machine.
                let begins = expected.split(',').next().unwrap();
                assert!(got.starts_with(begins), "{what}: {got}");
            } else {
                assert_eq!(got, expected, "{what}");
            }
        });
    }
}

#[test]
fn forecasts_include_offered_tools() {
    let provider = provider("openai", "http://127.0.0.1:1/v1", false, TIMEOUTS);
    for (choice, likely, most) in [(ToolChoice::Auto, 24, 142), (ToolChoice::None, 9, 65)] {
        let spec = ToolSpec {
            name: "read".to_owned(),
            description: "d".repeat(40),
            parameters: json!({"type": "object"}),
        };
        let request = Request {
            tools: ToolUse {
                specs: [spec].into(),
                choice,
                parallel: false,
            },
            ..request(Sampling::default())
        };
        let forecast = provider.forecast(&request).unwrap();
        let input = [forecast.likely, forecast.most].map(|estimate| estimate.usage.input_tokens);
        assert_eq!(input, [likely, most], "{:?}", request.tools.choice);
    }
}
