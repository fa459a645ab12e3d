//! The messages of a queue, with their versions and bounds.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::QueueError;
use crate::books::Amounts;
use crate::name::RunKey;

/// Version of all messages; each carries it as `v`.
pub const VERSION: u32 = 1;

/// Most bytes of a message without a body. Servers refuse more than 1 MiB by default.
pub const MOST_BYTES: usize = 1024 * 1024;

/// Most bytes of what came of one attempt: record and trajectory.
pub const MOST_BODY: u64 = 4 * 1024 * 1024 * 1024;

/// Bytes of a piece of a body, and of a body that stands in the message itself.
pub const PIECE: usize = 256 * 1024;

/// Most characters of an id.
const LONGEST_ID: usize = 4096;

/// An attempt that is to be made: ids alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// [`VERSION`].
    pub v: u32,
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
}

impl Job {
    /// An attempt.
    pub fn new(sample: String, attempt: u32) -> Self {
        Self {
            v: VERSION,
            sample,
            attempt,
        }
    }
}

/// What workers do with a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum State {
    /// They take its attempts.
    Open,
    /// They take none, and finish what is under way.
    Paused,
    /// A budget is used up: they take none, and return what is under way.
    Halted {
        /// Which, and how far.
        reason: String,
    },
    /// It is given up: they take none, and drop what is under way.
    Cancelled,
    /// Every attempt is made, and all that came of them is stored.
    Complete,
}

/// A run in the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`VERSION`].
    pub v: u32,
    /// Its key.
    pub key: RunKey,
    /// Its id.
    pub run_id: String,
    /// What workers do with it.
    pub state: State,
    /// The digest of the program that may work on it.
    pub program: String,
    /// The digest of its dataset.
    pub dataset_digest: String,
    /// The hash of all that can change an answer.
    pub fingerprint: String,
    /// What its attempts have in common, for the records.
    pub identity: Value,
    /// The flags that it was begun with.
    pub flags: Value,
    /// Attempts of the whole run.
    pub attempts_total: u64,
    /// Seconds without a sign of life after which an attempt is given to another worker.
    pub lease_s: u64,
    /// Times that an attempt is begun before it ends in an error.
    pub max_deliveries: u64,
    /// What may be spent.
    pub limits: Amounts<Option<f64>>,
    /// Samples that are not to be made any more.
    #[serde(default)]
    pub cancelled: Vec<String>,
    /// Attempts that were taken out of the queue for a time.
    #[serde(default)]
    pub held: Vec<Job>,
    /// Workers that take nothing of it any more.
    #[serde(default)]
    pub paused_workers: Vec<String>,
    /// Those of them that return what they have under way, too.
    #[serde(default)]
    pub dismissed: Vec<String>,
    /// Whether attempts may be in the queue that are made already: it was submitted more than once.
    #[serde(default)]
    pub resubmitted: bool,
    /// When it was submitted, in milliseconds since 1970.
    pub submitted_ms: u64,
}

/// A worker and what it does for a run, sent every few seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// [`VERSION`].
    pub v: u32,
    /// The worker.
    pub worker: String,
    /// Its machine.
    pub host: String,
    /// When this was sent, in milliseconds since 1970 by the worker's clock.
    pub at_ms: u64,
    /// Attempts that it makes at once.
    pub concurrency: usize,
    /// Those of the run that are under way.
    pub under_way: Vec<UnderWay>,
    /// Attempts of the run that it has finished.
    pub finished: u64,
    /// What it spent for the run.
    pub spent: Amounts<f64>,
    /// Why it does not work on the run, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// Whether it stops.
    #[serde(default)]
    pub leaving: bool,
}

/// An attempt that a worker makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnderWay {
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// When the worker began it, in milliseconds since 1970 by its clock.
    pub since_ms: u64,
    /// How often it was begun, this time included.
    pub delivery: u64,
    /// Requests to models so far.
    pub calls: u64,
}

/// An attempt was begun again, or given back: one entry for each time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    /// [`VERSION`].
    pub v: u32,
    /// How often it was begun, this time included.
    pub delivery: u64,
    /// By which worker.
    pub worker: String,
    /// When, in milliseconds since 1970 by the worker's clock.
    pub at_ms: u64,
    /// Who had it before, as far as workers have said.
    pub before: Option<String>,
    /// Whether the worker gave it back by itself instead.
    #[serde(default)]
    pub returned: bool,
}

