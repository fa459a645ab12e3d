//! Checks whether a run can be resumed and determines the remaining attempts.
//!
//! The settings must match the fingerprint, the program and the finished attempts of the existing
//! run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use harness::journal::continue_after_error;
use harness::model::Status;
use records::AttemptRecord;
use records::run_dir::{Difference, Fingerprint, Journal, Reopened, RunDirError};

use super::journal::RunJournal;
use crate::process::{program, terminal};

/// Reason why a run cannot be resumed with these settings. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The fingerprints differ.
    #[error("{} has answers of a different experiment: {}", path.display(), list(differences))]
    Fingerprint {
        /// Folder of the run.
        path: PathBuf,
        /// Differences between the recorded settings and the given ones.
        differences: Vec<Difference>,
    },
    /// The run was made by a different version of the program.
    #[error("{} was made by a different version of the program: {difference}", path.display())]
    Program {
        /// Folder of the run.
        path: PathBuf,
        /// Clause that names the differing components of the programs.
        difference: String,
    },
    /// The run does not record the version of its program.
    #[error("{} does not record the version of the program that made it", path.display())]
    UnknownProgram {
        /// Folder of the run.
        path: PathBuf,
    },
    /// The selection excludes a finished attempt.
    #[error(
        "{} has attempt {attempt} at {id}, which these flags exclude; a resumed run can only add \
         attempts",
        path.display()
    )]
    Excluded {
        /// Folder of the run.
        path: PathBuf,
        /// Id of the sample.
        id: String,
        /// Number of the attempt, 1-based.
        attempt: u32,
    },
    /// The selection excludes a sample that the run has selected.
    #[error(
        "{} has selected the sample {id}, which these flags exclude; a resumed run can only add \
         samples",
        path.display()
    )]
    FewerSamples {
        /// Folder of the run.
        path: PathBuf,
        /// Id of the sample.
        id: String,
    },
}

impl ResumeError {
    /// Returns the name of an MCP server that the run used and the settings lack.
    pub(crate) fn missing_server(&self) -> Option<&str> {
        let Self::Fingerprint { differences, .. } = self else {
            return None;
        };
        let mut lacking = differences
            .iter()
            .filter(|difference| difference.here.is_some() && difference.there.is_none());
        lacking.find_map(|difference| {
            let (server, _) = difference.part.strip_prefix("tools.")?.split_once('.')?;
            Some(server)
        })
    }
}

fn list(differences: &[Difference]) -> String {
    let all: Vec<String> = differences.iter().map(Difference::to_string).collect();
    all.join("; ")
}

/// Attempts that a start of a run has to make, and those made by earlier starts.
pub(crate) struct Remaining {
    /// Attempts to make.
    pub(crate) jobs: Vec<(usize, u32)>,
    /// Attempts in `jobs` that already have a record, by sample and attempt.
    pub(crate) again: BTreeSet<(String, u32)>,
    /// Finished attempts, including those to be rerun.
    pub(crate) earlier: Vec<AttemptRecord>,
}

/// Checks that a run has this fingerprint and was made by this version of the program.
/// `allow_program_change` accepts other versions.
///
/// # Errors
/// [`ResumeError`] that names the differences.
pub(crate) fn check_experiment(
    run: &Reopened,
    fingerprint: &Fingerprint,
    allow_program_change: bool,
) -> Result<(), ResumeError> {
    let differences = run.lock.fingerprint.differences(fingerprint);
    if !differences.is_empty() {
        let path = run.path.clone();
        return Err(ResumeError::Fingerprint { path, differences });
    }
    if allow_program_change {
        return Ok(());
    }
    check_program(run)
}

