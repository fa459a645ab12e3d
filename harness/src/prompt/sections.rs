//! The bundled section texts, one constant for each file under `harness/prompts` and in the folders of protocols: `TURN_FIRST` is `turn-first.md`.

use super::template::Template;
use crate::text::sha256_hex;

include!(concat!(env!("OUT_DIR"), "/sections.rs"));

/// SHA-256 (hex) of every bundled section text, by section name: what a run's fingerprint
/// takes as the prompts.
pub fn template_digests() -> Vec<(&'static str, String)> {
    let actions = ("agent-turn", sha256_hex(super::web::ACTIONS));
    let texts = texts().into_iter();
    texts
        .map(|(name, text, _)| (name, sha256_hex(text)))
        .chain([actions])
        .collect()
}

/// What is no section of a system prompt: messages of one turn, and texts inside of sections.
const NO_SECTIONS: [&str; 15] = [
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
/// The others of those inside of sections.
const INSIDE: [&str; 3] = ["lineage", "tool", "tool-parameter"];

/// What may be overridden and included: the sections of system prompts, by name, with their texts.
pub(crate) fn section_texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    texts()
        .into_iter()
        .filter(|(name, ..)| {
            !INSIDE.contains(name) && !NO_SECTIONS.iter().any(|prefix| name.starts_with(prefix))
        })
        .map(|(name, text, _)| (name, text))
}

/// The slots of a section of system prompts; none for another name.
pub(crate) fn section_slots(name: &str) -> Option<&'static [&'static str]> {
    section_texts().find(|(known, _)| *known == name)?;
    let (.., slots) = texts().into_iter().find(|(known, ..)| *known == name)?;
    Some(slots)
}
