//! Flags of `rlm-eval import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use harness::settings::PromptMode;

use crate::run::import::SuppliedSettings;
use crate::settings::flags::NotFromFile;
use crate::settings::values::names;
use crate::settings::values::one_of;

/// The flags of `rlm-eval import`.
#[derive(Debug, Clone, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true, after_help = EXAMPLES)]
pub struct ImportArgs {
    /// System that wrote the files.
    #[command(subcommand)]
    pub system: ImportSystem,
}

/// Systems whose results can be imported.
#[derive(Debug, Clone, Subcommand)]
pub enum ImportSystem {
    /// Import result files of the JavaScript system, each as a run directory
    NodeRlm(NodeRlmArgs),
}

/// The flags of `rlm-eval import node-rlm`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct NodeRlmArgs {
    /// Result files: {"benchmark": …, "model": …, "config": …, "results": […]}
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Prompt mode of the root, which the files do not record [default: unknown]
    #[arg(
        long,
        value_name = "MODE",
        value_parser = one_of::<PromptMode>(PromptMode::ALL.map(PromptMode::as_str))
    )]
    pub prompt_mode: Option<PromptMode>,

    /// Names of the drivers used, which the files do not record; "" if none [default: unknown]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub drivers: Option<Vec<String>>,

    /// Parent folder of the runs' folders
    #[arg(long, default_value = "results", value_name = "DIR", add = NotFromFile)]
    pub log_dir: PathBuf,
}

impl NodeRlmArgs {
    /// Returns the prompt mode and drivers from the flags, because the files do not record them.
    pub fn guidance(&self) -> SuppliedSettings {
        let drivers = self.drivers.as_deref();
        SuppliedSettings {
            prompt_mode: self.prompt_mode.map(|mode| mode.to_string()),
            drivers: drivers.map(|drivers| names(drivers).join("+")),
        }
    }
}

const EXAMPLES: &str = "\
Prints the new folders on stdout, one per line. Scores, answers and times are those of the files; \
what the files lack, such as tokens and cost, stays empty.

Examples:
  rlm-eval import node-rlm run-026-drivers.json run-027-baseline.json
  rlm-eval report $(rlm-eval import node-rlm run-027-baseline.json)";
