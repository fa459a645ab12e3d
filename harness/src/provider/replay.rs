//! Plays a recorded run back: every response is the one that a model once gave.

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

/// A recording, read whole.
pub struct Replay {
    name: String,
    /// Recorded samples, in the recording's order.
    samples: Vec<String>,
    responses: HashMap<Key, Heard>,
    /// Whether the recording distinguishes attempts; if not, every attempt gets the same responses.
    has_attempts: bool,
    cassette: Option<CassetteHeader>,
}

/// What came of a request, and what happened to it on its way.
#[derive(Debug, Clone)]
struct Heard {
    /// Whether a cache gave the answer.
    cached: bool,
    events: Vec<CallEvent>,
    result: Result<Response, ProviderError>,
}

impl From<Result<Response, ProviderError>> for Heard {
    fn from(result: Result<Response, ProviderError>) -> Self {
        Self {
            cached: false,
            events: Vec::new(),
            result,
        }
    }
}

/// Which request a response answers.
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
            // A recording of one protocol does not answer another.
            invocation: Self::invocation(caller.role, &caller.invocation),
            turn: caller.turn,
            trims: caller.trims,
        }
    }
}

impl Key {
    /// The invocation; roots go by their roles.
    fn invocation(role: Role, id: &str) -> String {
        match role {
            Role::Root(_) => role.to_string(),
            _ => id.to_owned(),
        }
    }
}

/// Why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It cannot be read.
    #[error("cannot read the recording {}: {source}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no recording that the harness knows.
    #[error(
        "{} is no recording: {problem}; expected a run directory of `rlm-eval run`, a cassette of --record, or a result file of the \
         JavaScript system (an object with `benchmark`, `model` and `results[].trace[].reasoning`)",
        .path.display()
    )]
    Format {
        /// The file or folder.
        path: PathBuf,
        /// What was found instead, and where.
        problem: String,
    },
    /// It holds no response.
    #[error("the recording {} holds no responses", .0.display())]
    Empty(PathBuf),
}

impl Replay {
    /// Reads a run directory of this harness, a cassette, or a result file of the JavaScript system.
    ///
    /// # Errors
    /// [`ReplayError`] with the path and, where it is known, the line.
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

    fn heard(&self, request: &Request) -> Option<&Heard> {
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

/// A file of which each line is read for itself: a torn one may end within a character, which costs no other line.
fn read_bytes(path: &Path) -> Result<Vec<u8>, ReplayError> {
    read_file(path, MAX_RECORDING_BYTES).map_err(|source| ReplayError::Read {
        path: path.to_owned(),
        source,
    })
}

/// The lines of such a file. As with texts, there is none after the last newline.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    whole.split(|byte| *byte == b'\n')
}
