//! The signals that ask the program to stop.

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Error;

/// Ctrl-C and SIGTERM, which end the program no more by themselves while this is there.
pub(in crate::command) struct StopSignal {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// Catches the signals from now on: to be made before anything that must not be left half-written.
    ///
    /// # Errors
    /// [`Error::Runtime`] if the system lets none be caught.
    pub(in crate::command) fn catch(runtime: &Runtime) -> Result<Self, Error> {
        let _context = runtime.enter();
        let catch = |kind| signal(kind).map_err(Error::Runtime);
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
        })
    }

    /// Ends when one of them has come, now or since they are caught.
    pub(in crate::command) async fn received(mut self) {
        self.next().await;
    }

    /// Ends when a second one has come.
    pub(in crate::command) async fn received_twice(mut self) {
        self.next().await;
        self.next().await;
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
