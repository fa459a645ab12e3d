//! Calls that a running cell makes: to children with `rlm()` and `llm()`, to tools, and to page
//! functions.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures::future::{AbortHandle, BoxFuture, abortable};
use futures::stream::{FuturesUnordered, StreamExt};
use sandbox::message::{Call, CallId, CallKind, CellOutcome, Context, FunctionCall};
use sandbox::{Event, SessionLost, SessionLostCause};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::ReplAgent;
use crate::agent::{
    AgentPlan, Attempt, Budget, CallerRole, Failure, Invocation, Ledger, PageFunctions, PageResult,
    Scope, Work, run_turns, seen,
};
use crate::model::{EventKind, Image, Message, Role, Status, ToolCall, WebEvent, ms};
use crate::prompt::{AnswerSchema, ContextKind, first_message, flat_message};
use crate::protocol::direct::OneCall;
use crate::protocol::tool_run::{BackgroundPart, Created, ToolRun};
use crate::text::truncate_middle;
use crate::tool::{ToolError, ToolSet};

/// Error of a call that was still running when its cell ended.
const STOPPED: &str = "stopped: its caller's cell ended";

/// Result of a child, with the id of the call.
type Answer = (CallId, Result<String, Failure>);

/// Result of a page function, with the id of the call.
struct PageCallResult {
    call: CallId,
    result: Result<PageResult, String>,
    /// Event to record.
    event: WebEvent,
    picture: Option<Image>,
}

/// Maximum characters of a returned string in a `PageCall` event.
const RECORDED: usize = 100_000;

/// Like [`RECORDED`], for dumps, which also have events of their own.
const RECORDED_OF_DUMP: usize = 200;

/// Result of a tool, with the id of the call.
type ToolAnswer = (CallId, Result<Value, String>);

/// Pending calls of one running cell to children, tools and page functions.
#[derive(Default)]
struct Children<'f> {
    running: FuturesUnordered<BoxFuture<'f, Answer>>,
    /// All unsettled calls to children.
    pending: HashMap<CallId, Pending>,
    page: FuturesUnordered<BoxFuture<'f, PageCallResult>>,
    /// Running calls to tools.
    tools: FuturesUnordered<BoxFuture<'f, ToolAnswer>>,
    /// All unsettled calls to tools.
    called: BTreeMap<CallId, ToolRun>,
}

/// Unsettled call to a child.
struct Pending {
    /// Child that answers the call.
    child: Invocation,
    /// Time limit of the call.
    limit: Option<Duration>,
    /// Handle that stops the call; `None` until its work has started.
    handle: Option<AbortHandle>,
    began: Instant,
}

impl<'f> Children<'f> {
    /// Starts the work of a call. It ends early at its time limit or when it is canceled.
    fn start(
        &mut self,
        call: CallId,
        work: impl Future<Output = Result<String, Failure>> + Send + 'f,
    ) {
        let Some(pending) = self.pending.get_mut(&call) else {
            return;
        };
        let limit = pending.limit;
        let (work, handle) = abortable(async move {
            let Some(limit) = limit else {
                return work.await;
            };
            timeout(limit, work).await.unwrap_or_else(|_| {
                let milliseconds = limit.as_millis();
                Err(Failure::new(
                    Status::Limit,
                    format!("it took more than {milliseconds} ms (timeoutMs)"),
                ))
            })
        });
        pending.handle = Some(handle);
        self.running.push(Box::pin(async move {
            let result = work.await.unwrap_or_else(|_| Err(Failure::ended()));
            (call, result)
        }));
    }

