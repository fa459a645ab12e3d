//! Messages between a session and its host: all data that crosses the sandbox's boundary.
//!
//! Messages carry only plain data, so the isolate can run in another thread or process.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::functions::HostFunctions;

/// Id of an agent in its session, chosen by the host. The root is 1; 0 means "none".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AgentId(pub u32);

/// Id of a call in its session, chosen by the sandbox. Calls are those of `rlm()`, `llm()`,
/// `agent()` and host functions, and status requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub u32);

/// Initial state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionStart {
    /// Seed of the session's random numbers.
    pub seed: u64,
    /// Start of the session's clock, in milliseconds since 1970.
    pub epoch_ms: u64,
    /// Whether the session's clock advances by readings and timers instead of following the
    /// machine's clock.
    pub pinned: bool,
    /// Recorded steps to repeat first.
    pub course: RecordedSteps,
}

/// Recorded steps of a session, in order. Together with the same cells, answers and random numbers,
/// they suffice to repeat the session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordedSteps {
    /// Steps taken.
    pub steps: Vec<Step>,
    /// Clock readings.
    pub clock: Vec<Reading>,
}

impl RecordedSteps {
    /// Appends later steps and readings.
    pub fn extend(&mut self, more: Self) {
        self.steps.extend(more.steps);
        self.clock.extend(more.clock);
    }

    /// Whether no steps or readings were recorded.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.clock.is_empty()
    }
}

/// One recorded step of a session. Agents are numbered from 1 in the order in which they were
/// opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// An agent with this invocation id was opened.
    #[serde(rename = "open")]
    Opened(AgentId, String),
    /// This name was set in the agent's REPL.
    #[serde(rename = "set")]
    Set(AgentId, String),
    /// An agent started a cell.
    #[serde(rename = "run")]
    Ran(AgentId),
    /// The session's budget was set to this one.
    #[serde(rename = "budget")]
    Budget(Budget),
    /// A call was settled.
    #[serde(rename = "settle")]
    Settled(CallId),
    /// A cell's request for the status of a call was answered. Contains the id of the request and
    /// the status, so that a repetition returns the same status.
    #[serde(rename = "told")]
    Told(CallId, String),
    /// The context of a call was requested.
    #[serde(rename = "context")]
    AskedContext(CallId),
    /// An agent's variables were listed.
    #[serde(rename = "list")]
    Listed(AgentId),
    /// The timer with this number fired.
    #[serde(rename = "timer")]
    Fired(u32),
    /// An agent's cell exceeded the timer timeout and was ended.
    #[serde(rename = "waited")]
    WaitedTooLong(AgentId),
    /// An agent was closed.
    #[serde(rename = "close")]
    Closed(AgentId),
}

/// A clock reading in tenths of a millisecond since the start of the session, and the number of
/// consecutive times that it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading(pub u64, pub u32);

/// Message to the sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Request {
    /// Begins the session, whose steps are reported from then on.
    Begin(SessionStart),
    /// Opens a REPL for an agent.
    Open {
        /// New agent.
        agent: AgentId,
        /// Agent whose names the new agent can read; `None` for the root.
        parent: Option<AgentId>,
        /// Value of the agent's `context`.
        context: Context,
        /// Contents of the agent's `__rlm`.
        info: AgentInfo,
        /// Host functions that the agent may call, and the kind of functions that call models.
        functions: HostFunctions,
    },
    /// Sets a name in an agent's REPL.
    Set {
        /// Agent in whose REPL the name is set.
        agent: AgentId,
        /// Name to set; `context` replaces the agent's context.
        name: String,
        /// Value of the name, as JSON text.
        json: String,
    },
    /// Runs a cell; ends in [`Event::Finished`].
    Run {
        /// Agent that runs it.
        agent: AgentId,
        /// JavaScript, as the model wrote it.
        code: String,
        /// Value of `__rlm.iteration`, 1-based.
        iteration: u32,
    },
    /// Sets the budget that `budget()` returns from now on.
    Budget(Budget),
    /// Settles a call.
    Settle {
        /// Call to settle.
        call: CallId,
        /// Answer, or the message of the error that `await` throws. The answers of host functions
        /// and of calls with a schema are JSON text.
        result: Result<String, String>,
    },
    /// Requests the text of a call's context argument; answered by [`Event::CallContext`].
    GetCallContext {
        /// Call whose context is requested.
        call: CallId,
    },
    /// Requests an agent's variables; answered by [`Reply::Variables`].
    ListVariables {
        /// Agent whose variables are requested.
        agent: AgentId,
    },
    /// Ends an agent's REPL.
    Close {
        /// Agent to close.
        agent: AgentId,
        /// Whether the agent returned an answer; if so, its parent can read its names.
        returned: bool,
    },
}

