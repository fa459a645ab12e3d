//! Events that an attempt emits while it runs: the contract between the engine and all code that
//! displays or stores runs.
//!
//! Events form a tree (attempt, invocation, iteration, call). Each event names its run, its
//! invocation and the invocation's parent. A request's event contains only the messages that are
//! new since the invocation's last request, so that a trajectory grows linearly with the number of
//! messages.

mod web;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Message, Role, Status, ToolCall, Usage};

pub use web::WebEvent;

/// Version of the event format; every event carries it as `v`.
pub const EVENT_VERSION: u32 = 1;

/// One event of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// [`EVENT_VERSION`] of the program that wrote the event.
    pub v: u32,
    /// Id of the run.
    pub run_id: String,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Milliseconds since the attempt began; `None` in recordings from other systems.
    pub at_ms: Option<f64>,
    /// Invocation id of the agent: `root`, `d1-c0`, `d1-c0.d2-c3`.
    pub invocation: String,
    /// Invocation id of the caller; `None` for the root.
    pub parent: Option<String>,
    /// Depth in the tree of agents; 0 for the root.
    pub depth: u32,
    /// Kind of the event, with its data.
    pub kind: EventKind,
}

impl Event {
    /// Creates an event of the root, without a run id and a time.
    pub fn of_root(sample: &str, attempt: u32, kind: EventKind) -> Self {
        Self {
            v: EVENT_VERSION,
            run_id: String::new(),
            sample: sample.to_owned(),
            attempt,
            at_ms: None,
            invocation: "root".to_owned(),
            parent: None,
            depth: 0,
            kind,
        }
    }
}

