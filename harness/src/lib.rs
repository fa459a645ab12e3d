//! The engine: runs a language model as a recursive agent in a JavaScript sandbox.
//!
//! An [`Engine`] runs attempts. Each is a tree of agents that share one sandbox session; it tells what
//! happens as [`event::Event`]s and ends in an [`outcome::AttemptOutcome`].
//!
//! Invariants: the harness knows no benchmark and no scorer, and reads neither the environment nor flags.

mod agent_settings;
mod attempt;
mod code_tool;
mod conversation;
mod cut;
pub mod definition;
mod engine;
mod equipment;
pub mod event;
mod failure;
mod fence;
mod halt;
mod history;
pub mod hook;
mod hooking;
mod invocation;
mod js_scan;
mod ledger;
mod meter;
mod model_call;
pub mod outcome;
mod outfit;
pub mod prompt;
mod protocol;
pub mod provider;
mod subprompt;
pub mod tool;
mod told_sessions;
mod tool_call;
mod tool_run;
pub mod treatment;
mod turns;
pub mod web;
pub mod yaml;

pub use agent_settings::{AgentSettings, idle_properties};
pub use code_tool::code_tool;
pub use engine::{Budgets, Engine, EngineConfig, EngineError, Model, Models, Task};
pub use equipment::Equipment;
pub use halt::HaltReason;
pub use history::inherited;
pub use ledger::{Budget, SharedBudget, Spent};
pub use outfit::Outfit;
pub use protocol::{
    Protocol, ProtocolNature, Subject, UnknownProtocol, agent_turn, protocol_words,
};
pub use sandbox;
pub use subprompt::{CallSettings, Specialist, Specialists};
pub use tool_call::{ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse};
