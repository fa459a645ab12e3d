//! Parses words as flags of `rlm-eval run`, without the rest of the command line.

use clap::{Args as _, Command, FromArgMatches as _};

use super::environment::{self, Parsed};
use super::flags::one_line;
use super::{ResumeArgs, RunArgs};
use crate::process::invocation;

impl RunArgs {
    /// Parses the flags of a new run as the command line does, with the variables from the
    /// environment and the file `.env`. `words` are those after `rlm-eval run`.
    ///
    /// # Errors
    /// The problem in one line.
    pub fn of_words(words: Vec<String>) -> Result<Self, String> {
        // The program's name and the subcommand occur in error messages.
        let run = Self::augment_args(Command::new("run"));
        let command = Command::new(invocation::NAME)
            .bin_name(invocation::called())
            .subcommand(run);
        let start = [invocation::NAME, "run"].map(str::to_owned);
        let arguments = start.into_iter().chain(words);
        let arguments = arguments.map(Into::into).collect();
        let Parsed {
            matches,
            typed,
            mut command,
        } = environment::parse(command, arguments).map_err(|error| one_line(&error))?;
        match matches.subcommand() {
            Some((_, run)) if ResumeArgs::of(run, &typed).is_none() => {
                Self::from_arg_matches(run).map_err(|error| one_line(&error.format(&mut command)))
            }
            _ => Err("these are not flags of a new run".to_owned()),
        }
    }
}
