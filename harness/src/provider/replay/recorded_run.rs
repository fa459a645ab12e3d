//! A recorded run in memory. All formats of recordings are read into it.

use std::collections::HashMap;

use crate::model::Role;
use crate::provider::{CallEvent, Caller, CassetteHeader, ProviderError, Response};

/// Responses of a recorded run.
pub(super) struct RecordedRun {
    /// Ids of the samples, in the order of the recording.
    pub samples: Vec<String>,
    pub responses: HashMap<Key, RecordedOutcome>,
    /// Whether the recording distinguishes attempts. If not, every attempt receives the same
    /// responses.
    pub has_attempts: bool,
    pub cassette: Option<CassetteHeader>,
}

/// Recorded result of a request, with the events of the call.
#[derive(Debug, Clone)]
pub(super) struct RecordedOutcome {
    /// Whether the response came from a cache instead of a model.
    pub cached: bool,
    pub events: Vec<CallEvent>,
    pub result: Result<Response, ProviderError>,
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
pub(super) struct Key {
    pub sample: String,
    pub attempt: u32,
    pub invocation: String,
    pub turn: u32,
    pub trims: u32,
}

impl Key {
    pub fn of(caller: &Caller, has_attempts: bool) -> Self {
        Self {
            sample: caller.sample.clone(),
            attempt: if has_attempts { caller.attempt } else { 1 },
            // The role prevents a recording of one protocol from answering requests of another.
            invocation: Self::invocation(caller.role, &caller.invocation),
            turn: caller.turn,
            trims: caller.trims,
        }
    }

    /// Returns the invocation part of a key: the role of a root, or else the invocation id.
    pub fn invocation(role: Role, id: &str) -> String {
        match role {
            Role::Root(_) => role.to_string(),
            _ => id.to_owned(),
        }
    }
}
