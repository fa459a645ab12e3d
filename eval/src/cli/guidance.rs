//! Flags of what an agent is told: prompt mode, drivers, profiles, model aliases, depth.

use std::path::PathBuf;

use clap::Args;
use harness::Protocol;
use harness::prompt::PromptMode;
use harness::treatment::DEFAULT_MAX_DEPTH;
use serde::{Deserialize, Serialize};

use super::PromptOverrideArgs;
use super::number::whole;
use super::word::one_of;

/// Deeper trees than this are most likely a slip of the hand: agents below depth 2 have 3 iterations.
pub(super) const DEEPEST: u32 = 16;

/// What shapes the prompts of a delegation tree.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct GuidanceArgs {
    /// How the root works: it solves the task itself, or it delegates to children and judges what they
    /// bring. Children always solve. Only the prompt of the `rlm` protocol has modes
    #[arg(
        long,
        default_value_t,
        value_name = "MODE",
        value_parser = one_of::<PromptMode>(PromptMode::ALL.map(PromptMode::as_str))
    )]
    pub prompt_mode: PromptMode,

    /// How the model speaks: code in a REPL, one call with the whole context in the message, or native tool calls
    /// without a REPL
    #[arg(
        long,
        default_value_t,
        value_name = "PROTOCOL",
        value_parser = one_of::<Protocol>(Protocol::ALL.map(Protocol::as_str))
    )]
    pub protocol: Protocol,

    /// How a response carries code: in fenced blocks, or by a call of the tool `execute_code`, which the model is
    /// made to use
    #[arg(
        long,
        default_value = "fenced",
        value_name = "WAY",
        value_parser = one_of::<CodeVia>(["fenced", "tool"])
    )]
    pub code_via: CodeVia,

    /// Agents at this depth answer in one call, without a REPL; the root has depth 0, so with 1 it has no
    /// children that work in a REPL
    #[arg(
        long,
        value_parser = whole::<u32>(1..=DEEPEST),
        default_value_t = DEFAULT_MAX_DEPTH,
        value_name = "DEPTH"
    )]
    pub max_depth: u32,

    /// Guidance added to the root's prompt, in this order, after that of the profile; each must be written
    /// for the protocol; see `rlm-eval list drivers`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub drivers: Vec<String>,

    /// Folder of driver files (*.md) of your own; one takes the place of a bundled one of its name
    #[arg(long, value_name = "DIR")]
    pub drivers_dir: Option<PathBuf>,

    /// List of drivers for a model family: a NAME of `rlm-eval list profiles`, `auto` for the one that matches
    /// the model's name, if any, or `none`. Drivers that are not written for the protocol are left out
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub profile: String,

    /// YAML file of profiles of your own, which are tried first
    #[arg(long, value_name = "FILE")]
    pub profiles_file: Option<PathBuf>,

    /// Another model that agents may call, as ALIAS=PROVIDER/MODEL[:TAG,TAG…]; may be repeated; `;`
    /// separates several in one value
    #[arg(long = "model-alias", value_name = "SPEC", value_delimiter = ';')]
    pub model_aliases: Vec<String>,

    /// What is laid over the prompts.
    #[command(flatten)]
    pub layers: PromptOverrideArgs,
}

/// How a response carries code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeVia {
    /// In fenced blocks.
    Fenced,
    /// By a tool call.
    Tool,
}
