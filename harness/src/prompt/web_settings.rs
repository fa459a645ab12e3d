//! The settings file of a web agent: its prompt and its permissions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::overrides::{ActionOverride, is_default};
use crate::model::web::{DumpSettings, IdStyle};

/// Settings of the agent-turn protocol. An external format defines the field names in files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentTurnSettings {
    /// Name of the agent in the first line of its prompt.
    pub agent_name: String,
    /// Name of the site in the first line of its prompt.
    pub site_name: String,
    /// Date in the first line of its prompt, `YYYY-MM-DD`; `None` for no date.
    pub date: Option<String>,
    /// Identity and voice of the agent, written from the perspective of the site's operator.
    pub persona: Option<String>,
    /// Replacement of the whole system prompt, including the rules of the envelope.
    pub system_prompt: Option<String>,
    /// JavaScript code that defines `systemPrompt(ctx, defaultPrompt)`, which returns the whole
    /// system prompt. It cannot be combined with `systemPrompt` or `systemPromptTemplate`. In a
    /// settings file, this is the path of a file with the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt_function: Option<String>,
    /// Like `systemPrompt`, but `{default}` is replaced by the default prompt. It takes precedence
    /// over `systemPrompt`.
    pub system_prompt_template: Option<String>,
    /// Rules for the whole site, after the default prompt.
    pub append_system_prompt: Option<String>,
    /// Changed descriptions, by name of the action.
    pub action_overrides: BTreeMap<String, ActionOverride>,
    /// Actions in addition to the built-in ones.
    pub custom_actions: Vec<CustomAction>,
    /// Built-in actions to disable.
    pub disable_builtin_actions: BTreeSet<String>,
    /// Whether the action `present_surface` is available.
    pub allow_present: bool,
    /// Maximum tokens of a request, estimated from its characters. Older turns are dropped first,
    /// then the end of the page.
    pub max_prompt_tokens: Option<u64>,
    /// Maximum characters of a dump.
    pub dom_max_length: usize,
    /// JavaScript predicate for elements. Elements for which it returns `false` are omitted from
    /// dumps.
    pub dom_filter: Option<String>,
    /// Style of ids in dumps.
    pub dom_ids: IdStyle,
    /// Header lines above the elements of a page.
    #[serde(skip_serializing_if = "is_default")]
    pub dom_header: DomHeader,
    /// Whether every dump is sent with a screenshot of the page.
    pub attach_screenshot: bool,
    /// Built-in actions that require confirmation. Custom actions have their own setting.
    pub confirm_actions: BTreeSet<String>,
    /// Policy for actions that require confirmation.
    pub confirm: ConfirmPolicy,
}

impl Default for AgentTurnSettings {
    fn default() -> Self {
        let dump = DumpSettings::default();
        Self {
            agent_name: "the assistant".to_owned(),
            site_name: "this site".to_owned(),
            date: None,
            persona: None,
            system_prompt: None,
            system_prompt_function: None,
            system_prompt_template: None,
            append_system_prompt: None,
            action_overrides: BTreeMap::new(),
            custom_actions: Vec::new(),
            disable_builtin_actions: BTreeSet::new(),
            allow_present: false,
            max_prompt_tokens: None,
            dom_max_length: dump.max_chars,
            dom_filter: dump.filter,
            dom_ids: IdStyle::Hashes,
            dom_header: DomHeader::default(),
            attach_screenshot: false,
            confirm_actions: BTreeSet::new(),
            confirm: ConfirmPolicy::Allow,
        }
    }
}

/// Header lines above the elements of a page in requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DomHeader {
    /// URL, title and scroll position.
    #[default]
    All,
    /// No header lines: only the URL under `# Current page`.
    Url,
}

/// A custom action of the site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomAction {
    /// Name of the action.
    pub name: String,
    /// Description of the action.
    pub description: String,
    /// JSON Schema of the arguments; its type is `object`.
    pub parameters: Value,
    /// JavaScript function that is called in the page with the arguments. Its return value, after
    /// awaiting a promise, is the result.
    pub script: String,
    /// Whether the action requires confirmation.
    #[serde(default)]
    pub confirm: bool,
}

/// Policy for actions that require confirmation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmPolicy {
    /// Confirms all these actions.
    #[default]
    Allow,
    /// Confirms none of these actions.
    Deny,
    /// Confirms only the listed actions.
    List(BTreeSet<String>),
}
