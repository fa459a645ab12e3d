//! What a run that goes on has to agree in with what is there, and what of it is left to do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use harness::model::Status;
use records::AttemptRecord;
use records::run_dir::{Difference, Reopened};

use super::prepared::Prepared;
use crate::program;

/// Why a run cannot go on with these settings. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// Its answers would be those of another experiment.
    #[error("{} has answers of another experiment: {}", path.display(), list(differences))]
    Fingerprint {
        /// The run's folder.
        path: PathBuf,
        /// What differs: there in the folder, here in the settings.
        differences: Vec<Difference>,
    },
    /// Its answers are another program's.
    #[error("{} was made by another program: {difference}", path.display())]
    Program {
        /// The run's folder.
        path: PathBuf,
        /// Which components differ, as a clause.
        difference: String,
    },
    /// Its answers may be another program's.
    #[error("{} does not record which program made it", path.display())]
    UnknownProgram {
        /// The run's folder.
        path: PathBuf,
    },
    /// The selection lacks what is finished.
    #[error(
        "{} has attempt {attempt} at {id}, which these flags exclude; a resumed run can only grow",
        path.display()
    )]
    LeftOut {
        /// The run's folder.
        path: PathBuf,
        /// The sample.
        id: String,
        /// 1-based.
        attempt: u32,
    },
}

fn list(differences: &[Difference]) -> String {
    let all: Vec<String> = differences.iter().map(Difference::to_string).collect();
    all.join("; ")
}

/// What is left of a run.
pub(super) struct Remaining {
    /// The attempts to make.
    pub(super) jobs: Vec<(usize, u32)>,
    /// Those of them that are made again, by sample and attempt.
    pub(super) again: BTreeSet<(String, u32)>,
    /// What is finished, that which is made again included.
    pub(super) earlier: Vec<AttemptRecord>,
}

/// Checks that a run can go on as prepared, and says what is left to do. `allow_program_change` lets it go on by this program
/// if another made it.
///
/// # Errors
/// [`ResumeError`], naming what differs.
pub(super) fn remaining(
    run: &Reopened,
    prepared: &Prepared,
    retry_errors: bool,
    allow_program_change: bool,
) -> Result<Remaining, ResumeError> {
    let differences = run.lock().fingerprint.differences(&prepared.fingerprint);
    let path = run.path().to_owned();
    if !differences.is_empty() {
        return Err(ResumeError::Fingerprint { path, differences });
    }
    if !allow_program_change {
        check_program(run)?;
    }
    let mut open: BTreeMap<(String, u32), (usize, u32)> = prepared
        .jobs()
        .into_iter()
        .map(|(sample, attempt)| ((prepared.id(sample), attempt), (sample, attempt)))
        .collect();
    let earlier = run.records();
    let mut again = BTreeSet::new();
    let key = |record: &AttemptRecord| (record.id.clone(), record.attempt);
    let left_out = earlier
        .iter()
        .map(key)
        .filter(|key| !open.contains_key(key));
    // Of several the first by name, in whatever order they were finished.
    if let Some((id, attempt)) = left_out.min() {
        return Err(ResumeError::LeftOut { path, id, attempt });
    }
    for record in &earlier {
        let key = key(record);
        if retry_errors && record.status == Status::Error {
            again.insert(key);
        } else {
            open.remove(&key);
        }
    }
    let open: BTreeSet<_> = open.into_values().collect();
    let mut jobs = prepared.jobs();
    jobs.retain(|job| open.contains(job));
    Ok(Remaining {
        jobs,
        again,
        earlier,
    })
}

/// A run goes on by a program that has worked on it before, or was allowed to.
fn check_program(run: &Reopened) -> Result<(), ResumeError> {
    let programs = run.lock().programs();
    if programs.contains(program::this()) {
        return Ok(());
    }
    let path = run.path().to_owned();
    Err(match programs.last() {
        Some(last) => ResumeError::Program {
            path,
            difference: last.difference(program::this()),
        },
        None => ResumeError::UnknownProgram { path },
    })
}
