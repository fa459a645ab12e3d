//! Exit codes, chosen in one exhaustive match over outcomes and errors.

use queue::QueueError;
use records::run_dir::RunDirError;
use report::compare::CompareError;
use report::race::RaceError;
use serve::ServeError;
use view::ViewError;

use crate::error::Error;
use crate::grader::GraderError;
use crate::run::import::ImportError;
use crate::run::merge::MergeError;
use crate::settings::SettingsError;
use crate::sweep::SweepError;

/// The command completed.
pub const COMPLETE: u8 = 0;
/// A failure outside the program: a disk, a pipe, a sandbox that does not start, a run in use.
pub const INFRASTRUCTURE: u8 = 1;
/// The command line, a setting, or a file that a setting names is invalid. Nothing was started.
pub const USAGE: u8 = 2;
/// The selection matches no sample, so nothing was started.
pub const NOTHING_MATCHED: u8 = 4;
/// The run is complete, but its score is below the requested gate.
pub const GATE_FAILED: u8 = 100;
/// Some attempts have no result; `rlm-eval run --resume` continues the run.
pub const INCOMPLETE: u8 = 106;
/// Stopped by Ctrl-C: 128 plus the signal number, as in shells.
pub const INTERRUPTED: u8 = 130;

/// Outcome of a command that did not fail, from the best to the worst. A command with several parts
/// reports the worst of their outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The command completed.
    Complete,
    /// The score is below the gate.
    GateFailed,
    /// The selection matches no sample.
    NothingMatched,
    /// Some attempts have no result.
    Incomplete,
    /// No attempt has a result, because infrastructure failed.
    InfrastructureFailed,
    /// The checked files contain errors.
    Faulty,
    /// The user stopped the command.
    Interrupted,
}

/// Returns the exit code for the result of a command.
pub fn code(result: &Result<Outcome, Error>) -> u8 {
    match result {
        Ok(Outcome::Complete) => COMPLETE,
        Ok(Outcome::NothingMatched) => NOTHING_MATCHED,
        Ok(Outcome::GateFailed) => GATE_FAILED,
        Ok(Outcome::Incomplete) => INCOMPLETE,
        Ok(Outcome::InfrastructureFailed) => INFRASTRUCTURE,
        Ok(Outcome::Faulty) => USAGE,
        Ok(Outcome::Interrupted) => INTERRUPTED,
        Err(error) => of_error(error),
    }
}

fn of_error(error: &Error) -> u8 {
    match error {
        // Clap reports requested help and version texts as errors.
        Error::CommandLine(error) if !error.use_stderr() => COMPLETE,
        Error::RunDir(error)
        | Error::Settings(SettingsError::RunDir(error))
        | Error::Compare(CompareError::RunDir(error))
        | Error::Merge(MergeError::RunDir(error))
        | Error::Sweep(SweepError::RunDir(error))
        | Error::Import(ImportError::RunDir(error))
        | Error::Race(RaceError::RunDir(error))
        | Error::View(ViewError::Run(error)) => of_run_dir(error),
        Error::CommandLine(_)
        | Error::Settings(_)
        | Error::Benchmark(_)
        | Error::Grader(
            GraderError::Script(_)
            | GraderError::NoModel
            | GraderError::Unknown(_)
            | GraderError::Twice(_)
            | GraderError::NoJudge(..),
        )
        | Error::Protocol(_)
        | Error::Model(_)
        | Error::Engine(_)
        | Error::Resume(_)
        | Error::Sample(_)
        | Error::Sweep(
            SweepError::Invalid(_)
            | SweepError::Settings { .. }
            | SweepError::NoEffectAnywhere(_)
            | SweepError::Exists(_)
            | SweepError::NotASweep(_),
        )
        | Error::Compare(
            CompareError::Read { .. } | CompareError::Csv { .. } | CompareError::Differ(_),
        )
        | Error::Merge(
            MergeError::Unrelated { .. }
            | MergeError::Program { .. }
            | MergeError::Shards(_)
            | MergeError::Disagree { .. }
            | MergeError::Exists(_),
        )
        | Error::Import(ImportError::File(_) | ImportError::Field { .. })
        | Error::View(
            ViewError::Folder { .. }
            | ViewError::NotFound { .. }
            | ViewError::NotOneRun { .. }
            | ViewError::Parameter { .. }
            | ViewError::Outside { .. },
        )
        | Error::Folder(_)
        | Error::Queue(QueueError::NotBuilt | QueueError::Address { .. } | QueueError::NoRun(_))
        | Error::Race(RaceError::Line { .. })
        | Error::File {
            flag: "--document", ..
        }
        | Error::Serve(ServeError::OpenToAll(_))
        | Error::Image(_) => USAGE,
        Error::Stdout(_)
        | Error::Mcp(_)
        | Error::Serve(ServeError::Listen { .. } | ServeError::Serve(_))
        | Error::Stdin(_)
        | Error::Runtime(_)
        | Error::Sandbox(_)
        | Error::Grader(GraderError::Sandbox(_))
        | Error::File { .. }
        | Error::Browser(_)
        | Error::Run(_)
        | Error::Halted(_)
        | Error::Report(_)
        | Error::Queue(_)
        | Error::Fetch(_)
        | Error::View(ViewError::Index { .. } | ViewError::Listen { .. } | ViewError::Serve(_))
        | Error::Provider(_)
        | Error::NoAnswer(_) => INFRASTRUCTURE,
    }
}

fn of_run_dir(error: &RunDirError) -> u8 {
    match error {
        // A folder or file named on the command line has the wrong type or content.
        RunDirError::NotAFolder { .. }
        | RunDirError::NotARun { .. }
        | RunDirError::Link { .. }
        | RunDirError::Malformed { .. }
        | RunDirError::Fingerprint { .. }
        | RunDirError::Line { .. }
        | RunDirError::NoScores { .. }
        | RunDirError::OldScores { .. }
        | RunDirError::Version { .. } => USAGE,
        RunDirError::Create { .. }
        | RunDirError::Held { .. }
        | RunDirError::Lock { .. }
        | RunDirError::Write { .. }
        | RunDirError::Answer { .. }
        | RunDirError::Read { .. } => INFRASTRUCTURE,
    }
}
