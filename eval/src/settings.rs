//! Flags of `rlm-eval run`, which other commands share, and the settings that they become: one file
//! per group. The flags of another command are in `settings.rs` of its module in
//! [`command`](crate::command); those of sweeps are in [`sweep`](crate::sweep).
//!
//! Parsers check single values for form and bounds. Values that must be looked up, or that depend
//! on other flags, are checked when the settings are resolved. Checks that require work, such as
//! opening a benchmark, come later.
//!
//! Invariant: only this module, the `settings` of commands, clap's `env` attributes and
//! [`browser::environment`] read the environment.

pub(crate) mod run;
pub(crate) mod resume;
pub(crate) mod queue;

pub(crate) mod benchmark;
pub(crate) mod budget;
mod compaction;
pub(crate) mod engine;
pub(crate) mod grader;
pub(crate) mod guidance;
mod header;
pub(crate) mod layers;
mod mcp_server;
mod model_args;
mod models;
pub(crate) mod powers;
mod sandbox;
mod servers;
mod start;
mod tools;
mod traffic;
pub(crate) mod treatment;
pub(crate) mod web;

mod context_length;
mod display;
mod env_file;
mod from_file;
pub(crate) mod environment;
pub(crate) mod flags;
mod partition;
pub(crate) mod places;
mod recorded;
pub(crate) mod recorded_flags;
mod run_words;
mod scripts;
mod secret_field;
mod source;
mod user_folders;
pub(crate) mod values;

mod error;

use crate::process::terminal;

pub use benchmark::BenchmarkArgs;
pub use budget::{BudgetArgs, LimitArgs};
pub use compaction::CompactionArgs;
pub use display::{Display, is_run_by_cargo, table_width};
pub use engine::{EngineArgs, EngineSettings, StoreArgs, clear_flag, reset_flags};
pub use env_file::{env_file_note, load_env_file, misspelt_variables};
pub use error::SettingsError;
pub use from_file::FlagVariable;
pub(crate) use from_file::from_file;
pub use grader::{GraderSettings, JudgeSettings, ScorerArgs, ScorerLimits};
pub use guidance::{GuidanceArgs, alias_names};
pub use header::Header;
pub use layers::{PromptOverrideArgs, known as known_to_definitions, library as prompt_library};
pub use mcp_server::{McpServer, McpServerArgs, mcp_not_built};
pub use models::{ModelArgs, ModelSettings, SamplingArgs, ServerArgs};
pub use partition::{Partition, ShardAssignment};
pub use places::{Granted, PlaceFlag};
pub use powers::{IsolationArgs, IsolationKind, PowerArgs, RunPowerArgs, VariableArgs};
pub use queue::{QueueAccessArgs, QueueArgs, QueueSettings};
pub(crate) use recorded::agents as recorded_agents;
pub use resume::{ResumeArgs, ResumeSettings, check_places};
pub use run::{ConductArgs, ErrorGate, RunArgs, RunSettings, Selection};
pub use sandbox::{SandboxArgs, SandboxError, WORKER};
pub use scripts::{confine_scripts, hook_registry, tool_registry};
pub use servers::{Keys, Server, provider_server, register_secrets};
pub use source::{ContextSource, QuerySource, read_file, read_folder};
pub use start::{EstimateArgs, ResumePolicy, StartArgs};
pub use tools::{HookArgs, ToolArgs, faults_by_values};
pub use traffic::TrafficArgs;
pub use treatment::RunMode;
pub(crate) use user_folders::history_file;
pub use user_folders::snapshot_file;
pub(crate) use values::fields as recorded_fields;
pub use web::WebArgs;

/// Settings with messages for the user.
#[derive(Debug, Clone)]
pub struct Resolved<T> {
    /// Resolved settings.
    pub settings: T,
    /// Notes about choices made on the user's behalf.
    pub notes: Vec<String>,
    /// Warnings about valid settings that are probably mistakes.
    pub warnings: Vec<String>,
}

impl<T> Resolved<T> {
    /// Prints notes and warnings on stderr, one per line, and returns the settings.
    pub fn announce(self) -> T {
        self.notes.iter().for_each(|text| terminal::note(text));
        self.warnings
            .iter()
            .for_each(|text| terminal::warning(text));
        self.settings
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Resolved<U> {
        Resolved {
            settings: change(self.settings),
            notes: self.notes,
            warnings: self.warnings,
        }
    }
}
