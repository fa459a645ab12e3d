//! The error type of commands, and how errors are reported.
//!
//! Each variant wraps the error of one component. Messages state the problem; advice is separate,
//! in [`Error::hint`].

use std::io::{self, Write as _};

use benchmarks::{DatasetError, ImageError, OpenError};
use clap::error::ErrorKind;
use harness::EngineError;
use harness::provider::ProviderError;
use harness::sandbox::StartError;
use queue::QueueError;
use records::run_dir::RunDirError;
use report::HtmlError;
use report::compare::CompareError;
use report::race::RaceError;
use serve::ServeError;
use view::ViewError;

use crate::fetch::FetchError;
use crate::folders::FolderError;
use crate::grader::GraderError;
use crate::models::ModelError;
use crate::process::env_vars;
use crate::process::invocation::as_called;
use crate::process::terminal::{ERROR, one_line};
use crate::run::import::ImportError;
use crate::run::merge::MergeError;
use crate::run::protocol_fit::UnfitProtocol;
use crate::run::resume::ResumeError;
use crate::runner::RunError;
use crate::runner::selection::SelectionError;
use crate::settings::SettingsError;
use crate::sweep::SweepError;

/// Text in the usage line of a command that takes another command's flags after `--`.
const FLAGS_OF_RUN: &str = "-- FLAGS OF";

