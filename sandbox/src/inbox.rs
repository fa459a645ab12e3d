//! Source of an isolate's requests.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use crate::message::Request;

/// Delivers requests to an isolate on the isolate's own thread.
pub(crate) trait Inbox {
    /// Waits for the next request, but not longer than `until`.
    fn next(&mut self, until: Option<Instant>) -> NextRequest;
}

/// Result of waiting for a request.
pub(crate) enum NextRequest {
    Request(Request),
    /// A request to open an agent. Its context is empty in the request and follows in pieces.
    Open(Request, IncomingText),
    /// No request arrived in time.
    Due,
    /// No more requests will arrive.
    HungUp,
}

/// A long text that arrives in pieces, so that memory never contains it twice.
pub(crate) struct IncomingText {
    /// Number of pieces that have not arrived yet.
    pub pieces: u32,
    /// Length of the whole text in bytes of UTF-8.
    pub bytes: usize,
    /// Waits for the next piece; returns an empty string if it does not arrive.
    pub next: Box<dyn FnMut() -> String>,
}

impl IncomingText {
    /// Discards the remaining pieces.
    pub fn skip(mut self) {
        for _ in 0..self.pieces {
            (self.next)();
        }
    }
}

impl Inbox for Receiver<Request> {
    fn next(&mut self, until: Option<Instant>) -> NextRequest {
        let Some(until) = until else {
            return self
                .recv()
                .map_or(NextRequest::HungUp, NextRequest::Request);
        };
        match self.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(request) => NextRequest::Request(request),
            Err(RecvTimeoutError::Timeout) => NextRequest::Due,
            Err(RecvTimeoutError::Disconnected) => NextRequest::HungUp,
        }
    }
}
