//! Flags of prompt overrides: definitions, user-supplied sections, the root's name and persona, and
//! additions to its prompt.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Granted;

/// Overrides of the agents' prompts.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Prompt")]
pub struct PromptOverrideArgs {
    /// Folder of your own prompt definitions and fragments (*.md, *.yaml, *.json); a fragment with
    /// the name of a bundled section replaces it; see `rlm-eval list prompts`
    #[arg(long, value_name = "DIR")]
    pub prompts_dir: Option<Granted<PathBuf>>,

    /// Folder of your own tools: JavaScript files (*.js), which run in a sandbox; see
    /// docs/reference/tools.md
    #[arg(long, value_name = "DIR")]
    pub tools_dir: Option<Granted<PathBuf>>,

    /// Folder of your own hooks (*.js); a file with the name of a bundled hook replaces it
    #[arg(long, value_name = "DIR")]
    pub hooks_dir: Option<Granted<PathBuf>>,

    /// Prompt definition for the root, instead of its protocol's prompt
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,

    /// Name of the root agent
    #[arg(long, value_name = "NAME")]
    pub agent_name: Option<String>,

    /// Site or task that the root works on
    #[arg(long, value_name = "TEXT")]
    pub site: Option<String>,

    /// Date in all prompts, as YYYY-MM-DD; a resumed run keeps its date [default: today, in UTC]
    #[arg(long, value_name = "DATE")]
    pub date: Option<String>,

    /// Persona of the root: who it is and how it speaks; follows the line with name and date
    #[arg(long, value_name = "TEXT", conflicts_with = "persona_file")]
    pub persona: Option<String>,

    /// File with the persona
    #[arg(long, value_name = "FILE")]
    pub persona_file: Option<PathBuf>,

    /// Text to append to the root's prompt
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "append_system_prompt_file"
    )]
    pub append_system_prompt: Option<String>,

    /// File with the text to append to the root's prompt
    #[arg(long, value_name = "FILE")]
    pub append_system_prompt_file: Option<PathBuf>,

    /// File that replaces the root's prompt; a line `{{default}}` in it is replaced by the original
    /// prompt. --append-system-prompt then has no effect
    #[arg(long, value_name = "FILE")]
    pub system_prompt_file: Option<PathBuf>,

    /// YAML or JSON file that changes descriptions of tools: `NAME: {appendDescription: TEXT}`
    /// appends to a tool's description, `NAME: {description: TEXT}` replaces it
    #[arg(long, value_name = "FILE")]
    pub action_overrides: Option<PathBuf>,
}
