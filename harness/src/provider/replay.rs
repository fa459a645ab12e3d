//! Plays back a recorded run.

mod cassette;
mod node_rlm;
mod run_dir;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

pub use node_rlm::{JsText, NodeRlmConfig, NodeRlmFile, NodeRlmResult, NodeRlmStep};

use super::{
    CallEvent, CallSink, Caller, CassetteHeader, Provider, ProviderError, Recording, Request,
    Response,
};
use crate::model::Role;
use crate::text::{self, MAX_RECORDING_BYTES, read_file};

/// A recording in memory.
pub struct Replay {
    name: String,
    /// Ids of the samples, in the order of the recording.
    samples: Vec<String>,
    responses: HashMap<Key, RecordedOutcome>,
    /// Whether the recording distinguishes attempts. If not, every attempt receives the same
    /// responses.
    has_attempts: bool,
    cassette: Option<CassetteHeader>,
}

/// Recorded result of a request, with the events of the call.
#[derive(Debug, Clone)]
struct RecordedOutcome {
    /// Whether the response came from a cache instead of a model.
    cached: bool,
    events: Vec<CallEvent>,
    result: Result<Response, ProviderError>,
}

impl From<Result<Response, ProviderError>> for RecordedOutcome {
    fn from(result: Result<Response, ProviderError>) -> Self {
        Self {
            cached: false,
            events: Vec::new(),
            result,
        }
    }
}

/// Lookup key of a recorded response.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    sample: String,
    attempt: u32,
    invocation: String,
    turn: u32,
    trims: u32,
}

impl Key {
    fn of(caller: &Caller, has_attempts: bool) -> Self {
        Self {
            sample: caller.sample.clone(),
            attempt: if has_attempts { caller.attempt } else { 1 },
            // The role prevents a recording of one protocol from answering requests of another.
            invocation: Self::invocation(caller.role, &caller.invocation),
            turn: caller.turn,
            trims: caller.trims,
        }
    }
}

impl Key {
    /// Returns the invocation part of a key: the role of a root, or else the invocation id.
    fn invocation(role: Role, id: &str) -> String {
        match role {
            Role::Root(_) => role.to_string(),
            _ => id.to_owned(),
        }
    }
}

/// Error when opening a recording.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The recording cannot be read.
    #[error("cannot read the recording {}: {source}", .path.display())]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The format of the recording is unknown.
    #[error(
        "{} is not a recording: {problem}; expected a run directory of `rlm-eval run`, a cassette of --record, or a result file of the \
         JavaScript system (an object with `benchmark`, `model` and `results[].trace[].reasoning`)",
        .path.display()
    )]
    Format {
        /// Path of the file or folder.
        path: PathBuf,
        /// Description of the problem and its place.
        problem: String,
    },
    /// The recording contains no responses.
    #[error("the recording {} contains no responses", .0.display())]
    Empty(PathBuf),
}

impl Replay {
    /// Reads a run directory of this harness, a cassette, or a result file of the JavaScript
    /// system.
    ///
    /// # Errors
    /// Returns [`ReplayError`] with the path and, if known, the line.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        let replay = if path.is_dir() {
            run_dir::read(path)?
        } else {
            let bytes = read_bytes(path)?;
            match cassette::header(&bytes) {
                Some(header) => cassette::read(path, header, &bytes)?,
                None => node_rlm::read(path)?,
            }
        };
        if replay.responses.is_empty() {
            return Err(ReplayError::Empty(path.to_owned()));
        }
        Ok(replay)
    }

    fn heard(&self, request: &Request) -> Option<&RecordedOutcome> {
        self.responses
            .get(&Key::of(&request.caller, self.has_attempts))
    }
}

#[async_trait]
impl Provider for Replay {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let caller = &request.caller;
        let Some(heard) = self.heard(request) else {
            return Err(ProviderError::NotRecorded {
                recording: self.name.clone(),
                sample: caller.sample.clone(),
                invocation: caller.invocation.clone(),
                turn: caller.turn,
            });
        };
        for event in &heard.events {
            calls.note(event.clone());
        }
        heard.result.clone()
    }

    async fn recall(&self, request: &Request) -> Option<Result<Response, ProviderError>> {
        let heard = self.heard(request).filter(|heard| heard.cached)?;
        Some(heard.result.clone())
    }

    fn recording(&self) -> Option<Recording> {
        let root_turns = self
            .responses
            .keys()
            .filter(|key| ["root", "tools"].contains(&key.invocation.as_str()))
            .map(|key| key.turn);
        Some(Recording {
            samples: self.samples.clone(),
            root_turns: root_turns.max().unwrap_or(0),
            cassette: self.cassette.clone(),
        })
    }
}

fn format_error(path: &Path, problem: impl Into<String>) -> ReplayError {
    ReplayError::Format {
        path: path.to_owned(),
        problem: problem.into(),
    }
}

fn read_text(path: &Path) -> Result<String, ReplayError> {
    text::read_text(path, MAX_RECORDING_BYTES).map_err(|source| ReplayError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Reads a file as bytes, because a truncated line may end within a character, while the other
/// lines are valid.
fn read_bytes(path: &Path) -> Result<Vec<u8>, ReplayError> {
    read_file(path, MAX_RECORDING_BYTES).map_err(|source| ReplayError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Returns the lines of a file. A newline at the end does not start another line.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    whole.split(|byte| *byte == b'\n')
}
