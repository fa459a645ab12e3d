//! Changes of a run to its prompts: the agent's identity, appended text, and replacements of the
//! default.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use super::assemble::{AgentPrompt, Assembled, Section};
use super::sections::{IDENTITY_LINE, WHO_AT, WHO_NAMED, WHO_NAMED_AT};
use super::template::fill;
use crate::model::{ActionSurface, Role, ToolSpec};
use crate::text::sha256_hex;

/// Changes to the assembled prompts; none by default.
///
/// The order at the beginning of a prompt is: the identity line, the persona, the default's
/// sections, and the appended text. In the `rlm` protocol, the default's own identity comes before
/// the identity line.
///
/// Its serialized form is part of the fingerprint, with texts as their hashes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PromptOverrides {
    /// Definition that the root runs under; `None` for the prompt of its protocol.
    pub definition: Option<RootDefinition>,
    /// Replacements of bundled sections, by section name.
    #[serde(serialize_with = "each_hash")]
    pub sections: BTreeMap<String, String>,
    /// Date of the run, as `YYYY-MM-DD`, which all prompts state; empty for none. It is not part of
    /// the fingerprint.
    #[serde(skip)]
    pub date: String,
    /// Name of the root; empty for none.
    pub agent_name: String,
    /// Site or task that the root works on; empty for none.
    pub site: String,
    /// Persona and voice of the root; empty for none.
    #[serde(serialize_with = "hash")]
    pub persona: String,
    /// Text of the host after the default; empty for none.
    #[serde(serialize_with = "hash")]
    pub append: String,
    /// Replacement of the root's default and of the appended text.
    pub replacement: Option<Replacement>,
    /// How much of the REPL the prompts describe.
    #[serde(skip_serializing_if = "ReplApi::is_standard")]
    pub repl_api: ReplApi,
    /// Changed descriptions of tools.
    #[serde(rename = "action_overrides")]
    pub actions: ActionOverrides,
}

/// How much of the REPL the prompts describe. All of it is always available.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplApi {
    /// `rlm()` and `llm()` with their original options.
    #[default]
    Standard,
    /// Also maps, typed answers, limits, identical and canceled calls, and the progress of calls.
    Extended,
}

impl ReplApi {
    /// Names of the variants, in the order of help texts.
    pub const WORDS: [&str; 2] = ["standard", "extended"];

    /// Whether it is the default.
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde requires this signature"
    )]
    fn is_standard(&self) -> bool {
        *self == Self::Standard
    }
}

impl PromptOverrides {
    /// Whether the overrides set the root's name or site.
    fn name_root(&self) -> bool {
        !self.agent_name.trim().is_empty() || !self.site.trim().is_empty()
    }
}

/// Definition that a root runs under.
#[derive(Debug, Clone, Default)]
pub struct RootDefinition {
    /// Name of the definition.
    pub name: String,
    /// SHA-256 of its file, in hex.
    pub digest: String,
    /// Text of the definition.
    pub pieces: Vec<DefinitionPiece>,
    /// Hooks that replace the run's, each with its version.
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

/// Serializes the hash of a text, or `None` if it is blank.
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
    /// Whether the piece comes from a section, whose slots are then filled.
    pub of_section: bool,
}

/// Replacement of a default prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// The whole text.
    Whole(String),
    /// A text before the default and one after it.
    Around {
        /// Text before the default.
        before: String,
        /// Text after the default.
        after: String,
    },
}

/// Line of a replacement that stands for the default.
const DEFAULT_LINE: &str = "{{default}}";

/// Reason why a text is not a valid replacement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReplacementError {
    /// Number of the line, 1-based.
    pub line: usize,
    /// What is wrong with the line.
    pub problem: String,
}

impl Replacement {
    /// Parses a replacement: around the default if it contains a line `{{default}}`, else the whole
    /// prompt.
    ///
    /// # Errors
    /// Returns a [`ReplacementError`] for a blank text, and for a placeholder that would stay in
    /// the prompt: a second one, one within a line, or one with other braces.
    pub fn parse(text: &str) -> Result<Self, ReplacementError> {
        let text = text.trim_start_matches('\u{feff}');
        let wrong = |line, problem: String| Err(ReplacementError { line, problem });
        let mut at = 0;
        let mut around: Option<(usize, Self)> = None;
        for (line, number) in text.split_inclusive('\n').zip(1..) {
            if line.trim() == DEFAULT_LINE {
                if let Some((first, _)) = around {
                    let problem = format!("duplicate `{DEFAULT_LINE}`, first on line {first}");
                    return wrong(number, problem);
                }
                let whole = Self::Around {
                    before: text[..at].trim().to_owned(),
                    after: text[at + line.len()..].trim().to_owned(),
                };
                around = Some((number, whole));
            } else if mentions_default(line) {
                let problem = format!(
                    "`{DEFAULT_LINE}` must be written exactly like this, on a separate line"
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

/// Whether a line contains a placeholder of the default, or consists of one with other braces.
fn mentions_default(line: &str) -> bool {
    let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    line.contains(DEFAULT_LINE) || line == "{default}" || line == "${default}"
}

/// Changed descriptions of tools, by their names in a REPL (`page.open`) or on the wire
/// (`page_open`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActionOverrides(pub BTreeMap<String, ActionOverride>);

/// Changed description of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ActionOverride {
    /// Text added to the description on a line of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_description: Option<String>,
    /// Replacement of the description. It takes precedence over added text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ActionOverrides {
    /// Returns the tools with changed descriptions.
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

/// Returns the prompt of the root's definition, with the slots of sections filled by `values`.
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

/// Replaces bundled sections of a prompt by the run's own.
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
    // A web agent's prompt already contains them, and an app's request is sent unchanged.
    let is_web = agent.role.action_surface() == ActionSurface::Page;
    if is_web || agent.is_alone || matches!(agent.role, Role::App | Role::Judge) {
        return prompt;
    }
    let overrides = agent.overrides;
    let is_root = agent.config.depth == 0 && agent.role != Role::OneShot;
    // In the REPL's own protocol, the agent's identity comes first.
    let at = match agent.role {
        Role::Root(_) if !agent.role.has_repl() => 0,
        _ => prompt.sections.len().min(1),
    };
    let persona = text_of("persona", &overrides.persona).filter(|_| is_root);
    let identity = identity_line(overrides, is_root)
        // The prompt of apps follows its specification byte for byte, unless a name or a site is
        // set.
        .filter(|_| agent.role.action_surface() != ActionSurface::Apps || overrides.name_root());
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

/// Returns the line with the agent's identity, if any, and the date, or `None` without a date.
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
