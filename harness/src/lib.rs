//! The engine: runs a language model as a recursive agent in a JavaScript sandbox.
//!
//! An [`Engine`] runs attempts. An attempt is a tree of agents that work on one task. A root with a
//! REPL shares its sandbox session with the agents below it that `rlm()` creates. An attempt emits
//! [`Event`](model::Event)s while it runs and results in an
//! [`AttemptOutcome`](model::AttemptOutcome).
//!
//! Invariants: the harness does not depend on benchmarks or scorers, and does not read the
//! environment or flags. The folders are layers, listed here from the bottom up. Each imports only
//! earlier layers; `scripts/check-layers.py` checks this.

mod text;

pub mod settings;

mod script_file;

pub mod prompt;

// Above `prompt`, because content that a wire format does not support, such as past tool calls, is
// sent as text from prompts.
pub mod provider;

pub mod journal;

pub mod hook;
pub mod tool;

mod agent;

mod protocol;

mod engine;
pub mod treatment;

pub use {model, sandbox};

pub use agent::{
    AgentSettings, AgentTools, Budget, CallerRole, Compaction, Conduct, Counterpart, Dialogue,
    Expense, ExternalBudget, HaltReason, Hold, Model, ModelMap, ModelSlot, Person, Reservation,
    SharedBudget, Specialist, Specialists, Spent, ToolResolver, Treatment,
    properties_without_effect,
};
pub use engine::{Engine, EngineError};
pub use model::{
    ActionSurface, Capabilities, InputKind, Protocol, Task, ToolCall, ToolChoice, ToolResult,
    ToolSpec, ToolUse, UnknownProtocol, protocol_help, protocol_words,
};
pub use protocol::agent_turn;
pub use script_file::{script_isolation, set_script_isolation};
pub use text::{
    MAX_RECORDING_BYTES, boundary, nearest, read_file, read_text_file, sha256_hex, yaml,
};
pub use tool::CallSettings;