    /// Returns the progress of a call.
    fn status(&self, of: CallId) -> Value {
        let Some(pending) = self.pending.get(&of) else {
            return json!({ "state": "answered" });
        };
        let spent = pending.child.ledger.spent();
        json!({
            "state": "running",
            "agent": pending.child.id,
            "iteration": pending.child.progress.load(Ordering::Relaxed),
            "maxIterations": pending.child.plan.iterations,
            "llmCalls": spent.calls,
            "tokens": spent.tokens,
            "costUsd": spent.cost_usd,
            "timeMs": u64::try_from(pending.began.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    fn waits_for_nothing(&self) -> bool {
        self.pending.is_empty() && self.called.is_empty() && self.page.is_empty()
    }
}

/// Returns the result of a call to record: without the middle of a long string.
fn recorded(result: &PageResult) -> Value {
    match &result.value {
        Value::String(text) if result.dump.is_some() => {
            truncate_middle(text, RECORDED_OF_DUMP).into()
        }
        Value::String(text) => truncate_middle(text, RECORDED).into(),
        other => other.clone(),
    }
}

/// Unwraps an event of a REPL. If replaying the REPL diverged, ends the attempt.
async fn unwrap_event(
    attempt: &Attempt<'_>,
    event: Result<Event, SessionLost>,
) -> Result<Event, Failure> {
    match event {
        Err(lost) if lost.cause == SessionLostCause::Diverged => attempt.diverge(lost.detail).await,
        other => Ok(other?),
    }
}

impl<'a> ReplAgent<'a> {
    /// Runs one cell and, concurrently, its calls, all in the current Tokio task. When the cell
    /// ends, calls that are still running are dropped.
    pub async fn run_cell(&mut self, code: &str, iteration: u32) -> Result<CellOutcome, Failure> {
        self.attempt.publish_budget();
        self.repl.run(code, iteration);
        let mut children = Children::default();
        // The cell counts as busy while it executes, not while it waits for calls.
        let mut working: Option<Work<'_>> = Some(self.attempt.meter.begin());
        loop {
            tokio::select! {
                // Handle events of the cell first. Otherwise, answers to calls that it did not
                // await would be lost.
                biased;
                event = self.repl.next() => match unwrap_event(self.attempt, event).await? {
                    Event::Called(call) => {
                        self.start_call(&call, &mut children);
                        working = None;
                    }
                    Event::Invoked(call) => {
                        self.start_tool(call, &mut children);
                        working = None;
                    }
                    Event::Cancelled(call) => self.cancel(call, &mut children),
                    Event::StatusRequested { call, of } => {
                        let status = children.status(of);
                        self.repl.settle_function(call, Ok(status));
                    }
                    Event::CallContext { call, text } => self.start_flat(call, text, &mut children),
                    Event::Finished(outcome) => {
                        self.report_lost(&outcome, children);
                        return Ok(outcome);
                    }
                },
                Some((call, result)) = children.running.next(), if !children.running.is_empty() => {
                    self.settle(call, result, &mut children);
                }
                Some(given) = children.page.next(), if !children.page.is_empty() => {
                    self.settle_function(given);
                }
                () = self.background.step() => {}
                Some((call, result)) = children.tools.next(), if !children.tools.is_empty() => {
                    children.called.remove(&call);
                    self.attempt.publish_budget();
                    self.repl.settle_function(call, result);
                }
            }
            if working.is_none() && children.waits_for_nothing() {
                working = Some(self.attempt.meter.begin());
            }
        }
    }

    fn start_call(&mut self, call: &Call, children: &mut Children<'a>) {
        self.attempt.records.count(|stats| stats.delegations += 1);
        let child = match self.child(call) {
            Ok(child) => child,
            Err(reason) => {
                let child = self.invocation.child_id(self.calls - 1);
                self.emit_error(child, reason.clone());
                self.repl.settle(call.id, Err(reason));
                return;
            }
        };
        let spawn = EventKind::DelegationSpawn {
            child: child.id.clone(),
            role: child.plan.role,
        };
        self.attempt.records.emit(&self.invocation, spawn);
        let pending = Pending {
            child: child.clone(),
            limit: call.options.timeout_ms.map(Duration::from_millis),
            handle: None,
            began: Instant::now(),
        };
        children.pending.insert(call.id, pending);
        match child.plan.role {
            Role::Child | Role::Specialist => {
                children.start(call.id, self.run_child(call, child));
            }
            _ if call.context_type == "undefined" => {
                self.start_flat(call.id, Ok(String::new()), children);
            }
            // Fetch the context from the isolate only for agents without a REPL.
            _ => self.repl.request_call_context(call.id),
        }
    }

    fn start_function(&self, call: FunctionCall, children: &mut Children<'a>) {
        // Functions other than tools are page functions.
        let Some(page) = self.invocation.page.clone() else {
            return;
        };
        let supports_screenshots = self.attempt.run.conduct.screenshots;
        children.page.push(Box::pin(async move {
            let began = Instant::now();
            let result = page.call(&call.name, &call.arguments).await;
            let ms = ms(began.elapsed());
            let event = WebEvent::PageCall {
                function: call.name,
                arguments: call.arguments,
                result: result.as_ref().ok().map(recorded),
                error: result.as_ref().err().cloned(),
                ms,
            };
            // A failed screenshot must not fail the call.
            let picture = if supports_screenshots {
                page.screenshot().await.ok()
            } else {
                None
            };
            PageCallResult {
                call: call.id,
                result,
                event,
                picture,
            }
        }));
    }

    fn settle_function(&self, given: PageCallResult) {
        let emit = |event| {
            let records = &self.attempt.records;
            records.emit(&self.invocation, EventKind::Web { event });
        };
        emit(given.event);
        let value = given.result.map(|given| {
            if let Some(dump) = given.dump {
                let event = seen(dump, given.value.as_str().unwrap_or_default());
                self.attempt.records.emit(&self.invocation, event);
            }
            if !given.refused.is_empty() {
                let addresses = given.refused;
                emit(WebEvent::Refused { addresses });
            }
            given.value
        });
        if let Some(image) = given.picture {
            emit(WebEvent::Screenshot { image });
        }
        self.attempt.publish_budget();
        self.repl.settle_function(given.call, value);
    }

    /// Returns the page that a call passes to its child, if any.
    fn handed_page(&self, call: &Call, role: Role) -> Result<Option<PageFunctions>, String> {
        let Some(name) = &call.options.page else {
            return Ok(None);
        };
        if !matches!(role, Role::Child | Role::Specialist) {
            return Err("rlm(): a child at this depth has no REPL, and so no page".to_owned());
        }
        let own = self.invocation.page.as_ref();
        own.ok_or_else(|| "rlm(): you have no page to hand on".to_owned())?
            .tab_for_child(name)
            .map(Some)
    }

    fn start_tool(&mut self, call: FunctionCall, children: &mut Children<'a>) {
        if self.invocation.page.is_some() && self.invocation.plan.tools.get(&call.name).is_err() {
            return self.start_function(call, children);
        }
        let id = call.id;
        let child = self.invocation.child_id(self.calls);
        if self.invocation.plan.tools.makes_child(&call.name) {
            self.calls += 1;
        }
        let call = ToolCall {
            id: format!("repl-{}", id.0),
            name: call.name,
            arguments: call.arguments,
        };
        let run = ToolRun::new(call, child);
        let (attempt, caller) = (self.attempt, self.invocation.clone());
        // A call that cannot start fails immediately.
        let done = match attempt.start_background_part(&caller, &run) {
            None => None,
            Some(Err(error)) => Some(Err(error)),
            Some(Ok(BackgroundPart::Agent(Created { serving, value }))) => {
                self.background.keep(serving);
                Some(Ok(value))
            }
            Some(Ok(BackgroundPart::Answer { child, shown, work })) => {
                self.background.start(child, work);
                return self.repl.settle_function(id, Ok(Value::String(shown)));
            }
        };
        children.called.insert(id, run.clone());
        children.tools.push(Box::pin(async move {
            let result = match done {
                Some(result) => attempt.end_tool(&caller, run, result).await,
                None => attempt.run_tool(&caller, run).await,
            };
            (id, result)
        }));
    }

    /// Creates the child for a call, or returns the reason why it cannot be created.
    fn child(&mut self, call: &Call) -> Result<Invocation, String> {
        let id = self.invocation.child_id(self.calls);
        self.calls += 1;
        let run = self.attempt.run;
        let caller = match call.kind {
            CallKind::Llm => CallerRole::Call,
            CallKind::Rlm | CallKind::Agent => CallerRole::Agent,
        };
        let alias = call.options.model.as_deref();
        let model = run.model(alias, caller, self.invocation.plan.depth + 1)?;
        if call.query.trim().is_empty() {
            return Err(format!("{}(): the query is blank", call.kind));
        }
        if call.options.max_iterations == Some(0) {
            return Err(format!("{}(): maxIterations must be at least 1", call.kind));
        }
        let depth = self.invocation.plan.depth + 1;
        let schema = match &call.options.schema {
            Some(json) => {
                let schema = serde_json::from_str(json).map_err(|error| error.to_string());
                let schema = schema.and_then(AnswerSchema::new);
                let kind = call.kind;
                Some(schema.map_err(|why| format!("{kind}(): option 'schema': {why}"))?)
            }
            None => None,
        };
        let treatment = &run.treatment;
        let tools = self.tools_of_child(call)?;
        let own_prompt = call.options.system_prompt.clone();
        let mut plan = match call.kind {
            CallKind::Llm => AgentPlan {
                own_prompt,
                ..AgentPlan::one_call(Role::OneShot, depth)
            },
            CallKind::Rlm | CallKind::Agent => {
                AgentPlan::child(treatment, depth, own_prompt, &tools)
            }
        };
        if let Some(wanted) = call.options.max_iterations {
            plan.iterations = plan.iterations.min(wanted);
        }
        let page = self.handed_page(call, plan.role)?;
        let child = self.invocation.child(id, plan, call.query.clone(), model);
        Ok(Invocation {
            page,
            inherited_tools: tools,
            schema,
            ledger: self.create_ledger(call),
            ..child
        })
    }

    /// Returns the tools of a child and its descendants: the caller's inheritable tools, or only
    /// those that the call names.
    fn tools_of_child(&self, call: &Call) -> Result<ToolSet, String> {
        let all = &self.invocation.inherited_tools;
        let Some(names) = &call.options.tools else {
            return Ok(all.clone());
        };
        for name in names {
            let unknown = |error: ToolError| format!("{}(): option 'tools': {error}", call.kind);
            all.get(name).map_err(unknown)?;
        }
        Ok(all.only(names))
    }

    /// Creates the ledger of a call and its descendants, with the limits from the call's options.
    fn create_ledger(&self, call: &Call) -> Arc<Ledger> {
        let budget = Budget {
            cost_usd: call.options.max_cost_usd,
            tokens: call.options.max_tokens,
            calls: None,
            time: call.options.timeout_ms.map(Duration::from_millis),
        };
        Ledger::new(Scope::Call, budget, Some(&self.invocation.ledger))
    }

    /// Stops a call that its caller has canceled. The ledger keeps the call's usage.
    fn cancel(&self, call: CallId, children: &mut Children<'a>) {
        let Some(pending) = children.pending.remove(&call) else {
            return;
        };
        if let Some(handle) = pending.handle {
            handle.abort();
        }
        self.emit_error(pending.child.id, "cancelled by its caller".to_owned());
    }

    fn run_child(&self, call: &Call, child: Invocation) -> BoxFuture<'a, Result<String, Failure>> {
        let (attempt, session) = (self.attempt, self.session);
        let context = Context::OfCall(call.id);
        let functions = child.functions();
        let repl = session.open_with(Some(&self.repl), context, attempt.info(&child), functions);
        let context = match (call.context_type.as_str(), call.context_length) {
            (_, Some(0)) | ("undefined", _) => ContextKind::None,
            (_, Some(length)) => ContextKind::Text(length),
            (kind, None) => ContextKind::Value(kind.to_owned()),
        };
        let first = first_message(&child.asked(), &context, child.plan.iterations);
        let shown = vec![Message::user(first)];
        Box::pin(async move {
            let agent = ReplAgent::new(attempt, child, session, repl, shown);
            agent.run().await
        })
    }

    fn start_flat(
        &self,
        call: CallId,
        context: Result<String, String>,
        children: &mut Children<'a>,
    ) {
        let Some(pending) = children.pending.get(&call) else {
            return;
        };
        let (attempt, child) = (self.attempt, pending.child.clone());
        match context {
            Ok(context) => {
                let work = async move {
                    let first = Message::user(flat_message(&child.asked(), &context));
                    let mut one = OneCall::of_messages(vec![first]);
                    run_turns(attempt, &child, &mut one).await
                };
                children.start(call, work);
            }
            Err(reason) => {
                children.pending.remove(&call);
                let reason = format!("the context cannot be turned into text: {reason}");
                self.emit_error(child.id, reason.clone());
                self.repl.settle(call, Err(reason));
            }
        }
    }

    fn settle(&self, call: CallId, result: Result<String, Failure>, children: &mut Children<'a>) {
        let Some(Pending { child, .. }) = children.pending.remove(&call) else {
            return;
        };
        self.attempt
            .emit_answered(&self.invocation, &child.id, &result);
        self.attempt.publish_budget();
        let result = result.map(|answer| {
            // The child has already validated the answer.
            let conforming = child.schema.as_ref().map(|schema| schema.value_of(&answer));
            match conforming {
                Some(Ok(value)) => value.to_string(),
                Some(Err(_)) | None => answer,
            }
        });
        let failed = |failure: Failure| format!("{} failed: {}", child.id, failure.reason);
        self.repl.settle(call, result.map_err(failed));
    }

    fn report_lost(&self, outcome: &CellOutcome, children: Children<'a>) {
        if outcome.unawaited > 0 {
            self.attempt
                .records
                .count(|stats| stats.unawaited += outcome.unawaited);
            let event = EventKind::DelegationUnawaited {
                count: outcome.unawaited,
            };
            self.attempt.records.emit(&self.invocation, event);
        }
        let pending = children.pending.values();
        let mut stopped: Vec<&Invocation> = pending.map(|one| &one.child).collect();
        stopped.sort_by(|a, b| a.id.cmp(&b.id));
        for child in stopped {
            self.emit_error(child.id.clone(), STOPPED.to_owned());
        }
        for run in children.called.into_values() {
            let stopped = Err(STOPPED.to_owned());
            self.attempt.record_tool(&self.invocation, run, stopped);
        }
    }

    pub fn start_immediate(&mut self) {
        let (attempt, caller) = (self.attempt, self.invocation.clone());
        let calls = &mut self.calls;
        let next_id = || {
            *calls += 1;
            caller.child_id(*calls - 1)
        };
        attempt.start_immediate(&caller, next_id, &mut self.background);
    }

    fn emit_error(&self, child: String, error: String) {
        self.attempt.records.emit(
            &self.invocation,
            EventKind::DelegationError { child, error },
        );
    }
}
