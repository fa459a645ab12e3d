//! Settings: resolved and validated flags. Checks that require work, such as opening a benchmark,
//! come later.
//!
//! Invariant: only this module, clap's `env` attributes and [`browser::environment`] read the
//! environment.

mod ask;
mod data;
mod budget;
mod compare;
mod engine;
mod fork;
mod import;
mod mcp;
mod tools;
mod prompt;
mod queue;
mod resume;
mod run;
mod score;
mod serve;
mod sweep;
mod view;

mod grader;
mod guidance;
mod header;
mod layers;
mod model_args;
mod models;
mod treatment;
mod web;

mod benchmark;
mod compaction;
mod context_length;
mod display;
mod env_file;
mod partition;
mod recorded;
mod scripts;
mod secret_field;
mod source;
mod user_folders;
mod values;

mod error;

use crate::process::terminal;

pub use ask::AskSettings;
pub use benchmark::BenchmarkArgs;
pub use budget::BudgetArgs;
pub(crate) use budget::HIGHEST_LIMIT;
pub use compaction::CompactionArgs;
pub use compare::CompareArgs;
pub use data::{Data, DataArgs, FetchArgs, ShowArgs, data_is_here};
pub use display::{Display, is_run_by_cargo, table_width};
pub use engine::EngineSettings;
pub use env_file::{env_file_note, load_env_file, misspelt_variables};
pub use error::SettingsError;
pub use fork::ForkSettings;
pub use grader::{GraderSettings, JudgeSettings, ScorerArgs, ScorerLimits};
pub use guidance::alias_names;
pub use header::Header;
pub use import::{ImportArgs, ImportSystem};
pub use layers::{known as known_to_definitions, library as prompt_library};
pub use mcp::{McpSettings, not_built as mcp_not_built};
pub use models::{Keys, ModelSettings, Server, provider_server, register_secrets};
pub use partition::{Partition, ShardAssignment};
pub use prompt::PromptSettings;
pub use queue::{QueueSettings, QueueTarget, WorkerSettings};
pub(crate) use recorded::{agents as recorded_agents, fields as recorded_fields};
pub use resume::{ResumeSettings, check_places};
pub use run::{ErrorGate, RunSettings, Selection};
pub use score::{OtherScorer, ScoreSettings, budget_flag};
pub use scripts::{confine_scripts, hook_registry};
pub use serve::{ServeSettings, ServedSettings};
pub use source::{ContextSource, QuerySource, read_file, read_folder};
pub(crate) use sweep::{BASELINE, SAME_MODEL};
pub use sweep::{Matrix, Varied};
pub use tools::{faults_by_values, tool_registry};
pub use treatment::{RunMode, clear_flag};
pub(crate) use user_folders::history_file;
pub use user_folders::snapshot_file;
pub use view::{ViewArgs, ViewOutput};
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

    fn map<U>(self, change: impl FnOnce(T) -> U) -> Resolved<U> {
        Resolved {
            settings: change(self.settings),
            notes: self.notes,
            warnings: self.warnings,
        }
    }
}
