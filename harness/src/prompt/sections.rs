//! The bundled texts of prompts, one constant for each file in `harness/prompts` and in the folders
//! of protocols: `TURN_FIRST` is `turn-first.md`.

use super::template::Template;
use crate::text::sha256_hex;

include!(concat!(env!("OUT_DIR"), "/sections.rs"));

/// Actions of a web agent and the tool `agent_turn`, with their descriptions, as YAML.
pub(crate) const ACTIONS: &str = include_str!("../protocol/agent_turn/agent-turn.yaml");

/// Returns the name and SHA-256 (hex) of every bundled text. The fingerprint of a run contains
/// them.
pub fn template_digests() -> Vec<(&'static str, String)> {
    let actions = ("agent-turn", sha256_hex(ACTIONS));
    let texts = texts().into_iter();
    texts
        .map(|(name, text, _)| (name, sha256_hex(text)))
        .chain([actions])
        .collect()
}

/// Prefixes of the names of texts that are not sections of system prompts: messages, and texts
/// inside sections.
const NON_SECTIONS: [&str; 15] = [
    "subprompt-",
    "json-action-",
    "turn-",
    "note-",
    "context-",
    "past-",
    "call-",
    "image-",
    "output-left-out",
    "execute-code",
    "untrusted",
    "writing-",
    "who-",
    "children-",
    "agents-",
];
/// Names of other texts inside sections.
const INSIDE: [&str; 3] = ["lineage", "tool", "tool-parameter"];

/// Returns the name, text and slots of each section of system prompts. These can be overridden and
/// included.
pub(crate) fn section_texts()
-> impl Iterator<Item = (&'static str, &'static str, &'static [&'static str])> {
    texts().into_iter().filter(|(name, ..)| {
        !INSIDE.contains(name) && !NON_SECTIONS.iter().any(|prefix| name.starts_with(prefix))
    })
}

/// Whether a section of system prompts has this slot.
pub(super) fn is_slot(word: &str) -> bool {
    section_texts().any(|(.., slots)| slots.contains(&word))
}

/// Returns the slots of a section of system prompts, or `None` if there is no section with this
/// name.
pub(crate) fn section_slots(name: &str) -> Option<&'static [&'static str]> {
    let (.., slots) = section_texts().find(|(known, ..)| *known == name)?;
    Some(slots)
}
