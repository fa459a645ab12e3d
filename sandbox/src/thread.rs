//! Runs an isolate on its own thread, in the harness or in a worker process.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, mpsc};

use tokio::sync::oneshot;

use crate::inbox::Inbox;
use crate::isolate::Isolate;
use crate::limits::THREAD_STACK;
use crate::router::Router;
use crate::session::{Config, Session, StartError};
use crate::session_lost::SessionLost;
use crate::watchdog::{self, OnStuck};
use crate::worker::{End, Outbox, Worker};

impl Session {
    /// Starts a session whose isolate runs on a new thread of this process.
    ///
    /// # Errors
    /// Returns an error if no thread is available, or the engine does not start.
    pub async fn in_thread(config: Config) -> Result<Self, StartError> {
        let (requests, inbox) = mpsc::channel();
        let router = Arc::new(Router::default());
        let (ready, started) = oneshot::channel();
        let (replies, stuck, ended) = (router.clone(), router.clone(), router.clone());
        spawn(
            config,
            inbox,
            Box::new(move |of_turn| replies.route(of_turn)),
            // The thread keeps running because it cannot be stopped, but callers do not wait for
            // it.
            Arc::new(move || stuck.lose(SessionLost::own_code("a cell could not be stopped"))),
            move |start| drop(ready.send(start)),
            move |end| {
                ended.lose(match end {
                    End::HungUp => SessionLost::own_code("the session was closed"),
                    End::Broken => SessionLost::own_code("the engine broke"),
                });
            },
        )
        .map_err(StartError::Thread)?;
        started
            .await
            .unwrap_or_else(|_| Err(StartError::Boot("the engine".to_owned())))?;
        // Requests to a lost isolate are dropped.
        let send = move |request| drop(requests.send(request));
        Ok(Self::over(send, router))
    }
}

/// Starts the thread of one isolate. Calls `started` with the result of creating the isolate, and
/// `ended` after the last request. Also calls `ended` after a panic, because a caller could
/// otherwise wait for a reply forever.
pub(crate) fn spawn(
    config: Config,
    mut inbox: impl Inbox + Send + 'static,
    outbox: Outbox,
    on_stuck: OnStuck,
    started: impl FnOnce(Result<(), StartError>) + Send + 'static,
    ended: impl FnOnce(End) + Send + 'static,
) -> io::Result<()> {
    watchdog::start()?;
    let body = move || {
        let isolate = match Isolate::new(&config, on_stuck) {
            Ok(isolate) => isolate,
            Err(error) => return started(Err(error)),
        };
        started(Ok(()));
        let mut worker = Worker::new(isolate, config.limits, outbox);
        // The worker is not used after a panic.
        let run = AssertUnwindSafe(|| worker.run(&mut inbox));
        ended(panic::catch_unwind(run).unwrap_or(End::Broken));
    };
    std::thread::Builder::new()
        .name("isolate".to_owned())
        .stack_size(THREAD_STACK)
        .spawn(body)
        .map(drop)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::inbox::NextRequest;

    struct Panics;

    impl Inbox for Panics {
        fn next(&mut self, _until: Option<Instant>) -> NextRequest {
            panic!("simulates a bug in the rewriter");
        }
    }

    #[test]
    fn reports_end_of_panicking_thread() {
        let (end, ended) = mpsc::channel();
        spawn(
            Config::default(),
            Panics,
            Box::new(|_| ()),
            Arc::new(|| ()),
            |start| start.expect("the isolate starts"),
            move |how| end.send(how).expect("the test waits"),
        )
        .expect("a thread starts");
        assert_eq!(ended.recv(), Ok(End::Broken));
    }
}
