//! Everything that can end a command, and how it is reported.

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

use crate::command::ResumeError;
use crate::env_vars;
use crate::fetch::FetchError;
use crate::folders::FolderError;
use crate::grader::GraderError;
use crate::import::ImportError;
use crate::invocation::as_called;
use crate::merge::MergeError;
use crate::models::ModelError;
use crate::protocol_fit::UnfitProtocol;
use crate::runner::RunError;
use crate::selection::SelectionError;
use crate::settings::SettingsError;
use crate::sweep::SweepError;
use crate::terminal::{ERROR, one_line};

/// Stands in the usage of a command that takes flags of another one, behind `--`.
const FLAGS_OF_RUN: &str = "-- FLAGS OF";

/// Why a command ended without an outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line cannot be parsed, or asks for help.
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
    /// A setting, or a file that a setting names, is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The benchmark cannot be opened with these options.
    #[error(transparent)]
    Benchmark(#[from] OpenError),
    /// A sample that was asked for does not exist.
    #[error(transparent)]
    Sample(#[from] SelectionError),
    /// The scorer cannot be used.
    #[error(transparent)]
    Grader(#[from] GraderError),
    /// The protocol cannot work on the benchmark.
    #[error(transparent)]
    Protocol(#[from] UnfitProtocol),
    /// A model cannot be opened.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The engine's settings contradict each other.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A run directory cannot be made or read.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// Runs cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// Runs cannot be made one.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// What another system recorded cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A run that was to be taken up is another experiment.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// A sweep cannot be made or gone on with.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A queue does not do what it was asked.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// A report cannot be made.
    #[error(transparent)]
    Report(#[from] HtmlError),
    /// There is nothing to report in a folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The log of a race cannot be used.
    #[error(transparent)]
    Race(#[from] RaceError),
    /// The run cannot go on.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A provider refuses the key: the run ended before its samples were all tried.
    #[error("the run was stopped: {0}")]
    Halted(String),
    /// An image of `rlm-eval ask` cannot be shown.
    #[error("--image: {0}")]
    Image(#[from] ImageError),
    /// A document of `rlm-eval ask` cannot be opened, or its app not be saved.
    #[error("{flag} {path}: {reason}")]
    File {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        path: String,
        /// Why.
        reason: io::Error,
    },
    /// The agent of `rlm-eval ask` gave no answer, because infrastructure failed.
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
    /// A server of models does not do what it was asked.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// Results cannot be written.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
    /// Input cannot be read.
    #[error("cannot read from stdin: {0}")]
    Stdin(io::Error),
    /// There are no threads for the async runtime.
    #[error("cannot start the async runtime: {0}")]
    Runtime(io::Error),
    /// There is no browser that works.
    #[error(transparent)]
    Browser(#[from] browser::Error),
    /// The sandbox does not start.
    #[error(transparent)]
    Sandbox(#[from] StartError),
}

impl Error {
    /// What to do about it, where that is more than the message says.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Queue(error) => error.hint().map(str::to_owned),
            Self::Sweep(SweepError::Settings { problem, .. }) => problem.hint(),
            Self::Sweep(SweepError::InertEverywhere(inert)) => Some(inert.hint.clone()),
            Self::Sweep(SweepError::Exists(_)) => {
                Some("--resume goes on with the sweep there".to_owned())
            }
            Self::Sweep(SweepError::NotASweep(folder)) => Some(format!(
                "one that was killed before it began is begun again: its flags, and --out {}",
                folder.display()
            )),
            Self::Folder(FolderError::Nothing(_)) => Some(
                "a run has config.json, lock.json and samples.jsonl, and a sweep sweep.json; folders that hold some are \
                 searched at any depth"
                    .to_owned(),
            ),
            Self::Compare(error) => error.hint().map(str::to_owned),
            Self::Grader(GraderError::NoModel) => {
                Some("name it with --judge-model, as in --judge-model openai/gpt-5".to_owned())
            }
            Self::Grader(GraderError::NoJudge { .. }) => Some("add --scorer judge".to_owned()),
            Self::Resume(ResumeError::Fingerprint { .. }) => {
                Some("without --resume, these settings begin a new run".to_owned())
            }
            Self::Resume(ResumeError::Program { .. } | ResumeError::UnknownProgram { .. })
            | Self::Merge(MergeError::Program { .. }) => Some(
                "--allow-program-change goes on all the same; each attempt records which program made it".to_owned(),
            ),
            Self::Benchmark(OpenError::Dataset(DatasetError::Absent { .. })) => {
                Some("`rlm-eval list benchmarks` shows those that have a name".to_owned())
            }
            Self::Benchmark(OpenError::NeedsData { benchmark, .. }) => Some(format!(
                "`rlm-eval data fetch {benchmark}` fetches it; or give the folder with --data-dir DIR"
            )),
            Self::Browser(browser::Error::NoSandbox { .. }) => Some(
                "pages that are not this program's own need it: run as a user without root where user namespaces are allowed, \
                 or, if you trust the pages, add --trust-pages"
                    .to_owned(),
            ),
            Self::View(ViewError::NotOneRun { .. }) => {
                Some("name one run directory as DIR".to_owned())
            }
            Self::View(ViewError::Folder { .. }) => Some(
                "a run writes its folder below results/, or where `--out` says; `rlm-eval view DIR` shows any folder of runs"
                    .to_owned(),
            ),
            Self::Serve(ServeError::OpenToAll(_)) => Some(format!(
                "--client-keys FILE lists keys of clients, and {} holds the key of one; or leave --host at 127.0.0.1",
                env_vars::CLIENT_KEY
            )),
            Self::Serve(ServeError::Listen { .. }) => {
                Some("--port 0 takes any free port".to_owned())
            }
            Self::View(ViewError::Listen { .. }) => {
                Some("without --port, any free port is taken".to_owned())
            }
            _ => None,
        }
    }

    /// Prints the error on stderr as `error: …`, with its hint on a line `hint: …`, in colours where the terminal takes them.
    ///
    /// Help and the version, where the command line asks for them, go to stdout.
    pub fn report(&self) {
        // There is nowhere left to say that stderr cannot be written.
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

/// Prints what clap says, in colours where the terminal takes them.
fn print(error: &clap::Error) -> io::Result<()> {
    let text = error.render().ansi().to_string();
    let mut text = as_called(&text).into_owned();
    if error.kind() == ErrorKind::UnknownArgument && text.contains(FLAGS_OF_RUN) {
        let hint = "hint: flags of `rlm-eval run` stand after `--`, as in: rlm-eval sweep --prompt-modes solver,coordinator -- \
                    --benchmark NAME --model REF\n";
        text.push_str(&as_called(hint));
    }
    if error.use_stderr() {
        write!(anstream::stderr().lock(), "{text}")
    } else {
        write!(anstream::stdout().lock(), "{text}")
    }
}
