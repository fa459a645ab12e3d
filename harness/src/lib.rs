//! The engine: runs a language model as a recursive agent in a JavaScript sandbox.
//!
//! An [`Engine`] runs attempts. Each is a tree of agents that share one sandbox session; it reports what
//! happens as [`Event`](model::Event)s and ends in an [`AttemptOutcome`](model::AttemptOutcome).
//!
//! Invariants: the harness knows no benchmark and no scorer, and reads neither the environment nor flags. Its folders are
//! layers, listed here from the ground up: each imports from earlier ones alone, which `scripts/check-layers.py` checks.

mod text;

mod script_file;

pub mod prompt;

// Not below `prompt`: what a wire format cannot carry, such as past calls of tools, goes into its requests as texts of prompts.
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
    AgentSettings, AgentTools, Asker, Assigned, Budget, Compact, CompactAt, Compaction, Conduct,
    DEFAULT_KEPT_TURNS, DEFAULT_SHARE, Expense, HaltReason, Hold, Model, Models, Other, Person,
    Purse, Reservation, SharedBudget, Specialist, Specialists, Spent, Talk, ToolResolver,
    Treatment, idle_properties,
};
pub use engine::{Engine, EngineError};
pub use model::{
    Protocol, ProtocolNature, Subject, Task, ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse,
    UnknownProtocol, Workplace, protocol_words,
};
pub use protocol::agent_turn;
pub use protocol::subprompt::inherited;
pub use script_file::{run_scripts_in, scripts_run_in};
pub use text::{
    MAX_RECORDING_BYTES, boundary, nearest, read_file, read_text_file, sha256_hex, yaml,
};
pub use tool::CallSettings;
