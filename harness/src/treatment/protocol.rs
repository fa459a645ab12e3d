//! Protocol settings as explicit settings; each affects the agents of one protocol.

use std::fmt;

use crate::agent::ProtocolSettings;

/// A setting of one protocol.
#[derive(Clone, Copy)]
pub struct ProtocolSetting {
    /// Flag of the setting.
    pub flag: &'static str,
    reset: fn(&mut ProtocolSettings, ProtocolSettings),
}

/// All settings of single protocols.
pub static PROTOCOL_SETTINGS: [ProtocolSetting; 6] = [
    setting("--overflow", |own, usual| own.overflow = usual.overflow),
    setting("--workflow-runs", |own, usual| {
        own.workflow_runs = usual.workflow_runs;
    }),
    setting("--retrieve-passages", |own, usual| {
        own.retrieve_passages = usual.retrieve_passages;
    }),
    setting("--passage-chars", |own, usual| {
        own.passage_chars = usual.passage_chars;
    }),
    setting("--piece-chars", |own, usual| {
        own.piece_chars = usual.piece_chars;
    }),
    setting("--notes-chars", |own, usual| {
        own.notes_chars = usual.notes_chars;
    }),
];

const fn setting(
    flag: &'static str,
    reset: fn(&mut ProtocolSettings, ProtocolSettings),
) -> ProtocolSetting {
    ProtocolSetting { flag, reset }
}

impl ProtocolSetting {
    /// Returns the settings that differ from their defaults.
    pub fn given(settings: &ProtocolSettings) -> impl Iterator<Item = Self> {
        PROTOCOL_SETTINGS
            .into_iter()
            .filter(|setting| setting.removed(settings) != *settings)
    }

    /// Returns the settings with this one reset to its default.
    pub(super) fn removed(&self, from: &ProtocolSettings) -> ProtocolSettings {
        let mut settings = *from;
        (self.reset)(&mut settings, ProtocolSettings::default());
        settings
    }
}

impl fmt::Debug for ProtocolSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.flag)
    }
}

impl PartialEq for ProtocolSetting {
    fn eq(&self, other: &Self) -> bool {
        self.flag == other.flag
    }
}

impl Eq for ProtocolSetting {}
