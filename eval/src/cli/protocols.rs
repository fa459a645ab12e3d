//! Flags that each belong to one protocol.

use clap::Args;
use harness::treatment::{Overflow, ProtocolSettings};
use serde::Serialize;

use super::number::whole;
use super::word::one_of;

/// Settings of single protocols.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Protocols")]
pub struct ProtocolArgs {
    /// Protocol `direct`: what becomes of a context that the model's window does not hold. Its middle is cut, a quarter at a time
    /// (truncate), or the attempt ends with status `limit` (refuse). What was cut is in the trajectory
    #[arg(
        long,
        default_value = "truncate",
        value_name = "WHAT",
        value_parser = one_of::<Overflow>(Overflow::WORDS)
    )]
    pub overflow: Overflow,

    /// Protocol `workflow`: how often the model may run its program. Each of its responses is one run
    #[arg(
        long,
        value_parser = whole::<u32>(1..=100),
        default_value_t = ProtocolSettings::default().workflow_runs,
        value_name = "N"
    )]
    pub workflow_runs: u32,

    /// Protocol `retrieve`: passages that the model is shown
    #[arg(
        long,
        value_parser = whole::<u32>(1..=10_000),
        default_value_t = ProtocolSettings::default().retrieve_passages,
        value_name = "N"
    )]
    pub retrieve_passages: u32,

    /// Protocol `retrieve`: characters of a passage; one ends behind a paragraph, line, sentence or word
    #[arg(
        long,
        value_parser = whole::<u32>(100..=1_000_000),
        default_value_t = ProtocolSettings::default().passage_chars,
        value_name = "N"
    )]
    pub passage_chars: u32,

    /// Protocol `summary`: characters of a piece. A context that would have more pieces than --max-iterations leaves room for, one
    /// response being the answer, has larger ones
    #[arg(
        long,
        value_parser = whole::<u32>(1_000..=10_000_000),
        default_value_t = ProtocolSettings::default().piece_chars,
        value_name = "N"
    )]
    pub piece_chars: u32,

    /// Protocol `summary`: characters that notes may have; longer ones lose their middle
    #[arg(
        long,
        value_parser = whole::<u32>(100..=1_000_000),
        default_value_t = ProtocolSettings::default().notes_chars,
        value_name = "N"
    )]
    pub notes_chars: u32,
}

impl ProtocolArgs {
    /// Returns the settings of the protocols.
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
