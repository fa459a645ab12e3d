//! Flags that shape the agents: prompt mode, protocol, depth, drivers, profiles and models.

use std::path::PathBuf;

use clap::Args;
use harness::Protocol;
use harness::prompt::{PromptMode, ReplApi};
use harness::treatment::DEFAULT_MAX_DEPTH;
use serde::{Deserialize, Serialize};

use super::PromptOverrideArgs;
use super::values::{one_of, whole};
use crate::providers::ModelRef;
use crate::settings::CompactionArgs;

/// Maximum value of `--max-depth`. Larger numbers are probably typos, because agents below depth 2
/// have only 3 iterations.
pub(super) const MAX_DEPTH: u32 = 16;

/// Flags that shape the agents' prompts, models and depth.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct GuidanceArgs {
    /// Whether the root solves the task itself (solver) or delegates to children and reviews their
    /// results (coordinator). Children always solve. Applies to the `rlm` protocol only
    #[arg(
        long,
        default_value_t,
        value_name = "MODE",
        value_parser = one_of::<PromptMode>(PromptMode::ALL.map(PromptMode::as_str))
    )]
    pub prompt_mode: PromptMode,

    /// How the model works: with code in a REPL (rlm), in one call with the whole context in the
    /// message (direct), with native tool calls (tools), as a web agent (agent-turn), with JSON
    /// actions (json-action), with a program that runs agents (workflow), with code but without
    /// other models (codeact), in one call with passages found by a search (retrieve), or by
    /// reading the context in pieces (summary)
    #[arg(
        long,
        default_value_t,
        value_name = "PROTOCOL",
        value_parser = one_of::<Protocol>(Protocol::ALL.map(Protocol::as_str))
    )]
    pub protocol: Protocol,

    /// How a response contains code: in fenced blocks, or in required calls of the tool
    /// `execute_code`
    #[arg(
        long = "code-format",
        alias = "code-via",
        default_value = "fenced",
        value_name = "WAY",
        value_parser = one_of::<CodeFormat>(["fenced", "tool"])
    )]
    #[serde(rename = "code_via")]
    pub code_format: CodeFormat,

    /// How much of the REPL the prompts describe: the basic functions (standard), or also maps,
    /// typed answers, limits, identical and cancelled calls, and the progress of calls (extended).
    /// All functions work with both
    #[arg(
        long,
        default_value = "standard",
        value_name = "WHICH",
        value_parser = one_of::<ReplApi>(ReplApi::WORDS)
    )]
    pub repl_api: ReplApi,

    /// Agents at this depth answer in one call, without a REPL. The root has depth 0, so with 1,
    /// its children have no REPL
    #[arg(
        long,
        value_parser = whole::<u32>(1..=MAX_DEPTH),
        default_value_t = DEFAULT_MAX_DEPTH,
        value_name = "DEPTH"
    )]
    pub max_depth: u32,

    /// Drivers (guidance) added to the root's prompt, in this order, after those of the profile;
    /// each must support the protocol; see `rlm-eval list drivers`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub drivers: Vec<String>,

    /// Folder of your own driver files (*.md); a file with the name of a bundled driver replaces it
    #[arg(long, value_name = "DIR")]
    pub drivers_dir: Option<PathBuf>,

    /// Profile, a list of drivers for a model family: a NAME from `rlm-eval list profiles`, `auto`
    /// for the profile that matches the model's name, or `none`. Drivers that do not support the
    /// protocol are skipped
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub profile: String,

    /// YAML file of your own profiles, which are tried first
    #[arg(long, value_name = "FILE")]
    pub profiles_file: Option<PathBuf>,

    /// Another model that agents may call, as ALIAS=PROVIDER/MODEL[:TAG,TAG…]; repeatable, or
    /// several separated by `;`
    #[arg(long = "model-alias", value_name = "SPEC", value_delimiter = ';')]
    pub model_aliases: Vec<String>,

    /// Model of all agents below the root, unless they name a model, whether called by `rlm()` or
    /// by the name of a prompt [default: the root's]
    #[arg(long, value_name = "REF")]
    pub child_model: Option<ModelRef>,

    /// Model of `llm()` calls that do not name a model [default: the root's]
    #[arg(long, value_name = "REF")]
    pub llm_model: Option<ModelRef>,

    /// Model of the agents at a depth, as DEPTH=REF, unless they name a model; children of the root
    /// have depth 1. It takes precedence over --child-model and, without --llm-model, applies to
    /// `llm()` calls; repeatable
    #[arg(long = "model-at-depth", value_name = "DEPTH=REF")]
    pub model_at_depth: Vec<String>,

    /// Compaction of long conversations.
    #[command(flatten)]
    pub long_conversations: CompactionArgs,

    /// File with a JSON Schema for the root's answer. If an answer does not conform, the root is
    /// asked again, at most twice [default: any answer]
    #[arg(long, value_name = "FILE")]
    pub answer_schema: Option<PathBuf>,

    /// Overrides of the prompts.
    #[command(flatten)]
    pub layers: PromptOverrideArgs,
}

/// How a response contains code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CodeFormat {
    /// In fenced blocks.
    Fenced,
    /// In calls of the tool `execute_code`.
    Tool,
}
