//! Reads a run directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::samples::{TruncatedRecord, latest, read_records};
use super::{
    CONFIG, Fingerprint, LOCK, RunDirError, SAMPLES, TRAJECTORIES, if_exists, name, run_lock,
    wasted_spend,
};
use crate::Wasted;
use crate::program::Program;
use crate::{AttemptRecord, RunIdentity};

/// Version of `config.json`; the file carries it as `v`.
pub const CONFIG_VERSION: u32 = 1;

/// Version of `lock.json`; the file carries it as `v`.
pub const LOCK_VERSION: u32 = 1;

/// Content of `lock.json`: the fingerprint of the run, and the values that all of its attempts
/// share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lock {
    /// [`LOCK_VERSION`] of the program that wrote the file.
    pub v: u32,
    /// The fingerprint and its parts, including the program that started the run.
    pub fingerprint: Fingerprint,
    /// Other programs that were allowed to resume the run, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_programs: Vec<Program>,
    /// Values that all attempts share.
    pub run: RunIdentity,
}

impl Lock {
    /// Creates the lock of a new run.
    pub fn new(fingerprint: Fingerprint, run: RunIdentity) -> Self {
        Self {
            v: LOCK_VERSION,
            fingerprint,
            later_programs: Vec::new(),
            run,
        }
    }

    /// Returns the recorded programs that started or resumed the run, in order.
    pub fn programs(&self) -> Vec<Program> {
        let first = self.fingerprint.program();
        let later = self.later_programs.iter().cloned();
        first.into_iter().chain(later).collect()
    }
}

/// A run as read from disk, complete or not.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDir {
    /// The run's folder.
    pub path: PathBuf,
    /// Content of `config.json`: the resolved settings.
    pub config: Value,
    /// The fingerprint, and the values that all attempts share.
    pub lock: Lock,
    /// The latest record of each attempt, in the order in which the attempts first finished.
    pub records: Vec<AttemptRecord>,
    /// Spending on attempts that do not count, excluding attempts in progress.
    pub wasted: Wasted,
    /// Trajectories in `superseded/` whose attempts have not been rerun yet, by original file name.
    aside: BTreeMap<String, PathBuf>,
    /// Truncated last line of `samples.jsonl`, if any.
    pub truncated_record: Option<TruncatedRecord>,
}

impl RunDir {
    /// Returns the earliest start time of an attempt that counts, if recorded.
    pub fn started(&self) -> Option<Timestamp> {
        let records = self.records.iter();
        records.filter_map(|record| record.started_at).min()
    }

    /// Reads the run in a folder.
    ///
    /// # Errors
    /// Returns an error if the folder does not contain a run, or if one of its files cannot be
    /// read, is malformed, or has a later version.
    pub fn open(path: &Path) -> Result<Self, RunDirError> {
        require(path, &[CONFIG, LOCK, SAMPLES])?;
        let config = read_versioned(&path.join(CONFIG), CONFIG_VERSION)?;
        let lock = read_lock(path)?;
        let (records, truncated_record) = read_records(&path.join(SAMPLES))?;
        let wasted = wasted_spend::wasted(path, &records, run_lock::is_held(path))?;
        let aside = wasted_spend::counted_superseded(path, &records)?;
        Ok(Self {
            path: path.to_owned(),
            config,
            lock,
            records: latest(records),
            wasted,
            aside,
            truncated_record,
        })
    }

    /// Whether a folder contains all required files of a run.
    pub fn is_whole(path: &Path) -> bool {
        require(path, &[CONFIG, LOCK, SAMPLES]).is_ok()
    }

    /// Whether the run in a folder has begun, so that it may have finished attempts.
    pub fn is_begun(path: &Path) -> bool {
        path.join(LOCK).exists() || path.join(SAMPLES).exists()
    }

    /// Removes the folder of a run whose process was killed before the run [began](Self::is_begun).
    ///
    /// # Errors
    /// Returns [`RunDirError::Create`] if the folder contains anything else.
    pub fn clear_unbegun(path: &Path) -> Result<(), RunDirError> {
        let beside = [CONFIG, LOCK].map(|name| format!("{name}.tmp"));
        for name in [CONFIG, &beside[0], &beside[1]] {
            // A missing file is fine. If a file remains, removing the folder fails.
            let _ = fs::remove_file(path.join(name));
        }
        if_exists(fs::remove_dir(path)).map_err(|reason| RunDirError::Create {
            folder: path.to_owned(),
            reason,
        })?;
        Ok(())
    }

    /// Returns the planned number of attempts, or the number of records if the plan is not
    /// recorded.
    pub fn attempts_total(&self) -> u64 {
        let planned = self.config.get("attempts_total").and_then(Value::as_u64);
        planned.unwrap_or(self.records.len() as u64)
    }

