//! The ops: the only Rust functions that JavaScript can call. They never panic.

use std::time::Duration;

use crate::encodings;
use crate::host_state::{CellEnd, HostState};
use crate::inbox::IncomingText;
use crate::inspection;
use crate::message::{AgentId, Call, CallId, CallKind, CallOptions, Event, FunctionCall};
use crate::native::{Named, Value, natives};
use crate::randomness;
use crate::rewrite::remove_rewriter_names;

/// Returns the ops with the names that `host.js` uses.
pub(crate) fn table() -> Vec<Named> {
    natives! {
        of_host {
            op_repl_write(host, agent: u32, line: String, hidden: u32) => write(host, agent, &line, hidden);
            op_repl_budget(host) => budget(host);
            op_repl_call(
                host, agent: u32, kind: String, query: String, options: String, context_type: String, context_length: f64
            ) => call(host, agent, &kind, query, &options, context_type, context_length);
            op_repl_call_function(host, agent: u32, name: String, arguments: String) =>
                call_function(host, agent, name, arguments);
            op_repl_call_status(host, agent: u32, call: u32) => call_status(host, agent, call);
            op_repl_cancel_call(host, call: u32) => host.cancelled.push(CallId(call));
            op_repl_follow_call(host, agent: u32, call: u32) => host.followed.push((AgentId(agent), CallId(call)));
            op_repl_done(
                host, agent: u32, cell: u32, status: String, body: String, stack: String, unawaited: u32, functions: String
            ) => host.done.push(CellEnd {
                agent: AgentId(agent),
                cell,
                status,
                body: remove_rewriter_names(&body).into_owned(),
                stack: remove_rewriter_names(&stack).into_owned(),
                unawaited,
                functions,
            });
            op_repl_start_timer(host, agent: u32, milliseconds: f64) => host.start_timer(AgentId(agent), milliseconds);
            op_repl_cancel_timer(host, id: u32) => host.cancel_timer(id);
            op_repl_next_piece(host) => next_piece(host);
            op_repl_now(host) => host.clock.read_ms();
            op_repl_date(host) => host.clock.read_date();
            op_repl_time_origin(host) => time_origin(host);
            op_repl_random_seed(_) => randomness::draw();
            op_repl_parse_url(_, href: String, base: String, has_base: bool) => parse_url(&href, &base, has_base);
            op_repl_set_url_part(_, href: String, part: String, value: String) => set_url_part(&href, &part, &value);
            op_repl_utf8_encode(_, text: String) => text.into_bytes();
            op_repl_utf8_decode(_, bytes: Vec<u8>, fatal: bool) => utf8_decode(bytes, fatal);
            op_repl_unmark(host, text: String) => source_of(host, &text);
            op_repl_hash(_, algorithm: String, state: Vec<u8>, bytes: Vec<u8>, end: bool) =>
                encodings::hash(&algorithm, &state, &bytes, end).unwrap_or_default();
            op_repl_random(_, length: u32) => randomness::bytes(length);
            op_repl_base64_encode(_, bytes: Vec<u8>, url: bool) => encodings::base64_encode(&bytes, url);
            op_repl_base64_decode(_, text: String) => encodings::base64_decode(&text);
            op_repl_atob(_, text: String) => encodings::atob(&text);
            op_repl_btoa(_, text: String) => encodings::btoa(&text);
            op_repl_percent_decode(_, text: String) => encodings::percent_decode(&text);
            op_repl_form_encode(_, text: String) => encodings::form_encode(&text);
        }
        of_engine {
            op_repl_promise_state(scope, value: Value<'_>) => inspection::promise_state(value);
            op_repl_promise_result(scope, value: Value<'_>) => inspection::promise_result(scope, value);
            op_repl_is_error(scope, value: Value<'_>) => value.is_native_error();
            op_repl_is_proxy(scope, value: Value<'_>) => value.is_proxy();
            op_repl_proxy_part(scope, value: Value<'_>, handler: bool) => inspection::proxy_part(scope, value, handler);
            op_repl_preview_entries(scope, value: Value<'_>) => inspection::preview_entries(scope, value);
            op_repl_gives_pairs(scope, value: Value<'_>) => inspection::yields_pairs(scope, value);
        }
    }
}

fn write(host: &mut HostState, agent: u32, line: &str, hidden: u32) {
    if let Some(output) = host.outputs.get_mut(&AgentId(agent)) {
        output.push(
            &remove_rewriter_names(line),
            usize::try_from(hidden).unwrap_or(0),
        );
    }
}

fn call(
    host: &mut HostState,
    agent: u32,
    kind: &str,
    query: String,
    options: &str,
    context_type: String,
    context_length: f64,
) -> u32 {
    let id = host.new_call();
    // JavaScript has checked the names and types of the options.
    let options: Box<CallOptions> = serde_json::from_str(options).unwrap_or_default();
    let kind = match kind {
        "rlm" => CallKind::Rlm,
        "agent" => CallKind::Agent,
        _ => CallKind::Llm,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "JavaScript passes a string length, or -1 for no length"
    )]
    let context_length = (context_length >= 0.0).then_some(context_length as u64);
    let call = Call {
        id,
        kind,
        query,
        options,
        context_type,
        context_length,
    };
    host.calls.push((AgentId(agent), id, Event::Called(call)));
    id.0
}

fn call_function(host: &mut HostState, agent: u32, name: String, arguments: String) -> u32 {
    let id = host.new_call();
    let call = FunctionCall {
        id,
        name,
        arguments,
    };
    host.calls.push((AgentId(agent), id, Event::Invoked(call)));
    id.0
}

fn call_status(host: &mut HostState, agent: u32, call: u32) -> u32 {
    let (id, of) = (host.new_call(), CallId(call));
    let event = Event::StatusRequested { call: id, of };
    host.calls.push((AgentId(agent), id, event));
    id.0
}

/// Returns the start of the session, in milliseconds since 1970.
#[expect(
    clippy::cast_precision_loss,
    reason = "a float represents milliseconds exactly for 300,000 years"
)]
fn time_origin(host: &HostState) -> f64 {
    host.clock.epoch_ms() as f64
}

/// Returns the remaining budget as JSON, with null for missing limits.
fn budget(host: &mut HostState) -> String {
    let (budget, received) = host.budget;
    let time = budget.time.map(|time| {
        let passed = host.clock.read().saturating_sub(received);
        time.saturating_sub(Duration::from_micros(passed.saturating_mul(100)))
    });
    serde_json::json!({
        "llmCalls": budget.llm_calls,
        "tokens": budget.tokens,
        "costUsd": budget.cost_usd,
        "timeMs": time.map(|time| time.as_millis()),
    })
    .to_string()
}

/// Returns the source of a function as the model wrote it if known, otherwise `text` without the
/// rewriter's names.
fn source_of(host: &HostState, text: &str) -> String {
    let sources = &host.sources;
    let found = sources.find(text).map(str::to_owned);
    found.unwrap_or_else(|| remove_rewriter_names(text).into_owned())
}

/// Returns the next piece of the arriving context, or an empty string at its end.
fn next_piece(host: &mut HostState) -> String {
    let arriving = &mut host.arriving;
    let Some(IncomingText { pieces, next, .. }) = arriving else {
        return String::new();
    };
    let piece = next();
    *pieces = pieces.saturating_sub(1);
    if *pieces == 0 {
        *arriving = None;
    }
    piece
}

fn parse_url(href: &str, base: &str, has_base: bool) -> Option<String> {
    let parsed = if has_base {
        url::Url::parse(base).ok()?.join(href)
    } else {
        url::Url::parse(href)
    };
    Some(url_parts(&parsed.ok()?))
}

fn set_url_part(href: &str, part: &str, value: &str) -> Option<String> {
    let mut url = url::Url::parse(href).ok()?;
    // As the standard specifies, setters ignore invalid values.
    let _ = match part {
        "href" => return Some(url_parts(&url::Url::parse(value).ok()?)),
        "protocol" => url::quirks::set_protocol(&mut url, value),
        "username" => url::quirks::set_username(&mut url, value),
        "password" => url::quirks::set_password(&mut url, value),
        "host" => url::quirks::set_host(&mut url, value),
        "hostname" => url::quirks::set_hostname(&mut url, value),
        "port" => url::quirks::set_port(&mut url, value),
        "pathname" => {
            url::quirks::set_pathname(&mut url, value);
            Ok(())
        }
        "search" => {
            url::quirks::set_search(&mut url, value);
            Ok(())
        }
        "hash" => {
            url::quirks::set_hash(&mut url, value);
            Ok(())
        }
        _ => return None,
    };
    Some(url_parts(&url))
}

fn url_parts(url: &url::Url) -> String {
    use url::quirks;
    serde_json::json!({
        "href": quirks::href(url),
        "protocol": quirks::protocol(url),
        "username": quirks::username(url),
        "password": quirks::password(url),
        "host": quirks::host(url),
        "hostname": quirks::hostname(url),
        "port": quirks::port(url),
        "pathname": quirks::pathname(url),
        "search": quirks::search(url),
        "hash": quirks::hash(url),
        "origin": quirks::origin(url),
    })
    .to_string()
}

fn utf8_decode(bytes: Vec<u8>, fatal: bool) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(_) if fatal => None,
        Err(error) => Some(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    }
}
