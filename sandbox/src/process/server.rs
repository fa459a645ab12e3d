//! The harness's side of one server process: opens sessions, and receives the exit statuses of the
//! sessions and the server.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as Socket;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::control::{self, Order};
use super::{WorkerCommand, exit};
use crate::session_lost::SessionLost;

/// Time to wait for the exit status of a process that has closed its socket.
const END_GRACE: Duration = Duration::from_secs(2);

/// Callers that wait for the exit status of their session's process.
type ExitWaiters = Arc<Mutex<HashMap<u32, oneshot::Sender<i32>>>>;

/// A running server process. Dropping this value ends the process and its sessions.
pub(super) struct Server {
    control: OwnedWriteHalf,
    asked: ExitWaiters,
    /// Reason why the server ended, if it has.
    ended: watch::Receiver<Option<SessionLost>>,
    next_session: AtomicU32,
}

impl Server {
    /// Starts the process and sends it the first frame.
    pub async fn start(command: &WorkerCommand, hello: &[u8]) -> io::Result<Self> {
        let (ours, theirs) = Socket::pair()?;
        ours.set_nonblocking(true)?;
        let (read, mut control) = UnixStream::from_std(ours)?.into_split();
        let child = Command::new(&command.program)
            .args(&command.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Keeps Ctrl-C on the terminal from the server, because the harness handles it.
            .process_group(0)
            // When this side hangs up, the server ends its copies and exits. A killed server could
            // not end them.
            .kill_on_drop(false)
            .spawn()?;
        control.write_all(hello).await?;
        let asked = ExitWaiters::default();
        let (end, ended) = watch::channel(None);
        tokio::spawn(listen(child, read, Arc::clone(&asked), end));
        Ok(Self {
            control,
            asked,
            ended,
            next_session: AtomicU32::new(0),
        })
    }

    /// Whether the server accepts sessions. It does not if the async runtime that read its answers
    /// has ended.
    pub fn lives(&self) -> bool {
        self.ended.has_changed().is_ok() && self.ended.borrow().is_none()
    }

    /// Opens a session. Returns the session's number and the socket to its worker.
    pub async fn open(&self) -> io::Result<(u32, UnixStream)> {
        let session = self.next_session.fetch_add(1, Ordering::SeqCst);
        let (ours, theirs) = Socket::pair()?;
        ours.set_nonblocking(true)?;
        let socket = Some(theirs.as_fd());
        control::order(self.control.as_ref(), Order::Open, session, socket).await?;
        Ok((session, UnixStream::from_std(ours)?))
    }

    pub async fn close(&self, session: u32) {
        // A server that has ended has closed its sessions already.
        let _ = control::order(self.control.as_ref(), Order::Close, session, None).await;
    }

    /// Returns the reason why a session ended after the other side closed its socket.
    ///
    /// # Errors
    /// Returns an error if the session never had a process.
    pub async fn end_of(&self, session: u32) -> io::Result<SessionLost> {
        let (sender, status) = oneshot::channel();
        lock(&self.asked).insert(session, sender);
        let asked = control::order(self.control.as_ref(), Order::Ask, session, None).await;
        if asked.is_ok()
            && let Ok(Ok(status)) = timeout(END_GRACE, status).await
        {
            if status < 0 {
                return Err(io::Error::from_raw_os_error(-status));
            }
            return Ok(exit::lost(ExitStatus::from_raw(status)));
        }
        let mut ended = self.ended.clone();
        Ok(
            match timeout(END_GRACE, ended.wait_for(Option::is_some)).await {
                Ok(Ok(lost)) => lost.clone().unwrap_or_else(SessionLost::unknown),
                _ => SessionLost::outside("its process closed its socket"),
            },
        )
    }
}

/// Forwards answers until the server ends, then reports the reason.
async fn listen(
    mut child: Child,
    mut answers: OwnedReadHalf,
    asked: ExitWaiters,
    end: watch::Sender<Option<SessionLost>>,
) {
    while let Ok(Some(ended)) = control::receive_answer(&mut answers).await {
        if let Some(sender) = lock(&asked).remove(&ended.session) {
            let _ = sender.send(ended.status);
        }
    }
    let lost = match timeout(END_GRACE, child.wait()).await {
        Ok(Ok(status)) => exit::lost(status),
        Ok(Err(error)) => SessionLost::outside(format!(
            "cannot get the exit status of its process: {error}"
        )),
        Err(_) => SessionLost::outside("its process closed its socket"),
    };
    end.send_replace(Some(lost));
    // Later callers of `end_of` see that the server has ended.
    lock(&asked).clear();
}

fn lock(asked: &ExitWaiters) -> std::sync::MutexGuard<'_, HashMap<u32, oneshot::Sender<i32>>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}