/// The head of what came of an attempt. The body follows it in the same message, or in pieces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parcel {
    /// [`VERSION`].
    pub v: u32,
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// Who made it.
    pub worker: String,
    /// How often the attempt was begun.
    pub delivery: u64,
    /// Names the pieces.
    pub nonce: String,
    /// Pieces of the body; 0 if it is in the same message.
    pub pieces: u64,
    /// Bytes of the body.
    pub bytes: u64,
    /// Lower-case hexadecimal SHA-256 of the body.
    pub sha256: String,
    /// Of work that counts for nothing: why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wasted: Option<String>,
}

/// How many workers a run has, as one of them counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// [`VERSION`].
    pub v: u32,
    /// Workers that were heard of lately.
    pub workers: u32,
}

/// A message with a version and ids.
pub trait Message: Serialize + DeserializeOwned {
    /// Its version.
    fn version(&self) -> u32;
    /// The ids in it.
    fn ids(&self) -> Vec<&str>;
}

macro_rules! message {
    ($($name:ty: $($id:ident),*;)*) => {
        $(impl Message for $name {
            fn version(&self) -> u32 {
                self.v
            }
            fn ids(&self) -> Vec<&str> {
                vec![$(self.$id.as_ref()),*]
            }
        })*
    };
}

message! {
    Job: sample;
    Manifest: run_id, program, fingerprint, dataset_digest;
    Presence: worker, host;
    Begun: worker;
    Parcel: sample, worker, nonce;
    Roster: ;
    crate::books::Books: ;
    crate::rate::Pace: ;
}

/// Reads a message.
///
/// # Errors
/// [`QueueError::Message`] for one that is too long, malformed or of a later version.
pub fn read<M: Message>(place: &str, bytes: &[u8]) -> Result<M, QueueError> {
    /// Read first: of a later version, nothing else can be relied on.
    #[derive(Deserialize)]
    struct Versioned {
        v: u32,
    }
    let wrong = |problem: String| QueueError::Message {
        place: place.to_owned(),
        problem,
    };
    if bytes.len() > MOST_BYTES {
        return Err(wrong(format!(
            "{} bytes, and a message has at most {MOST_BYTES}",
            bytes.len()
        )));
    }
    let Versioned { v } = serde_json::from_slice(bytes).map_err(|e| wrong(e.to_string()))?;
    if v != VERSION {
        return Err(wrong(format!(
            "version {v}; this program knows version {VERSION}"
        )));
    }
    let message: M = serde_json::from_slice(bytes).map_err(|e| wrong(e.to_string()))?;
    if message.ids().iter().any(|id| id.len() > LONGEST_ID) {
        return Err(wrong(format!("an id of more than {LONGEST_ID} bytes")));
    }
    Ok(message)
}

/// Writes a message.
pub fn write<M: Message>(message: &M) -> Vec<u8> {
    // Of these types nothing fails: they have no maps with keys that are no texts.
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_said() {
        let long = format!(r#"{{"v":1,"sample":"{}","attempt":1}}"#, "x".repeat(5000));
        let rows: [(&str, &str); 6] = [
            (r#"{"v":1,"sample":"a","attempt":2}"#, ""),
            (
                r#"{"v":2,"sample":"a","attempt":2}"#,
                "p: version 2; this program knows version 1",
            ),
            ("not json", "p: expected ident at line 1 column 2"),
            (
                r#"{"v":1,"sample":"a"}"#,
                "p: missing field `attempt` at line 1 column 20",
            ),
            (
                r#"{"v":1,"sample":"a","attempt":-1}"#,
                "p: invalid value: integer `-1`, expected u32 at line 1 column 32",
            ),
            (&long, "p: an id of more than 4096 bytes"),
        ];
        for (text, wanted) in rows {
            let said =
                read::<Job>("p", text.as_bytes()).map_or_else(|e| e.to_string(), |_| String::new());
            assert_eq!(said, wanted, "{text}");
        }
        let said = read::<Job>("p", &vec![b' '; MOST_BYTES + 1])
            .unwrap_err()
            .to_string();
        assert_eq!(said, "p: 1048577 bytes, and a message has at most 1048576");
    }
}
