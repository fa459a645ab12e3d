//! What a run changes in the prompts of its agents: who the agent is, what a host appends, what replaces the default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::assemble::{AgentPrompt, Assembled, Section};
use super::sections::{IDENTITY_LINE, WHO_AT, WHO_NAMED, WHO_NAMED_AT};
use super::template::fill;
use crate::model::{Role, ToolSpec, Workplace};
use crate::text::sha256_hex;

/// Changes to the assembled prompts. By default none.
///
/// The order is that of the first lines of a prompt: the identity line, the persona, the default's sections, what is
/// appended. In the `rlm` protocol the default's own identity stands before the line.
///
/// Serialised, it is part of the fingerprint: texts appear as their hashes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PromptOverrides {
    /// The prompt that the root runs under; none for that of its protocol.
    pub definition: Option<RootDefinition>,
    /// Texts in place of bundled sections, by section name.
    #[serde(serialize_with = "each_hash")]
    pub sections: BTreeMap<String, String>,
    /// The day of the run, as `YYYY-MM-DD`, which all of its prompts state; empty for none. Another day is no other experiment.
    #[serde(skip)]
    pub date: String,
    /// What the root is called; empty for nothing.
    pub agent_name: String,
    /// The site or task that the root is at work on; empty for none.
    pub site: String,
    /// How the root speaks and what it is; empty for nothing.
    #[serde(serialize_with = "hash")]
    pub persona: String,
    /// What the root's host adds at the end of the default; empty for nothing.
    #[serde(serialize_with = "hash")]
    pub append: String,
    /// What takes the place of the root's default, and of what is appended.
    pub replacement: Option<Replacement>,
    /// How much of the REPL prompts describe.
    #[serde(skip_serializing_if = "ReplApi::is_standard")]
    pub repl_api: ReplApi,
    /// Other descriptions of tools.
    #[serde(rename = "action_overrides")]
    pub actions: ActionOverrides,
}

/// How much of the REPL prompts describe. All of it is always there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplApi {
    /// `rlm()` and `llm()` with the options that they always had.
    #[default]
    Standard,
    /// Maps, typed answers, limits, equal and cancelled calls, and how far a call is, too.
    Extended,
}

impl ReplApi {
    /// The words for them, in the order of help texts.
    pub const WORDS: [&str; 2] = ["standard", "extended"];

    /// Whether it is the one that is taken where nothing is said.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for this form"
    )]
    fn is_standard(&self) -> bool {
        *self == Self::Standard
    }
}

impl PromptOverrides {
    /// Whether they say what the root is called, or at what site it works.
    fn name_root(&self) -> bool {
        !self.agent_name.trim().is_empty() || !self.site.trim().is_empty()
    }
}

/// The definition that a root runs under.
#[derive(Debug, Clone, Default)]
pub struct RootDefinition {
    /// Its name.
    pub name: String,
    /// SHA-256 of its file, in hex.
    pub digest: String,
    /// Its text.
    pub pieces: Vec<DefinitionPiece>,
    /// The hooks that it lists in place of the run's, each with its version.
    pub hooks: Option<Vec<(String, String)>>,
}

impl Serialize for RootDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self
            .pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect();
        let hooks = self.hooks.iter().flatten();
        let hooks = hooks.map(|(name, version)| json!({ "name": name, "version": version }));
        let hooks: Value = hooks.collect();
        let value = json!({
            "name": self.name,
            "sha256": self.digest,
            "text_sha256": sha256_hex(&text),
            "hooks": self.hooks.is_some().then_some(hooks),
        });
        value.serialize(serializer)
    }
}

impl Serialize for Replacement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = match self {
            Self::Whole(text) => json!({ "whole": sha256_hex(text) }),
            Self::Around { before, after } => {
                json!({ "before": sha256_hex(before), "after": sha256_hex(after) })
            }
        };
        value.serialize(serializer)
    }
}

/// The hash of a text; none of one that is blank.
fn hash<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let hash = (!text.trim().is_empty()).then(|| sha256_hex(text));
    hash.serialize(serializer)
}

fn each_hash<S: Serializer>(
    texts: &BTreeMap<String, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(texts.iter().map(|(name, text)| (name, sha256_hex(text))))
}

/// A piece of a definition's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionPiece {
    /// The text.
    pub text: String,
    /// Whether it is from a section, whose slots then get their values.
    pub of_section: bool,
}

/// What takes the place of a default prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// A text that is all of it.
    Whole(String),
    /// A text before the default and one after it.
    Around {
        /// Before it.
        before: String,
        /// After it.
        after: String,
    },
}

