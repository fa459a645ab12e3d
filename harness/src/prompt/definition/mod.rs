//! Prompt definitions: prompts as files, with all settings of their requests.
//!
//! A [`Definition`] has the properties of the specification in `docs/concepts/prompts.md`. A
//! [`Library`] contains the definitions of a folder and the bundled fragments, resolves includes,
//! and reports all faults. Every [`Fault`] names the file, the line and the property.

mod properties;
mod tool_settings;

mod check;
mod library;
mod single;
mod resolve;

mod leaks;
mod secrets;
mod slots;
mod untrusted;

mod file;
mod parse;
mod reader;
mod schema;
mod shape;
mod tree;

mod fault;

pub use check::Known;
pub use fault::{Fault, Faults, SourceLocation};
pub use library::Library;
pub use properties::{
    AgentType, Definition, Kind, PromptContent, PromptPart, Reasoning, Sides, Source, ToolStrategy,
    Variable, VariableType,
};
pub use resolve::{Piece, ResolvedPrompt};
pub use schema::{InputFault, InputSchema};
pub use secrets::{Secret, secrets_in};
pub use tool_settings::{
    Immediate, ParentCommunication, Resumable, Side, SubagentSettings, SubpromptSettings, ToolForm,
    ToolReference, ToolSettings,
};
pub use untrusted::fence_untrusted;
