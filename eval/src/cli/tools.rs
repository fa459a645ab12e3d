//! Flags of the tools that agents have.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// What agents may call besides each other.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct ToolArgs {
    /// Tools that the root has, and children that it calls by `rlm()`; see `rlm-eval list tools`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub tools: Vec<String>,

    /// Folder that tools may read files of, and that attachments come from; links out of it are refused
    #[arg(long, value_name = "DIR")]
    pub files_dir: Option<PathBuf>,

    /// Value of a variable that tools read, over every other source; may be repeated. It is stored nowhere, so
    /// that a run which goes on needs it again
    #[arg(
        long = "env",
        value_name = "NAME=VALUE",
        value_delimiter = '\n',
        hide_env_values = true
    )]
    #[serde(skip)]
    pub values: Vec<String>,
}
