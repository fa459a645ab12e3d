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

/// To the sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Request {
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
        /// The answer (a host function's as JSON text), or the message of the error that the `await` throws.
        result: Result<String, String>,
    },
    /// Asks for the text of a call's context argument; answered by [`Reply::CallContext`].
    GetCallContext {
        /// The call.
        call: CallId,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Names the call until it is settled or abandoned.
    pub id: CallId,
    /// `rlm` or `llm`.
    pub kind: CallKind,
    /// The question.
    pub query: String,
    /// The third argument.
    pub options: CallOptions,
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

/// Which of the two functions was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallKind {
    /// `rlm()`: a child agent.
    Rlm,
    /// `llm()`: one question.
    Llm,
}

impl fmt::Display for CallKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rlm => "rlm",
            Self::Llm => "llm",
        })
    }
}

/// The third argument of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CallOptions {
    /// Makes the child a specialist.
    pub system_prompt: Option<String>,
    /// An alias of the model table.
    pub model: Option<String>,
    /// Iterations for the child, at most what its depth allows.
    pub max_iterations: Option<u32>,
    /// A tab that the child gets as its page.
    pub page: Option<String>,
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
