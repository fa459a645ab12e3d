//! The worker's end of one session's socket.

use std::io::BufReader;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::frame::{self, FrameError};
use super::{FromWorker, ToWorker};
use crate::inbox::{Inbox, IncomingText, NextRequest};
use crate::message::Reply;

pub(super) struct Link(UnixStream);

impl Link {
    pub fn new(socket: OwnedFd) -> Self {
        Self(UnixStream::from(socket))
    }

    pub fn send(&self, message: &FromWorker) -> Result<(), FrameError> {
        frame::write(&mut &self.0, message)
    }

    /// Sends the replies of a turn and marks the last one.
    pub fn send_replies(&self, replies: Vec<Reply>) -> Result<(), FrameError> {
        let mut left = replies.len();
        for reply in replies {
            left -= 1;
            self.send(&FromWorker::Reply {
                reply,
                is_last: left == 0,
            })?;
        }
        Ok(())
    }

    /// Returns a reader of the requests that arrive over the socket.
    pub fn requests(&self) -> Result<Requests, FrameError> {
        let socket = BufReader::new(self.0.try_clone()?);
        Ok(Requests(Arc::new(Mutex::new(socket))))
    }

    /// Returns a function that checks whether the other side has disconnected, for use on another
    /// thread.
    pub fn gone(&self) -> Result<impl FnMut() -> bool + Send + use<>, FrameError> {
        let socket = self.0.try_clone()?;
        Ok(move || {
            let mut polled = [PollFd::new(&socket, PollFlags::empty())];
            let now = Timespec::default();
            // The caller repeats a failed poll soon.
            poll(&mut polled, Some(&now)).is_ok_and(|ready| ready > 0)
        })
    }

    pub fn hang_up(&self) {
        // The other side may have closed the connection first.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// Reader of a session's requests, shared with the reader of a context that follows a request.
pub(super) struct Requests(Arc<Mutex<BufReader<UnixStream>>>);

impl Requests {
    /// Waits for data, until `until` at the latest. Returns whether data is available.
    fn wait_for_data(&self, until: Instant) -> bool {
        let socket = lock(&self.0);
        if !socket.buffer().is_empty() {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let mut polled = [PollFd::new(socket.get_ref(), PollFlags::IN)];
        // If waiting fails, the caller tries again.
        poll(&mut polled, left.as_ref()).is_ok_and(|ready| ready > 0)
    }
}

impl Inbox for Requests {
    fn next(&mut self, until: Option<Instant>) -> NextRequest {
        if until.is_some_and(|until| !self.wait_for_data(until)) {
            return NextRequest::Due;
        }
        let down = frame::read(&mut *lock(&self.0));
        // The harness only sends valid frames, so the connection is unusable after an invalid one.
        let Ok(Some(ToWorker {
            request,
            pieces,
            bytes,
        })) = down
        else {
            return NextRequest::HungUp;
        };
        if pieces == 0 {
            return NextRequest::Request(request);
        }
        let socket = Arc::clone(&self.0);
        let next = move || {
            // If the harness has ended, reading the next request detects it.
            let piece = frame::read(&mut *lock(&socket)).ok().flatten();
            piece.unwrap_or_default()
        };
        let arriving = IncomingText {
            pieces,
            bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
            next: Box::new(next),
        };
        NextRequest::Open(request, arriving)
    }
}

fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
