//! The program under its short name, `eval`: replaces itself with the `rlm-eval` next to it. It
//! does not contain the program, because linking a second copy takes as long as compiling a change.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::{env, fs};

fn main() -> ExitCode {
    let mut arguments = env::args_os();
    let called = arguments.next().unwrap_or_else(|| "eval".into());
    let error = become_program(called, arguments);
    // If stderr cannot be written, there is no other place to report that.
    let _ = writeln!(
        io::stderr(),
        "error: `eval` cannot start the program `rlm-eval`, which must be in the same folder: \
         {error}"
    );
    ExitCode::FAILURE
}

/// Replaces this process, keeping its id and the called name. Returns only on failure.
fn become_program(called: OsString, arguments: env::ArgsOs) -> io::Error {
    // Resolve links: the program is next to the target of a link.
    let own = match env::current_exe().and_then(fs::canonicalize) {
        Ok(own) => own,
        Err(error) => return error,
    };
    let program = own.with_file_name("rlm-eval");
    if is_same_file(&own, &program) {
        return io::Error::other("this file is a copy of `eval`, which contains no program");
    }
    Command::new(program).arg0(called).args(arguments).exec()
}

/// Whether both paths are names of one file. A program that replaced itself would never end.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = |path| fs::metadata(path).map(|file| (file.dev(), file.ino()));
    matches!((file(one), file(other)), (Ok(one), Ok(other)) if one == other)
}
