//! The worker's end of one session's socket.

use std::io::BufReader;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::frame::{self, FrameError};
use super::{Down, Up};
use crate::inbox::{Arriving, Inbox, Next};

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
        let socket = BufReader::new(self.0.try_clone()?);
        Ok(Requests(Arc::new(Mutex::new(socket))))
    }

    /// Tells the other side that there is no more.
    pub fn hang_up(&self) {
        // It may have done so first.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Requests over a session's socket, shared with the context that comes after one of them.
pub(super) struct Requests(Arc<Mutex<BufReader<UnixStream>>>);

impl Requests {
    /// Whether something can be read, after a wait until then at most.
    fn comes(&self, until: Instant) -> bool {
        let socket = lock(&self.0);
        if !socket.buffer().is_empty() {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let mut polled = [PollFd::new(socket.get_ref(), PollFlags::IN)];
        // A wait that fails is looked at again by whoever finds nothing due yet.
        poll(&mut polled, left.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl Inbox for Requests {
    fn next(&mut self, until: Option<Instant>) -> Next {
        if until.is_some_and(|until| !self.comes(until)) {
            return Next::Due;
        }
        let down = frame::read(&mut *lock(&self.0));
        // Who sends what cannot be read is not the harness.
        let Ok(Some(Down {
            request,
            pieces,
            bytes,
        })) = down
        else {
            return Next::HungUp;
        };
        if pieces == 0 {
            return Next::Request(request);
        }
        let socket = Arc::clone(&self.0);
        let next = move || {
            // Of a harness that is gone, the next request tells.
            let piece = frame::read(&mut *lock(&socket)).ok().flatten();
            piece.unwrap_or_default()
        };
        let arriving = Arriving {
            pieces,
            bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            next: Box::new(next),
        };
        Next::Open(request, arriving)
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
