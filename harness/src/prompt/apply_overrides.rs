//! Applies the prompt overrides of a run to an assembled prompt.

use super::agent_prompt::AgentPrompt;
use super::assembled::{Assembled, Section};
use super::overrides::{DefinitionPiece, PromptOverrides, Replacement};
use super::sections::{IDENTITY_LINE, WHO_AT, WHO_NAMED, WHO_NAMED_AT, is_slot};
use super::template::{fill, slot_words};
use crate::model::{ActionSurface, Role};

/// Returns the prompt of a definition. Fills the slots of its bundled sections with `values`, and
/// leaves out those with other slots.
pub(super) fn definition_text(pieces: &[DefinitionPiece], values: &[(&str, String)]) -> String {
    let is_filled = |word: &str| values.iter().any(|(slot, _)| *slot == word) || !is_slot(word);
    pieces
        .iter()
        .filter(|piece| !piece.of_section || slot_words(&piece.text).all(is_filled))
        .map(|piece| {
            if piece.of_section {
                fill(&piece.text, values)
            } else {
                piece.text.clone()
            }
        })
        .collect()
}

/// Replaces the bundled sections of a prompt that the run overrides, and removes empty sections.
pub(super) fn with_own_sections(mut prompt: Assembled, overrides: &PromptOverrides) -> Assembled {
    for section in &mut prompt.sections {
        if let Some(own) = section
            .template
            .and_then(|name| overrides.sections.get(name))
        {
            let text = fill(own, &section.values);
            text.trim_matches('\n')
                .trim_end()
                .clone_into(&mut section.text);
        }
    }
    prompt.sections.retain(|section| !section.text.is_empty());
    prompt
}

/// Adds the identity line to an agent's prompt. For the root, also applies the persona, the
/// appended text and the replacement.
pub(super) fn layered(mut prompt: Assembled, agent: &AgentPrompt<'_>) -> Assembled {
    // A web agent's prompt already contains the overrides, and an app's request is sent unchanged.
    let is_web = agent.role.action_surface() == ActionSurface::Page;
    if is_web || agent.is_alone || matches!(agent.role, Role::App | Role::Judge) {
        return prompt;
    }
    let overrides = agent.overrides;
    let is_root = agent.is_root();
    // All default prompts except those of roots without a REPL begin with their own identity.
    let at = match agent.role {
        Role::Root(_) if !agent.role.has_repl() => 0,
        _ => prompt.sections.len().min(1),
    };
    let persona = text_of("persona", &overrides.persona).filter(|_| is_root);
    let identity = identity_line(overrides, is_root)
        // The prompt of the JSON action protocol equals its specification, unless a name or a site
        // is set.
        .filter(|_| agent.role.action_surface() != ActionSurface::Apps || overrides.names_root());
    let first = [identity, persona];
    prompt.sections.splice(at..at, first.into_iter().flatten());
    if !is_root {
        return prompt;
    }
    match &overrides.replacement {
        None => prompt.sections.extend(text_of("append", &overrides.append)),
        Some(Replacement::Whole(text)) => {
            prompt.sections = text_of("replacement", text).into_iter().collect();
        }
        Some(Replacement::Around { before, after }) => {
            prompt
                .sections
                .splice(0..0, text_of("replacement-before", before));
            prompt.sections.extend(text_of("replacement-after", after));
        }
    }
    prompt
}

fn text_of(name: &str, text: &str) -> Option<Section> {
    let text = text.trim();
    (!text.is_empty()).then(|| Section::of_text(name, text.to_owned()))
}

/// Returns the line with the date and, for a root with a name or site, its identity. Returns `None`
/// without a date.
pub(super) fn identity_line(overrides: &PromptOverrides, is_root: bool) -> Option<Section> {
    let (name, site) = (overrides.agent_name.trim(), overrides.site.trim());
    let who = match (name.is_empty() || !is_root, site.is_empty() || !is_root) {
        (true, true) => String::new(),
        (false, true) => WHO_NAMED.render([name]),
        (true, false) => WHO_AT.render([site]),
        (false, false) => WHO_NAMED_AT.render([name, site]),
    };
    let who = if who.is_empty() { who } else { who + " " };
    (!overrides.date.is_empty())
        .then(|| Section::of(&IDENTITY_LINE, IDENTITY_LINE.name, [&overrides.date, &who]))
}
