//! The program, under a name that no shell takes for its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    eval::start::main()
}
