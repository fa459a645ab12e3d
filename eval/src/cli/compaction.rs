//! Flags of compaction, which shortens long conversations.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use harness::{Compact, CompactAt, Compaction, DEFAULT_KEPT_TURNS, DEFAULT_SHARE};
use serde::{Serialize, Serializer};

use super::number::whole;
use super::word::one_of;
use crate::providers::ModelRef;

/// Maximum number of tokens; larger numbers are probably typing errors.
const MOST_TOKENS: u64 = 1_000_000_000;

/// Conversations that grow long.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct CompactionArgs {
    /// What gives way where an agent's conversation grows too long: nothing, and the agent fails (none); the outputs of older turns
    /// (outputs); or older turns as a whole, which a model summarises (summary). The REPL keeps its variables in any case
    #[arg(
        long,
        default_value = "outputs",
        value_name = "WHAT",
        value_parser = one_of::<Compact>(Compact::WORDS)
    )]
    pub compaction: Compact,

    /// Size from which on it gives way, as tokens (24000) or as a share of the model's window (75%) [default: of summary 75%;
    /// of outputs when the model refuses the conversation]
    #[arg(long, value_name = "SIZE")]
    pub compaction_at: Option<CompactionSize>,

    /// Newest turns that a summary leaves whole
    #[arg(
        long,
        value_parser = whole::<u32>(1..=1_000),
        default_value_t = DEFAULT_KEPT_TURNS,
        value_name = "N"
    )]
    pub compaction_keep: u32,

    /// Model that writes summaries [default: the agent's own]
    #[arg(long, value_name = "REF")]
    pub compaction_model: Option<ModelRef>,

    /// YAML file of models' windows, which take precedence over the bundled ones [default: only the bundled ones]
    #[arg(long, value_name = "FILE")]
    pub windows: Option<PathBuf>,
}

impl CompactionArgs {
    /// Returns the compaction settings without the context windows of models.
    pub fn of_agents(&self) -> Compaction {
        let share = |percent| CompactAt::Share {
            percent,
            windows: BTreeMap::new(),
        };
        Compaction {
            how: self.compaction,
            at: match self.compaction_at {
                Some(CompactionSize::Tokens(tokens)) => Some(CompactAt::Tokens(tokens)),
                Some(CompactionSize::Percent(percent)) => Some(share(percent)),
                None => (self.compaction == Compact::Summary).then(|| share(DEFAULT_SHARE)),
            },
            keep: self.compaction_keep,
        }
    }
}

/// A size of conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactionSize {
    /// Tokens.
    Tokens(u64),
    /// A share of the model's window.
    Percent(u32),
}

impl FromStr for CompactionSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = match text.trim().strip_suffix('%') {
            Some(percent) => whole(1..=100)(percent).map(Self::Percent),
            None => whole(1..=MOST_TOKENS)(text).map(Self::Tokens),
        };
        read.map_err(|_| {
            format!("expected tokens, a whole number from 1 to {MOST_TOKENS}, or a share from 1% to 100%")
        })
    }
}

impl Display for CompactionSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(tokens) => write!(f, "{tokens}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl Serialize for CompactionSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
