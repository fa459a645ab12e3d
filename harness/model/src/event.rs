//! The events that an attempt emits while it runs: the one contract between the engine and everything that shows or
//! stores a run.
//!
//! Events form a tree (attempt, invocation, iteration, call). Each names its run, its invocation and its
//! parent. They are written once and in order, so a trajectory grows linearly with the work done: a request
//! holds only the messages that are new since the invocation's last one.

mod web;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Message, Role, Status, ToolCall, Usage};

pub use web::WebEvent;

/// Version of the record format; every record carries it as `v`.
pub const EVENT_VERSION: u32 = 1;

/// One event of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// [`EVENT_VERSION`] of the writer.
    pub v: u32,
    /// The run.
    pub run_id: String,
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// Milliseconds since the attempt began; unknown in a recording that another system made.
    pub at_ms: Option<f64>,
    /// The agent: `root`, `d1-c0`, `d1-c0.d2-c3`.
    pub invocation: String,
    /// The agent that called it; none for the root.
    pub parent: Option<String>,
    /// 0 for the root.
    pub depth: u32,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// The attempt began.
    AttemptStart {
        /// The task; unknown in a recording that another system made.
        query: Option<String>,
        /// Characters of the context; unknown likewise.
        context_chars: Option<u64>,
    },
    /// The attempt ended. No event of an agent follows; those of a judge may.
    AttemptEnd {
        /// How.
        status: Status,
        /// The root's answer.
        answer: Option<String>,
        /// Why it has none.
        error: Option<String>,
    },
    /// The attempt goes on that an earlier process began: this many responses are not asked for again.
    AttemptResumed {
        /// Responses that the journal holds.
        responses: u64,
    },
    /// A resumed attempt starts over: repeating what the journal holds gave another result than in the earlier process.
    AttemptRestarted {
        /// What differed.
        reason: String,
    },
    /// An agent began.
    InvocationStart {
        /// What kind of agent.
        role: Role,
        /// What it was asked; unknown in a recording that another system made.
        query: Option<String>,
        /// The model, as `PROVIDER/MODEL`.
        model: String,
        /// Iterations that it has, for each message of an agent that takes several; 1 for agents without a REPL.
        max_iterations: u32,
        /// Its whole system prompt; unknown likewise.
        system_prompt: Option<String>,
    },
    /// An agent ended.
    InvocationEnd {
        /// How.
        status: Status,
        /// Its answer.
        answer: Option<String>,
        /// Why it has none.
        error: Option<String>,
        /// Iterations that it used.
        iterations: u32,
    },
    /// An agent that takes several messages got one. What follows up to its answer is done for this message.
    MessageReceived {
        /// 1-based.
        number: u32,
        /// What it says.
        text: String,
    },
    /// Such an agent is done with a message.
    MessageAnswered {
        /// 1-based.
        number: u32,
        /// How.
        status: Status,
        /// Its answer.
        answer: Option<String>,
        /// Why it has none.
        error: Option<String>,
    },
    /// An iteration began.
    IterationStart {
        /// 1-based; an agent that takes several messages goes on counting.
        iteration: u32,
    },
    /// A cell ran, or there was none to run.
    IterationEnd {
        /// 1-based.
        iteration: u32,
        /// The code, as the model wrote it; empty if the response held no block.
        code: String,
        /// What it printed.
        output: String,
        /// Why it failed.
        error: Option<String>,
        /// The value given to `return()`.
        returned: Option<String>,
        /// Whether that return was shown back to the model instead of ending the agent; unknown in a recording that
        /// another system made.
        intercepted: Option<bool>,
        /// CPU milliseconds that the cell executed; unknown likewise.
        executed_ms: Option<f64>,
        /// Blocks of the response beyond those that may run; unknown likewise.
        dropped_blocks: Option<u32>,
    },
    /// A model is asked.
    LlmRequest {
        /// The messages that are new since the invocation's last request.
        new_messages: Vec<Message>,
        /// Messages in the request, the system prompt not counted; unknown in a recording that another system made.
        messages: Option<u32>,
        /// What it is expected to take, where that is charged: what counts if the process is killed before it ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimate: Option<Estimate>,
    },
    /// A model answered.
    LlmResponse {
        /// Its text.
        text: String,
        /// Reasoning that it gave apart from the text.
        reasoning: Option<String>,
        /// Its tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// Code that came by a tool call, in records from before tool calls were recorded completely. No longer written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// Whether the limit of output tokens cut it off, so that nothing of it ran.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        /// Tokens.
        usage: Option<Usage>,
        /// US dollars; none if unknown.
        #[serde(default)]
        cost_usd: Option<f64>,
        /// The model version that the server says it served.
        served_model: Option<String>,
        /// Time from request to response; unknown in a recording that another system made.
        ms: Option<f64>,
    },
    /// A tool was called by a native tool call or as a function in a REPL, and has answered.
    ToolCall {
        /// The call's id, as in the response that made it; of a function in a REPL, `repl-` and a number.
        call: String,
        /// The tool.
        name: String,
        /// The arguments as the model wrote them.
        arguments: String,
        /// The result, as the model reads it.
        result: String,
        /// Whether the call failed.
        is_error: bool,
        /// What it took.
        ms: f64,
    },
    /// A hook said something for the records.
    HookNote {
        /// The hook's name.
        hook: String,
        /// What it said.
        note: String,
    },
    /// The request failed and is sent again.
    LlmRetry {
        /// What the provider said.
        error: String,
        /// Milliseconds until it is sent again.
        delay_ms: f64,
    },
    /// The request waited before it was sent.
    LlmWait {
        /// What for.
        reason: WaitReason,
        /// How long.
        ms: f64,
    },
    /// The response that follows comes from a cache: nothing was sent, and no budget is charged with it.
    LlmCached,
    /// A try gave no response and used tokens nevertheless, by its server's count or by an estimate. Its retry or error follows.
    LlmBilled {
        /// Tokens.
        usage: Usage,
        /// US dollars; none if unknown.
        cost_usd: Option<f64>,
    },
    /// The conversation outgrew the model's context: outputs of older cells were replaced by their size. After an
    /// [`EventKind::LlmError`] the request is sent again, which is another call.
    ContextTrimmed {
        /// The messages that were shortened, by their place in the conversation, counted from 0.
        messages: Vec<u32>,
        /// Characters of output that were left out.
        chars: u64,
        /// Of a context in a first message, the characters that it lacks now: from the first, up to behind the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<[u64; 2]>,
    },
    /// A conversation was made shorter before it outgrew the model's context, or a summary took the place of older turns.
    ContextCompacted {
        /// The messages that were cut, by their place in the conversation, counted from 0: replaced by the two messages of the
        /// summary, or, where there is none, shortened.
        messages: Vec<u32>,
        /// Characters that were left out.
        chars: u64,
        /// Tokens of the conversation before, as far as they are known, the rest estimated.
        tokens_before: u64,
        /// Tokens after, likewise.
        tokens_after: u64,
        /// What stands there instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<Summary>,
        /// Whether the model had refused the conversation, which is sent again, as another call.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sent_again: bool,
    },
    /// A model gave no answer.
    LlmError {
        /// What the provider said.
        error: String,
        /// Time from request to error; unknown likewise.
        ms: Option<f64>,
    },
    /// A judge is asked about the attempt's answer, or asked again; the attempt's record has what it said. These events
    /// show what was spent where a run is killed before there is a record.
    JudgeRequest {
        /// What the call is expected to take, where that is charged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimate: Option<Estimate>,
    },
    /// A try of a judge's call used tokens and gave no response.
    JudgeBilled {
        /// Tokens.
        usage: Usage,
        /// US dollars; none if unknown.
        cost_usd: Option<f64>,
    },
    /// A judge answered.
    JudgeResponse {
        /// Tokens; none if unknown.
        usage: Option<Usage>,
        /// US dollars; none if unknown.
        cost_usd: Option<f64>,
    },
    /// A judge gave no answer.
    JudgeError {
        /// What the provider said.
        error: String,
    },
    /// An agent called `rlm()` or `llm()`. The child's own events say the rest.
    DelegationSpawn {
        /// The child's invocation.
        child: String,
        /// What it is.
        role: Role,
    },
    /// An agent created one that takes its messages. It answers none yet.
    AgentCreated {
        /// The new agent's invocation.
        child: String,
        /// What it is.
        role: Role,
        /// The name that its creator gave it.
        name: String,
    },
    /// An agent sent a message to one that it created. A [`EventKind::DelegationReturn`] or [`EventKind::DelegationError`] follows.
    MessageSent {
        /// The invocation that gets it.
        child: String,
    },
    /// A child's answer went to its caller.
    DelegationReturn {
        /// The child's invocation.
        child: String,
        /// Characters of the answer.
        answer_chars: u64,
    },
    /// A call failed; the caller's `await` throws.
    DelegationError {
        /// The child's invocation.
        child: String,
        /// Why.
        error: String,
    },
    /// Something happened in the attempt's world.
    Web {
        /// What.
        event: WebEvent,
    },
    /// Calls that a cell did not wait for; what was still running is stopped.
    DelegationUnawaited {
        /// How many.
        count: u32,
    },
}

/// What took the place of older turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The invocation of whoever wrote it.
    pub child: String,
    /// The summary: the agent has it as a message of its own.
    pub text: String,
    /// What the agent is shown after it.
    pub shown: String,
}

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// The rate limit.
    RateLimit,
    /// A free connection.
    Connection,
    /// The delay before a retry.
    Backoff,
}

/// What a request is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Tokens.
    pub usage: Usage,
    /// US dollars; none if unknown.
    pub cost_usd: Option<f64>,
}

/// Takes the events of attempts, from many tasks at once.
pub trait EventSink: Send + Sync {
    /// Takes one event. Must not block for long: the agent waits.
    fn emit(&self, event: Event);
}

/// A sink that drops every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _event: Event) {}
}

/// Milliseconds with a fraction, the unit of every `…_ms` field.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
