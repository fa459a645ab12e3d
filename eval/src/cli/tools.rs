//! Flags of the tools that agents have.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// Tools of the agents.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct ToolArgs {
    /// Tools of the root and of the children that it calls with `rlm()`; see `rlm-eval list tools`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub tools: Vec<String>,

    /// Folder of the files that tools may read and attachments come from; links that lead outside it are refused
    #[arg(long, value_name = "DIR")]
    pub files_dir: Option<PathBuf>,

    /// Value of a variable that tools read, or just its NAME to pass on the value that it has in the environment;
    /// repeatable. Tools get no other variable of the environment. It is never stored, so pass it again with --resume
    #[arg(
        long = "env",
        value_name = "NAME[=VALUE]",
        value_delimiter = '\n',
        hide_env_values = true
    )]
    #[serde(skip)]
    pub values: Vec<String>,
}
