//! The same program as `eval`, under a name that does not collide with a shell builtin.

use std::process::ExitCode;

fn main() -> ExitCode {
    eval::start::main()
}
