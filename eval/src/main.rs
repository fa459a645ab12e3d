//! The program under its short name, `eval`.

use std::process::ExitCode;

fn main() -> ExitCode {
    eval::start::main()
}
