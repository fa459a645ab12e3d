//! Sets up the process, parses the command line, runs the command, and returns the exit code.

use std::process::ExitCode;

use harness::sandbox::Isolation;

use crate::cli::Command;
use crate::error::Error;
use crate::exit::{self, Outcome};
use crate::process::{invocation, open_files, panic_hook, terminal};
use crate::{cli, command, settings};

/// Runs the program. The binaries only call this function.
pub fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == settings::WORKER)
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
    invocation::note(std::env::args_os().next(), settings::is_run_by_cargo());
    let variables = cli::flag_variables();
    settings::load_env_file(&variables)?;
    settings::register_secrets();
    // Set the time zone before other threads start, because changing the environment later is
    // unsafe.
    harness::sandbox::use_utc();
    for remark in settings::misspelt_variables(&variables.into_keys().collect()) {
        terminal::warning(&remark);
    }
    open_files::raise_fd_limit();
    if let Some(file) = settings::snapshot_file() {
        harness::sandbox::keep_snapshot_in(file);
    }
    settings::confine_scripts(&Isolation::Thread);
    let cli = cli::parse(std::env::args_os())?;
    if may_call_models(&cli.command)
        && let Some(note) = settings::env_file_note()
    {
        terminal::note(&note);
    }
    command::execute(cli.command)
}

/// Whether a command may call models with keys or URLs from `.env`.
const fn may_call_models(command: &Command) -> bool {
    matches!(
        command,
        Command::Run(_)
            | Command::Resume(_)
            | Command::Fork(_)
            | Command::Sweep(_)
            | Command::Ask(_)
            | Command::Serve(_)
            | Command::Score(_)
            | Command::Worker(_)
    )
}
