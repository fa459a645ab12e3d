//! Flags of what is laid over the prompts: definitions and fragments of one's own, who the agent is, what a host adds.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// What is laid over the prompts of the agents.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Prompt")]
pub struct PromptOverrideArgs {
    /// Folder of prompt definitions and fragments (*.md, *.yaml, *.json) of your own; a fragment with the name of a
    /// bundled section takes its place; see `rlm-eval list prompts`
    #[arg(long, value_name = "DIR")]
    pub prompts_dir: Option<PathBuf>,

    /// Folder of tools of your own: JavaScript files (*.js), which run in a sandbox; see docs/TOOLS.md
    #[arg(long, value_name = "DIR")]
    pub tools_dir: Option<PathBuf>,

    /// Folder of hooks (*.js) of your own; one of a bundled hook's name takes its place
    #[arg(long, value_name = "DIR")]
    pub hooks_dir: Option<PathBuf>,

    /// Definition that the root runs under, in place of its protocol's own prompt
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,

    /// What the root is called
    #[arg(long, value_name = "NAME")]
    pub agent_name: Option<String>,

    /// The site or task that the root is at work on
    #[arg(long, value_name = "TEXT")]
    pub site: Option<String>,

    /// The day that all prompts state, as YYYY-MM-DD; a run that goes on keeps the one that it began with [default:
    /// today, in UTC]
    #[arg(long, value_name = "DATE")]
    pub date: Option<String>,

    /// Who the root is and how it speaks, after the line with name and date
    #[arg(long, value_name = "TEXT", conflicts_with = "persona_file")]
    pub persona: Option<String>,

    /// File with the persona
    #[arg(long, value_name = "FILE")]
    pub persona_file: Option<PathBuf>,

    /// Text added at the end of the root's prompt
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "append_system_prompt_file"
    )]
    pub append_system_prompt: Option<String>,

    /// File with what is added at the end of the root's prompt
    #[arg(long, value_name = "FILE")]
    pub append_system_prompt_file: Option<PathBuf>,

    /// File that takes the place of the root's whole prompt; at a line `{{default}}` in it stands the prompt that it
    /// replaces. What --append-system-prompt adds is then left out
    #[arg(long, value_name = "FILE")]
    pub system_prompt_file: Option<PathBuf>,

    /// YAML or JSON file with what is said of tools otherwise: `NAME: {appendDescription: TEXT}` adds to a tool's
    /// description, `NAME: {description: TEXT}` takes its place
    #[arg(long, value_name = "FILE")]
    pub action_overrides: Option<PathBuf>,
}
