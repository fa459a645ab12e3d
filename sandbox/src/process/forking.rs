//! A server that copies itself for each session: it loads an isolate once, and each copy continues
//! with that isolate.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::confine::{MissingFeatures, confine_server, confine_worker, confined};
use super::control::{self, Order, SessionExit};
use super::copying;
use super::frame::FrameError;
use super::link::Link;
use super::{FromWorker, Hello, exit, memory};
use crate::isolate::Isolate;
use crate::limits::THREAD_STACK;
use crate::platform;
use crate::watchdog;
use crate::worker::{End, Worker, warmed_up};

pub(super) fn serve(control: UnixStream, hello: Hello) -> Result<(), FrameError> {
    // A copy continues on the thread that forks, so that thread needs the stack size for cells.
    let thread = std::thread::Builder::new()
        .stack_size(THREAD_STACK)
        .spawn(move || handle_orders(control, &hello))?;
    thread.join().unwrap_or_else(|_| exit::now(exit::BROKEN))
}

fn handle_orders(control: UnixStream, hello: &Hello) -> Result<(), FrameError> {
    platform::start_in_worker(hello.jitless);
    let Ok(isolate) = Isolate::new(&hello.config, Arc::new(|| exit::now(exit::STUCK))) else {
        exit::now(exit::BROKEN);
    };
    let Some(isolate) = warmed_up(isolate, &hello.config.limits) else {
        exit::now(exit::BROKEN);
    };
    let original = ForkTemplate {
        isolate,
        hello,
        confined: confine_server(hello.jitless),
    };
    let prepared = copying::include_heap_in_copies();
    let mut copies = Forks::default();
    while let Some(ordered) = control::receive(&control)? {
        let session = ordered.session;
        match (ordered.order, ordered.socket) {
            (Order::Open, Some(socket)) => {
                if let Err(reason) = prepared.clone().and_then(|()| copying::check()) {
                    // If sending fails, the other side no longer needs the session.
                    let _ = Link::new(socket).send(&FromWorker::NoCopy(reason));
                    continue;
                }
                // SAFETY: the only other thread of this process waits for this one to end and holds
                // no lock.
                match unsafe { libc::fork() } {
                    0 => {
                        drop(control);
                        let Err(_) = original.work(Link::new(socket));
                        // The harness has ended, or the other side is not the harness.
                        exit::now(1);
                    }
                    pid => {
                        let pid = Pid::from_raw(pid.max(0)).ok_or_else(io::Error::last_os_error);
                        copies.started(session, pid);
                    }
                }
            }
            (Order::Open, None) => {}
            (Order::Close, _) => copies.forget(session),
            (Order::Ask, _) => {
                let status = copies.end(session);
                control::answer(&control, SessionExit { session, status })?;
            }
        }
        copies.reap();
    }
    Ok(())
}

/// State of a server that its copies inherit.
struct ForkTemplate<'a> {
    isolate: Isolate,
    hello: &'a Hello,
    confined: Result<MissingFeatures, String>,
}

impl ForkTemplate<'_> {
    /// Runs one session in a copy of the server.
    fn work(mut self, link: Link) -> Result<Infallible, FrameError> {
        self.isolate.begin();
        let limits = &self.hello.config.limits;
        let mut memory = memory::watch(limits, Arc::default());
        let confined = confined(self.hello.strict, [self.confined, confine_worker()]);
        watchdog::start()?;
        link.send(&confined.map_or_else(FromWorker::Refused, |lacks| FromWorker::Ready { lacks }))?;
        let mut gone = link.gone()?;
        watchdog::set_check(move || {
            // The server normally ends its copies, but it may have been killed.
            if gone() {
                exit::now(1);
            }
            memory.as_mut().is_some_and(|must_stop| must_stop())
        });
        let mut requests = link.requests()?;
        let outbox = Box::new(move |replies| match link.send_replies(replies) {
            Ok(()) => {}
            Err(FrameError::Io(_)) => exit::now(1),
            Err(_) => exit::now(exit::BROKEN),
        });
        let mut worker = Worker::new(self.isolate, limits.clone(), outbox);
        let end = worker.run(&mut requests);
        // Skips destructors, because freeing the isolate takes longer than most sessions.
        exit::now(match end {
            End::HungUp => 0,
            End::Broken => exit::BROKEN,
        })
    }
}

/// Processes of the sessions. Dropping this value kills them; only the server drops it.
#[derive(Default)]
struct Forks {
    running: HashMap<u32, Pid>,
    /// Exit statuses that were not requested yet, by session.
    ended: HashMap<u32, i32>,
}

impl Forks {
    /// Records a session's process, or the reason why it did not start.
    fn started(&mut self, session: u32, pid: io::Result<Pid>) {
        match pid {
            Ok(pid) => {
                self.running.insert(session, pid);
            }
            Err(error) => {
                let error = error.raw_os_error().unwrap_or(libc::EAGAIN);
                self.ended.insert(session, -error);
            }
        }
    }

    /// Kills a session's process, which is reaped later, and forgets the session.
    fn forget(&mut self, session: u32) {
        self.ended.remove(&session);
        if let Some(pid) = self.running.remove(&session) {
            // The process may have ended already.
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Returns the exit status of a session's process, or a negated `errno`. Kills a process that
    /// closed its socket but is still running.
    fn end(&mut self, session: u32) -> i32 {
        if let Some(status) = self.ended.remove(&session) {
            return status;
        }
        let Some(pid) = self.running.remove(&session) else {
            return -libc::ESRCH;
        };
        // If the process is already exiting, its own exit status remains.
        let _ = kill_process(pid, Signal::KILL);
        match waitpid(Some(pid), WaitOptions::empty()) {
            Ok(Some((_, status))) => status.as_raw(),
            _ => -libc::ESRCH,
        }
    }

    /// Records the exit statuses of ended processes if they may still be requested.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = waitpid(None, WaitOptions::NOHANG) {
            let mut of_it = self.running.extract_if(|_, running| *running == pid);
            if let Some((session, _)) = of_it.next() {
                self.ended.insert(session, status.as_raw());
            }
        }
    }
}

impl Drop for Forks {
    fn drop(&mut self) {
        for pid in self.running.values() {
            let _ = kill_process(*pid, Signal::KILL);
        }
    }
}
