//! Settings of individual protocols.

use std::fmt;
use std::str::FromStr;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

/// Settings of individual protocols. The run records the serialized form, which omits defaults and
/// is part of the fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolSettings {
    /// `direct`: handling of a context that exceeds the model's window.
    pub overflow: Overflow,
    /// `workflow`: maximum number of times that the program runs.
    pub workflow_runs: u32,
    /// `retrieve`: number of passages shown to the model.
    pub retrieve_passages: u32,
    /// `retrieve`: approximate characters of a passage.
    pub passage_chars: u32,
    /// `summary`: approximate characters of a piece of the context; more if there would otherwise
    /// be more pieces than iterations.
    pub piece_chars: u32,
    /// `summary`: maximum characters of notes; longer notes are cut in the middle.
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

/// Handling of a context that exceeds the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overflow {
    /// The middle of the context is cut until the context fits.
    Truncate,
    /// The attempt ends with status `limit`.
    Refuse,
}

impl Overflow {
    /// Values in flags, default first.
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
            _ => Err(format!("expected `truncate` or `refuse`, found `{word}`")),
        }
    }
}
