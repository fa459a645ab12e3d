//! Settings for shortening long conversations.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Default number of newest turns that a summary does not replace.
pub const DEFAULT_KEPT_TURNS: u32 = 4;
/// Default size at which a conversation is summarized, in percent of the model's context window.
pub const DEFAULT_SHARE: u32 = 75;

/// Settings for shortening the conversations of agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// Method of shortening.
    pub how: Compact,
    /// Minimum size of conversations to shorten; `None` to shorten them only after the model
    /// rejects them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<CompactAt>,
    /// Number of newest turns that a summary does not replace.
    pub keep: u32,
}

/// Method of shortening a conversation that is too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compact {
    /// Do not shorten conversations; an agent fails if its conversation is too long.
    None,
    /// Omit the outputs of older turns.
    #[default]
    Outputs,
    /// Replace older turns with a summary.
    Summary,
}

/// Minimum size of a conversation to shorten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactAt {
    /// Number of tokens.
    Tokens(u64),
    /// Share of the model's context window.
    Share {
        /// Share in percent.
        percent: u32,
        /// Context windows of the run's models in tokens, by model reference.
        windows: BTreeMap<String, u64>,
    },
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            how: Compact::default(),
            at: None,
            keep: DEFAULT_KEPT_TURNS,
        }
    }
}

impl Compaction {
    /// Whether all settings have their defaults.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the settings, with those without effect reset to their defaults. `keep` affects only
    /// summaries, and `at` has no effect with [`Compact::None`].
    pub(crate) fn effective(&self) -> Self {
        Self {
            how: self.how,
            at: (self.at.clone()).filter(|_| self.how != Compact::None),
            keep: match self.how {
                Compact::Summary => self.keep,
                _ => DEFAULT_KEPT_TURNS,
            },
        }
    }

    /// Returns the size in tokens at which a conversation with this model is shortened, if it is
    /// known.
    pub(super) fn limit(&self, reference: &str) -> Option<u64> {
        match self.at.as_ref()? {
            CompactAt::Tokens(tokens) => Some(*tokens),
            CompactAt::Share { percent, windows } => {
                Some(windows.get(reference)? * u64::from(*percent) / 100)
            }
        }
    }
}

impl Compact {
    /// Values in flags and files.
    pub const WORDS: [&'static str; 3] = ["none", "outputs", "summary"];

    /// Returns the value in flags and files.
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

impl fmt::Display for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Compact {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        [Self::None, Self::Outputs, Self::Summary]
            .into_iter()
            .find(|how| how.as_str() == word)
            .ok_or_else(|| format!("expected {}", Self::WORDS.join(", ")))
    }
}
