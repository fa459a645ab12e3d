//! Flags of `rlm-eval list`.

use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};

/// The flags of `rlm-eval list`.
#[derive(Debug, Clone, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true, after_help = EXAMPLES)]
pub struct ListArgs {
    /// What to list.
    #[command(subcommand)]
    pub what: List,

    /// Print a JSON array instead of a table
    #[arg(
        long,
        global = true,
        value_parser = BoolishValueParser::new()
    )]
    pub json: bool,
}

/// What can be listed.
#[derive(Debug, Clone, Subcommand)]
pub enum List {
    /// What `run --benchmark` takes
    Benchmarks {
        /// Folder that holds the data of each benchmark under its name [default: ~/.cache/eval/data]
        #[arg(long, value_name = "DIR")]
        data_dir: Option<PathBuf>,
    },
    /// What `--scorer` takes
    Scorers,
    /// What `--drivers` takes
    Drivers {
        /// Folder of driver files (*.md) of your own
        #[arg(long, value_name = "DIR")]
        drivers_dir: Option<PathBuf>,
    },
    /// What `--tools` takes, and what the `tools` of a prompt definition may name beside other definitions
    Tools {
        /// Folder of tools of your own (*.js)
        #[arg(long, value_name = "DIR")]
        tools_dir: Option<PathBuf>,
    },
    /// What `--profile` takes, in the order in which `auto` tries them
    Profiles {
        /// YAML file of profiles of your own, which are tried first
        #[arg(long, value_name = "FILE")]
        profiles_file: Option<PathBuf>,
    },
    /// What `--prompt` takes, and the fragments that prompts can include
    Prompts {
        /// Folder of prompt definitions and fragments (*.md, *.yaml, *.json) of your own
        #[arg(long, value_name = "DIR")]
        prompts_dir: Option<PathBuf>,
    },
    /// What `--hooks` takes
    Hooks {
        /// Folder of hooks (*.js) of your own
        #[arg(long, value_name = "DIR")]
        hooks_dir: Option<PathBuf>,
    },
    /// What `--model` takes
    Models {
        /// Ask this provider's server which models it serves: openai, anthropic, openrouter, google or ollama
        #[arg(long, value_name = "NAME")]
        provider: Option<String>,

        /// Where its server is [default: the provider's own]
        #[arg(long, value_name = "URL", requires = "provider")]
        base_url: Option<String>,
    },
}

const EXAMPLES: &str = "\
Examples:
  rlm-eval list benchmarks
  rlm-eval list drivers --drivers-dir my-drivers --json | jq -r '.[].name'
  rlm-eval list hooks --hooks-dir my-hooks
  rlm-eval list models --provider ollama";