/// Remaining budget of a session's agents. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Requests to models.
    pub llm_calls: Option<u64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Wall time from the moment when the sandbox receives this budget.
    pub time: Option<Duration>,
}

/// Message from the sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// Steps since the previous reply of this kind; sent before any reply that they caused.
    StepsTaken(RecordedSteps),
    /// All recorded steps have been repeated.
    CaughtUp,
    /// A recorded step cannot be repeated.
    Diverged {
        /// Reason why the step cannot be repeated.
        what: String,
    },
    /// An event in an agent's REPL.
    Event {
        /// Agent of the REPL.
        agent: AgentId,
        /// The event.
        event: Event,
    },
    /// Variables of an agent, or the reason why they cannot be listed.
    Variables {
        /// Agent whose variables were requested.
        agent: AgentId,
        /// The variables.
        listing: Result<Listing, String>,
    },
}

/// Event in an agent's REPL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The running cell called `rlm()`, `llm()` or `agent()`.
    Called(Call),
    /// The running cell called a host function.
    Invoked(FunctionCall),
    /// The running cell requested the status of one of its calls.
    /// [`Repl::settle_function`](crate::Repl::settle_function) with the id `call` answers the
    /// request.
    StatusRequested {
        /// Id of the request, which is a call itself.
        call: CallId,
        /// Call whose status is requested.
        of: CallId,
    },
    /// The running cell cancelled a call; its answer will be dropped.
    Cancelled(CallId),
    /// The running cell ended.
    Finished(CellOutcome),
    /// Answer to [`Repl::request_call_context`](crate::Repl::request_call_context).
    CallContext {
        /// Call whose context was requested.
        call: CallId,
        /// Text of the context argument (a string verbatim, any other value as JSON), or the reason
        /// why it is unavailable.
        text: Result<String, String>,
    },
}

/// Variables of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Listed variables, ordered by declaring cell and then by name.
    pub listed: Vec<Variable>,
    /// Number of variables from earlier cells that are not listed.
    pub left_out: u64,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// Type of the value, such as `string`, `Array`, `Map` or `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Size of the value, if applicable, such as `12 items`.
    #[serde(default)]
    pub size: Option<String>,
    /// Start of the value, if it can be read without running the agent's code.
    #[serde(default)]
    pub first: Option<String>,
}

/// Value of an agent's `context`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Context {
    /// A text.
    Text(Arc<String>),
    /// The context argument of this call, which never leaves the isolate.
    OfCall(CallId),
}

impl Context {
    /// Creates a context from a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Arc::new(text.into()))
    }
}

/// Contents of `__rlm`, apart from the iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// Depth of the agent; 0 for the root.
    pub depth: u32,
    /// Agents at this depth or deeper are single calls without a REPL.
    pub max_depth: u32,
    /// Maximum number of iterations of this agent.
    pub max_iterations: u32,
    /// Queries of the agents from the root to this one.
    pub lineage: Vec<String>,
    /// Invocation id, such as `d1-c0.d2-c3`.
    pub invocation_id: String,
    /// Invocation id of the parent; `None` for the root.
    pub parent_id: Option<String>,
}

