//! Flags that each belong to one protocol.

use clap::Args;
use harness::treatment::{Overflow, ProtocolSettings};
use serde::Serialize;

use super::values::{one_of, whole};

/// Settings that each apply to one protocol.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Protocols")]
pub struct ProtocolArgs {
    /// Protocol `direct`: if a context exceeds the model's context window, remove a quarter from
    /// its middle until it fits (truncate), or end the attempt with status `limit` (refuse). The
    /// trajectory records the cuts
    #[arg(
        long,
        default_value = "truncate",
        value_name = "WHAT",
        value_parser = one_of::<Overflow>(Overflow::WORDS)
    )]
    pub overflow: Overflow,

    /// Protocol `workflow`: maximum runs of the model's program. Each response is one run
    #[arg(
        long,
        value_parser = whole::<u32>(1..=100),
        default_value_t = ProtocolSettings::default().workflow_runs,
        value_name = "N"
    )]
    pub workflow_runs: u32,

    /// Protocol `retrieve`: number of passages shown to the model
    #[arg(
        long,
        value_parser = whole::<u32>(1..=10_000),
        default_value_t = ProtocolSettings::default().retrieve_passages,
        value_name = "N"
    )]
    pub retrieve_passages: u32,

    /// Protocol `retrieve`: characters per passage; each ends at the end of a paragraph, line,
    /// sentence or word
    #[arg(
        long,
        value_parser = whole::<u32>(100..=1_000_000),
        default_value_t = ProtocolSettings::default().passage_chars,
        value_name = "N"
    )]
    pub passage_chars: u32,

    /// Protocol `summary`: characters per piece. If a context would need more pieces than
    /// --max-iterations allows, including one response for the answer, its pieces are larger
    #[arg(
        long,
        value_parser = whole::<u32>(1_000..=10_000_000),
        default_value_t = ProtocolSettings::default().piece_chars,
        value_name = "N"
    )]
    pub piece_chars: u32,

    /// Protocol `summary`: maximum characters of the notes; the middle of longer notes is removed
    #[arg(
        long,
        value_parser = whole::<u32>(100..=1_000_000),
        default_value_t = ProtocolSettings::default().notes_chars,
        value_name = "N"
    )]
    pub notes_chars: u32,
}

impl ProtocolArgs {
    /// Returns the flags as settings of the engine.
    pub fn settings(&self) -> ProtocolSettings {
        ProtocolSettings {
            overflow: self.overflow,
            workflow_runs: self.workflow_runs,
            retrieve_passages: self.retrieve_passages,
            passage_chars: self.passage_chars,
            piece_chars: self.piece_chars,
            notes_chars: self.notes_chars,
        }
    }
}
