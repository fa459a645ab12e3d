//! Reads a run directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::samples::{TruncatedRecord, latest, read_records, superseded};
use super::{
    CONFIG, Fingerprint, LOCK, RunDirError, SAMPLES, TRAJECTORIES, name, run_lock, wasted_spend,
};
use crate::Wasted;
use crate::program::Program;
use crate::{AttemptRecord, RunIdentity};

/// Version of `config.json`; the file carries it as `v`.
pub const CONFIG_VERSION: u32 = 1;

/// Version of [`Lock`]; the file carries it as `v`.
pub const LOCK_VERSION: u32 = 1;

/// `lock.json`: what must be equal for two runs to be the same experiment.
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

    /// Returns the recorded programs that worked on the run, in order.
    pub fn programs(&self) -> Vec<Program> {
        let first = self.fingerprint.program();
        let later = self.later_programs.iter().cloned();
        first.into_iter().chain(later).collect()
    }
}

/// A run on disk, complete or not.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDir {
    /// The folder.
    pub path: PathBuf,
    /// The resolved settings.
    pub config: Value,
    /// The fingerprint, and the values that all attempts share.
    pub lock: Lock,
    /// One record for each attempt that counts, in the order in which they first finished.
    pub records: Vec<AttemptRecord>,
    /// Spending on attempts that do not count, except attempts in progress.
    pub wasted: Wasted,
    /// Trajectories outside their usual folder, by the name that they would have there. They belong
    /// to attempts that are still to be rerun.
    aside: BTreeMap<String, PathBuf>,
    /// Truncated last line of `samples.jsonl`, if any.
    pub truncated_record: Option<TruncatedRecord>,
}

impl RunDir {
    /// Returns the time when the first attempt began, if recorded.
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
        for missing in [CONFIG, LOCK, SAMPLES] {
            if !path.join(missing).is_file() {
                let path = path.to_owned();
                return Err(RunDirError::NotARun { path, missing });
            }
        }
        let config = read_versioned(&path.join(CONFIG), CONFIG_VERSION)?;
        let lock = read_lock(path)?;
        let (records, truncated_record) = read_records(&path.join(SAMPLES))?;
        let wasted = wasted_spend::wasted(
            path,
            &records,
            &superseded(&records),
            run_lock::is_held(path),
        )?;
        let aside = wasted_spend::still_counting(path, &records)?;
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
        [CONFIG, LOCK, SAMPLES]
            .iter()
            .all(|name| path.join(name).is_file())
    }

    /// Whether a run has begun in a folder, which means that it may have attempts.
    pub fn is_begun(path: &Path) -> bool {
        path.join(LOCK).exists() || path.join(SAMPLES).exists()
    }

    /// Removes the leftovers of a process that was killed before its run [began](Self::is_begun).
    ///
    /// # Errors
    /// Returns [`RunDirError::Create`] if the folder contains anything else.
    pub fn clear_unbegun(path: &Path) -> Result<(), RunDirError> {
        let beside = [CONFIG, LOCK].map(|name| format!("{name}.tmp"));
        for name in [CONFIG, &beside[0], &beside[1]] {
            // A missing file needs no removal; a file that stays makes removing the folder fail.
            let _ = fs::remove_file(path.join(name));
        }
        match fs::remove_dir(path) {
            Err(reason) if reason.kind() != ErrorKind::NotFound => Err(RunDirError::Create {
                folder: path.to_owned(),
                reason,
            }),
            _ => Ok(()),
        }
    }

    /// Returns the number of planned attempts, or the number of finished ones if the plan is not
    /// recorded.
    pub fn attempts_total(&self) -> u64 {
        let planned = self.config.get("attempts_total").and_then(Value::as_u64);
        planned.unwrap_or(self.records.len() as u64)
    }

    /// Returns the number of attempts of the whole run if this run is one shard of it, or `None` if
    /// not recorded.
    pub fn attempts_of_all_shards(&self) -> Option<u64> {
        self.config.get("attempts_of_all_shares")?.as_u64()
    }

    /// Whether a process is working on the run.
    pub fn is_running(&self) -> bool {
        run_lock::is_held(&self.path)
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

/// Reads the resolved settings of the run in a folder. Returns the path of the file and its
/// content.
///
/// # Errors
/// Returns an error if the folder does not contain a run, or if the file cannot be read or is
/// malformed.
pub fn read_config(folder: &Path) -> Result<(PathBuf, Value), RunDirError> {
    let path = folder.join(CONFIG);
    if !path.is_file() {
        return Err(RunDirError::NotARun {
            path: folder.to_owned(),
            missing: CONFIG,
        });
    }
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

/// Checks that all copies of the fingerprint in a run's files agree and match its parts, because
/// resuming and merging use the parts while comparing uses the hash.
///
/// # Errors
/// Returns [`RunDirError::Fingerprint`] for the first contradiction.
pub fn check_fingerprint(folder: &Path, lock: &Lock, config: &Value) -> Result<(), RunDirError> {
    /// Number of hash characters to show.
    const SHOWN: usize = 12;
    // These files are not trusted.
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
    /// Read first, because a later version may change everything else.
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
    let bytes = fs::read(path).map_err(|reason| RunDirError::Read {
        path: path.to_owned(),
        reason,
    })?;
    serde_json::from_slice(&bytes).map_err(|reason| RunDirError::Malformed {
        path: path.to_owned(),
        reason,
    })
}
