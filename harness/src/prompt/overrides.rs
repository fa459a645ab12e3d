//! Prompt overrides of a run: the agent's identity, appended text, and replacements of the default
//! prompt.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};

use crate::model::ToolSpec;
use crate::text::{LineError, sha256_hex};

/// Changes to the assembled prompts; none by default.
///
/// A prompt consists of the identity line, the persona, the sections of the default prompt, and the
/// appended text. In protocols with a REPL, the first section of the default prompt comes before
/// the identity line.
///
/// The serialized form, with hashes instead of texts, is part of the fingerprint.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PromptOverrides {
    /// Prompt definition of the root; `None` for the default prompt of its protocol.
    pub definition: Option<RootDefinition>,
    /// Replacements of bundled sections, by section name.
    #[serde(serialize_with = "each_hash")]
    pub sections: BTreeMap<String, String>,
    /// Date stated in prompts, as `YYYY-MM-DD`; empty for none. It is not part of the fingerprint.
    #[serde(skip)]
    pub date: String,
    /// Name of the root; empty for none.
    pub agent_name: String,
    /// Site or task of the root; empty for none.
    pub site: String,
    /// Persona and voice of the root; empty for none.
    #[serde(serialize_with = "hash")]
    pub persona: String,
    /// Text after the root's default prompt; empty for none.
    #[serde(serialize_with = "hash")]
    pub append: String,
    /// Replacement of the root's default prompt; the appended text is then ignored.
    pub replacement: Option<Replacement>,
    /// Which of the REPL's functions and options the prompts describe.
    #[serde(skip_serializing_if = "is_default")]
    pub repl_api: ReplApi,
    /// Changed descriptions of tools.
    #[serde(rename = "action_overrides")]
    pub actions: ActionOverrides,
}

/// Which of the REPL's functions and options the prompts describe. All of them are always
/// available.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplApi {
    /// Only `rlm()` and `llm()` with their basic options.
    #[default]
    Standard,
    /// Also maps, typed answers, and limits, deduplication, cancellation and progress of calls.
    Extended,
}

impl ReplApi {
    /// Names of the variants, in the order of help texts.
    pub const WORDS: [&str; 2] = ["standard", "extended"];
}

/// Whether a value is the default of its type.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl PromptOverrides {
    /// Whether a replacement is the root's whole prompt.
    pub(crate) fn replaces_whole_prompt(&self) -> bool {
        matches!(self.replacement, Some(Replacement::Whole(_)))
    }

    /// Whether the root's name or site is set.
    pub(super) fn names_root(&self) -> bool {
        !self.agent_name.trim().is_empty() || !self.site.trim().is_empty()
    }
}

/// Prompt definition that the root runs with.
#[derive(Debug, Clone, Default)]
pub struct RootDefinition {
    /// Name of the definition.
    pub name: String,
    /// SHA-256 (hex) of its file's text.
    pub digest: String,
    /// Text of the definition with its includes resolved, in pieces.
    pub pieces: Vec<DefinitionPiece>,
    /// Hooks that replace those of the run, each with its version; `None` keeps those of the run.
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
    /// Whether the piece comes from a bundled section, so that its slots are filled.
    pub of_section: bool,
}

/// Replacement of a default prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// Replaces the whole prompt.
    Whole(String),
    /// Surrounds the default prompt.
    Around {
        /// Text before the default prompt.
        before: String,
        /// Text after the default prompt.
        after: String,
    },
}

/// Placeholder line for the default prompt in a replacement.
const DEFAULT_LINE: &str = "{{default}}";

impl Replacement {
    /// Parses a replacement: [`Replacement::Around`] if the text contains a line `{{default}}`,
    /// else [`Replacement::Whole`].
    ///
    /// # Errors
    /// Returns a [`LineError`] for a blank text, and for an invalid placeholder: a second one, one
    /// within a line, or one with other braces.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        let text = text.trim_start_matches('\u{feff}');
        let wrong = |line, problem: String| {
            let line = Some(line);
            Err(LineError { line, problem })
        };
        let mut at = 0;
        let mut around: Option<(u64, Self)> = None;
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

/// Whether a line contains the placeholder, or consists of a placeholder with other braces.
fn mentions_default(line: &str) -> bool {
    let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    line.contains(DEFAULT_LINE) || line == "{default}" || line == "${default}"
}

/// Changed descriptions of tools, by their REPL names (`page.open`) or native names (`page_open`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ActionOverrides(pub BTreeMap<String, ActionOverride>);

/// Changed description of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ActionOverride {
    /// Text to append to the description, on a separate line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_description: Option<String>,
    /// Replacement of the description. It takes precedence over `append_description`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl ActionOverrides {
    /// Applies the overrides to the descriptions of tools.
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
