//! The ops: the only functions through which JavaScript reaches Rust. None of them panics.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use deno_core::{OpState, extension, op2};

use crate::inbox::Arriving;
use crate::inspection;
use crate::message::{AgentId, Budget, Call, CallId, CallKind, CallOptions, FunctionCall};
use crate::output::Output;
use crate::rewrite::{Sources, unmark};

/// What cells did during a turn, for the worker to look at when the turn is over.
pub(crate) struct HostState {
    /// One per running cell.
    pub outputs: HashMap<AgentId, Output>,
    /// Calls made in this turn.
    pub calls: Vec<(AgentId, Called)>,
    /// Cells ended in this turn.
    pub done: Vec<Done>,
    /// Timers by due time; the number keeps equal times apart and in order.
    pub timers: BTreeMap<(Instant, u32), AgentId>,
    /// What may still be spent, and when that was so.
    pub budget: (Budget, Instant),
    /// The functions of the cells so far.
    pub sources: Sources,
    /// The context of the agent that is being opened.
    pub arriving: Option<Arriving>,
    next_call: u32,
    next_timer: u32,
}

impl Default for HostState {
    fn default() -> Self {
        Self {
            sources: Sources::default(),
            arriving: None,
            outputs: HashMap::new(),
            calls: Vec::new(),
            done: Vec::new(),
            timers: BTreeMap::new(),
            budget: (Budget::default(), Instant::now()),
            next_call: 0,
            next_timer: 0,
        }
    }
}

/// A call that a cell made.
pub(crate) enum Called {
    /// `rlm()` or `llm()`.
    Agent(Call),
    /// A host function.
    Function(FunctionCall),
}

/// A cell's own report of its end.
pub(crate) struct Done {
    pub agent: AgentId,
    pub cell: u32,
    pub status: String,
    pub body: String,
    pub stack: String,
    pub unawaited: u32,
    /// The functions that the lost calls are of, parted by spaces.
    pub functions: String,
}

/// A timer later than this is as good as never.
const LONGEST_TIMER: Duration = Duration::from_secs(86_400 * 365);

#[op2(fast)]
fn op_repl_write(state: &mut OpState, agent: u32, #[string] line: &str, hidden: u32) {
    let host = state.borrow_mut::<HostState>();
    if let Some(output) = host.outputs.get_mut(&AgentId(agent)) {
        output.push(&unmark(line), usize::try_from(hidden).unwrap_or(0));
    }
}

#[op2(fast)]
fn op_repl_call(
    state: &mut OpState,
    agent: u32,
    #[string] kind: &str,
    #[string] query: String,
    #[string] options: &str,
    #[string] context_type: String,
    context_length: f64,
) -> u32 {
    let host = state.borrow_mut::<HostState>();
    host.next_call += 1;
    let id = CallId(host.next_call);
    // The options' names are checked in JavaScript; a value of the wrong type counts as not given.
    let options: CallOptions = serde_json::from_str(options).unwrap_or_default();
    let kind = if kind == "rlm" {
        CallKind::Rlm
    } else {
        CallKind::Llm
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a length"
    )]
    let context_length = (context_length >= 0.0).then_some(context_length as u64);
    host.calls.push((
        AgentId(agent),
        Called::Agent(Call {
            id,
            kind,
            query,
            options,
            context_type,
            context_length,
        }),
    ));
    id.0
}

#[op2(fast)]
fn op_repl_call_function(
    state: &mut OpState,
    agent: u32,
    #[string] name: String,
    #[string] arguments: String,
) -> u32 {
    let host = state.borrow_mut::<HostState>();
    host.next_call += 1;
    let id = CallId(host.next_call);
    let call = FunctionCall {
        id,
        name,
        arguments,
    };
    host.calls.push((AgentId(agent), Called::Function(call)));
    id.0
}

#[op2(fast)]
fn op_repl_done(
    state: &mut OpState,
    agent: u32,
    cell: u32,
    #[string] status: String,
    #[string] body: &str,
    #[string] stack: &str,
    unawaited: u32,
    #[string] functions: String,
) {
    state.borrow_mut::<HostState>().done.push(Done {
        agent: AgentId(agent),
        cell,
        status,
        body: unmark(body).into_owned(),
        stack: unmark(stack).into_owned(),
        unawaited,
        functions,
    });
}

