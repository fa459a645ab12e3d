//! Lines of a journal.

use sandbox::message::{Reading, RecordedSteps, SessionStart, Step};
use serde::{Deserialize, Serialize};

use crate::provider::{CallEvent, Caller, ProviderError, Request, Response};
use crate::text::sha256_hex;

/// Version of the line format; the first line contains it as `v`.
pub const JOURNAL_VERSION: u32 = 1;

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// First line: identifies the attempt.
    Attempt {
        v: u32,
        sample: String,
        attempt: u32,
    },
    /// Start of an agent's sandbox session.
    Session {
        invocation: String,
        seed: u64,
        epoch_ms: u64,
        pinned: bool,
    },
    /// Steps of a session since its last line of this kind.
    Did {
        invocation: String,
        steps: Vec<Step>,
        clock: Vec<Reading>,
    },
    /// Result of a request to a model.
    Response(Box<JournaledResponse>),
}

/// Recorded result of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JournaledResponse {
    /// Invocation id of the agent.
    pub invocation: String,
    /// Number of the agent's request, 1-based.
    pub turn: u32,
    /// Number of times the conversation was shortened in this turn.
    pub trims: u32,
    /// Digest of the new part of the request.
    pub asked: String,
    /// Milliseconds since the attempt began.
    pub at_ms: f64,
    /// Milliseconds from request to response.
    pub ms: f64,
    /// Whether the response came from a cache, so that it was not billed.
    pub cached: bool,
    /// Events of the call, such as retries.
    pub calls: Vec<CallEvent>,
    /// Response or error.
    pub result: Result<Response, ProviderError>,
}

/// Key of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RequestKey {
    pub invocation: String,
    pub turn: u32,
    pub trims: u32,
}

impl RequestKey {
    pub fn of(caller: &Caller) -> Self {
        Self {
            invocation: caller.invocation.clone(),
            turn: caller.turn,
            trims: caller.trims,
        }
    }
}

impl JournaledResponse {
    pub fn key(&self) -> RequestKey {
        RequestKey {
            invocation: self.invocation.clone(),
            turn: self.turn,
            trims: self.trims,
        }
    }

    /// Returns the digest of the new part of a request: the model, the newest message, and the
    /// number of messages.
    pub fn asked(request: &Request) -> String {
        let newest = request.messages.last();
        let newest = serde_json::to_string(&newest).unwrap_or_default();
        let before = request.messages.len();
        sha256_hex(&format!("{}\n{before}\n{newest}", request.model))
    }
}

/// Creates the line for the start of a session.
pub(super) fn session(invocation: &str, beginning: &SessionStart) -> Entry {
    Entry::Session {
        invocation: invocation.to_owned(),
        seed: beginning.seed,
        epoch_ms: beginning.epoch_ms,
        pinned: beginning.pinned,
    }
}

/// Creates the line for new steps of a session.
pub(super) fn did(invocation: &str, course: RecordedSteps) -> Entry {
    Entry::Did {
        invocation: invocation.to_owned(),
        steps: course.steps,
        clock: course.clock,
    }
}
