//! Everything that can end a command, and how it is told.

use std::io::{self, Write as _};

use harness::sandbox::StartError;

use crate::settings::SettingsError;
use crate::terminal::one_line;

/// Why a command ended without an outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line cannot be parsed, or asks for help.
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
    /// A setting, or a file that a setting names, is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Results cannot be written.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
    /// Input cannot be read.
    #[error("cannot read from stdin: {0}")]
    Stdin(io::Error),
    /// There are no threads for the async runtime.
    #[error("cannot start the async runtime: {0}")]
    Runtime(io::Error),
    /// The sandbox does not start.
    #[error(transparent)]
    Sandbox(#[from] StartError),
}

impl Error {
    /// What to do about it, where that is more than the message says.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::CommandLine(_)
            | Self::Stdout(_)
            | Self::Stdin(_)
            | Self::Runtime(_)
            | Self::Sandbox(_) => None,
        }
    }

    /// Prints the error on stderr as `error: …`, with its hint on a line `hint: …`.
    ///
    /// Help and the version, where the command line asks for them, go to stdout.
    pub fn report(&self) {
        // There is nowhere left to say that stderr cannot be written.
        let _ = match self {
            Self::CommandLine(error) => error.print(),
            _ => self.write(&mut io::stderr().lock()),
        };
    }

    fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "error: {}", one_line(&self.to_string()))?;
        match self.hint() {
            Some(hint) => writeln!(out, "hint: {}", one_line(&hint)),
            None => Ok(()),
        }
    }
}
