//! The `eval` binary.

use std::process::ExitCode;

use eval::error::Error;
use eval::exit::{self, Outcome};
use eval::{cli, command, settings};

fn main() -> ExitCode {
    match run() {
        Ok(outcome) => exit::of_outcome(outcome),
        Err(error) => {
            error.report();
            exit::of_error(&error)
        }
    }
    .into()
}

fn run() -> Result<Outcome, Error> {
    // While there is one thread: the process environment cannot be changed safely later.
    settings::load_env_file()?;
    let cli = cli::parse(std::env::args_os())?;
    command::execute(cli.command)
}
