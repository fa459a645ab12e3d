//! Messages between a session and its driver: all data that crosses the sandbox's boundary.
//!
//! Messages carry only plain data, so the isolate can run in another thread or process.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::functions::HostFunctions;

/// One agent of a session, chosen by the driver. The root is 1; 0 means "none".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AgentId(pub u32);

/// One `rlm()`, `llm()` or host function call of a session, chosen by the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub u32);

/// Initial state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionStart {
    /// Seed of its random numbers.
    pub seed: u64,
    /// Start of its clock, in milliseconds since 1970.
    pub epoch_ms: u64,
    /// Whether its clock counts what cells do instead of following the machine's.
    pub pinned: bool,
    /// Recorded steps to repeat before anything else.
    pub course: RecordedSteps,
}

/// Recorded steps of a session, in order. Together with the same cells, answers and random numbers,
/// they are enough to repeat it.
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

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.clock.is_empty()
    }
}

/// One recorded step of a session. Agents are numbered from 1 in the order in which they were
/// opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// An agent was opened; holds its invocation id.
    #[serde(rename = "open")]
    Opened(AgentId, String),
    /// A name was set.
    #[serde(rename = "set")]
    Set(AgentId, String),
    /// A cell was run.
    #[serde(rename = "run")]
    Ran(AgentId),
    /// The budget changed to this.
    #[serde(rename = "budget")]
    Budget(Budget),
    /// A call was settled.
    #[serde(rename = "settle")]
    Settled(CallId),
    /// A cell requested the status of a call; holds the status, which a repetition returns again.
    #[serde(rename = "told")]
    Told(CallId, String),
    /// The context of a call was requested.
    #[serde(rename = "context")]
    AskedContext(CallId),
    /// An agent's variables were listed.
    #[serde(rename = "list")]
    Listed(AgentId),
    /// A timer fired.
    #[serde(rename = "timer")]
    Fired(u32),
    /// A cell exceeded its wait limit and was ended.
    #[serde(rename = "waited")]
    WaitedTooLong(AgentId),
    /// An agent was closed.
    #[serde(rename = "close")]
    Closed(AgentId),
}

/// A clock reading in tenths of a millisecond since the start of the session, and how many times in
/// a row it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading(pub u64, pub u32);

/// Message to the sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Request {
    /// Begins the session. Its steps are reported from then on.
    Begin(SessionStart),
    /// Opens a REPL for an agent.
    Open {
        /// New agent.
        agent: AgentId,
        /// Agent whose names it reads; `None` for the root.
        parent: Option<AgentId>,
        /// Value of `context`.
        context: Context,
        /// Contents of `__rlm`.
        info: AgentInfo,
        /// Functions it may call besides `rlm()` and `llm()`.
        functions: HostFunctions,
    },
    /// Sets a name in an agent's REPL.
    Set {
        /// Agent whose REPL it is.
        agent: AgentId,
        /// Name to set; `context` replaces the agent's context.
        name: String,
        /// Value as JSON text.
        json: String,
    },
    /// Runs a cell; ends in [`Reply::Finished`].
    Run {
        /// Agent that runs it.
        agent: AgentId,
        /// JavaScript, as the model wrote it.
        code: String,
        /// Value of `__rlm.iteration`, 1-based.
        iteration: u32,
    },
    /// Sets what `budget()` returns from now on.
    Budget(Budget),
    /// Settles a call.
    Settle {
        /// Call to settle.
        call: CallId,
        /// Answer, or the message of the error that the `await` throws. The answer is JSON text for
        /// a host function and for a call with a schema.
        result: Result<String, String>,
    },
    /// Requests the text of a call's context argument; answered by [`Reply::CallContext`].
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
        /// Whether it returned an answer; if so, its names become readable in its parent.
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
    /// Steps since the previous such reply; sent before any reply that they led to.
    StepsTaken(RecordedSteps),
    /// All recorded steps have been repeated.
    CaughtUp,
    /// A recorded step cannot be repeated.
    Diverged {
        /// Reason.
        what: String,
    },
    /// A cell called `rlm()` or `llm()`.
    Called {
        /// Agent whose code called.
        agent: AgentId,
        /// The call.
        call: Call,
    },
    /// A cell called a host function.
    Invoked {
        /// Agent whose function it is.
        agent: AgentId,
        /// The call.
        call: FunctionCall,
    },
    /// A cell requested the status of a call; answered with [`Request::Settle`].
    StatusRequested {
        /// Agent whose call it is.
        agent: AgentId,
        /// The question, itself a call.
        call: CallId,
        /// Call that the question is about.
        of: CallId,
    },
    /// A call was cancelled: nothing waits for its answer.
    Cancelled {
        /// Agent whose call it was.
        agent: AgentId,
        /// The call.
        call: CallId,
    },
    /// A cell ended.
    Finished {
        /// Agent whose cell it was.
        agent: AgentId,
        /// Outcome of the cell.
        outcome: CellOutcome,
    },
    /// Text of a call's context: strings verbatim, other values as JSON.
    CallContext {
        /// Agent that made the call.
        agent: AgentId,
        /// Call whose context it is.
        call: CallId,
        /// The text, or why there is none.
        text: Result<String, String>,
    },
    /// Variables of an agent, or why they cannot be listed.
    Variables {
        /// Agent whose variables they are.
        agent: AgentId,
        /// The variables.
        listing: Result<Listing, String>,
    },
}

