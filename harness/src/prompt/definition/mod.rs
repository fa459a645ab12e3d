//! Prompt definitions: prompts as files, with all settings of their requests.
//!
//! A [`Definition`] has the properties of the specification in `docs/concepts/prompts.md`. A
//! [`Library`] contains the definitions of a folder and the bundled fragments, resolves includes,
//! and reports all faults. Every [`Fault`] names the file, the line and the property.

mod properties;

mod check;
mod json;
mod library;
mod single;
mod resolve;

mod leaks;
mod secrets;
mod slots;
mod untrusted;

mod file;
mod parse;
mod parse_tools;
mod reader;
mod schema;
mod tree;

mod fault;

pub use check::Known;
pub use fault::{Fault, Faults, SourceLocation};
pub use library::Library;
pub use properties::{
    AgentType, Definition, Effort, Immediate, Kind, ParentCommunication, PromptContent, PromptPart,
    Reasoning, Resumable, Side, Sides, Source, SubagentSettings, SubpromptSettings, ToolForm,
    ToolReference, ToolSettings, ToolStrategy, Variable, VariableType,
};
pub use resolve::{Piece, ResolvedPrompt};
pub use schema::{InputFault, InputSchema};
pub use secrets::{Secret, secrets_in};
pub use untrusted::fence_untrusted;
