//! The arguments of the suite's command.

use std::path::PathBuf;

use clap::Parser;

/// Measures the cost of `eval`, prints a table and writes JSON. Fails on errors, never on slow
/// timings.
#[derive(Debug, Parser)]
pub struct Arguments {
    /// Program to measure
    #[arg(long, default_value = "target/release/eval")]
    pub eval: PathBuf,
    /// Run everything once with small sizes, to check that the suite works
    #[arg(long)]
    pub quick: bool,
    /// Parts to run [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub only: Vec<String>,
    /// Number of times to repeat each measurement
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// JSON file for the figures
    #[arg(long, default_value = "target/perf/figures.json")]
    pub json: PathBuf,
    /// Another program to compare with: a shell command that runs `$SAMPLES` samples of two
    /// iterations, `$CONCURRENCY` at a time. Its model is `eval` at `$BASE_URL`, a server with
    /// `OpenAI`'s chat format
    #[arg(long, value_name = "NAME=COMMAND")]
    pub peer: Vec<String>,
    /// Source folder of the JavaScript system to compare with (`openprose/node-rlm`), with its
    /// dependencies and `tsx` installed
    #[arg(long, value_name = "DIR")]
    pub peer_js: Option<PathBuf>,
    /// Directory into which scripts/install-perf-peers.sh installed the peers
    #[arg(long, default_value = "target/perf-peers")]
    pub peers_dir: PathBuf,
    /// Directory with recorded runs of the JavaScript system and their ARC tasks:
    /// `node-rlm/*.json`, `arc-agi-2/evaluation/*.json`
    #[arg(long, default_value = "../shared/data")]
    pub recorded: PathBuf,
}