/// Reason why a command ended without an outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line is invalid or requests help.
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
    /// A setting, or a file that a setting names, is invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The benchmark cannot be opened with these options.
    #[error(transparent)]
    Benchmark(#[from] OpenError),
    /// A requested sample or metadata key does not exist.
    #[error(transparent)]
    Sample(#[from] SelectionError),
    /// The scorer cannot be used.
    #[error(transparent)]
    Grader(#[from] GraderError),
    /// The protocol does not support the benchmark.
    #[error(transparent)]
    Protocol(#[from] UnfitProtocol),
    /// A model cannot be opened.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The settings of the engine contradict each other.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A run directory cannot be created or read.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// Runs cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A client of `rlm-eval mcp` violates the Model Context Protocol.
    #[error("the client on stdin: {0}")]
    Mcp(String),
    /// Runs cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Results of another system cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A run cannot be resumed with these settings.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A sweep cannot be created or resumed.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A request to a queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// An HTML report cannot be created.
    #[error(transparent)]
    Report(#[from] HtmlError),
    /// A folder cannot be read or contains nothing to report.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The log of a race is invalid.
    #[error(transparent)]
    Race(#[from] RaceError),
    /// A sample cannot be read, or the run directory cannot be written.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Every further request would have failed, for example because the provider rejected the key,
    /// so the run ended early.
    #[error("the run was stopped: {0}")]
    Halted(String),
    /// An image for `rlm-eval ask` is invalid.
    #[error("--image: {0}")]
    Image(#[from] ImageError),
    /// A document for `rlm-eval ask` cannot be opened, or the app that the agent built cannot be
    /// saved.
    #[error("{flag} {path}: {reason}")]
    File {
        /// Flag that names the file.
        flag: &'static str,
        /// Path of the file.
        path: String,
        /// Cause reported by the system.
        reason: io::Error,
    },
    /// The agent of `rlm-eval ask` returned no answer because infrastructure failed.
    #[error("no answer: {0}")]
    NoAnswer(String),
    /// Data cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// Runs cannot be shown.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Agents cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A request to a model server failed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// Results cannot be written to stdout.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
    /// Input cannot be read from stdin.
    #[error("cannot read from stdin: {0}")]
    Stdin(io::Error),
    /// The async runtime cannot start its threads.
    #[error("cannot start the async runtime: {0}")]
    Runtime(io::Error),
    /// No working browser is available.
    #[error(transparent)]
    Browser(#[from] browser::Error),
    /// The sandbox cannot start.
    #[error(transparent)]
    Sandbox(#[from] StartError),
}

impl Error {
    /// Returns advice that the message does not contain, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Queue(error) => error.hint().map(str::to_owned),
            Self::Sweep(SweepError::Settings { problem, .. }) => problem.hint(),
            Self::Sweep(SweepError::NoEffectAnywhere(masked)) => Some(masked.hint.clone()),
            Self::Sweep(SweepError::Exists(_)) => {
                Some("continue that sweep with --resume".to_owned())
            }
            Self::Sweep(SweepError::NotASweep(folder)) => Some(format!(
                "if a sweep was killed before its first cell, restart it with its flags and --out \
                 {}",
                folder.display()
            )),
            Self::Folder(FolderError::Nothing(_)) => Some(
                "a run has config.json, lock.json and samples.jsonl, and a sweep has sweep.json; \
                 folders are searched at any depth"
                    .to_owned(),
            ),
            Self::Compare(error) => error.hint().map(str::to_owned),
            Self::Grader(GraderError::NoModel) => {
                Some("name the model, for example with --judge-model openai/gpt-5".to_owned())
            }
            Self::Grader(GraderError::NoJudge(..)) => Some("add --scorer judge".to_owned()),
            Self::Resume(error @ ResumeError::Fingerprint { .. }) => {
                Some(match error.missing_server() {
                    Some(server) => format!(
                        "the run uses tools of an MCP server, which is not recorded; pass \
                         --mcp-server '{server}=COMMAND' again"
                    ),
                    None => "omit --resume to start a new run with these settings".to_owned(),
                })
            }
            Self::Resume(ResumeError::FewerSamples { .. }) => {
                Some("omit --resume to start a new run with these samples".to_owned())
            }
            Self::Resume(ResumeError::Program { .. } | ResumeError::UnknownProgram { .. })
            | Self::Merge(MergeError::Program { .. }) => Some(
                "continue anyway with --allow-program-change; each attempt records the program \
                 that made it"
                    .to_owned(),
            ),
            Self::Merge(MergeError::Disagree { .. }) => Some(
                "the attempt was made twice, for example by a shard that was restarted instead of \
                 resumed; --prefer newest keeps the record of the latest try, and --prefer \
                 complete keeps the record with a score, or else that of the run with more attempts"
                    .to_owned(),
            ),
            Self::Benchmark(OpenError::Dataset(DatasetError::Absent { .. })) => {
                Some("list the known benchmarks with `rlm-eval list benchmarks`".to_owned())
            }
            Self::Benchmark(OpenError::NeedsData { benchmark, .. }) => Some(format!(
                "fetch it with `rlm-eval data fetch {benchmark}`, or pass its folder with \
                 --data-dir DIR"
            )),
            Self::Browser(browser::Error::NoSandbox { .. }) => Some(
                "third-party pages require it: run as a non-root user where user namespaces are \
                 allowed or, if you trust the pages, add --trust-pages"
                    .to_owned(),
            ),
            Self::View(ViewError::NotOneRun { .. }) => {
                Some("name one run directory as DIR".to_owned())
            }
            Self::View(ViewError::Folder { .. }) => Some(
                "runs are written below results/ or to the folder of `--out`; view any folder of \
                 runs with `rlm-eval view DIR`"
                    .to_owned(),
            ),
            Self::Serve(ServeError::OpenToAll(_)) => Some(format!(
                "list client keys with --client-keys FILE, set the key of a single client in {}, \
                 or listen on 127.0.0.1",
                env_vars::CLIENT_KEY
            )),
            Self::Serve(ServeError::Listen { .. }) => {
                Some("use port 0 for any free port".to_owned())
            }
            Self::View(ViewError::Listen { .. }) => {
                Some("omit --port to use any free port".to_owned())
            }
            _ => None,
        }
    }

    /// Prints the error on stderr as `error: …`, followed by a line `hint: …` if there is a hint.
    ///
    /// Help and version texts requested on the command line go to stdout.
    pub fn report(&self) {
        // If stderr cannot be written, there is no other place to report that.
        let _ = match self {
            Self::CommandLine(error) => print(error),
            _ => self.write(&mut anstream::stderr().lock()),
        };
    }

    fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        let error = self.to_string();
        writeln!(
            out,
            "{ERROR}error:{ERROR:#} {}",
            one_line(&as_called(&error))
        )?;
        match self.hint() {
            Some(hint) => writeln!(out, "hint: {}", one_line(&as_called(&hint))),
            None => Ok(()),
        }
    }
}

/// Prints clap's message, colored if the terminal supports it.
fn print(error: &clap::Error) -> io::Result<()> {
    let text = error.render().ansi().to_string();
    let mut text = as_called(&text).into_owned();
    if error.kind() == ErrorKind::UnknownArgument && text.contains(FLAGS_OF_RUN) {
        let hint = "hint: put flags of `rlm-eval run` after `--`, for example: rlm-eval sweep \
            --prompt-modes solver,coordinator -- --benchmark NAME --model REF\n";
        text.push_str(&as_called(hint));
    }
    if error.use_stderr() {
        write!(anstream::stderr().lock(), "{text}")
    } else {
        write!(anstream::stdout().lock(), "{text}")
    }
}
