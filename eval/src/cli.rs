//! The command line: all commands with their flags, and the environment variables of the flags.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::command::ask::AskArgs;
use crate::command::compare::CompareArgs;
use crate::command::data::DataArgs;
use crate::command::fork::ForkArgs;
use crate::command::import::ImportArgs;
use crate::command::list::ListArgs;
use crate::command::mcp::McpArgs;
use crate::command::merge::MergeArgs;
use crate::command::prompt::PromptArgs;
use crate::command::queue::QueueCommandArgs;
use crate::command::repl::ReplArgs;
use crate::command::report::ReportArgs;
use crate::command::score::ScoreArgs;
use crate::command::serve::ServeArgs;
use crate::command::view::ViewArgs;
use crate::command::worker::WorkerArgs;
use crate::process::{env_vars, invocation, program};
use crate::settings::environment::{self, Parsed};
use crate::settings::flags::{TypedFlags, ids, names};
use crate::settings::{FlagVariable, QueueAccessArgs, ResumeArgs, RunArgs, from_file};
use crate::sweep::SweepArgs;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = invocation::NAME,
    version,
    long_version = program::long_version(),
    about = ABOUT,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = DETAILS
)]
pub struct Cli {
    /// Subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands, in the order in which help shows them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run an agent over a benchmark and score every sample
    Run(Box<RunArgs>),
    /// `run --resume`, which reads its flags from the run's folder.
    #[command(skip)]
    Resume(ResumeArgs),
    /// Continue a recorded attempt from one of its iterations, with other settings
    Fork(Box<ForkArgs>),
    /// Run every cell of a matrix of settings, and compare them
    Sweep(Box<SweepArgs>),
    /// Ask an agent one question about your own text
    Ask(Box<AskArgs>),
    /// Serve agents over HTTP, as chat completions and responses
    Serve(Box<ServeArgs>),
    /// Offer agents as tools to programs that speak the Model Context Protocol
    Mcp(Box<McpArgs>),
    /// Show scores, cost and behavior of runs side by side
    Report(ReportArgs),
    /// Test whether one run is really better than another
    Compare(CompareArgs),
    /// Merge the shards of a run into one run directory
    Merge(MergeArgs),
    /// Run attempts of the runs in a queue
    Worker(WorkerArgs),
    /// Show, pause, resume or cancel runs of a queue
    Queue(QueueCommandArgs),
    /// Score the answers of a run again with another scorer
    Score(Box<ScoreArgs>),
    /// Import the recorded results of another system as run directories
    Import(ImportArgs),
    /// View runs in a browser: scores, samples, every step of every agent
    View(ViewArgs),
    /// Show the system prompt that an agent would get
    Prompt(Box<PromptArgs>),
    /// List the available benchmarks, scorers, drivers, tools, profiles, prompts, hooks and models
    List(ListArgs),
    /// Fetch the data of benchmarks, or show their samples
    Data(DataArgs),
    /// Open the JavaScript REPL that agents use
    Repl(ReplArgs),
}

const ABOUT: &str = "\
Runs language models as recursive agents and measures how well that works.

The model writes JavaScript into a REPL, sees the output, iterates, may hand parts of the task to \
child agents with rlm(), and ends with return(value).";

const DETAILS: &str = "\
Examples:
  rlm-eval run --benchmark s-niah --model scripted --context-len 8k,64k
  rlm-eval run --benchmark arc --data-dir arc-agi-2 --model replay:run.json
  rlm-eval ask --query 'Who signed it?' --context-file contract.txt --model scripted:reader.yaml
  rlm-eval compare results/s-niah-solver-* results/s-niah-coordinator-*
  rlm-eval prompt --prompt-mode coordinator --drivers delegation-first
  rlm-eval list drivers
  rlm-eval repl

`eval` is the same program, but most shells shadow it with a builtin.

Every flag can also be set by an environment variable: --max-depth 3 is EVAL_MAX_DEPTH=3. A file \
.env in this folder or in a folder above it, up to the project's root, can set flags other than \
permissions. Flags take precedence over the environment, and the environment over .env.