/// Returns the remaining work of a run that has the attempts `jobs`. `id` returns the id of a
/// sample.
///
/// # Errors
/// [`ResumeError::Excluded`] if the run has an attempt that is not in `jobs`.
pub(crate) fn remaining(
    run: &Reopened,
    mut jobs: Vec<(usize, u32)>,
    id: impl Fn(usize) -> String,
    retry_errors: bool,
) -> Result<Remaining, ResumeError> {
    let mut open: BTreeMap<(String, u32), (usize, u32)> = jobs
        .iter()
        .map(|(sample, attempt)| ((id(*sample), *attempt), (*sample, *attempt)))
        .collect();
    let earlier = run.records();
    let mut again = BTreeSet::new();
    let key = |record: &AttemptRecord| (record.id.clone(), record.attempt);
    let left_out = earlier
        .iter()
        .map(key)
        .filter(|key| !open.contains_key(key));
    // Report the first in sorted order, so that the error does not depend on the order in which
    // attempts finished.
    if let Some((id, attempt)) = left_out.min() {
        let path = run.path.clone();
        return Err(ResumeError::Excluded { path, id, attempt });
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
    jobs.retain(|job| open.contains(job));
    Ok(Remaining {
        jobs,
        again,
        earlier,
    })
}

/// Marks the journals of attempts to rerun, so that these attempts reuse the responses they
/// received. Returns the attempts that start over instead; in a queued run, all remaining attempts
/// do, because workers do not receive the journals of the run. `id` returns the id of a sample.
///
/// The journal of a rerun that was interrupted stays as it is: no record includes its responses
/// yet, and a mark would say that one does.
///
/// # Errors
/// Returns an error if the folder of the run cannot be read.
pub(crate) fn afresh(
    run: &Reopened,
    remaining: &Remaining,
    is_queued: bool,
    id: impl Fn(usize) -> String,
) -> Result<BTreeSet<(String, u32)>, RunDirError> {
    let mut afresh = remaining.again.clone();
    if is_queued {
        let jobs = remaining.jobs.iter();
        afresh.extend(jobs.map(|(sample, attempt)| (id(*sample), *attempt)));
        return Ok(afresh);
    }
    let unfinished = run.unfinished_reruns()?;
    afresh.retain(|attempt| !unfinished.contains(attempt));
    let store = RunJournal::new(Journal::of(&run.path), None);
    let run_id = &run.lock.run.run_id;
    afresh.retain(|(sample, attempt)| {
        match continue_after_error(&store, run_id, sample, *attempt) {
            Ok(continues) => !continues,
            Err(error) => {
                terminal::warning(&format!("{error}; the attempt starts over"));
                true
            }
        }
    });
    Ok(afresh)
}

/// Checks that the run records this version of the program.
fn check_program(run: &Reopened) -> Result<(), ResumeError> {
    let programs = run.lock.programs();
    if programs.contains(program::this()) {
        return Ok(());
    }
    let path = run.path.clone();
    Err(match programs.last() {
        Some(last) => ResumeError::Program {
            path,
            difference: last.difference(program::this()),
        },
        None => ResumeError::UnknownProgram { path },
    })
}

#[cfg(test)]
mod tests {
    use records::RunIdentity;
    use records::run_dir::{Lock, NewRun};
    use run_fixture::identity;
    use serde_json::json;

    use super::*;

    #[test]
    fn queued_attempts_start_over() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("run");
        let fingerprint = Fingerprint::from_parts(BTreeMap::new());
        let identity = RunIdentity {
            fingerprint: fingerprint.as_str().to_owned(),
            ..identity("run")
        };
        let new = NewRun::create_at(&path).unwrap();
        let lock = Lock::new(fingerprint, identity);
        drop(new.begin(&json!({"v": 1}), lock, Vec::new()).unwrap());
        let run = Reopened::open(&path).unwrap();
        let remaining = Remaining {
            jobs: vec![(0, 2)],
            again: BTreeSet::new(),
            earlier: Vec::new(),
        };
        for (is_queued, expected) in [(true, vec![("s-0".to_owned(), 2)]), (false, Vec::new())] {
            let found = afresh(&run, &remaining, is_queued, |sample| format!("s-{sample}"));
            let expected: BTreeSet<_> = expected.into_iter().collect();
            assert_eq!(found.unwrap(), expected, "{is_queued}");
        }
    }
}
