//! Settings of individual protocols.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::{one_of, whole};

/// Settings that each apply to one protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[cfg_attr(feature = "clap", command(next_help_heading = "Protocols"))]
#[serde(default, deny_unknown_fields)]
pub struct ProtocolSettings {
    /// Protocol `direct`: if a context exceeds the model's context window, remove a quarter from
    /// its middle until it fits (truncate), or end the attempt with status `limit` (refuse). The
    /// trajectory records the cuts
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            default_value_t = Self::default().overflow,
            value_name = "WHAT",
            value_parser = one_of::<Overflow>(Overflow::WORDS)
        )
    )]
    pub overflow: Overflow,

    /// Protocol `workflow`: maximum runs of the model's program. Each response is one run
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=100),
            default_value_t = Self::default().workflow_runs,
            value_name = "N"
        )
    )]
    pub workflow_runs: u32,

    /// Protocol `retrieve`: number of passages shown to the model
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1..=10_000),
            default_value_t = Self::default().retrieve_passages,
            value_name = "N"
        )
    )]
    pub retrieve_passages: u32,

    /// Protocol `retrieve`: characters per passage; each ends at the end of a paragraph, line,
    /// sentence or word
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(100..=1_000_000),
            default_value_t = Self::default().passage_chars,
            value_name = "N"
        )
    )]
    pub passage_chars: u32,

    /// Protocol `summary`: characters per piece. If a context would need more pieces than
    /// --max-iterations allows, including one response for the answer, its pieces are larger
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(1_000..=10_000_000),
            default_value_t = Self::default().piece_chars,
            value_name = "N"
        )
    )]
    pub piece_chars: u32,

    /// Protocol `summary`: maximum characters of the notes; the middle of longer notes is removed
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_parser = whole::<u32>(100..=1_000_000),
            default_value_t = Self::default().notes_chars,
            value_name = "N"
        )
    )]
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

impl SettingsGroup for ProtocolSettings {
    const LIMITS: &'static [&'static str] = &[];
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