Exit codes: 0 complete, 1 infrastructure failure, 2 usage, 4 nothing matched, 100 score below \
--min-score, 106 incomplete, 130 interrupted.";

/// Parses a command line, including the program's name.
///
/// # Errors
/// The error with a suggestion, or the requested help or version text.
pub fn parse(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Cli, clap::Error> {
    let arguments = arguments.into_iter().map(Into::into).collect();
    let Parsed {
        matches,
        typed,
        mut command,
    } = environment::parse(definition(), arguments)?;
    let mut with_usage = |error| with_usage(error, &mut command, &matches);
    if let Some(("run", run)) = matches.subcommand() {
        if let Some(resume) = ResumeArgs::of(run, &typed) {
            let command = Command::Resume(resume);
            return Ok(Cli { command });
        }
        check_required(run, &typed).map_err(&mut with_usage)?;
    }
    if let Some(("fork", fork)) = matches.subcommand() {
        let fork = ForkArgs::of(fork, &typed).map_err(with_usage)?;
        let command = Command::Fork(Box::new(fork));
        return Ok(Cli { command });
    }
    if let Some(("sweep", sweep)) = matches.subcommand() {
        SweepArgs::check_race_rules(sweep, &typed).map_err(&mut with_usage)?;
    }
    let mut cli = Cli::from_arg_matches(&matches).map_err(with_usage)?;
    if let Command::Score(score) = &mut cli.command {
        score.name_typed_flags(&typed);
    }
    Ok(cli)
}

/// Adds the usage of the called command to an error.
fn with_usage(
    error: clap::Error,
    command: &mut clap::Command,
    matches: &ArgMatches,
) -> clap::Error {
    let called = matches.subcommand_name().unwrap_or_default();
    match command.find_subcommand_mut(called) {
        Some(called) => error.format(called),
        None => error.format(command),
    }
}

/// Rejects typed flags of a new run that require another flag to have an effect. `requires` of clap
/// would also apply to variables that other commands use, and to resumed and recorded runs.
fn check_required(run: &ArgMatches, typed: &TypedFlags) -> Result<(), clap::Error> {
    let of_queue = ids::<QueueAccessArgs>();
    let of_queue = of_queue.iter().map(|id| (id.as_str(), "queue"));
    let mut rules = of_queue.chain([("sample_seed", "max_samples")]);
    let flag = |id: &str| id.replace('_', "-");
    // A pilot has a maximum of its own.
    let is_given =
        |id: &str| run.contains_id(id) || id == "max_samples" && run.contains_id("pilot");
    let broken = rules.find(|(id, required)| typed.has_name(&flag(id)) && !is_given(required));
    broken.map_or(Ok(()), |(id, required)| {
        Err(clap::Error::raw(
            ErrorKind::MissingRequiredArgument,
            format!("--{} requires --{}", flag(id), flag(required)),
        ))
    })
}

/// Returns the definition of the whole command line.
pub fn command() -> clap::Command {
    environment::with_variables(definition())
}

/// Returns the definition without the environment variables of the flags.
fn definition() -> clap::Command {
    Cli::command().bin_name(invocation::called())
}

/// Returns the environment variables of all flags, including those for former flag names, each with
/// its flag.
pub fn flag_variables() -> BTreeMap<String, FlagVariable> {
    fn collect(command: &clap::Command, into: &mut BTreeMap<String, FlagVariable>) {
        for argument in command.get_arguments() {
            let Some(long) = argument.get_long() else {
                continue;
            };
            let found = FlagVariable {
                from_file: from_file(argument),
                flag: format!("--{long}"),
                delimiter: argument.get_value_delimiter(),
            };
            for name in names(argument).map(env_vars::of_flag) {
                let known = into.entry(name).or_insert_with(|| found.clone());
                known.from_file = known.from_file.max(found.from_file);
            }
        }
        for command in command.get_subcommands() {
            collect(command, into);
        }
    }
    let mut all = BTreeMap::new();
    collect(&command(), &mut all);
    all
}
