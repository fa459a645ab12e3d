//! The messages between a session and those who drive it: everything that crosses the sandbox's boundary.
//!
//! They carry plain data only, so that the isolate can live in another thread or another process.

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

/// How a session begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// What its random numbers are made from.
    pub seed: u64,
    /// What its clock begins with, in milliseconds since 1970.
    pub epoch_ms: u64,
    /// Whether its clock counts what cells do, instead of going with the machine's.
    pub pinned: bool,
    /// What is to be done again as it was done, before anything else.
    pub course: Course,
}

/// What was done in a session, in its order: enough to do it again with the same cells, answers and random numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// What was done.
    pub steps: Vec<Step>,
    /// What the clock said.
    pub clock: Vec<Reading>,
}

impl Course {
    /// Adds what was done next.
    pub fn extend(&mut self, more: Self) {
        self.steps.extend(more.steps);
        self.clock.extend(more.clock);
    }

    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.clock.is_empty()
    }
}

/// One thing that was done in a session. Agents are numbered by the order in which they were opened, from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// An agent was opened; here is its invocation id.
    #[serde(rename = "open")]
    Opened(AgentId, String),
    /// A name was set.
    #[serde(rename = "set")]
    Set(AgentId, String),
    /// A cell was run.
    #[serde(rename = "run")]
    Ran(AgentId),
    /// The budget became this.
    #[serde(rename = "budget")]
    Budget(Budget),
    /// A call was settled.
    #[serde(rename = "settle")]
    Settled(CallId),
    /// A cell asked for the status of a call and got this one; it gets the same again.
    #[serde(rename = "told")]
    Told(CallId, String),
    /// The context of a call was asked for.
    #[serde(rename = "context")]
    AskedContext(CallId),
    /// An agent's variables were listed.
    #[serde(rename = "list")]
    Listed(AgentId),
    /// A timer fired.
    #[serde(rename = "timer")]
    Fired(u32),
    /// A cell had waited too long, and was ended.
    #[serde(rename = "waited")]
    WaitedTooLong(AgentId),
    /// An agent was closed.
    #[serde(rename = "close")]
    Closed(AgentId),
}

/// What the clock said, in tenths of a millisecond since the session began, and how many times in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading(pub u64, pub u32);

/// To the sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Request {
    /// Begins the session. What is done in it is reported from then on.
    Begin(Beginning),
    /// Opens a REPL for an agent.
    Open {
        /// The new agent.
        agent: AgentId,
        /// Whose names it reads; `None` for the root.
        parent: Option<AgentId>,
        /// What `context` is.
        context: Context,
        /// What `__rlm` shows.
        info: AgentInfo,
        /// What it may call besides `rlm()` and `llm()`.
        functions: HostFunctions,
    },
    /// Sets a name in an agent's REPL.
    Set {
        /// The agent.
        agent: AgentId,
        /// A name; `context` sets what the agent was given.
        name: String,
        /// A value, as JSON text.
        json: String,
    },
    /// Runs a cell; ends in [`Reply::Finished`].
    Run {
        /// The agent.
        agent: AgentId,
        /// JavaScript, as the model wrote it.
        code: String,
        /// What `__rlm.iteration` shows: 1-based.
        iteration: u32,
    },
    /// Sets what `budget()` says from now on.
    Budget(Budget),
    /// Settles a call.
    Settle {
        /// The call.
        call: CallId,
        /// The answer (as JSON text that of a host function, and of a call with a schema), or the message of the error that the `await` throws.
        result: Result<String, String>,
    },
    /// Asks for the text of a call's context argument; answered by [`Reply::CallContext`].
    GetCallContext {
        /// The call.
        call: CallId,
    },
    /// Asks for an agent's variables; answered by [`Reply::Variables`].
    ListVariables {
        /// The agent.
        agent: AgentId,
    },
    /// Ends an agent's REPL.
    Close {
        /// The agent.
        agent: AgentId,
        /// Whether it returned an answer: then its names become readable in its parent.
        returned: bool,
    },
}

/// What the agents of a session may still spend. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Requests to models.
    pub llm_calls: Option<u64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Wall time, counted from the moment when the sandbox receives this budget.
    pub time: Option<Duration>,
}

