//! The lines of a journal.

use sandbox::message::{Beginning, Course, Reading, Step};
use serde::{Deserialize, Serialize};

use crate::provider::{CallEvent, Caller, ProviderError, Request, Response};
use crate::text::sha256_hex;

/// Version of the lines; the first one carries it as `v`.
pub const JOURNAL_VERSION: u32 = 1;

/// A line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// What the journal is of.
    Attempt {
        v: u32,
        sample: String,
        attempt: u32,
    },
    /// An agent's sandbox session began.
    Session {
        invocation: String,
        seed: u64,
        epoch_ms: u64,
        pinned: bool,
    },
    /// What was done in it since the last such line.
    Did {
        invocation: String,
        steps: Vec<Step>,
        clock: Vec<Reading>,
    },
    /// A model answered, or did not.
    Response(Box<Kept>),
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Who asked.
    pub invocation: String,
    /// The number of the request among those of this agent, from 1.
    pub turn: u32,
    /// How often the conversation had been shortened in this turn.
    pub trims: u32,
    /// Of what was asked.
    pub asked: String,
    /// Milliseconds since the attempt began.
    pub at_ms: f64,
    /// Milliseconds from request to response.
    pub ms: f64,
    /// Whether it came from a cache, so that nothing was paid.
    pub cached: bool,
    /// What happened on the way.
    pub calls: Vec<CallEvent>,
    /// The response.
    pub result: Result<Response, ProviderError>,
}

/// Which request it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub invocation: String,
    pub turn: u32,
    pub trims: u32,
}

impl Key {
    pub fn of(caller: &Caller) -> Self {
        Self {
            invocation: caller.invocation.clone(),
            turn: caller.turn,
            trims: caller.trims,
        }
    }
}

impl Kept {
    pub fn key(&self) -> Key {
        Key {
            invocation: self.invocation.clone(),
            turn: self.turn,
            trims: self.trims,
        }
    }

    /// The digest of what a request asks beyond the agent's earlier ones: its newest message, and how many came before.
    pub fn asked(request: &Request) -> String {
        let newest = request.messages.last();
        let newest = serde_json::to_string(&newest).unwrap_or_default();
        let before = request.messages.len();
        sha256_hex(&format!("{}\n{before}\n{newest}", request.model))
    }
}

/// The beginning of a session, as a line has it.
pub(super) fn session(invocation: &str, beginning: &Beginning) -> Entry {
    Entry::Session {
        invocation: invocation.to_owned(),
        seed: beginning.seed,
        epoch_ms: beginning.epoch_ms,
        pinned: beginning.pinned,
    }
}

/// What was done in a session, as a line has it.
pub(super) fn did(invocation: &str, course: Course) -> Entry {
    Entry::Did {
        invocation: invocation.to_owned(),
        steps: course.steps,
        clock: course.clock,
    }
}
