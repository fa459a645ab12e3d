//! The settings that belong to one protocol each: how often, how much, how long.

use std::fmt;
use std::str::FromStr;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// The settings of protocols. Serialised, what differs from the defaults: what a run records, and its fingerprint is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolSettings {
    /// Of `direct`: what becomes of a context that the model's window does not hold.
    pub overflow: Overflow,
    /// Of `workflow`: how often the program may run.
    pub workflow_runs: u32,
    /// Of `retrieve`: passages that the model is shown.
    pub retrieve_passages: u32,
    /// Of `retrieve`: characters of a passage, about.
    pub passage_chars: u32,
    /// Of `summary`: characters of a piece, about; more where the context would have more pieces than there are iterations.
    pub piece_chars: u32,
    /// Of `summary`: characters that notes may have; of longer ones, the middle is cut.
    pub notes_chars: u32,
}

impl Default for ProtocolSettings {
    fn default() -> Self {
        Self {
            overflow: Overflow::Truncate,
            workflow_runs: 3,
            retrieve_passages: 10,
            passage_chars: 2_000,
            piece_chars: 50_000,
            notes_chars: 8_000,
        }
    }
}

impl Serialize for ProtocolSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let usual = Self::default();
        let mut map = serializer.serialize_map(None)?;
        if self.overflow != usual.overflow {
            map.serialize_entry("overflow", &self.overflow)?;
        }
        let numbers = |all: &Self| {
            [
                ("workflow_runs", all.workflow_runs),
                ("retrieve_passages", all.retrieve_passages),
                ("passage_chars", all.passage_chars),
                ("piece_chars", all.piece_chars),
                ("notes_chars", all.notes_chars),
            ]
        };
        for (own, usual) in numbers(self).into_iter().zip(numbers(&usual)) {
            if own != usual {
                map.serialize_entry(own.0, &own.1)?;
            }
        }
        map.end()
    }
}

/// What becomes of a context that the model's window does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overflow {
    /// Its middle is cut until it fits.
    Truncate,
    /// The attempt ends with status `limit`.
    Refuse,
}

impl Overflow {
    /// The words of flags, the default first.
    pub const WORDS: [&'static str; 2] = ["truncate", "refuse"];
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Truncate => "truncate",
            Self::Refuse => "refuse",
        })
    }
}

impl FromStr for Overflow {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "truncate" => Ok(Self::Truncate),
            "refuse" => Ok(Self::Refuse),
            _ => Err(format!("`{word}` is neither `truncate` nor `refuse`")),
        }
    }
}
