//! Writes trajectories: one file per attempt, to which events are appended as they occur.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use model::{Event, EventKind};

use super::links::without_links;
use super::{RunDirError, name};

/// Open trajectory files of the attempts in progress.
#[derive(Debug)]
pub(super) struct Trajectories {
    folder: PathBuf,
    /// Files by sample and attempt. `None` after a failure, because a trajectory with a gap would
    /// mislead.
    open: HashMap<(String, u32), Option<BufWriter<File>>>,
    /// Attempts whose `AttemptStart` event has been written.
    began: HashSet<(String, u32)>,
}

impl Trajectories {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            open: HashMap::new(),
            began: HashSet::new(),
        }
    }

    /// Creates an attempt's file, or empties the file of an earlier start of the attempt.
    pub(super) fn start(&mut self, sample: &str, attempt: u32) -> Result<(), RunDirError> {
        let mut options = OpenOptions::new();
        without_links(options.write(true).create(true).truncate(true));
        self.open(sample, attempt, &options)
    }

    /// Appends an event to the file of its attempt.
    pub(super) fn write(&mut self, event: &Event) -> Result<(), RunDirError> {
        let key = (event.sample.clone(), event.attempt);
        if matches!(event.kind, EventKind::AttemptStart { .. }) && self.began.remove(&key) {
            // The attempt restarts. Its earlier events no longer count and have been moved to
            // `abandoned/`.
            self.start(&event.sample, event.attempt)?;
        }
        if matches!(event.kind, EventKind::AttemptStart { .. }) {
            self.began.insert(key.clone());
        }
        if !self.open.contains_key(&key) {
            self.open(
                &event.sample,
                event.attempt,
                without_links(OpenOptions::new().append(true).create(true)),
            )?;
        }
        let Some(Some(file)) = self.open.get_mut(&key) else {
            return Ok(());
        };
        let written = write_line(file, event);
        written.map_err(|reason| {
            self.open.insert(key, None);
            self.error(&event.sample, event.attempt, reason)
        })
    }

    /// Flushes and closes an attempt's file.
    pub(super) fn finish(&mut self, sample: &str, attempt: u32) -> Result<(), RunDirError> {
        let key = (sample.to_owned(), attempt);
        self.began.remove(&key);
        match self.open.remove(&key) {
            Some(Some(mut file)) => file
                .flush()
                .map_err(|reason| self.error(sample, attempt, reason)),
            Some(None) | None => Ok(()),
        }
    }

    /// Flushes and closes the files of attempts that have not finished.
    pub(super) fn finish_all(&mut self) -> Result<(), RunDirError> {
        let left: Vec<_> = self.open.keys().cloned().collect();
        left.iter()
            .map(|(sample, attempt)| self.finish(sample, *attempt))
            .fold(Ok(()), Result::and)
    }

    fn open(
        &mut self,
        sample: &str,
        attempt: u32,
        options: &OpenOptions,
    ) -> Result<(), RunDirError> {
        let opened = options.open(self.folder.join(name::trajectory(sample, attempt)));
        let (file, result) = match opened {
            Ok(file) => (Some(BufWriter::new(file)), Ok(())),
            Err(reason) => (None, Err(self.error(sample, attempt, reason))),
        };
        self.open.insert((sample.to_owned(), attempt), file);
        result
    }

    fn error(&self, sample: &str, attempt: u32, reason: io::Error) -> RunDirError {
        RunDirError::Write {
            path: self.folder.join(name::trajectory(sample, attempt)),
            reason,
        }
    }
}

fn write_line(file: &mut BufWriter<File>, event: &Event) -> io::Result<()> {
    serde_json::to_writer(&mut *file, event)?;
    file.write_all(b"\n")?;
    match event.kind {
        // Spending must be recorded even if this process is killed.
        EventKind::LlmRequest { .. }
        | EventKind::LlmRetry { .. }
        | EventKind::LlmBilled { .. }
        | EventKind::LlmError { .. }
        | EventKind::ContextTrimmed { .. }
        | EventKind::ContextCompacted { .. }
        | EventKind::LlmCached
        | EventKind::LlmResponse { .. }
        | EventKind::JudgeRequest { .. }
        | EventKind::JudgeBilled { .. }
        | EventKind::JudgeResponse { .. }
        | EventKind::JudgeError { .. } => file.flush(),
        _ => Ok(()),
    }
}
