//! Compresses journals while a run continues.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use super::compress;

/// Maximum attempts whose journals are compressed together. They wait for the disk together.
const MAX_BATCH: usize = 256;

/// Thread that compresses the journals of attempts whose records are on disk. It starts with the
/// first of them. Dropping the compressor waits for the thread.
#[derive(Debug)]
pub struct Compressor {
    run: PathBuf,
    thread: Option<RunningThread>,
}

/// Sender of attempts, and the thread, which ends when the sender is dropped.
type RunningThread = (Sender<(String, u32)>, JoinHandle<()>);

impl Compressor {
    /// Creates a compressor for the run in a folder.
    pub fn new(run: &Path) -> Self {
        Self {
            run: run.to_owned(),
            thread: None,
        }
    }

    /// Adds attempts, by sample and number. If no thread can be started, their journals stay as
    /// they are.
    pub fn add(&mut self, attempts: impl IntoIterator<Item = (String, u32)>) {
        for attempt in attempts {
            if self.thread.is_none() {
                self.thread = start(self.run.clone());
            }
            if let Some((sender, _)) = &self.thread {
                // On failure, the journal stays as it is.
                let _ = sender.send(attempt);
            }
        }
    }

    /// Waits until the journals of all added attempts are compressed.
    pub fn finish(&mut self) {
        if let Some((sender, handle)) = self.thread.take() {
            drop(sender);
            // A panic leaves some journals as they were.
            let _ = handle.join();
        }
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        self.finish();
    }
}

fn start(run: PathBuf) -> Option<RunningThread> {
    let (sender, receiver) = channel();
    let work = move || {
        while let Ok(first) = receiver.recv() {
            let mut batch = vec![first];
            batch.extend(receiver.try_iter().take(MAX_BATCH - 1));
            compress(&run, &batch);
        }
    };
    let spawned = thread::Builder::new()
        .name("journals".to_owned())
        .spawn(work);
    Some((sender, spawned.ok()?))
}
