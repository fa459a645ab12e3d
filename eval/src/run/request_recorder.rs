//! Records the requests that are sent to servers (`--record-requests`).

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use harness::provider::Caller;
use harness::provider::http::RequestLog;
use records::run_dir::{RequestFiles, SentRequest};

use crate::process::terminal;

/// Writes requests to the folder of a run. Requests before the run has a folder are dropped.
#[derive(Debug, Default)]
pub struct RequestRecorder {
    files: OnceLock<RequestFiles>,
    failed: AtomicBool,
}

impl RequestRecorder {
    /// Starts recording to the folder of a run.
    pub fn begin(&self, run: &Path) {
        self.files.get_or_init(|| RequestFiles::of(run));
    }
}

impl RequestLog for RequestRecorder {
    fn sent(&self, caller: &Caller, body: &str) {
        let Some(files) = self.files.get() else {
            return;
        };
        let written = files.append(&SentRequest {
            sample: &caller.sample,
            attempt: caller.attempt,
            invocation: &caller.invocation,
            turn: caller.turn,
            trims: caller.trims,
            body,
        });
        // The run continues, because its results do not depend on these files.
        if let Err(error) = written
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            terminal::warning(&format!(
                "--record-requests: {error}; this request and possibly others are missing from the \
                 folder"
            ));
        }
    }
}
