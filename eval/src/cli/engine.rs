//! Flags shared by all commands that run agents, and their conversion to settings.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use harness::treatment::{DEFAULT_MAX_ITERATIONS, ReplTreatment};
use harness::{Conduct, Treatment};
use serde::Serialize;

use super::values::{Seconds, whole};
use super::{
    Granted, GuidanceArgs, ModelArgs, PowerArgs, ProtocolArgs, SandboxArgs, SandboxError,
    TrafficArgs,
};
use crate::providers::ModelRef;
use crate::settings::{BudgetArgs, WebArgs};

/// Flags of all commands that run agents.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct EngineArgs {
    /// The model: `openai/MODEL`, `anthropic/MODEL` and so on over HTTP (see
    /// `rlm-eval list models`); `scripted` for the benchmark's scripted model, `scripted/NAME` for
    /// a bundled one, `scripted:FILE` for your own; or `replay:FILE` for the recorded responses of
    /// an earlier run [default with --prompt: the `model` of the definition]
    #[arg(long, required_unless_present = "prompt", value_name = "REF")]
    pub model: Option<ModelRef>,

    /// Maximum iterations of the root, each one model response plus the execution of its code;
    /// children get at most 15, 4, 3, 3, … by depth
    #[arg(
        long,
        value_parser = whole::<u32>(1..=10_000),
        default_value_t = DEFAULT_MAX_ITERATIONS,
        value_name = "N"
    )]
    pub max_iterations: u32,

    /// Maximum code blocks of one response that are run; further blocks are dropped, and the model
    /// is notified
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000),
        default_value_t = 1,
        value_name = "N"
    )]
    pub max_blocks_per_iteration: u32,

    /// Whether the model must confirm a return in its first iteration: the model is shown the value
    /// once and must return it again
    #[arg(
        long,
        default_value_t = true,
        action = ArgAction::Set,
        value_name = "BOOL"
    )]
    pub confirm_first_return: bool,

    /// Make clocks, timers and random numbers in cells deterministic, derived from SEED, so that a
    /// run with the same model responses can be repeated exactly [default: off; without a SEED, 0]
    #[arg(
        long,
        value_parser = whole::<u64>(0..=u64::MAX),
        num_args = 0..=1,
        default_missing_value = "0",
        value_name = "SEED"
    )]
    pub deterministic: Option<u64>,

    /// Wall time limit of one attempt in seconds, including all its agents and model calls
    #[arg(
        long,
        default_value_t = Seconds::of(3600),
        value_name = "SECONDS"
    )]
    pub attempt_timeout: Seconds,

    /// Flags of model calls over HTTP.
    #[command(flatten)]
    pub models: ModelArgs,

    /// Prompts of the agents.
    #[command(flatten)]
    pub guidance: GuidanceArgs,

    /// Hooks of the run.
    #[command(flatten)]
    pub hooks: HookArgs,

    /// Settings that apply only to particular protocols.
    #[command(flatten)]
    pub protocols: ProtocolArgs,

    /// Tools of the agents.
    #[command(flatten)]
    pub tools: ToolArgs,

    /// Budgets.
    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Retries and rate limits.
    #[command(flatten)]
    pub traffic: TrafficArgs,

    /// Cache and recording of responses.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Settings of web agents and of the records of their pages.
    #[command(flatten)]
    pub web: WebArgs,

    /// Limits and printing of the REPL.
    #[command(flatten)]
    pub sandbox: SandboxArgs,

    /// Permissions, which are not recorded.
    #[command(flatten)]
    #[serde(skip)]
    pub powers: PowerArgs,
}

impl EngineArgs {
    /// Returns the part of the treatment that these flags determine. [`crate::settings`] adds
    /// values that must be looked up or checked.
    pub fn treatment(&self) -> Treatment {
        Treatment {
            max_iterations: self.max_iterations,
            repl: ReplTreatment {
                config: self.sandbox.config(),
                max_blocks_per_iteration: self.max_blocks_per_iteration,
                confirm_first_return: self.confirm_first_return,
                deterministic: self.deterministic,
                jitless: self.sandbox.jitless,
            },
            settings: self.protocols.settings(),
            attempt_time: *self.attempt_timeout,
            attempt_budget: self.budget.of_attempt(),
            stop_early: self.models.sampling.stop_early,
            dump: self.web.dump(),
            ..Treatment::default()
        }
    }

    /// Returns the settings that cannot change an answer.
    ///
    /// # Errors
    /// Returns [`SandboxError`] if the requested isolation is not possible.
    pub fn conduct(&self) -> Result<Conduct, SandboxError> {
        Ok(Conduct {
            isolation: self.sandbox.isolation(self.powers.isolation.kind)?,
            screenshots: self.web.screenshots,
            budget: self.budget.of_run(),
        })
    }
}

/// Tools of the agents.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct ToolArgs {
    /// Tools of the root and of the children that it calls with `rlm()`; see `rlm-eval list tools`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub tools: Vec<String>,

    /// Folder of attachments and of files that tools may read; links that lead outside it are
    /// rejected
    #[arg(long, value_name = "DIR")]
    pub files_dir: Option<Granted<PathBuf>>,
}

/// Hooks, which see the traffic between agents, models and tools.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct HookArgs {
    /// Hooks of the run, in the order in which they run; an agent whose prompt definition lists
    /// hooks uses only the listed ones
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub hooks: Vec<String>,
}

/// Cache and recording of responses.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Recording")]
pub struct StoreArgs {
    /// Folder for a response cache. A request costs nothing if an attempt with the same number has
    /// already sent the same request and received a response [default: no cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Record all responses of models in this new file; `--model replay:FILE` plays it back
    /// [default: none]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}
