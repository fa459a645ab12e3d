//! The program under its short name, `eval`: becomes the `rlm-eval` beside it. No second copy of the program, for to link
//! one takes as long as to compile a change.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};
use std::{env, fs};

fn main() -> ExitCode {
    let mut arguments = env::args_os();
    let called = arguments.next().unwrap_or_else(|| "eval".into());
    let error = become_program(called, arguments);
    // There is nowhere left to say that stderr cannot be written.
    let _ = writeln!(
        io::stderr(),
        "error: `eval` cannot start the program `rlm-eval`, which belongs in the same folder: {error}"
    );
    ExitCode::FAILURE
}

/// Replaces this process, which keeps its id and the name it was called by; returns if that fails.
fn become_program(called: OsString, arguments: env::ArgsOs) -> io::Error {
    // Through links: the program is beside the file that one leads to.
    let own = match env::current_exe().and_then(fs::canonicalize) {
        Ok(own) => own,
        Err(error) => return error,
    };
    Command::new(own.with_file_name("rlm-eval"))
        .arg0(called)
        .args(arguments)
        .exec()
}