/// Variables of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Listed variables: in the order of the declaring cells and, within a cell, by name.
    pub listed: Vec<Variable>,
    /// Number of variables from earlier cells that are not listed.
    pub left_out: u64,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// Kind of its value: `string`, `Array`, `Map`, `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Size of the value, if it has one: `12 items`.
    #[serde(default)]
    pub size: Option<String>,
    /// Beginning of the value, if it can be read without running the agent's code.
    #[serde(default)]
    pub first: Option<String>,
}

/// Value of an agent's `context`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Context {
    /// A text.
    Text(Arc<String>),
    /// Second argument of a call, which never leaves the isolate.
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
    /// Depth from which agents are single calls without a REPL.
    pub max_depth: u32,
    /// Maximum iterations of this agent.
    pub max_iterations: u32,
    /// Queries of the agents from the root to this one.
    pub lineage: Vec<String>,
    /// Identifier such as `d1-c0.d2-c3`.
    pub invocation_id: String,
    /// Invocation id of the parent; `None` for the root.
    pub parent_id: Option<String>,
}

/// A call from inside a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Identifies the call until it is settled or abandoned.
    pub id: CallId,
    /// `rlm`, `llm` or `agent`.
    pub kind: CallKind,
    /// The question.
    pub query: String,
    /// Third argument.
    pub options: Box<CallOptions>,
    /// `typeof` of the context argument: `undefined` if none was given.
    pub context_type: String,
    /// Length of a string context, in UTF-16 units.
    pub context_length: Option<u64>,
}

/// A call of a host function from inside a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Identifies the call until it is settled or abandoned.
    pub id: CallId,
    /// Name of the function, one of those that the REPL was opened with.
    pub name: String,
    /// Its single argument: a JSON object, as text.
    pub arguments: String,
}

/// Function that was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallKind {
    /// `rlm()`: a child agent.
    Rlm,
    /// `llm()`: one question.
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

/// Third argument of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CallOptions {
    /// Prompt that makes the child a specialist.
    pub system_prompt: Option<String>,
    /// Alias from the model table.
    pub model: Option<String>,
    /// Maximum iterations of the child, capped by its depth.
    pub max_iterations: Option<u32>,
    /// Names of the tools that the child may call; if absent, all that its caller passes on.
    pub tools: Option<Vec<String>>,
    /// Tab that becomes the child's page.
    pub page: Option<String>,
    /// JSON Schema of the answer, as JSON text; if present, the answer is JSON.
    pub schema: Option<String>,
    /// Timeout of the call in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Maximum cost in US dollars of the call and everything below it.
    pub max_cost_usd: Option<f64>,
    /// Maximum tokens of the call and everything below it.
    pub max_tokens: Option<u64>,
}

/// Outcome of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CellOutcome {
    /// Printed output: lines joined by `\n`, cut to the limit.
    pub output: String,
    /// Error, if the cell failed.
    pub error: Option<CellError>,
    /// Text of the value passed to `return()`. Accompanied by an error if calls were left
    /// unawaited, because the value may lack their results.
    pub value: Option<String>,
    /// CPU time executed.
    pub executed: Duration,
    /// Number of calls left unawaited, whose results are lost.
    pub unawaited: u32,
    /// Whether the cell ended without a value although one of its functions contains `return(…)`,
    /// which only ends that function.
    pub returns_in_function: bool,
}

/// An error that the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellError {
    /// Kind of failure.
    pub kind: CellErrorKind,
    /// `Name: message`.
    pub message: String,
    /// Frames in the model's own code, `at f (cell 3:12)`, innermost first.
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
    /// The execution clock ran out.
    TimedOut,
    /// The heap exceeded its limit.
    OutOfMemory,
    /// The cell waited too long for timers.
    WaitedTooLong,
    /// The cell waits for something that can never happen.
    NeverSettles,
    /// The cell ended without awaiting calls that it made.
    Unawaited,
}
