//! The command line as typed: one file for each subcommand, and one for each group of flags that several
//! of them share.
//!
//! Nothing is checked here but the form of a single value; [`crate::settings`] does the rest.

mod ask;
mod list;
mod prompt;
mod repl;
mod run;

mod engine;
mod guidance;
mod sandbox;

mod word;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use ask::AskArgs;
pub use engine::EngineArgs;
pub use guidance::GuidanceArgs;
pub use list::{List, ListArgs};
pub use prompt::PromptArgs;
pub use repl::ReplArgs;
pub use run::RunArgs;
pub use sandbox::{ConsoleStyle, SandboxArgs};

/// Runs language models as recursive agents and measures how well that works.
///
/// The model writes JavaScript into a REPL, sees the output, iterates, may hand parts of the task to child
/// agents with rlm(), and ends with return(value).
#[derive(Debug, Parser)]
#[command(
    name = "eval",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = EXAMPLES
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands, in the order in which help shows them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run an agent over a benchmark and score every sample
    Run(Box<RunArgs>),
    /// Ask an agent one question about a text of your own
    Ask(Box<AskArgs>),
    /// Show the system prompt that an agent would get
    Prompt(PromptArgs),
    /// List what can be chosen: benchmarks, drivers, profiles, models
    List(ListArgs),
    /// Work in the JavaScript REPL that agents work in
    Repl(ReplArgs),
}

const EXAMPLES: &str = "\
Examples:
  cargo eval run --benchmark s-niah --model scripted --context-len 8k,64k
  cargo eval run --benchmark arc --data-dir arc-agi-2 --model scripted --prompt-mode coordinator
  cargo eval ask --query 'Who signed it?' --context-file contract.txt --model scripted
  cargo eval prompt --prompt-mode coordinator --drivers delegation-first
  cargo eval list drivers
  cargo eval repl

In a shell, `eval` alone is the shell's own builtin: type `cargo eval …` inside the project, or the path
of the program, as in `./target/release/eval …`.

Every flag can also be given as an environment variable, or as a line of a file .env here or in a folder
above: --max-depth 3 is EVAL_MAX_DEPTH=3. A flag wins over the environment, which wins over .env.

Exit codes: 0 complete, 1 infrastructure failure, 2 usage, 4 nothing matched, 100 score below --min-score,
106 incomplete (can be resumed), 130 interrupted.";

/// Parses a command line, the program's name included.
///
/// # Errors
/// What is wrong with it, with the nearest right word; or the help or version that it asks for.
pub fn parse(
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The description of the whole command line.
pub fn command() -> clap::Command {
    hide_env_values(Cli::command())
}

/// Help names the variables and not what they happen to hold.
fn hide_env_values(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| argument.hide_env_values(true))
        .mut_subcommands(hide_env_values)
}
