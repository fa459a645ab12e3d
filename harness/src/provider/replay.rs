//! Plays back a recorded run.

mod cassette;
mod file;
mod node_rlm;
mod recorded_run;
mod run_dir;

use std::path::Path;

use async_trait::async_trait;

pub use file::ReplayError;
pub use node_rlm::{NodeRlmConfig, NodeRlmFile, NodeRlmResult, NodeRlmStep};

use super::{CallSink, Provider, ProviderError, Recording, Request, Response};

use file::read_bytes;
use recorded_run::{Key, RecordedOutcome, RecordedRun};

/// A recording in memory.
pub struct Replay {
    /// Path of the recording, for errors.
    name: String,
    run: RecordedRun,
}

impl Replay {
    /// Reads a run directory of this harness, a cassette, or a result file of the JavaScript
    /// system.
    ///
    /// # Errors
    /// Returns [`ReplayError`] with the path and, if known, the line.
    pub fn open(path: &Path) -> Result<Self, ReplayError> {
        let run = if path.is_dir() {
            run_dir::read(path)?
        } else {
            let bytes = read_bytes(path)?;
            match cassette::header(&bytes) {
                Some(header) => cassette::read(path, header, &bytes)?,
                None => node_rlm::read(path)?,
            }
        };
        if run.responses.is_empty() {
            let problem = format!("the recording {} contains no responses", path.display());
            return Err(ReplayError(problem));
        }
        let name = path.display().to_string();
        Ok(Self { name, run })
    }

    fn heard(&self, request: &Request) -> Option<&RecordedOutcome> {
        let key = Key::of(&request.caller, self.run.has_attempts);
        self.run.responses.get(&key)
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
            .run
            .responses
            .keys()
            .filter(|key| ["root", "tools"].contains(&key.invocation.as_str()))
            .map(|key| key.turn);
        Some(Recording {
            samples: self.run.samples.clone(),
            root_turns: root_turns.max().unwrap_or(0),
            cassette: self.run.cassette.clone(),
        })
    }
}
