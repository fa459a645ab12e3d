//! The performance suite: measures `eval` and its peers from outside, as a user runs them.

mod arguments;
mod suite;

mod plan;
mod server;

mod bench;
mod cost;
mod report;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "prints figures for the user"
)]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json.clone();
    let quick = arguments.quick;
    match suite::run(arguments) {
        Ok(measured) => {
            let (engine, figures) = (measured.engine, measured.figures);
            println!("JavaScript engine: {engine}\n{}", report::table(&figures));
            for failure in &measured.failures {
                eprintln!("error: {failure}");
            }
            if let Err(error) = report::write_json(&json, quick, &engine, &figures) {
                eprintln!("error: cannot write {}: {error}", json.display());
                return ExitCode::FAILURE;
            }
            println!("as JSON: {}", json.display());
            if measured.failures.is_empty() {
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
