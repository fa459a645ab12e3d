//! Names of runs, attempts, streams and subjects. Ids of samples may contain any characters, so
//! subjects contain hashes instead.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Maximum characters of a [`RunKey`].
const LONGEST: usize = 80;

/// Identifier of a run in names of streams and subjects: letters, digits and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RunKey(String);

impl RunKey {
    /// Returns the key of a run: the beginning of the id, with characters other than letters and
    /// digits replaced by `-`, and 8 digits of the id's hash.
    pub fn of(run_id: &str) -> Self {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() { c } else { '-' }
        };
        let head: String = run_id.chars().map(plain).take(LONGEST - 9).collect();
        Self(format!("{head}-{}", &hash(run_id)[..8]))
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RunKey {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if text.is_empty() || text.len() > LONGEST || !text.chars().all(is_plain) {
            return Err("expected the key of a run: at most 80 letters, digits and `-`");
        }
        Ok(Self(text))
    }
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the SHA-256 of a text or of bytes in lowercase hex.
pub fn hash(text: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(text.as_ref()))
}

/// Returns the two subject tokens of an attempt: the [`sample_token`] and the attempt's number.
pub fn attempt(sample: &str, attempt: u32) -> String {
    format!("{}.{attempt}", sample_token(sample))
}

/// Returns the subject token of a sample: the beginning of the hash of its id.
pub fn sample_token(sample: &str) -> String {
    hash(sample)[..24].to_owned()
}

/// Kind of a stream of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StreamKind {
    /// Unfinished attempts of a run.
    Work,
    /// Results of attempts: records, trajectories, journals.
    Data,
    /// State of a run: the last heartbeat of each worker, the number of workers, the budget
    /// accounts, and the request rate of each endpoint.
    State,
}

/// A subject and its stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SubjectAddress {
    /// Name of the stream.
    pub stream: String,
    /// The subject; a filter may contain wildcards.
    pub subject: String,
}

/// Name of the stream with the manifests of all runs in the queue, one message each.
pub const RUNS: &str = "eval-runs";

impl SubjectAddress {
    /// Returns the address of a run's manifest, or of all manifests if `run` is `None`.
    pub fn manifest(run: Option<&RunKey>) -> Self {
        Self {
            stream: RUNS.to_owned(),
            subject: format!("eval.runs.{}", run.map_or("*", RunKey::as_str)),
        }
    }

    /// Returns an address in a stream of a run. `rest` is the part of the subject after the run's
    /// key and the kind of stream.
    pub fn of(run: &RunKey, part: StreamKind, rest: &str) -> Self {
        Self {
            stream: stream(run, part),
            subject: format!("eval.{run}.{}.{rest}", word(part)),
        }
    }
}

/// Returns the name of a run's stream of this kind.
pub fn stream(run: &RunKey, part: StreamKind) -> String {
    format!("eval-{run}-{}", word(part))
}

const fn word(part: StreamKind) -> &'static str {
    match part {
        StreamKind::Work => "work",
        StreamKind::Data => "data",
        StreamKind::State => "state",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_never_contain_ids() {
        let rows = [
            "s-niah-solver-20261121-092406-5f3a",
            "a.b*c>d e/f\\g",
            "ü",
            "",
        ];
        for id in rows {
            let key = RunKey::of(id);
            assert_eq!(
                RunKey::try_from(key.as_str().to_owned()),
                Ok(key.clone()),
                "{id}"
            );
            let place = SubjectAddress::of(&key, StreamKind::Work, &attempt(id, 3));
            assert_eq!(place.subject.split('.').count(), 5, "{}", place.subject);
            assert!(
                !place.subject.contains(['*', '>', ' ', '/']),
                "{}",
                place.subject
            );
        }
        assert_ne!(RunKey::of("a.b"), RunKey::of("a-b"));
        assert!(RunKey::try_from("a.b".to_owned()).is_err());
        assert!(RunKey::try_from("a".repeat(81)).is_err());
    }
}
