//! The `eval` binary.

use std::process::ExitCode;

use eval::error::Error;
use eval::exit::{self, Outcome};
use eval::{cli, command, open_files, panic_hook, settings, terminal};

fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == cli::WORKER)
    {
        harness::sandbox::worker_main();
    }
    panic_hook::install();
    let result = run();
    if let Err(error) = &result {
        error.report();
    }
    ExitCode::from(exit::code(&result))
}

fn run() -> Result<Outcome, Error> {
    // While there is one thread only: later, the process environment cannot be changed safely.
    settings::load_env_file()?;
    settings::know_keys();
    harness::sandbox::use_utc();
    for remark in settings::misspelt_variables() {
        terminal::warning(&remark);
    }
    open_files::allow_most();
    if let Some(file) = settings::snapshot_file() {
        harness::sandbox::keep_snapshot_in(file);
    }
    let cli = cli::parse(std::env::args_os())?;
    command::execute(cli.command)
}
