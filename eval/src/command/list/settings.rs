//! Flags of `rlm-eval list`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::settings::flags::NotFromFile;

/// The flags of `rlm-eval list`.
#[derive(Debug, Clone, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true, after_help = EXAMPLES)]
pub struct ListArgs {
    /// Kind of items to list.
    #[command(subcommand)]
    pub what: List,

    /// Print a JSON array instead of a table
    #[arg(long, global = true)]
    pub json: bool,
}

/// Kinds of items to list.
#[derive(Debug, Clone, Subcommand)]
pub enum List {
    /// Benchmarks, for `run --benchmark`
    Benchmarks {
        /// Folder that contains the data of each benchmark under its name [default:
        /// ~/.cache/eval/data]
        #[arg(long, value_name = "DIR")]
        data_dir: Option<PathBuf>,
    },
    /// Scorers, for `--scorer`
    Scorers,
    /// Drivers, for `--drivers`
    Drivers {
        /// Folder of your own driver files (*.md)
        #[arg(long, value_name = "DIR")]
        drivers_dir: Option<PathBuf>,
    },
    /// Tools, for `--tools` and for the `tools` of a prompt definition, which may also name other
    /// definitions
    Tools {
        /// Folder of your own tools (*.js)
        #[arg(long, value_name = "DIR")]
        tools_dir: Option<PathBuf>,
    },
    /// Profiles, for `--profile`, in the order in which `auto` tries them
    Profiles {
        /// YAML file of your own profiles, which are tried first
        #[arg(long, value_name = "FILE")]
        profiles_file: Option<PathBuf>,
    },
    /// Prompt definitions, for `--prompt`, and the fragments that they can include
    Prompts {
        /// Folder of your own prompt definitions and fragments (*.md, *.yaml, *.json)
        #[arg(long, value_name = "DIR")]
        prompts_dir: Option<PathBuf>,
    },
    /// Hooks, for `--hooks`
    Hooks {
        /// Folder of your own hooks (*.js)
        #[arg(long, value_name = "DIR")]
        hooks_dir: Option<PathBuf>,
    },
    /// Models, for `--model`
    Models {
        /// Ask this provider's server which models it serves: openai, anthropic, ollama, vllm, …
        #[arg(long, value_name = "NAME")]
        provider: Option<String>,

        /// URL of the provider's server [default: the provider's own]
        #[arg(long, value_name = "URL", requires = "provider", add = NotFromFile)]
        base_url: Option<String>,

        /// Header of the request, as for `rlm-eval run`; repeatable
        #[arg(long, value_name = "NAME=VALUE", requires = "provider")]
        header: Vec<String>,
    },
}

const EXAMPLES: &str = "\
Examples:
  rlm-eval list benchmarks
  rlm-eval list drivers --drivers-dir my-drivers --json | jq -r '.[].name'
  rlm-eval list hooks --hooks-dir my-hooks
  rlm-eval list models --provider ollama";
