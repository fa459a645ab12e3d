//! Settings of individual protocols.

use serde::{Deserialize, Serialize};

use super::SettingsGroup;
#[cfg(feature = "clap")]
use super::{one_of, whole};

settings_group! {
    /// Settings that each apply to one protocol.
    #[derive(Copy)]
    pub struct ProtocolSettings under "Protocols" {
        /// Protocol `direct`: if a context exceeds the model's context window, remove a quarter
        /// from its middle until it fits (truncate), or end the attempt with status `limit`
        /// (refuse). The trajectory records the cuts
        pub overflow: Overflow => (
            default_value = "truncate",
            value_name = "WHAT",
            value_parser = one_of::<Overflow>(["truncate", "refuse"])
        ),

        /// Protocol `workflow`: maximum runs of the model's program. Each response is one run
        pub workflow_runs: u32 = 3
            => (value_parser = whole::<u32>(1..=100), value_name = "N"),

        /// Protocol `retrieve`: number of passages shown to the model
        pub retrieve_passages: u32 = 10
            => (value_parser = whole::<u32>(1..=10_000), value_name = "N"),

        /// Protocol `retrieve`: characters per passage; each ends at the end of a paragraph, line,
        /// sentence or word
        pub passage_chars: u32 = 2_000
            => (value_parser = whole::<u32>(100..=1_000_000), value_name = "N"),

        /// Protocol `summary`: characters per piece. If a context would need more pieces than
        /// --max-iterations allows, including one response for the answer, its pieces are larger
        pub piece_chars: u32 = 50_000
            => (value_parser = whole::<u32>(1_000..=10_000_000), value_name = "N"),

        /// Protocol `summary`: maximum characters of the notes; the middle of longer notes is
        /// removed
        pub notes_chars: u32 = 8_000
            => (value_parser = whole::<u32>(100..=1_000_000), value_name = "N"),
    }
}

impl SettingsGroup for ProtocolSettings {}

/// Handling of a context that exceeds the model's window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overflow {
    /// The middle of the context is cut until the context fits.
    #[default]
    Truncate,
    /// The attempt ends with status `limit`.
    Refuse,
}
