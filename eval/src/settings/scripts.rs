//! Where code of files runs, other than that of models: hooks, prompt modules, tools and `systemPromptFunction`.

use std::env;

use harness::sandbox::{Isolation, WorkerCommand};

use crate::cli::WORKER;

/// Has script files run in worker processes: as strict as those of cells, and also where cells run on threads.
pub fn confine_scripts(cells: &Isolation) {
    let command = match cells {
        Isolation::Process(command) => WorkerCommand {
            sessions: 1,
            ..command.clone()
        },
        Isolation::Thread => WorkerCommand {
            // Where the path cannot be found out, by the name the program was called by.
            program: env::current_exe()
                .unwrap_or_else(|_| env::args_os().next().unwrap_or_default().into()),
            arguments: vec![WORKER.to_owned()],
            strict: false,
            sessions: 1,
            jitless: false,
        },
    };
    harness::run_scripts_in(Isolation::Process(command));
}
