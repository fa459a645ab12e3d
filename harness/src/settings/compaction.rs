//! Settings for shortening long conversations.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

#[cfg(feature = "clap")]
use super::one_of;
use super::{SettingsGroup, changed_keys, whole};

settings_group! {
    /// Settings for shortening the conversations of agents.
    #[derive(Copy)]
    pub struct CompactionSettings under "Agent" {
        /// How to shorten an agent's conversation when it gets too long: not at all, so that the
        /// agent fails (none); by dropping the outputs of older turns (outputs); or by replacing
        /// older turns with a summary that a model writes (summary). The REPL always keeps its
        /// variables
        pub compaction: Compact = Compact::Outputs
            => (value_parser = one_of::<Compact>(Compact::WORDS), value_name = "WHAT"),

        /// Size at which a conversation is shortened, in tokens (24000) or as a percentage of the
        /// model's context window (75%) [default: 75% for summary; for outputs, when the model
        /// rejects the conversation]
        pub compaction_at: Option<CompactionSize> => (value_name = "SIZE"),

        /// Number of newest turns that a summary does not replace
        pub compaction_keep: u32 = 4
            => (value_parser = whole::<u32>(1..=1_000), value_name = "N"),
    }
}

impl SettingsGroup for CompactionSettings {
    const RECORDED: &'static [&'static str] = &["compaction", "compaction_at", "compaction_keep"];

    /// A size that is the method's default counts as unchanged.
    fn changed(&self) -> Map<String, Value> {
        let mut changed = changed_keys(self);
        let without_size = Self {
            compaction_at: None,
            ..*self
        };
        if self.size() == without_size.size() {
            changed.remove("compaction_at");
        }
        changed
    }
}

impl CompactionSettings {
    /// Returns the minimum size of conversations to shorten, or `None` to shorten them only after
    /// the model rejects them.
    pub fn size(&self) -> Option<CompactionSize> {
        let default = (self.compaction == Compact::Summary).then_some(CompactionSize::Percent(75));
        self.compaction_at.or(default)
    }

    /// Returns the settings with the default size made explicit, and with those without effect
    /// reset to their defaults. `keep` affects only summaries, and the size has no effect with
    /// [`Compact::None`].
    pub(crate) fn effective(&self) -> Self {
        let defaults = Self::default();
        Self {
            compaction: self.compaction,
            compaction_at: self.size().filter(|_| self.compaction != Compact::None),
            compaction_keep: match self.compaction {
                Compact::Summary => self.compaction_keep,
                Compact::None | Compact::Outputs => defaults.compaction_keep,
            },
        }
    }
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

impl Compact {
    /// Values in flags and files.
    pub const WORDS: [&'static str; 3] = ["none", "outputs", "summary"];
}

impl fmt::Display for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Self::WORDS[*self as usize])
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

impl CompactionSize {
    /// Maximum number of tokens; larger numbers are probably typos.
    const MOST_TOKENS: u64 = 1_000_000_000;
}

impl FromStr for CompactionSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let most = Self::MOST_TOKENS;
        let read = match text.trim().strip_suffix('%') {
            Some(percent) => whole(1..=100)(percent).map(Self::Percent),
            None => whole(1..=most)(text).map(Self::Tokens),
        };
        read.map_err(|_| {
            format!("expected a number of tokens from 1 to {most}, or a percentage from 1% to 100%")
        })
    }
}

impl fmt::Display for CompactionSize {
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

impl<'de> Deserialize<'de> for CompactionSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
