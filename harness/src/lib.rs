//! The engine: runs a language model as a recursive agent in a JavaScript sandbox.
//!
//! An [`Engine`] runs attempts. Each is a tree of agents that share one sandbox session; it tells what
//! happens as [`event::Event`]s and ends in an [`outcome::AttemptOutcome`].
//!
//! Invariants: the harness knows no benchmark and no scorer, and reads neither the environment nor flags.

mod agent;
pub mod agent_turn;
mod agent_settings;
mod attempt;
mod background;
mod code_tool;
mod conversation;
mod cut;
pub mod definition;
mod delegation;
mod engine;
mod equipment;
pub mod event;
mod failure;
mod fence;
mod halt;
mod history;
pub mod hook;
mod hooking;
mod idle_overrides;
mod invocation;
mod json_action;
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
mod tools_agent;
mod tool_run;
pub mod web;
pub mod yaml;

pub use agent_settings::{AgentSettings, idle_properties};
pub use code_tool::code_tool;
pub use engine::{Budgets, Engine, EngineConfig, EngineError, Model, Models, Task};
pub use equipment::Equipment;
pub use halt::HaltReason;
pub use history::inherited;
pub use idle_overrides::idle_overrides;
pub use ledger::{Budget, Spent};
pub use outfit::Outfit;
pub use protocol::Protocol;
pub use sandbox;
pub use subprompt::{CallSettings, Specialist, Specialists};
pub use tool_call::{ToolCall, ToolChoice, ToolResult, ToolSpec, ToolUse};
