//! Orders from the harness to a server, and the server's replies.
//!
//! Each order or reply consists of eight bytes, sent over the socket that is the server's
//! standard input. An order
//! that opens a session includes the session's socket.

use std::io::{self, IoSlice, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tokio::io::{AsyncReadExt as _, Interest};

/// Length of an order or a reply, in bytes.
const LENGTH: usize = 8;

/// Instruction to a server about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Run the session over the attached socket.
    Open = 1,
    /// End the session's process, if it has its own. No later order refers to the session.
    Close = 2,
    /// Report how the session's process ended; if it is still running, end it first.
    Ask = 3,
}

#[derive(Debug)]
pub(super) struct ReceivedOrder {
    pub order: Order,
    pub session: u32,
    pub socket: Option<OwnedFd>,
}

/// Exit of a session's process. `status` is the status that `wait` returned, or a negated `errno`
/// if the process did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SessionExit {
    pub session: u32,
    pub status: i32,
}

impl Order {
    fn decode(number: u32) -> io::Result<Self> {
        match number {
            1 => Ok(Self::Open),
            2 => Ok(Self::Close),
            3 => Ok(Self::Ask),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Sends an order. Sending `socket` does not close it in this process.
pub(super) async fn order(
    to: &tokio::net::UnixStream,
    order: Order,
    session: u32,
    socket: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let bytes = pair(order as u32, session);
    to.async_io(Interest::WRITABLE, || {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut along = SendAncillaryBuffer::new(&mut space);
        let sockets = socket.as_slice();
        if !sockets.is_empty() {
            along.push(SendAncillaryMessage::ScmRights(sockets));
        }
        let sent = sendmsg(to, &[IoSlice::new(&bytes)], &mut along, SendFlags::empty())?;
        if sent == LENGTH {
            Ok(())
        } else {
            Err(io::ErrorKind::WriteZero.into())
        }
    })
    .await
}

/// Receives the next order; `None` if the harness has ended.
pub(super) fn receive(from: &UnixStream) -> io::Result<Option<ReceivedOrder>> {
    let mut bytes = [0; LENGTH];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let into = &mut [IoSliceMut::new(&mut bytes)];
        match recvmsg(from, into, &mut along, RecvFlags::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other?,
        }
    };
    match received.bytes {
        0 => return Ok(None),
        LENGTH => {}
        _ => return Err(io::ErrorKind::InvalidData.into()),
    }
    let mut socket = None;
    for message in along.drain() {
        if let RecvAncillaryMessage::ScmRights(mut sockets) = message {
            socket = sockets.next();
        }
    }
    let (number, session) = unpair(bytes);
    Ok(Some(ReceivedOrder {
        order: Order::decode(number)?,
        session,
        socket,
    }))
}

/// Answers an [`Order::Ask`].
pub(super) fn answer(mut to: &UnixStream, ended: SessionExit) -> io::Result<()> {
    to.write_all(&pair(ended.session, ended.status.cast_unsigned()))
}

/// Receives the next answer; `None` if the server has ended.
pub(super) async fn receive_answer(
    from: &mut tokio::net::unix::OwnedReadHalf,
) -> io::Result<Option<SessionExit>> {
    let mut bytes = [0; LENGTH];
    match from.read_exact(&mut bytes).await {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    };
    let (session, status) = unpair(bytes);
    Ok(Some(SessionExit {
        session,
        status: status.cast_signed(),
    }))
}

fn pair(first: u32, second: u32) -> [u8; LENGTH] {
    (u64::from(first) << 32 | u64::from(second)).to_le_bytes()
}

#[expect(clippy::cast_possible_truncation, reason = "each half was a `u32`")]
fn unpair(bytes: [u8; LENGTH]) -> (u32, u32) {
    let both = u64::from_le_bytes(bytes);
    ((both >> 32) as u32, both as u32)
}
