//! Lines of a journal.

use sandbox::message::{Reading, RecordedSteps, SessionStart, Step};
use serde::{Deserialize, Serialize};

use crate::model::Message;
use crate::provider::{CallEvent, Caller, ProviderError, Request, Response};
use crate::text::sha256_hex;

/// Version of the line format; the first line contains it as `v`. Lines of version 1 have neither
/// numbers nor checksums.
pub const JOURNAL_VERSION: u32 = 2;

/// Invocation id of the root.
pub(super) const ROOT: &str = "root";

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// First line: identifies the attempt.
    Attempt {
        v: u32,
        /// Id of the run; missing in version 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
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
    /// Steps of a session since the previous line of this kind.
    Did {
        invocation: String,
        steps: Vec<Step>,
        clock: Vec<Reading>,
    },
    /// Result of a request to a model.
    Response(Box<JournaledResponse>),
    /// After the lines above this one, the attempt ended in an error. It continues here.
    Continued {},
    /// The attempt is a fork. The lines above this one are from an attempt of another run.
    Forked(Fork),
}

/// Point at which a fork begins its own work, after the inherited responses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// Number of the root's first new request, 1-based.
    pub turn: u32,
    /// Text that is appended to the newest user message of that request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
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
    /// Digest of the request; in version 1, only of its new part.
    pub asked: String,
    /// Time of the response, in milliseconds since the attempt began.
    pub at_ms: f64,
    /// Milliseconds from request to response.
    pub ms: f64,
    /// Whether the response came from a cache, so that it was not billed.
    pub cached: bool,
    /// Events of the call, such as retries.
    pub calls: Vec<CallEvent>,
    /// Response or error.
    pub result: Result<Response, ProviderError>,
    /// New messages of the request, if the attempt is a fork and inherited the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// How strictly a repeated request must match.
    #[serde(skip)]
    pub matching: Matching,
}

/// How strictly a request must match a recorded one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Matching {
    /// A different request means that the attempt deviates from its journal.
    #[default]
    Exact,
    /// A different request is sent as a new one, because the recorded one may depend on entries
    /// that were left out.
    Lenient,
    /// Any request with the same [`RequestKey`] matches, because a fork may have other settings.
    Any,
}

/// Identifies a request within an attempt.
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

    /// Whether a fork inherited the response.
    pub fn is_inherited(&self) -> bool {
        self.matching == Matching::Any
    }

    /// Returns the digest of a request in version 1 of the format. It covers only the new part: the
    /// model, the newest message and the number of messages.
    pub fn asked_v1(request: &Request) -> String {
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
pub(super) fn steps_entry(invocation: &str, course: RecordedSteps) -> Entry {
    Entry::Did {
        invocation: invocation.to_owned(),
        steps: course.steps,
        clock: course.clock,
    }
}
