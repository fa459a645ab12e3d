//! `answers/`: the answers that are too long for a line of `samples.jsonl`, a file each.

use std::fs;
use std::path::Path;

use model::long_answer::{shown, too_long};

use super::{ANSWERS, RunDir, RunDirError, atomic, name};
use crate::AttemptRecord;

/// The record as its line holds it. A long answer is on the disk when this returns.
///
/// # Errors
/// [`RunDirError::Write`] if the answer's file cannot be written.
pub(super) fn set_apart(run: &Path, record: &AttemptRecord) -> Result<AttemptRecord, RunDirError> {
    let Some(answer) = record
        .answer
        .as_deref()
        .filter(|text| too_long(text).is_some())
    else {
        return Ok(record.clone());
    };
    let folder = run.join(ANSWERS);
    fs::create_dir_all(&folder).map_err(|reason| RunDirError::Write {
        path: folder.clone(),
        reason,
    })?;
    let name = name::answer(&record.id, record.attempt);
    atomic::write(&folder.join(&name), answer.as_bytes())?;
    let file = format!("{ANSWERS}/{name}");
    Ok(AttemptRecord {
        answer: Some(shown(answer, &file).into_owned()),
        answer_file: Some(file),
        ..record.clone()
    })
}

impl RunDir {
    /// The whole answer of an attempt; none if it has none.
    ///
    /// Invariant: the file is found by the attempt's name, and never by what its record says: that may come from anybody.
    ///
    /// # Errors
    /// [`RunDirError::Answer`] if its file cannot be read.
    pub fn answer(&self, record: &AttemptRecord) -> Result<Option<String>, RunDirError> {
        if record.answer_file.is_none() {
            return Ok(record.answer.clone());
        }
        let path = self.path.join(ANSWERS);
        let path = path.join(name::answer(&record.id, record.attempt));
        match fs::read_to_string(&path) {
            Ok(answer) => Ok(Some(answer)),
            Err(reason) => Err(RunDirError::Answer {
                path,
                id: record.id.clone(),
                attempt: record.attempt,
                reason,
            }),
        }
    }
}
