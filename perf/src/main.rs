//! The performance suite: measures `eval` and its peers from outside, as a user runs them.

mod suite;

mod plan;
mod server;

mod bench;
mod cost;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::bench::SuiteResults;

/// Measures the cost of `eval`, prints a table and writes JSON. Fails on errors, never on slow
/// timings.
#[derive(Debug, Parser)]
struct Arguments {
    /// Program to measure
    #[arg(long, default_value = "target/release/eval")]
    eval: PathBuf,
    /// Run everything once with small sizes, to check that the suite works
    #[arg(long)]
    quick: bool,
    /// Parts to run [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    only: Vec<String>,
    /// Number of times to repeat each measurement
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// JSON file for the figures
    #[arg(long, default_value = "target/perf/figures.json")]
    json: PathBuf,
    /// Another program to compare with: a shell command that runs `$SAMPLES` samples of two
    /// iterations, `$CONCURRENCY` at a time. Its model is `eval` at `$BASE_URL`, a server with
    /// `OpenAI`'s chat format
    #[arg(long, value_name = "NAME=COMMAND")]
    peer: Vec<String>,
    /// Source folder of the JavaScript system to compare with (`openprose/node-rlm`), with its
    /// dependencies and `tsx` installed
    #[arg(long, value_name = "DIR")]
    peer_js: Option<PathBuf>,
    /// Directory into which scripts/install-perf-peers.sh installed the peers
    #[arg(long, default_value = "target/perf-peers")]
    peers_dir: PathBuf,
    /// Directory with recorded runs of the JavaScript system and their ARC tasks:
    /// `node-rlm/*.json`, `arc-agi-2/evaluation/*.json`
    #[arg(long, default_value = "../shared/data")]
    recorded: PathBuf,
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "prints figures for the user"
)]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json.clone();
    let quick = arguments.quick;
    match bench::run(arguments) {
        Ok(measured) => {
            let SuiteResults {
                engine,
                figures,
                failures,
            } = measured;
            println!("JavaScript engine: {engine}\n{}", report::table(&figures));
            for failure in &failures {
                eprintln!("error: {failure}");
            }
            if let Err(error) = report::write_json(&json, quick, &engine, &figures) {
                eprintln!("error: cannot write {}: {error}", json.display());
                return ExitCode::FAILURE;
            }
            println!("as JSON: {}", json.display());
            if failures.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