/// Kind of an event, with its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// The attempt began.
    AttemptStart {
        /// Query of the task; `None` in recordings from other systems.
        query: Option<String>,
        /// Number of characters of the context; `None` in recordings from other systems.
        context_chars: Option<u64>,
    },
    /// The attempt ended. Only events of a judge can follow.
    AttemptEnd {
        /// How the attempt ended.
        status: Status,
        /// Answer of the root.
        answer: Option<String>,
        /// Reason why there is no answer.
        error: Option<String>,
    },
    /// An attempt that an earlier process started was resumed. The responses in its journal are not
    /// requested again.
    AttemptResumed {
        /// Number of responses in the journal.
        responses: u64,
    },
    /// A resumed attempt restarts from the beginning because the replay of its journal diverged
    /// from the earlier process.
    AttemptRestarted {
        /// Description of the divergence.
        reason: String,
    },
    /// An agent began.
    InvocationStart {
        /// Role of the agent.
        role: Role,
        /// Query of the agent; `None` in recordings from other systems.
        query: Option<String>,
        /// Model, as `PROVIDER/MODEL`.
        model: String,
        /// Maximum iterations per message that the agent receives; 1 for agents without a REPL.
        max_iterations: u32,
        /// Complete system prompt; `None` in recordings from other systems.
        system_prompt: Option<String>,
    },
    /// An agent ended.
    InvocationEnd {
        /// How the agent ended.
        status: Status,
        /// Answer of the agent.
        answer: Option<String>,
        /// Reason why there is no answer.
        error: Option<String>,
        /// Number of iterations used.
        iterations: u32,
    },
    /// An agent that accepts several messages received one. All its events until
    /// [`EventKind::MessageAnswered`] belong to this message.
    MessageReceived {
        /// Number of the message, 1-based.
        number: u32,
        /// Text of the message.
        text: String,
    },
    /// An agent that accepts several messages finished processing one.
    MessageAnswered {
        /// Number of the message, 1-based.
        number: u32,
        /// How processing the message ended.
        status: Status,
        /// Answer to the message.
        answer: Option<String>,
        /// Reason why there is no answer.
        error: Option<String>,
    },
    /// An iteration began.
    IterationStart {
        /// Number of the iteration, 1-based. It does not restart with each message that the agent
        /// receives.
        iteration: u32,
    },
    /// An iteration ended: its cell ran, or the response contained no code.
    IterationEnd {
        /// Number of the iteration, 1-based.
        iteration: u32,
        /// Code as the model wrote it; empty if the response contained no block.
        code: String,
        /// Output of the cell.
        output: String,
        /// Reason why the cell failed.
        error: Option<String>,
        /// Value passed to `return()`.
        returned: Option<String>,
        /// Whether the returned value was shown to the model for review instead of ending the
        /// agent; `None` in recordings from other systems.
        intercepted: Option<bool>,
        /// CPU time of the cell in milliseconds; `None` in recordings from other systems.
        executed_ms: Option<f64>,
        /// Number of blocks in the response that were not run because they exceeded the maximum;
        /// `None` in recordings from other systems.
        dropped_blocks: Option<u32>,
    },
    /// A request was sent to a model.
    LlmRequest {
        /// Messages that are new since the invocation's last request.
        new_messages: Vec<Message>,
        /// Number of messages in the request, without the system prompt; `None` in recordings from
        /// other systems.
        messages: Option<u32>,
        /// Expected usage; `None` if the request is free or its usage cannot be estimated. It
        /// counts as spent if the process is killed before the call ends.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimate: Option<Estimate>,
    },
    /// A model responded.
    LlmResponse {
        /// Text of the response.
        text: String,
        /// Reasoning that the model returned separately from the text.
        reasoning: Option<String>,
        /// Tool calls in the response.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// Code of a tool call in old trajectories, which did not record tool calls completely. No
        /// longer written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// Whether the response was truncated at the limit of output tokens, so that none of its
        /// code ran.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        /// Token usage; `None` if unknown.
        usage: Option<Usage>,
        /// Cost in US dollars; `None` if unknown.
        #[serde(default)]
        cost_usd: Option<f64>,
        /// Version of the model as reported by the server.
        served_model: Option<String>,
        /// Id that the server assigned to the response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// Finish reason as reported by the server.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        finish_reason: Option<String>,
        /// Milliseconds from request to response; `None` in recordings from other systems.
        ms: Option<f64>,
    },
    /// A tool call ended. The tool was called natively or as a function in a REPL.
    ToolCall {
        /// Id of the call, as in the response; for a function in a REPL, `repl-` and a number.
        call: String,
        /// Name of the tool.
        name: String,
        /// Arguments as the model wrote them.
        arguments: String,
        /// Result as the model reads it.
        result: String,
        /// Whether the call failed.
        is_error: bool,
        /// Duration in milliseconds.
        ms: f64,
    },
    /// A hook added a note to the records.
    HookNote {
        /// Name of the hook.
        hook: String,
        /// Text of the note.
        note: String,
    },
    /// A request failed and will be retried.
    LlmRetry {
        /// Error of the provider.
        error: String,
        /// Milliseconds until the retry.
        delay_ms: f64,
    },
    /// A request waited before it was sent.
    LlmWait {
        /// Reason for waiting.
        reason: WaitReason,
        /// Duration in milliseconds.
        ms: f64,
    },
    /// The next response comes from a cache: nothing was sent, and no budget is charged.
    LlmCached,
    /// A failed try of a request used tokens, as counted by the server or estimated. The event of
    /// the retry or the error follows.
    LlmBilled {
        /// Token usage of the failed try.
        usage: Usage,
        /// Cost in US dollars; `None` if unknown.
        cost_usd: Option<f64>,
    },
    /// The conversation exceeded the model's context window, so outputs of older cells were
    /// replaced by their sizes. If an [`EventKind::LlmError`] precedes this event, the request is
    /// sent again as another call.
    ContextTrimmed {
        /// 0-based indices of the shortened messages in the conversation.
        messages: Vec<u32>,
        /// Number of dropped characters of output.
        chars: u64,
        /// Range of the characters dropped from a context in the first message; the end is
        /// exclusive.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cut: Option<[u64; 2]>,
    },
    /// A conversation was shortened before it exceeded the model's context window, or a summary
    /// replaced older turns.
    ContextCompacted {
        /// 0-based indices of the affected messages in the conversation. They were replaced by the
        /// two messages of the summary, or shortened if there is no summary.
        messages: Vec<u32>,
        /// Number of dropped characters.
        chars: u64,
        /// Tokens of the conversation before the compaction, partly estimated.
        tokens_before: u64,
        /// Tokens of the conversation after the compaction, partly estimated.
        tokens_after: u64,
        /// The summary that replaced the messages, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<Summary>,
        /// Whether the model had rejected the conversation, so that it is sent again as another
        /// call.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sent_again: bool,
    },
    /// A request to a model failed.
    LlmError {
        /// Error of the provider.
        error: String,
        /// Milliseconds from request to error; `None` in recordings from other systems.
        ms: Option<f64>,
    },
    /// A request was sent to a judge of the attempt's answer. The verdict is in the attempt's
    /// record; the events of judges preserve the spending if a run is killed before the record is
    /// written.
    JudgeRequest {
        /// Expected usage; `None` if the request is free or its usage cannot be estimated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimate: Option<Estimate>,
    },
    /// A failed try of a request to a judge used tokens.
    JudgeBilled {
        /// Token usage of the failed try.
        usage: Usage,
        /// Cost in US dollars; `None` if unknown.
        cost_usd: Option<f64>,
    },
    /// A judge responded.
    JudgeResponse {
        /// Token usage; `None` if unknown.
        usage: Option<Usage>,
        /// Cost in US dollars; `None` if unknown.
        cost_usd: Option<f64>,
    },
    /// A request to a judge failed.
    JudgeError {
        /// Error of the provider.
        error: String,
    },
    /// An agent called `rlm()` or `llm()`. The child has its own events.
    DelegationSpawn {
        /// Invocation id of the child.
        child: String,
        /// Role of the child.
        role: Role,
    },
    /// An agent created another agent, which waits for messages.
    AgentCreated {
        /// Invocation id of the new agent.
        child: String,
        /// Role of the new agent.
        role: Role,
        /// Name that its creator gave it.
        name: String,
    },
    /// An agent sent a message to an agent that it created. A [`EventKind::DelegationReturn`] or
    /// [`EventKind::DelegationError`] follows.
    MessageSent {
        /// Invocation id of the recipient.
        child: String,
    },
    /// A child's answer was returned to its caller.
    DelegationReturn {
        /// Invocation id of the child.
        child: String,
        /// Number of characters of the answer.
        answer_chars: u64,
    },
    /// A call to a child failed, so `await` throws an error in the caller's cell.
    DelegationError {
        /// Invocation id of the child.
        child: String,
        /// Reason for the failure.
        error: String,
    },
    /// An event of the attempt's web environment.
    Web {
        /// The event.
        event: WebEvent,
    },
    /// A cell ended without awaiting all its asynchronous calls, for example to `rlm()`. Calls that
    /// were still running were stopped.
    DelegationUnawaited {
        /// Number of calls that were not awaited.
        count: u32,
    },
}

/// Summary that replaced older turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Invocation id of the summarizer.
    pub child: String,
    /// Text of the summary, which is inserted as a message of the agent.
    pub text: String,
    /// Text of the message that follows the summary.
    pub shown: String,
}

/// Reason why a request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// A rate limit was reached.
    RateLimit,
    /// No connection is free.
    Connection,
    /// The delay before a retry has not passed.
    Backoff,
    /// The remaining budget is reserved by other calls.
    Budget,
}

/// Expected usage of a request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Expected token usage.
    pub usage: Usage,
    /// Expected cost in US dollars; `None` if unknown.
    pub cost_usd: Option<f64>,
}

/// Receives the events of attempts. Can be shared between tasks.
pub trait EventSink: Send + Sync {
    /// Receives one event. Must not block for long, because the agent waits until it returns.
    fn emit(&self, event: Event);
}

/// An [`EventSink`] that discards all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _event: Event) {}
}

/// Converts a duration to fractional milliseconds, the unit of every `…_ms` field.
pub fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
