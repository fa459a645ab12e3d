//! Isolation of script files other than cells: hooks, prompt modules, tools and
//! `systemPromptFunction`.

use std::env;

use harness::sandbox::{Isolation, WorkerCommand};

use crate::cli::WORKER;

/// Runs script files in worker processes with the isolation of cells, even if cells run on threads.
pub fn confine_scripts(cells: &Isolation) {
    let command = match cells {
        Isolation::Process(command) => WorkerCommand {
            sessions: 1,
            ..command.clone()
        },
        Isolation::Thread => WorkerCommand {
            // If the path is unknown, use the name by which the program was called.
            program: env::current_exe()
                .unwrap_or_else(|_| env::args_os().next().unwrap_or_default().into()),
            arguments: vec![WORKER.to_owned()],
            strict: false,
            sessions: 1,
            jitless: false,
        },
    };
    harness::set_script_isolation(Isolation::Process(command));
}