impl AgentInfo {
    /// Returns the contents for code of the host, which belongs to no agent.
    pub fn of_host_code(invocation_id: &str) -> Self {
        Self {
            depth: 0,
            max_depth: 0,
            max_iterations: 1,
            lineage: Vec::new(),
            invocation_id: invocation_id.to_owned(),
            parent_id: None,
        }
    }
}

/// A call from inside a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Identifies the call until it is settled or abandoned.
    pub id: CallId,
    /// Function that was called.
    pub kind: CallKind,
    /// First argument: the question or task.
    pub query: String,
    /// Options of the call.
    pub options: Box<CallOptions>,
    /// `typeof` of the context argument: `undefined` if none was given.
    pub context_type: String,
    /// Length of a string context, in UTF-16 code units; `None` for other contexts.
    pub context_length: Option<u64>,
}

/// A call of a host function from inside a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Identifies the call until it is settled or abandoned.
    pub id: CallId,
    /// Name of the function, one of the REPL's host functions.
    pub name: String,
    /// Its single argument: a JSON object, as text.
    pub arguments: String,
}

/// Function with which a cell calls models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallKind {
    /// `rlm()`: a child agent.
    Rlm,
    /// `llm()`: a single model call.
    Llm,
    /// `agent()`: a child agent of a program.
    Agent,
}

impl fmt::Display for CallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rlm => "rlm",
            Self::Llm => "llm",
            Self::Agent => "agent",
        })
    }
}

/// Options of a call: the third argument of `rlm()` and `llm()`, or the second of `agent()`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CallOptions {
    /// System prompt that makes the child a specialist.
    pub system_prompt: Option<String>,
    /// Alias from the model table.
    pub model: Option<String>,
    /// Maximum iterations of the child, which its depth may reduce further.
    pub max_iterations: Option<u32>,
    /// Names of the tools that the child may call; if absent, all tools that its caller passes on.
    pub tools: Option<Vec<String>>,
    /// Tab that becomes the child's page.
    pub page: Option<String>,
    /// JSON Schema of the answer, as JSON text. If present, the answer is JSON.
    pub schema: Option<String>,
    /// Timeout of the call in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Maximum cost in US dollars of the call and its descendants.
    pub max_cost_usd: Option<f64>,
    /// Maximum tokens of the call and its descendants.
    pub max_tokens: Option<u64>,
}

/// Outcome of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CellOutcome {
    /// Printed output: lines joined by `\n`, truncated to the limit.
    pub output: String,
    /// Error, if the cell failed.
    pub error: Option<CellError>,
    /// Text of the value passed to `return()`. If calls were left unawaited, `error` is set too,
    /// because the value may lack their results.
    pub value: Option<String>,
    /// CPU time that the cell used.
    pub executed: Duration,
    /// Number of calls left unawaited, whose results are lost.
    pub unawaited: u32,
    /// Whether the cell ended without a value, but a function in it contains `return(…)`, which
    /// only ends that function.
    pub returns_in_function: bool,
}

/// An error that the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellError {
    /// Kind of failure.
    pub kind: CellErrorKind,
    /// Name and message of the error, as `Name: message`.
    pub message: String,
    /// Stack frames in the model's own code, such as `at f (cell 3:12)`, innermost first.
    pub stack: Vec<String>,
}

/// Kind of a cell's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellErrorKind {
    /// The cell threw.
    Thrown,
    /// The cell is not valid JavaScript.
    Syntax,
    /// The cell exceeded its CPU time limit.
    TimedOut,
    /// The heap exceeded its limit.
    OutOfMemory,
    /// The cell exceeded the timer timeout.
    WaitedTooLong,
    /// The cell awaits a promise that can never settle.
    NeverSettles,
    /// The cell ended without awaiting some of its calls.
    Unawaited,
}
