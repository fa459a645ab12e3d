//! Where an isolate's requests come from.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

use crate::message::Request;

/// Gives an isolate its requests, on the isolate's own thread.
pub(crate) trait Inbox {
    /// Waits for the next request, but not beyond `until`.
    fn next(&mut self, until: Option<Instant>) -> Next;
}

/// What the wait brought.
pub(crate) enum Next {
    Request(Request),
    /// An agent is opened, and its context, empty in the request, is on its way.
    Open(Request, Arriving),
    /// Nothing until then.
    Due,
    /// There will be no more requests.
    HungUp,
}

/// A long text that comes in pieces, so that nobody holds it twice.
pub(crate) struct Arriving {
    /// How many have not come yet.
    pub pieces: u32,
    /// Of all of them together, in UTF-8.
    pub bytes: usize,
    /// Waits for the next; empty when it does not come.
    pub next: Box<dyn FnMut() -> String>,
}

impl Arriving {
    /// Lets the rest of it come, for nobody.
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
