//! Flags of where responses are kept.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// Where responses of models are kept.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Recording")]
pub struct StoreArgs {
    /// Folder of a store of responses: a request that was answered once, in an attempt of the same number, is not
    /// sent again; such a response costs nothing [default: no cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// New file for everything that models answer; `--model replay:FILE` plays it back [default: none]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}
