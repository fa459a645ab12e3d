//! What can be wrong with the settings.

mod hint;

use std::io;
use std::path::PathBuf;

use harness::Protocol;
use harness::hook::HookRegistryError;
use harness::prompt::definition::Faults;
use harness::prompt::{PromptError, UnfitDriver};
use harness::provider::PriceError;
use harness::treatment::Inert;

use super::model_ref;
use crate::cli::SandboxError;
use crate::run_dir::RunDirError;

/// A setting, or a file that a setting names, is wrong. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file `.env` cannot be used.
    #[error("{}: {problem}", .path.display())]
    EnvFile {
        /// The file.
        path: PathBuf,
        /// What is wrong, without anything of the file's text.
        problem: String,
    },

    /// The file of a web agent cannot be used.
    #[error("--web-agent {}: {problem}", .path.display())]
    WebAgent {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line or field, and what would be right.
        problem: String,
    },

    /// A tool, its file, or a value that it is given is wrong.
    #[error("{problem}")]
    Tools {
        /// What is wrong, with the flag or the file.
        problem: String,
    },

    /// No benchmark has this name.
    #[error("--benchmark: unknown benchmark `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    UnknownBenchmark {
        /// The name as given.
        name: String,
        /// The benchmark it most likely stands for.
        nearest: Option<String>,
        /// All of them.
        known: String,
    },

    /// No scorer has this name.
    #[error("--scorer: unknown scorer `{name}`{}", did_you_mean(.nearest.as_deref(), .known))]
    UnknownScorer {
        /// The name as given.
        name: String,
        /// The scorer it most likely stands for.
        nearest: Option<String>,
        /// All of them.
        known: String,
    },

    /// The benchmark has a scorer of its own, without which its scores could not be compared.
    #[error("--scorer: benchmark `{benchmark}` has a scorer of its own")]
    FixedScorer {
        /// The benchmark.
        benchmark: String,
    },

    /// A prompt for a judge, and no model to tell it.
    #[error("--judge-prompt: there is no judge without --judge-model")]
    JudgeWithoutModel,

    /// A judge's prompt cannot be used.
    #[error("--judge-prompt: {problem}")]
    JudgePrompt {
        /// What is wrong, with the file and line where they are known.
        problem: String,
    },

    /// No benchmark of this name has data to fetch.
    #[error("`{name}` has no data to fetch{}", did_you_mean(.nearest.as_deref(), .known))]
    NoData {
        /// The name as given.
        name: String,
        /// The benchmark it most likely stands for.
        nearest: Option<String>,
        /// All that have data.
        known: String,
    },

    /// No address.
    #[error("--mirror: `{given}` is no address; expected one like http://127.0.0.1:8000")]
    Mirror {
        /// The address as given.
        given: String,
    },

    /// There is no folder for data.
    #[error(
        "there is no folder for data: neither HOME nor XDG_CACHE_HOME is set; give one with --data-dir"
    )]
    NoHome,

    /// No filter.
    #[error(
        "--filter: `{given}` is no filter; expected KEY=VALUE or KEY=VALUE|VALUE: domain=law|code"
    )]
    Filter {
        /// The filter as given.
        given: String,
    },

    /// No known form of a model reference.
    #[error("{place}: unknown model `{given}`{}", did_you_mean(.nearest.as_deref(), &model_forms()))]
    UnknownModel {
        /// The flag.
        place: String,
        /// The reference as given.
        given: String,
        /// The reference it most likely stands for.
        nearest: Option<String>,
    },

    /// A model over HTTP without the key to its server.
    #[error("{place}: `{reference}` needs a key: {variable} is not set")]
    NoKey {
        /// The flag.
        place: String,
        /// The reference as given.
        reference: String,
        /// The environment variable that holds the key.
        variable: String,
    },

    /// A setting that a model's format has no words for.
    #[error("{flag}: `{reference}` cannot be asked so: {reason}")]
    Unsupported {
        /// The flag.
        flag: &'static str,
        /// The model.
        reference: String,
        /// Why, and what would be right.
        reason: String,
    },

    /// A server for a model that runs on none.
    #[error(
        "--base-url: the model of --model does not run over HTTP; expected openai/MODEL, openai-responses/MODEL or anthropic/MODEL"
    )]
    BaseUrlWithoutServer,

    /// No field for a request's body.
    #[error("--model-args{}: {problem}; expected KEY=VALUE, as in top_p=0.9", match name {
        Some(name) => format!(" {name}"),
        None => String::new(),
    })]
    ModelArgs {
        /// Its name. Its value may be a secret, and so may what has no name.
        name: Option<String>,
        /// What is wrong.
        problem: String,
    },

    /// A field of a request's body that a flag of its own gives, too.
    #[error("--model-args {field}: {flag} gives it, too; leave one of them out")]
    ModelArgTwice {
        /// The field.
        field: &'static str,
        /// The flag.
        flag: &'static str,
    },

    /// A secret among the fields of a request's body, which are stored.
    #[error(
        "--model-args: the field `{field}` holds a secret, and these fields are stored with the run"
    )]
    SecretModelArg {
        /// Its path.
        field: String,
        /// The variable that holds the key to the model's server.
        variable: Option<String>,
    },

    /// A server that only a run's folder names would get a key.
    #[error(
        "{} names the server {address}, which would get your key, and this start does not name it",
        .folder.display()
    )]
    UnnamedAddress {
        /// The run's folder, or the sweep's.
        folder: PathBuf,
        /// The address.
        address: String,
    },

    /// A provider whose models are asked for, and that there is not.
    #[error("--provider: unknown provider `{given}`{}", did_you_mean(.nearest.as_deref(), .known))]
    UnknownProvider {
        /// As given.
        given: String,
        /// The one it most likely stands for.
        nearest: Option<String>,
        /// All of them.
        known: String,
    },

    /// There is no place for cells to run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),

    /// A number that makes no sense.
    #[error("{flag} {value}: expected a number from {least} to {most}")]
    OutOfBounds {
        /// The flag.
        flag: &'static str,
        /// Its value.
        value: String,
        /// The least that is possible.
        least: String,
        /// The most that is possible.
        most: String,
    },

    /// A path that cannot be stored with a run.
    #[error("a path among the flags cannot be stored with the run: {0}")]
    PathNotUtf8(serde_json::Error),

    /// The run that is to go on cannot be read.
    #[error(transparent)]
    RunDir(#[from] RunDirError),

    /// A run whose settings do not say how it was begun.
    #[error("{}: {problem}", .path.display())]
    NotResumable {
        /// Its `config.json`.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },

    /// A flag that goes with new runs only.
    #[error("--log-dir goes with new runs; --resume goes on in the folder {}", .dir.display())]
    LogDirOfResumed {
        /// The folder of the run that goes on.
        dir: PathBuf,
    },

    /// What cells of a sweep share or differ in is wrong.
    #[error("{problem}")]
    Matrix {
        /// What would be right.
        problem: String,
    },

    /// A file that is no matrix.
    #[error("{}: {problem}", .path.display())]
    MatrixFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },

    /// No length of a context.
    #[error(
        "--context-len: `{given}` is no length; expected characters as a whole number, with k for thousands or m for millions: 8k, 1m, 64000"
    )]
    ContextLength {
        /// The length as given.
        given: String,
    },

    /// Something that the run claims is not in what its agents get.
    #[error(transparent)]
    Inert(#[from] Box<Inert>),

    /// A driver that is written for agents of other protocols.
    #[error("--drivers: {0}")]
    UnfitDriver(#[from] UnfitDriver),

    /// A text of the prompt's layers that cannot be used.
    #[error("{flag}: {}: {reason}", .path.display())]
    LayerFile {
        /// The flag that names it.
        flag: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },

    /// A name that would be more than a part of a line.
    #[error("{flag}: expected one line without control characters")]
    NotOneLine {
        /// The flag.
        flag: &'static str,
    },

    /// A day that is none.
    #[error("--date: `{given}` is no day, expected YYYY-MM-DD")]
    Date {
        /// The day as given.
        given: String,
    },

    /// A definition that is neither bundled nor in the user's folder.
    #[error("--prompt: {problem}")]
    UnknownPrompt {
        /// What there is instead.
        problem: String,
    },

    /// Faults of definitions.
    #[error("{0}")]
    Definitions(#[from] Faults),

    /// A child in a protocol that knows none.
    #[error("--depth {depth}: with --protocol {protocol} there is one agent, at depth 0")]
    LonelyChild {
        /// The protocol.
        protocol: Protocol,
        /// The depth as given.
        depth: u32,
    },

    /// A lineage that no agent of this depth has.
    #[error("--lineage: {given} given, but an agent at depth {depth} has {depth} above it")]
    Lineage {
        /// The agent's depth.
        depth: u32,
        /// How many queries there are.
        given: usize,
    },

    /// A run that is compared with itself.
    #[error("{} is given twice: a run does not differ from itself", .path.display())]
    SameRunTwice {
        /// The folder or file as given the second time.
        path: PathBuf,
    },

    /// A budget of money for a model whose calls would count as free.
    #[error("{flag}: no price is known for `{reference}`, so nothing would count")]
    Unpriced {
        /// The budget's flag.
        flag: &'static str,
        /// The model.
        reference: String,
    },

    /// A table of prices is wrong.
    #[error(transparent)]
    Prices(PriceError),

    /// An output that would replace what is read.
    #[error("{flag} {}: this would replace a run that is compared, or a file of it", .path.display())]
    OutputIsInput {
        /// The flag.
        flag: &'static str,
        /// The file.
        path: PathBuf,
    },

    /// A question that asks nothing.
    #[error("{source_name}: the question is blank")]
    BlankQuery {
        /// The flag or stream it was read from.
        source_name: &'static str,
    },

    /// A file or folder that cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },

    /// A file that is no text.
    #[error("{}: not UTF-8 text, from byte {at}", .path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Bytes before the first wrong one.
        at: usize,
    },

    /// A text that is too long.
    #[error("{}: longer than {longest} bytes", .path.display())]
    TooLong {
        /// The file or folder.
        path: PathBuf,
        /// The longest that is possible, in bytes.
        longest: u64,
    },

    /// A profile names a driver that does not exist.
    #[error("profile `{profile}`: {problem}")]
    ProfileDriver {
        /// The profile's name.
        profile: String,
        /// What is wrong with its driver.
        problem: PromptError,
    },

    /// There is no such hook, or a file is none.
    #[error(transparent)]
    Hook(#[from] HookRegistryError),

    /// Hooks of the user's own cannot be tried.
    #[error("cannot start a runtime to try hooks in: {0}")]
    HookRuntime(io::Error),

    /// A driver, a profile, or a model alias is wrong.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl From<Inert> for SettingsError {
    fn from(inert: Inert) -> Self {
        Self::Inert(Box::new(inert))
    }
}

/// The end of a message: the nearest word, or else what is known.
fn did_you_mean(nearest: Option<&str>, known: &str) -> String {
    match nearest {
        Some(word) => format!("; did you mean `{word}`?"),
        None => format!("; known: {known}"),
    }
}

fn model_forms() -> String {
    let forms: Vec<&str> = model_ref::model_forms().map(|(form, _)| form).collect();
    forms.join(", ")
}