/// The line of a replacement at which the default stands.
const DEFAULT_LINE: &str = "{{default}}";

/// What makes a text no replacement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReplacementError {
    /// 1-based.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Replacement {
    /// Reads a replacement: around the default if it has a line `{{default}}`, and else whole.
    ///
    /// # Errors
    /// A [`ReplacementError`] for a blank text, and for a placeholder that would stay in the prompt: a second one, one
    /// within a line, and one that is written otherwise.
    pub fn parse(text: &str) -> Result<Self, ReplacementError> {
        let text = text.trim_start_matches('\u{feff}');
        let wrong = |line, problem: String| Err(ReplacementError { line, problem });
        let mut at = 0;
        let mut around: Option<(usize, Self)> = None;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            if line.trim() == DEFAULT_LINE {
                if let Some((first, _)) = around {
                    let problem = format!("`{DEFAULT_LINE}` is there twice, first on line {first}");
                    return wrong(number, problem);
                }
                let whole = Self::Around {
                    before: text[..at].trim().to_owned(),
                    after: text[at + line.len()..].trim().to_owned(),
                };
                around = Some((number, whole));
            } else if mentions_default(line) {
                let problem = format!(
                    "the default prompt stands at `{DEFAULT_LINE}`, which has to be a line of its own, written like this"
                );
                return wrong(number, problem);
            }
            at += line.len();
        }
        match around {
            Some((_, around)) => Ok(around),
            None if text.trim().is_empty() => wrong(
                1,
                format!(
                    "is empty; expected a prompt, or a line `{DEFAULT_LINE}` with text around it"
                ),
            ),
            None => Ok(Self::Whole(text.trim().to_owned())),
        }
    }
}

/// Whether a line has a placeholder of the default in it, or is one that is written with other braces.
fn mentions_default(line: &str) -> bool {
    let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    line.contains(DEFAULT_LINE) || line == "{default}" || line == "${default}"
}

/// What is said of tools otherwise than they say themselves, by their names in a REPL (`page.open`) or on the wire
/// (`page_open`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActionOverrides(pub BTreeMap<String, ActionOverride>);

/// What is said of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ActionOverride {
    /// Added to its description, on a line of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_description: Option<String>,
    /// In place of its description. Where both are given, this one counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ActionOverrides {
    /// The tools with their descriptions as they are overridden.
    pub fn apply(&self, mut specs: Vec<ToolSpec>) -> Vec<ToolSpec> {
        for spec in &mut specs {
            let wanted = self.0.get(&spec.name);
            let Some(wanted) = wanted.or_else(|| self.0.get(&spec.name.replace('.', "_"))) else {
                continue;
            };
            if let Some(description) = &wanted.description {
                spec.description.clone_from(description);
            } else if let Some(more) = &wanted.append_description {
                spec.description = format!("{}\n{more}", spec.description);
            }
        }
        specs
    }
}

/// The prompt that a run's overrides give the root instead of its protocol's, with the slots of sections filled by
/// `values`.
pub(super) fn definition_text(overrides: &PromptOverrides, values: &[(&str, String)]) -> String {
    let pieces = overrides.definition.iter().flat_map(|own| &own.pieces);
    pieces
        .map(|piece| {
            if piece.of_section {
                fill(&piece.text, values)
            } else {
                piece.text.clone()
            }
        })
        .collect()
}

/// Texts of one's own in place of the bundled sections of a prompt.
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

/// Applies the overrides to the prompt of an agent.
pub(super) fn layered(mut prompt: Assembled, agent: &AgentPrompt<'_>) -> Assembled {
    // A web agent's prompt has them in it already, and an app's request is sent as it is.
    let is_web = agent.role.workplace() == Workplace::Page;
    if is_web || agent.is_alone || matches!(agent.role, Role::App | Role::Judge) {
        return prompt;
    }
    let overrides = agent.overrides;
    let is_root = agent.config.depth == 0 && agent.role != Role::OneShot;
    // Of the REPL's own protocol, who the agent is comes first.
    let at = match agent.role {
        Role::Root(_) if !agent.role.has_repl() => 0,
        _ => prompt.sections.len().min(1),
    };
    let persona = text_of("persona", &overrides.persona).filter(|_| is_root);
    let identity = identity_line(overrides, is_root)
        // That of apps is the specification's to the byte, unless a name or a site is given.
        .filter(|_| agent.role.workplace() != Workplace::Apps || overrides.name_root());
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

/// Who the agent is, if anybody, and the date; none without a date.
fn identity_line(overrides: &PromptOverrides, is_root: bool) -> Option<Section> {
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
