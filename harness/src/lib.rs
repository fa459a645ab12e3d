//! The engine: runs a language model as a recursive agent in a JavaScript sandbox.
//!
//! An [`Engine`] runs attempts. Each is a tree of agents that share one sandbox session; it tells what
//! happens as [`Event`](model::Event)s and ends in an [`AttemptOutcome`](model::AttemptOutcome).
//!
//! Invariants: the harness knows no benchmark and no scorer, and reads neither the environment nor flags.

mod agent_settings;
mod attempt;
mod conversation;
mod engine;
mod equipment;
mod failure;
mod halt;
mod history;
pub mod hook;
mod hooking;
mod invocation;
mod ledger;
mod meter;
pub mod model;
mod model_call;
mod outfit;
mod page_functions;
pub mod prompt;
mod protocol;
pub mod provider;
mod subprompt;
mod text;
pub mod tool;
mod told_sessions;
mod tool_run;
pub mod treatment;
mod turns;

pub use agent_settings::{AgentSettings, idle_properties};
pub use engine::{Budgets, Engine, EngineConfig, EngineError, Model, Models};
pub use equipment::Equipment;
pub use halt::HaltReason;
pub use history::inherited;
pub use ledger::{Budget, SharedBudget, Spent};
pub use model::{
    Protocol, Task, ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse, UnknownProtocol,
    protocol_words,
};
pub use outfit::Outfit;
pub use prompt::code_tool::code_tool;
pub use protocol::{ProtocolNature, Subject, agent_turn};
pub use sandbox;
pub use subprompt::{Specialist, Specialists};
pub use text::{sha256_hex, yaml};
pub use tool::CallSettings;
