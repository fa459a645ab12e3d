//! System prompts: named sections assembled by depth and mode, with model aliases, drivers and
//! profiles.
//!
//! All functions are pure, except those that read a user's files. The texts are files in
//! `harness/prompts`, `harness/drivers`, `harness/profiles.yaml` and the folders of protocols,
//! embedded at compile time. Rust code contains no prompt texts.

mod assemble;
mod agent_prompt;
mod apply_overrides;
mod assembled;
mod config;
mod overrides;

mod answer_schema;
mod turn;

pub(crate) mod code_tool;
pub mod definition;
mod web_settings;

pub(crate) mod sections;
mod template;

mod model_alias;
mod position;
mod compaction;
mod tool_reference;

mod driver;
mod driver_library;
mod profile;

mod error;
mod yaml;

pub(crate) use sections::{section_slots, section_texts};
pub(crate) use turn::{blocked_addresses, image_left_out};

pub use agent_prompt::AgentPrompt;
pub use answer_schema::{AnswerSchema, answer_of_value, mismatch_message};
pub(crate) use assemble::definition_prompt;
pub use assemble::{build_system_prompt, system_prompt};
pub use assembled::{Assembled, Section};
pub(crate) use compaction::{
    compacted_message, compaction_request, compaction_system, compaction_turn,
};
pub use config::{PromptConfig, iterations_for_depth};
pub use driver::{Driver, DriverProtocolMismatch, DriverSource};
pub use driver_library::{DriverLibrary, warnings};
pub use error::PromptError;
pub use model_alias::{ModelAlias, parse_aliases};
pub use overrides::{
    ActionOverride, ActionOverrides, DefinitionPiece, PromptOverrides, ReplApi, Replacement,
    RootDefinition,
};
pub use position::QUERY_LIMIT;
pub use profile::{Profile, Profiles};
pub use sections::template_digests;
pub use turn::{
    CellReport, ContextKind, Position, cut_message, cut_off_message, first_message, flat_message,
    message_to_instance, next_message, no_code_message, output_left_out, past_call, past_result,
    result_message, returned_early_message,
};
pub use web_settings::{AgentTurnSettings, ConfirmPolicy, CustomAction, DomHeader};
