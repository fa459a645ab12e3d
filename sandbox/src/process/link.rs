//! The worker's end of one session's socket.

use std::io::BufReader;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Up;
use super::frame::{self, FrameError};
use crate::inbox::{Inbox, Next};

/// A session's socket. Only the session's own thread uses it.
pub(super) struct Link(UnixStream);

impl Link {
    pub fn new(socket: OwnedFd) -> Self {
        Self(UnixStream::from(socket))
    }

    pub fn send(&self, message: &Up) -> Result<(), FrameError> {
        frame::write(&mut &self.0, message)
    }

    /// The requests that come over it.
    pub fn requests(&self) -> Result<Requests, FrameError> {
        Ok(Requests(BufReader::new(self.0.try_clone()?)))
    }

    /// Tells the other side that there is no more.
    pub fn hang_up(&self) {
        // It may have done so first.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Requests over a session's socket.
pub(super) struct Requests(BufReader<UnixStream>);

impl Requests {
    /// Whether something can be read, after a wait until then at most.
    fn comes(&self, until: Instant) -> bool {
        if !self.0.buffer().is_empty() {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let mut socket = [PollFd::new(self.0.get_ref(), PollFlags::IN)];
        // A wait that fails is looked at again by whoever finds nothing due yet.
        poll(&mut socket, left.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl Inbox for Requests {
    fn next(&mut self, until: Option<Instant>) -> Next {
        if until.is_some_and(|until| !self.comes(until)) {
            return Next::Due;
        }
        match frame::read(&mut self.0) {
            Ok(Some(request)) => Next::Request(request),
            // Who sends what cannot be read is not the harness.
            Ok(None) | Err(_) => Next::HungUp,
        }
    }
}
