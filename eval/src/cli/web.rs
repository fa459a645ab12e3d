//! Flags of agents on web pages.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// Settings of web agents, and what is recorded of their pages.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Web pages")]
pub struct WebArgs {
    /// YAML file with the prompt and permissions of a web agent for `--protocol agent-turn`: persona,
    /// appendSystemPrompt, customActions and so on, see docs/guides/web-agents.md
    #[arg(long, value_name = "FILE")]
    pub web_agent: Option<PathBuf>,

    /// Take a screenshot of the page in every turn with `--protocol agent-turn`, after every call of a function of `page`
    /// with `rlm`, and of the last app with `json-action`, and keep it beside the trajectory
    #[arg(long)]
    pub screenshots: bool,

    /// Show pages and apps that are not this program's own in a Chromium without its own sandbox, where that cannot be
    /// had: only for pages that you trust
    #[arg(long)]
    pub trust_pages: bool,
}
