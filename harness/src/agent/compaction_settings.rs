//! Compaction of long conversations with the context windows of the run's models.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::json;

use crate::settings::{CompactionSettings, CompactionSize};

/// Settings for shortening conversations, and the context windows that they refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Method, size, and number of turns to keep.
    pub settings: CompactionSettings,
    /// Context windows of the run's models in tokens, by model reference, if the size is a
    /// percentage of them.
    pub windows: BTreeMap<String, u64>,
}

impl Compaction {
    /// Whether all settings have their defaults.
    pub(super) fn is_default(&self) -> bool {
        self.settings == CompactionSettings::default()
    }

    /// Returns the settings in effect; see [`CompactionSettings::effective`].
    pub(crate) fn effective(&self) -> Self {
        Self {
            settings: self.settings.effective(),
            windows: self.windows.clone(),
        }
    }

    /// Returns the size in tokens at which a conversation with this model is shortened, if it is
    /// known.
    pub(super) fn limit(&self, reference: &str) -> Option<u64> {
        match self.settings.size()? {
            CompactionSize::Tokens(tokens) => Some(tokens),
            CompactionSize::Percent(percent) => {
                Some(self.windows.get(reference)? * u64::from(percent) / 100)
            }
        }
    }
}

/// Serializes the settings as runs record them.
impl Serialize for Compaction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut recorded = json!({ "how": self.settings.compaction });
        match self.settings.size() {
            Some(CompactionSize::Tokens(tokens)) => recorded["at"] = json!({ "tokens": tokens }),
            Some(CompactionSize::Percent(percent)) => {
                let share = json!({ "percent": percent, "windows": self.windows });
                recorded["at"] = json!({ "share": share });
            }
            None => {}
        }
        recorded["keep"] = self.settings.compaction_keep.into();
        recorded.serialize(serializer)
    }
}