/// From the sandbox.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// What was done since the last such reply; it comes before any reply that it led to.
    Did(Course),
    /// All that was to be done again is done.
    CaughtUp,
    /// What was to be done again cannot be.
    Diverged {
        /// Why not.
        what: String,
    },
    /// A cell called `rlm()` or `llm()`.
    Called {
        /// The agent whose code called.
        agent: AgentId,
        /// The call.
        call: Call,
    },
    /// A cell called a host function.
    Invoked {
        /// The agent whose function it is.
        agent: AgentId,
        /// The call.
        call: FunctionCall,
    },
    /// A cell asked how far a call is; it is told by [`Request::Settle`].
    StatusAsked {
        /// The agent whose call it is.
        agent: AgentId,
        /// The question.
        call: CallId,
        /// The call.
        of: CallId,
    },
    /// A call is cancelled: nobody waits for its answer.
    Cancelled {
        /// The agent whose call it was.
        agent: AgentId,
        /// The call.
        call: CallId,
    },
    /// A cell ended.
    Finished {
        /// The agent.
        agent: AgentId,
        /// What came of it.
        outcome: CellOutcome,
    },
    /// The text of a call's context: strings as they are, other values as JSON.
    CallContext {
        /// The agent that called.
        agent: AgentId,
        /// The call.
        call: CallId,
        /// The text, or why there is none.
        text: Result<String, String>,
    },
    /// The variables of an agent, or why they cannot be listed.
    Variables {
        /// The agent.
        agent: AgentId,
        /// The variables.
        listing: Result<Listing, String>,
    },
}

/// The variables of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Those that are listed: cell by cell as they were declared, those of one cell by name.
    pub listed: Vec<Variable>,
    /// How many more there are, from earlier cells.
    pub left_out: u64,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What kind of value it has: `string`, `Array`, `Map`, `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How large the value is, where it has a size: `12 items`.
    #[serde(default)]
    pub size: Option<String>,
    /// The beginning of the value, where it can be had without running code of the agent's.
    #[serde(default)]
    pub first: Option<String>,
}

/// What an agent's `context` is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Context {
    /// This text.
    Text(Arc<String>),
    /// The second argument of a call, which never leaves the isolate.
    OfCall(CallId),
}

impl Context {
    /// This text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Arc::new(text.into()))
    }
}

/// What `__rlm` shows, besides the iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// 0 for the root.
    pub depth: u32,
    /// Agents at this depth are flat.
    pub max_depth: u32,
    /// Iterations that this agent has.
    pub max_iterations: u32,
    /// The queries from the root's down to this agent's own.
    pub lineage: Vec<String>,
    /// Such as `d1-c0.d2-c3`.
    pub invocation_id: String,
    /// The parent's invocation id; `None` for the root.
    pub parent_id: Option<String>,
}

/// A call from inside a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Names the call until it is settled or abandoned.
    pub id: CallId,
    /// `rlm`, `llm` or `agent`.
    pub kind: CallKind,
    /// The question.
    pub query: String,
    /// The third argument.
    pub options: Box<CallOptions>,
    /// `typeof` of the context argument: `undefined` if none was given.
    pub context_type: String,
    /// Length of a context that is a string, in UTF-16 units.
    pub context_length: Option<u64>,
}

/// A call of a host function from inside a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Names the call until it is settled or abandoned.
    pub id: CallId,
    /// The function, by one of the names that the REPL was opened with.
    pub name: String,
    /// Its one argument: a JSON object, as text.
    pub arguments: String,
}

/// Which function was called.
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

/// The third argument of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CallOptions {
    /// Makes the child a specialist.
    pub system_prompt: Option<String>,
    /// An alias of the model table.
    pub model: Option<String>,
    /// Iterations for the child, at most what its depth allows.
    pub max_iterations: Option<u32>,
    /// The tools that the child may call, by name; all that its caller hands down if absent.
    pub tools: Option<Vec<String>>,
    /// A tab that the child gets as its page.
    pub page: Option<String>,
    /// The JSON Schema of the answer, as JSON text: then the answer is JSON, too.
    pub schema: Option<String>,
    /// Milliseconds that the call may take.
    pub timeout_ms: Option<u64>,
    /// US dollars that the call and all below it may take.
    pub max_cost_usd: Option<f64>,
    /// Tokens, likewise.
    pub max_tokens: Option<u64>,
}

/// What came of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CellOutcome {
    /// What it printed, lines joined by `\n`, cut to the limit.
    pub output: String,
    /// Why it failed.
    pub error: Option<CellError>,
    /// The text of the value given to `return()`.
    pub value: Option<String>,
    /// CPU time that it executed.
    pub executed: Duration,
    /// Calls that it left unawaited; their results are lost.
    pub unawaited: u32,
}

/// An error that the model reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellError {
    /// What kind of end this is.
    pub kind: CellErrorKind,
    /// `Name: message`.
    pub message: String,
    /// Frames in the model's own code, `at f (cell 3:12)`, innermost first.
    pub stack: Vec<String>,
}

/// What kind of end a failed cell came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellErrorKind {
    /// The cell threw.
    Thrown,
    /// The cell is not valid JavaScript.
    Syntax,
    /// The execution clock ran out.
    TimedOut,
    /// The heap grew over its limit.
    OutOfMemory,
    /// The cell waited too long for timers.
    WaitedTooLong,
    /// The cell waits for something that can never happen.
    NeverSettles,
    /// The cell ended, but calls that it made were not awaited.
    Unawaited,
}
