//! The events of a trajectory, read line by line, for one may be large.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use model::Event;

use super::RunDirError;
use super::samples::malformed;
use crate::trajectory::{Fold, heads};

/// Bytes of a text that is only to be counted.
const SHORT: usize = 400;

/// The events of a trajectory. A last line that is not written to its end is left out.
#[derive(Debug)]
pub struct Events {
    path: PathBuf,
    file: BufReader<File>,
    line: Vec<u8>,
    number: usize,
    /// Bytes of each text; of a longer one there is only the beginning.
    most: usize,
}

impl Events {
    /// Those of a file, as they were written.
    ///
    /// # Errors
    /// [`RunDirError::Read`].
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        let file = File::open(path).map_err(|reason| RunDirError::Read {
            path: path.to_owned(),
            reason,
        })?;
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::new(file),
            line: Vec::new(),
            number: 0,
            most: usize::MAX,
        })
    }

    /// Those of a file, without most of their texts.
    ///
    /// # Errors
    /// [`RunDirError::Read`].
    pub fn to_count(path: &Path) -> Result<Self, RunDirError> {
        Ok(Self {
            most: SHORT,
            ..Self::open(path)?
        })
    }
}

impl Iterator for Events {
    /// A whole line that is no event is a [`RunDirError::Line`]; the next ones can be read nevertheless.
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

/// What the events of a trajectory come to.
///
/// # Errors
/// It cannot be read, or a whole line is no event.
pub fn fold(path: &Path) -> Result<Fold, RunDirError> {
    let mut fold = Fold::default();
    for event in Events::to_count(path)? {
        fold.take(&event?);
    }
    Ok(fold)
}

/// The same; lines that are no events say nothing.
pub(super) fn fold_leniently(path: &Path) -> Result<Fold, RunDirError> {
    let mut fold = Fold::default();
    for event in Events::to_count(path)? {
        match event {
            Ok(event) => drop(fold.take(&event)),
            Err(RunDirError::Line { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(fold)
}
