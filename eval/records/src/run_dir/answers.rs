//! `answers/`: one file for each answer that is too long for a line of `samples.jsonl`.

use std::fs;
use std::path::Path;

use model::long_answer::{shown, too_long};

use super::{ANSWERS, RunDir, RunDirError, atomic, name};
use crate::AttemptRecord;

/// Returns the record as stored in `samples.jsonl`. A long answer is written to its own file and
/// synced.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the answer's file cannot be written.
pub(super) fn store_long_answer(
    run: &Path,
    record: &AttemptRecord,
) -> Result<AttemptRecord, RunDirError> {
    let Some(answer) = record
        .answer
        .as_deref()
        .filter(|text| too_long(text).is_some())
    else {
        return Ok(record.clone());
    };
    let folder = run.join(ANSWERS);
    fs::create_dir_all(&folder).map_err(|reason| RunDirError::cannot_write(&folder, reason))?;
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
    /// Returns the whole answer of an attempt, or `None` if it has none.
    ///
    /// Invariant: the file's path is derived from the sample and attempt, never read from the
    /// record, which is not trusted.
    ///
    /// # Errors
    /// Returns [`RunDirError::Answer`] if the file cannot be read.
    pub fn answer(&self, record: &AttemptRecord) -> Result<Option<String>, RunDirError> {
        if record.answer_file.is_none() {
            return Ok(record.answer.clone());
        }
        let path = self.path.join(ANSWERS);
        let path = name::answer_in(&path, &record.id, record.attempt);
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
