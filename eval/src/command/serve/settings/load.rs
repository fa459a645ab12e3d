//! Flags of all servers: how much they accept, and from whom.

use std::path::PathBuf;

use clap::Args;

use crate::settings::flags::NotFromFile;
use crate::settings::values::{Seconds, whole};

/// Limits of a server's load, and its clients. A command may change the defaults.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub struct LoadArgs {
    /// Maximum concurrent agents, each with its children; further requests wait
    #[arg(long, default_value_t = 64, value_parser = whole::<usize>(1..=100_000), value_name = "N")]
    pub max_concurrency: usize,

    /// Maximum waiting requests; further requests are rejected
    #[arg(
        long,
        default_value_t = 1_000,
        value_parser = whole::<usize>(0..=1_000_000),
        value_name = "N"
    )]
    pub max_queue: usize,

    /// Maximum size of a request in MB (10^6 bytes)
    #[arg(long, default_value_t = 64, value_parser = whole::<usize>(1..=1_000), value_name = "MB")]
    pub max_request_size: usize,

    /// Seconds that requests in progress may continue after the first Ctrl-C or SIGTERM; a second
    /// signal stops them
    #[arg(long, default_value_t = Seconds::of(60), value_name = "SECONDS")]
    pub shutdown_timeout: Seconds,

    /// YAML file of the clients' keys and limits, see docs/guides/serve.md [default: the key in
    /// `EVAL_CLIENT_KEY`, or none]
    #[arg(long, value_name = "FILE", add = NotFromFile)]
    pub client_keys: Option<PathBuf>,
}

impl LoadArgs {
    /// Returns the maximum size of a request in bytes.
    pub fn max_request_bytes(&self) -> usize {
        self.max_request_size * 1_000_000
    }
}
