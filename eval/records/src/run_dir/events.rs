//! Reads the events of a trajectory line by line, because a trajectory may be large.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use model::Event;

use super::RunDirError;
use super::samples::malformed;
use crate::trajectory::{Fold, heads};

/// Maximum bytes per string when events are aggregated.
const SHORT: usize = 400;

/// Iterator over the events of a trajectory. A truncated last line is skipped.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: BufReader<File>,
    line: Vec<u8>,
    number: usize,
    /// Maximum bytes per string; longer strings are truncated.
    most: usize,
}

impl Events {
    /// Opens a trajectory for reading complete events.
    ///
    /// # Errors
    /// Returns [`RunDirError::Read`] if the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        let file = File::open(path).map_err(|reason| RunDirError::cannot_read(path, reason))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::new(file),
            line: Vec::new(),
            number: 0,
            most: usize::MAX,
        })
    }

    /// Opens a trajectory for aggregation. Long strings are truncated, which saves time and memory.
    ///
    /// # Errors
    /// Returns [`RunDirError::Read`] if the file cannot be opened.
    pub fn open_for_counting(path: &Path) -> Result<Self, RunDirError> {
        Ok(Self {
            most: SHORT,
            ..Self::open(path)?
        })
    }
}

impl Iterator for Events {
    /// An event, or [`RunDirError::Line`] for a complete line that is not an event. After an error,
    /// iteration continues with the next line.
    type Item = Result<Event, RunDirError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.line.clear();
        self.number += 1;
        match self.file.read_until(b'\n', &mut self.line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(reason) => {
                let path = self.path.clone();
                return Some(Err(RunDirError::Read { path, reason }));
            }
        }
        let parsed = if self.line.len() > self.most {
            serde_json::from_slice(&heads(&self.line, self.most))
        } else {
            serde_json::from_slice(&self.line)
        };
        match parsed {
            Ok(event) => Some(Ok(event)),
            Err(_) if !self.line.ends_with(b"\n") => None,
            Err(error) => Some(Err(RunDirError::Line {
                path: self.path.clone(),
                line: self.number,
                reason: malformed("an event", &error),
            })),
        }
    }
}

/// Aggregates all events of a trajectory.
///
/// # Errors
/// Returns an error if the file cannot be read, or if a complete line is not an event.
pub fn fold(path: &Path) -> Result<Fold, RunDirError> {
    let mut fold = Fold::default();
    for event in Events::open_for_counting(path)? {
        fold.take(&event?);
    }
    Ok(fold)
}

/// Aggregates a trajectory like [`fold`], but skips lines that are not events.
pub(super) fn fold_leniently(path: &Path) -> Result<Fold, RunDirError> {
    let mut fold = Fold::default();
    for event in Events::open_for_counting(path)? {
        match event {
            Ok(event) => drop(fold.take(&event)),
            Err(RunDirError::Line { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(fold)
}
