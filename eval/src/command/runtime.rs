//! The async runtime of a command, and the signals that ask it to stop.

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Error;

/// Starts the runtime.
///
/// # Errors
/// [`Error::Runtime`] if its threads cannot be started.
pub(super) fn runtime() -> Result<Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Error::Runtime)
}

/// Catches Ctrl-C and SIGTERM, so that they do not end the program while this value exists.
pub(super) struct StopSignal {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// Starts catching the signals. Call it before starting writes that must not be interrupted.
    ///
    /// # Errors
    /// [`Error::Runtime`] if the signals cannot be caught.
    pub(super) fn catch(runtime: &Runtime) -> Result<Self, Error> {
        let _context = runtime.enter();
        let catch = |kind| signal(kind).map_err(Error::Runtime);
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
        })
    }

    /// Waits for the first signal since [`Self::catch`].
    pub(super) async fn received(mut self) {
        self.next().await;
    }

    /// Waits for the second signal since [`Self::catch`].
    pub(super) async fn received_twice(mut self) {
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
