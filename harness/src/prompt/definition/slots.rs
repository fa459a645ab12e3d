//! Checks the slots in texts that replace bundled sections.

use crate::prompt::section_slots;
use crate::prompt::template::slot_words;
use crate::text::nearest;

/// Returns a problem for each likely misspelled slot in a text that replaces the bundled section
/// `name`. Other words in braces are ordinary text.
pub(super) fn misspelled_slots(name: &str, text: &str) -> Vec<String> {
    let Some(slots) = section_slots(name) else {
        return Vec::new();
    };
    let unknown = slot_words(text).filter(|word| !slots.contains(word));
    let problems = unknown.filter_map(|word| {
        let slot = nearest(word, slots.iter().copied())?;
        Some(format!(
            "`{{{word}}}` is not a slot of the section `{name}`; did you mean `{{{slot}}}`?"
        ))
    });
    problems.collect()
}

/// Sections with a required slot, whose value no other section contains.
const REQUIRED_SLOTS: [(&str, &str); 2] = [("tools", "{tools}"), ("models", "{models}")];

/// Returns a problem if a text that replaces the bundled section `name` lacks the section's
/// required slot.
pub(super) fn missing_slot(name: &str, text: &str) -> Option<String> {
    let (_, slot) = REQUIRED_SLOTS
        .iter()
        .find(|(section, _)| *section == name)?;
    (!text.contains(slot))
        .then(|| format!("does not contain `{slot}`, so agents would not see its value"))
}
