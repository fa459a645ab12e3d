//! A server that is itself the worker of several sessions, each on its own thread.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::confine::{confine_server, confine_worker, confined};
use super::control::{self, Order, SessionExit};
use super::frame::FrameError;
use super::link::Link;
use super::{FromWorker, Hello, exit, memory};
use crate::platform;
use crate::session::StartError;
use crate::thread;
use crate::watchdog;
use crate::worker::End;

pub(super) fn serve(control: &UnixStream, hello: &Hello) -> Result<(), FrameError> {
    platform::start_in_worker(hello.jitless);
    let open = Arc::new(AtomicU64::new(0));
    let look = memory::watch(&hello.config.limits, Arc::clone(&open));
    let confined = confined(
        hello.strict,
        [confine_server(hello.jitless), confine_worker()],
    );
    watchdog::start()?;
    if let Some(look) = look {
        watchdog::set_check(look);
    }
    while let Some(ordered) = control::receive(control)? {
        match (ordered.order, ordered.socket) {
            (Order::Open, Some(socket)) => {
                open.fetch_add(1, Ordering::SeqCst);
                if work(socket, hello, confined.clone(), Arc::clone(&open)).is_err() {
                    // The session's socket is already closed; the other sessions continue.
                    open.fetch_sub(1, Ordering::SeqCst);
                }
            }
            // The harness asks when a session's socket closes. In a running shared process, that
            // happens only when the session's thread ends.
            (Order::Ask, _) => control::answer(
                control,
                SessionExit {
                    session: ordered.session,
                    status: exit::BROKEN << 8,
                },
            )?,
            (Order::Open | Order::Close, _) => {}
        }
    }
    Ok(())
}

/// Starts the thread of one session.
fn work(
    socket: OwnedFd,
    hello: &Hello,
    confined: Result<Option<String>, String>,
    open: Arc<AtomicU64>,
) -> Result<(), FrameError> {
    let link = Arc::new(Link::new(socket));
    let lacks = match confined {
        Ok(lacks) => lacks,
        Err(reason) => {
            // If sending fails, the harness has ended.
            let _ = link.send(&FromWorker::Refused(reason));
            open.fetch_sub(1, Ordering::SeqCst);
            return Ok(());
        }
    };
    let requests = link.requests()?;
    let (replies, readied) = (Arc::clone(&link), Arc::clone(&link));
    thread::spawn(
        hello.config.clone(),
        requests,
        // Ignore failures: if the harness has ended, its requests also end.
        Box::new(move |of_turn| drop(replies.send_replies(of_turn))),
        Arc::new(|| exit::now(exit::STUCK)),
        move |started: Result<(), StartError>| {
            // As in a copy, the process is useless if its engine does not start.
            if started.is_err() {
                exit::now(exit::BROKEN);
            }
            let _ = readied.send(&FromWorker::Ready { lacks });
        },
        move |end| {
            if end == End::Broken {
                exit::now(exit::BROKEN);
            }
            open.fetch_sub(1, Ordering::SeqCst);
            link.hang_up();
        },
    )?;
    Ok(())
}
