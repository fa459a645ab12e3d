//! Flags of compaction, which shortens long conversations, and the context windows of models.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use harness::provider::WindowTable;
use harness::{Compact, CompactAt, Compaction, DEFAULT_KEPT_TURNS, DEFAULT_SHARE};
use serde::{Serialize, Serializer};

use super::SettingsError;
use super::values::{one_of, whole};
use crate::providers::ModelRef;

/// Maximum number of tokens; larger numbers are probably typos.
const MOST_TOKENS: u64 = 1_000_000_000;

/// Settings of compaction.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Agent")]
pub struct CompactionArgs {
    /// How to shorten an agent's conversation when it gets too long: not at all, so that the agent
    /// fails (none); by dropping the outputs of older turns (outputs); or by replacing older turns
    /// with a summary that a model writes (summary). The REPL always keeps its variables
    #[arg(
        long,
        default_value = "outputs",
        value_name = "WHAT",
        value_parser = one_of::<Compact>(Compact::WORDS)
    )]
    pub compaction: Compact,

    /// Size at which a conversation is shortened, in tokens (24000) or as a percentage of the
    /// model's context window (75%) [default: 75% for summary; for outputs, when the model rejects
    /// the conversation]
    #[arg(long, value_name = "SIZE")]
    pub compaction_at: Option<CompactionSize>,

    /// Number of newest turns that a summary does not replace
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

    /// YAML file of models' context windows, which take precedence over the bundled ones [default:
    /// only the bundled ones]
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

/// Size at which a conversation is shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompactionSize {
    /// Number of tokens.
    Tokens(u64),
    /// Percentage of the model's context window.
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
            format!("expected a number of tokens from 1 to {MOST_TOKENS}, or a percentage from 1% to 100%")
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

/// Looks up the context windows of the models that agents may use, if the threshold is a
/// percentage.
///
/// # Errors
/// [`SettingsError`] for an invalid table of windows, and for the first model whose window is
/// unknown.
pub(super) fn find_windows<'a>(
    compaction: &mut Compaction,
    file: Option<&Path>,
    references: impl IntoIterator<Item = &'a ModelRef>,
) -> Result<(), SettingsError> {
    let Some(CompactAt::Share { percent, windows }) = &mut compaction.at else {
        return Ok(());
    };
    let mut table = WindowTable::bundled()?;
    if let Some(file) = file {
        let text =
            fs::read_to_string(file).map_err(|error| SettingsError::unreadable(file, error))?;
        table = WindowTable::parse(&file.display().to_string(), &text)?.or(table);
    }
    for reference in references {
        let Some(window) = table.of(reference.as_str()) else {
            return Err(SettingsError::with_hint(
                format!("--compaction-at {percent}%: unknown context window of `{reference}`"),
                "set a number of tokens, such as --compaction-at 24000, or add the window with --windows FILE; see docs/reference/models.md for an example",
            ));
        };
        windows.insert(reference.to_string(), window);
    }
    Ok(())
}
