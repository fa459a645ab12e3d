//! The benchmark suite: measures `eval` from outside, as a user runs it, next to its peers.

mod suite;

mod plan;
mod server;

mod bench;
mod cost;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::bench::Measured;

/// Measures what `eval` costs: prints a table and writes JSON. Timings never make it fail, errors do.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program to measure
    #[arg(long, default_value = "target/release/eval")]
    eval: PathBuf,
    /// Everything once and small: whether it works, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Only these parts [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    only: Vec<String>,
    /// Repetitions of what is measured more than once
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Where the figures go as JSON
    #[arg(long, default_value = "target/bench/figures.json")]
    json: PathBuf,
    /// A further program to measure against, by a shell command that makes `$SAMPLES` samples of two iterations, `$CONCURRENCY` at a
    /// time, with the model `eval` at `$BASE_URL`, a server in the chat format of `OpenAI`
    #[arg(long, value_name = "NAME=COMMAND")]
    peer: Vec<String>,
    /// The source of the JavaScript system that the design is for (`openprose/node-rlm`), with its dependencies and `tsx` installed
    #[arg(long, value_name = "DIR")]
    peer_js: Option<PathBuf>,
    /// Where scripts/install-bench-peers.sh put its peers
    #[arg(long, default_value = "target/bench-peers")]
    peers_dir: PathBuf,
    /// Recorded runs of the JavaScript system and the ARC tasks they are about: `node-rlm/*.json`,
    /// `arc-agi-2/evaluation/*.json`
    #[arg(long, default_value = "../shared/data")]
    recorded: PathBuf,
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its job is to show figures"
)]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json.clone();
    let quick = arguments.quick;
    match bench::run(arguments) {
        Ok(measured) => {
            let Measured {
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