    /// Returns the planned number of attempts of all shards together, or `None` if not recorded.
    pub fn attempts_of_all_shards(&self) -> Option<u64> {
        self.config.get("attempts_of_all_shares")?.as_u64()
    }

    /// Whether a process is working on the run.
    pub fn is_running(&self) -> bool {
        Self::is_held(&self.path)
    }

    /// Whether a process is working on the run in a folder. Returns `false` if that is unknown.
    pub fn is_held(path: &Path) -> bool {
        run_lock::is_held(path)
    }

    /// Returns the path of an attempt's trajectory, which has one [`model::Event`] per line. The
    /// file may not exist.
    pub fn trajectory(&self, sample: &str, attempt: u32) -> PathBuf {
        let name = name::trajectory(sample, attempt);
        if let Some(path) = self.aside.get(&name) {
            return path.clone();
        }
        let folder = self.path.join(TRAJECTORIES);
        name::trajectory_in(&folder, sample, attempt)
    }
}

/// Checks that the folder of a run contains these files.
///
/// # Errors
/// Returns [`RunDirError::NotARun`] for the first missing file.
pub(super) fn require(folder: &Path, files: &[&'static str]) -> Result<(), RunDirError> {
    match files.iter().find(|name| !folder.join(name).is_file()) {
        None => Ok(()),
        Some(&missing) => Err(RunDirError::NotARun {
            path: folder.to_owned(),
            missing,
        }),
    }
}

/// Reads the resolved settings of the run in a folder. Returns the path of the file and its
/// content.
///
/// # Errors
/// Returns an error if the folder does not contain a run, or if the file cannot be read or is
/// malformed.
pub fn read_config(folder: &Path) -> Result<(PathBuf, Value), RunDirError> {
    require(folder, &[CONFIG])?;
    let path = folder.join(CONFIG);
    let config = read_versioned(&path, CONFIG_VERSION)?;
    Ok((path, config))
}

/// Reads the lock of the run in a folder.
///
/// # Errors
/// Returns an error if the file cannot be read, is malformed, or has a later version.
pub fn read_lock(folder: &Path) -> Result<Lock, RunDirError> {
    read_versioned(&folder.join(LOCK), LOCK_VERSION)
}

/// Checks that all copies of the fingerprint in a run's files are equal and match the parts. This
/// matters because resuming and merging compare the parts, but comparisons of runs use the hash.
///
/// # Errors
/// Returns [`RunDirError::Fingerprint`] for the first contradiction.
pub fn check_fingerprint(folder: &Path, lock: &Lock, config: &Value) -> Result<(), RunDirError> {
    /// Number of hash characters to show.
    const SHOWN: usize = 12;
    // Shows no other characters, because the files are not trusted.
    let shown = |hash: &str| -> String {
        let plain = hash.chars().filter(char::is_ascii_alphanumeric);
        plain.take(SHOWN).collect()
    };
    let wrong = |file, field, found: &str, why| {
        Err(RunDirError::Fingerprint {
            path: folder.join(file),
            field,
            found: shown(found),
            why,
        })
    };
    let hash = lock.fingerprint.as_str();
    let of_parts = lock.fingerprint.of_parts();
    if hash != of_parts {
        let why = format!("the hash of fingerprint.parts is {}", shown(&of_parts));
        return wrong(LOCK, "fingerprint.sha256", hash, why);
    }
    let why = format!("fingerprint.sha256 of {LOCK} is {}", shown(hash));
    if lock.run.fingerprint != hash {
        return wrong(LOCK, "run.fingerprint", &lock.run.fingerprint, why);
    }
    match config.pointer("/run/fingerprint").and_then(Value::as_str) {
        Some(found) if found != hash => wrong(CONFIG, "run.fingerprint", found, why),
        _ => Ok(()),
    }
}

fn read_versioned<T: DeserializeOwned>(path: &Path, known: u32) -> Result<T, RunDirError> {
    /// The version is parsed first, because a later version may change all other fields.
    #[derive(Deserialize)]
    struct Versioned {
        v: u32,
    }
    let Versioned { v: found } = read_json(path)?;
    if found > known {
        return Err(RunDirError::Version {
            path: path.to_owned(),
            found,
            known,
        });
    }
    read_json(path)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, RunDirError> {
    let bytes = fs::read(path).map_err(|reason| RunDirError::cannot_read(path, reason))?;
    serde_json::from_slice(&bytes).map_err(|reason| RunDirError::Malformed {
        path: path.to_owned(),
        reason,
    })
}
