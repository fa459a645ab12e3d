//! Flags of `eval prompt`.

use clap::Args;
use clap::builder::BoolishValueParser;

use super::number::whole;
use super::{GuidanceArgs, WebArgs};
use crate::env_vars;

/// The flags of `eval prompt`.
#[derive(Debug, Clone, Args)]
#[command(after_help = DETAILS, allow_negative_numbers = true)]
pub struct PromptArgs {
    /// Depth of the agent; the root has 0
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 0,
        value_name = "DEPTH",
        env = env_vars::DEPTH,
        help_heading = "Position"
    )]
    pub depth: u32,

    /// Iterations that this agent has [default: what its depth gives of 15]
    #[arg(
        long,
        value_parser = whole::<u32>,
        value_name = "N",
        env = env_vars::ITERATIONS,
        help_heading = "Position"
    )]
    pub iterations: Option<u32>,

    /// Query of an agent above this one, the root's first; repeated, once for each depth above
    #[arg(long, value_name = "QUERY", env = env_vars::LINEAGE, help_heading = "Position")]
    pub lineage: Vec<String>,

    /// Prompt that the caller gives it, which makes it a specialist
    #[arg(long, value_name = "TEXT", env = env_vars::SYSTEM_PROMPT, help_heading = "Position")]
    pub system_prompt: Option<String>,

    /// Model name by which `--profile auto` finds the profile
    #[arg(long, value_name = "REF", env = env_vars::MODEL, help_heading = "Agent")]
    pub model: Option<String>,

    /// What the agents are told.
    #[command(flatten)]
    pub guidance: GuidanceArgs,

    /// Worlds on the web.
    #[command(flatten)]
    pub web: WebArgs,

    /// Print JSON with the sections apart: {"sections": [{"name", "text"}, …]}
    #[arg(
        long,
        value_parser = BoolishValueParser::new(),
        env = env_vars::JSON,
        help_heading = "Output"
    )]
    pub json: bool,
}

const DETAILS: &str = "\
Prints the prompt exactly as a model would read it.

Examples:
  cargo eval prompt
  cargo eval prompt --prompt-mode coordinator --drivers delegation-first,deadline-return
  cargo eval prompt --depth 1 --max-depth 3 --lineage 'Find the rule behind the grids.'
  cargo eval prompt --model anthropic/claude-opus-4-6 --json | jq -r '.sections[].name'";
