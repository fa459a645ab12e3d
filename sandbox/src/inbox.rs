//! The source of an isolate's requests.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use crate::message::Request;

/// Delivers requests on the isolate's own thread.
pub(crate) trait Inbox {
    /// Waits for the next request, at most until `until`.
    fn next(&mut self, until: Option<Instant>) -> Next;
}

/// Result of the wait.
pub(crate) enum Next {
    Request(Request),
    /// A request to open an agent whose context, empty in the request, follows in pieces.
    Open(Request, Arriving),
    /// No request arrived in time.
    Due,
    /// No more requests will arrive.
    HungUp,
}

/// A long text that arrives in pieces, so that it is never held twice.
pub(crate) struct Arriving {
    /// Number of pieces still to come.
    pub pieces: u32,
    /// Length of the whole text in bytes of UTF-8.
    pub bytes: usize,
    /// Waits for the next piece; returns an empty string if it does not arrive.
    pub next: Box<dyn FnMut() -> String>,
}

impl Arriving {
    /// Discards the remaining pieces.
    pub fn skip(mut self) {
        for _ in 0..self.pieces {
            (self.next)();
        }
    }
}

impl Inbox for Receiver<Request> {
    fn next(&mut self, until: Option<Instant>) -> Next {
        let Some(until) = until else {
            return self.recv().map_or(Next::HungUp, Next::Request);
        };
        match self.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(request) => Next::Request(request),
            Err(RecvTimeoutError::Timeout) => Next::Due,
            Err(RecvTimeoutError::Disconnected) => Next::HungUp,
        }
    }
}
