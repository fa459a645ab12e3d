//! Flags of the agents' tools.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::Granted;

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