#[op2(fast)]
fn op_repl_start_timer(state: &mut OpState, agent: u32, milliseconds: f64) -> u32 {
    let host = state.borrow_mut::<HostState>();
    host.next_timer += 1;
    let delay = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(LONGEST_TIMER);
    let due = Instant::now() + delay.min(LONGEST_TIMER);
    host.timers.insert((due, host.next_timer), AgentId(agent));
    host.next_timer
}

#[op2(fast)]
fn op_repl_cancel_timer(state: &mut OpState, id: u32) {
    state
        .borrow_mut::<HostState>()
        .timers
        .retain(|(_, timer), _| *timer != id);
}

/// What may still be spent, as JSON; null where there is no limit.
#[op2]
#[string]
fn op_repl_budget(state: &mut OpState) -> String {
    let (budget, told) = &state.borrow::<HostState>().budget;
    let time = budget.time.map(|time| time.saturating_sub(told.elapsed()));
    serde_json::json!({
        "llmCalls": budget.llm_calls,
        "tokens": budget.tokens,
        "costUsd": budget.cost_usd,
        "timeMs": time.map(|time| time.as_millis()),
    })
    .to_string()
}

/// The source of a function as the model wrote it, or else without the marks of the rewriting.
#[op2]
#[string]
fn op_repl_unmark(state: &mut OpState, #[string] text: &str) -> String {
    let sources = &state.borrow::<HostState>().sources;
    let found = sources.find(text).map(str::to_owned);
    found.unwrap_or_else(|| unmark(text).into_owned())
}

/// The next piece of the context that is on its way; empty when there is none.
#[op2]
#[string]
fn op_repl_next_piece(state: &mut OpState) -> String {
    let arriving = &mut state.borrow_mut::<HostState>().arriving;
    let Some(Arriving { pieces, next, .. }) = arriving else {
        return String::new();
    };
    let piece = next();
    *pieces = pieces.saturating_sub(1);
    if *pieces == 0 {
        *arriving = None;
    }
    piece
}

/// Milliseconds since the session's first agent was opened.
#[op2(fast)]
fn op_repl_now(state: &mut OpState) -> f64 {
    state.borrow::<Instant>().elapsed().as_secs_f64() * 1000.0
}

#[op2]
#[string]
fn op_repl_parse_url(#[string] href: &str, #[string] base: &str, has_base: bool) -> Option<String> {
    let parsed = if has_base {
        url::Url::parse(base).ok()?.join(href)
    } else {
        url::Url::parse(href)
    };
    Some(url_parts(&parsed.ok()?))
}

#[op2]
#[string]
fn op_repl_set_url_part(
    #[string] href: &str,
    #[string] part: &str,
    #[string] value: &str,
) -> Option<String> {
    let mut url = url::Url::parse(href).ok()?;
    // The setters of the standard ignore a value that they cannot take.
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

#[op2]
#[buffer]
fn op_repl_utf8_encode(#[string] text: String) -> Vec<u8> {
    text.into_bytes()
}

#[op2]
#[string]
fn op_repl_utf8_decode(#[buffer] bytes: &[u8], fatal: bool) -> Option<String> {
    if fatal {
        return std::str::from_utf8(bytes).ok().map(str::to_owned);
    }
    Some(String::from_utf8_lossy(bytes).into_owned())
}

extension!(
    repl,
    ops = [
        op_repl_write,
        op_repl_budget,
        op_repl_call,
        op_repl_call_function,
        op_repl_done,
        op_repl_start_timer,
        op_repl_cancel_timer,
        op_repl_next_piece,
        op_repl_now,
        op_repl_parse_url,
        op_repl_set_url_part,
        op_repl_utf8_encode,
        op_repl_utf8_decode,
        op_repl_unmark,
        inspection::op_repl_promise_state,
        inspection::op_repl_promise_result,
        inspection::op_repl_is_proxy,
        inspection::op_repl_proxy_part,
        inspection::op_repl_preview_entries,
        inspection::op_repl_gives_pairs,
    ],
    // These panic, print, or compile code on behalf of JavaScript.
    middleware = |op| match op.name {
        "op_panic"
        | "op_print"
        | "op_eval_context"
        | "op_compile_function"
        | "op_import_sync"
        | "op_import_sync_with_source"
        | "op_load_ext_script"
        | "op_lazy_load_esm"
        | "op_dispatch_exception"
        | "op_set_promise_hooks" => op.disable(),
        _ => op,
    },
    state = |state| {
        state.put(HostState::default());
        state.put(Instant::now());
    },
);
