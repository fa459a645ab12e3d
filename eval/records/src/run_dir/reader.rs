//! Reads a run back.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::samples::{TruncatedRecord, latest, read_records, superseded};
use super::{
    CONFIG, Fingerprint, LOCK, RunDirError, SAMPLES, TRAJECTORIES, hold, name, wasted_spend,
};
use crate::Wasted;
use crate::program::Program;
use crate::{AttemptRecord, RunIdentity};

/// Version of `config.json`; the file carries it as `v`.
pub const CONFIG_VERSION: u32 = 1;

/// Version of [`Lock`]; the file carries it as `v`.
pub const LOCK_VERSION: u32 = 1;

/// `lock.json`: what has to be equal for two runs to be the same experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lock {
    /// [`LOCK_VERSION`] of the writer.
    pub v: u32,
    /// The hash and its parts, among them the program that the run was begun with.
    pub fingerprint: Fingerprint,
    /// Other programs that were allowed to go on with the run, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later_programs: Vec<Program>,
    /// What all attempts have in common.
    pub run: RunIdentity,
}

impl Lock {
    /// The lock of a new run.
    pub fn new(fingerprint: Fingerprint, run: RunIdentity) -> Self {
        Self {
            v: LOCK_VERSION,
            fingerprint,
            later_programs: Vec::new(),
            run,
        }
    }

    /// The programs that are known to have worked on the run, in their order.
    pub fn programs(&self) -> Vec<Program> {
        let first = self.fingerprint.program();
        let later = self.later_programs.iter().cloned();
        first.into_iter().chain(later).collect()
    }
}

/// A run as it lies on the disk, complete or not.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDir {
    /// The folder.
    pub path: PathBuf,
    /// The resolved settings.
    pub config: Value,
    /// The fingerprint, and what all attempts have in common.
    pub lock: Lock,
    /// The attempts that count, one each, in the order in which they first finished.
    pub records: Vec<AttemptRecord>,
    /// What was spent on attempts that count for nothing. Attempts under way are not among them.
    pub wasted: Wasted,
    /// Trajectories that are not where they would be, by the name that they would have there: of attempts that are
    /// still to be made again.
    aside: BTreeMap<String, PathBuf>,
    /// A last line of `samples.jsonl` that was never written to its end.
    pub truncated_record: Option<TruncatedRecord>,
}

impl RunDir {
    /// Reads the run in a folder.
    ///
    /// # Errors
    /// The folder holds no run, or a file of it cannot be read, is malformed or of a later version.
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
        let wasted =
            wasted_spend::wasted(path, &records, &superseded(&records), hold::is_held(path))?;
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

    /// Whether a folder has the files of a run.
    pub fn is_whole(path: &Path) -> bool {
        [CONFIG, LOCK, SAMPLES]
            .iter()
            .all(|name| path.join(name).is_file())
    }

    /// Whether a run began in a folder: whether there can be an attempt of it.
    pub fn is_begun(path: &Path) -> bool {
        path.join(LOCK).exists() || path.join(SAMPLES).exists()
    }

    /// Removes what a process left that was killed before its run [began](Self::is_begun), if it left anything.
    ///
    /// # Errors
    /// [`RunDirError::Create`] if something else is there.
    pub fn clear_unbegun(path: &Path) -> Result<(), RunDirError> {
        let beside = [CONFIG, LOCK].map(|name| format!("{name}.tmp"));
        for name in [CONFIG, &beside[0], &beside[1]] {
            // One that is not there is removed already; one that stays keeps the folder from being removed.
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

    /// Attempts that the run was to make; those that it has, if it does not say.
    pub fn attempts_total(&self) -> u64 {
        let planned = self.config.get("attempts_total").and_then(Value::as_u64);
        planned.unwrap_or(self.records.len() as u64)
    }

    /// Attempts of the whole run of which this one is a share; none if it does not say.
    pub fn attempts_of_all_shares(&self) -> Option<u64> {
        self.config.get("attempts_of_all_shares")?.as_u64()
    }

    /// Whether a process works on it right now.
    pub fn is_running(&self) -> bool {
        hold::is_held(&self.path)
    }

    /// Where the events of an attempt are, if it has any: one [`model::Event`] a line.
    pub fn trajectory(&self, sample: &str, attempt: u32) -> PathBuf {
        let name = name::trajectory(sample, attempt);
        if let Some(path) = self.aside.get(&name) {
            return path.clone();
        }
        let folder = self.path.join(TRAJECTORIES);
        name::trajectory_in(&folder, sample, attempt)
    }
}

/// Reads the resolved settings of the run in a folder, and says in which file they stand.
///
/// # Errors
/// The folder holds no run, or the file cannot be read or is malformed.
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
/// It cannot be read, is malformed or of a later version.
pub fn read_lock(folder: &Path) -> Result<Lock, RunDirError> {
    read_versioned(&folder.join(LOCK), LOCK_VERSION)
}

/// Checks that all places in the run's files that hold its fingerprint agree, and that it is that of its parts: what can go on
/// or be merged goes by the parts, and what is compared goes by the hash.
///
/// # Errors
/// [`RunDirError::Fingerprint`] for the first that contradicts another.
pub fn check_fingerprint(folder: &Path, lock: &Lock, config: &Value) -> Result<(), RunDirError> {
    /// Characters of a hash that are shown.
    const SHOWN: usize = 12;
    // Anybody may have written these files.
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
        let why = format!("fingerprint.parts make {}", shown(&of_parts));
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
    /// Read first: of a later version, nothing else can be relied on.
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
