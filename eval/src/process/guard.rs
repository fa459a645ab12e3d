//! Ends the processes of a server when this program ends for any reason.

use std::io;
use std::process::Stdio;

use browser::environment;
use tokio::process::{Child, Command};

/// Starts a process that kills a process group when its own stdin closes: when the returned child
/// is dropped or this program ends.
///
/// # Errors
/// The error if the process cannot be started.
pub fn watch(group: u32) -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", include_str!("guard.sh"), "guard"])
        .arg(group.to_string())
        .env_clear()
        .envs(environment::of_child())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0) // Ctrl-C in the terminal must not end the guard.
        .spawn()
}
