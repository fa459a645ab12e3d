//! Flags for storing responses.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// Cache and recording of responses.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Recording")]
pub struct StoreArgs {
    /// Folder that caches responses. A request is not sent again, and costs nothing, if an attempt
    /// with the same number has already received its response [default: no cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Record all responses of models in this new file; `--model replay:FILE` plays it back
    /// [default: none]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}
