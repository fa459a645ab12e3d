//! Flags of agents on web pages.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// What web agents are told and allowed, and what is kept of their pages.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Web pages")]
pub struct WebArgs {
    /// YAML file of what a web agent is told and allowed with `--protocol agent-turn`: persona, appendSystemPrompt,
    /// customActions and so on, as docs/WEB.md lists them
    #[arg(long, value_name = "FILE")]
    pub web_agent: Option<PathBuf>,

    /// Take a picture of the page in every turn of `--protocol agent-turn`, and of the last app with `json-action`,
    /// and keep them beside the trajectory
    #[arg(long)]
    pub screenshots: bool,
}
