//! The settings file of a web agent: its prompt and its permissions.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ActionOverride;
use crate::model::web::{DumpSettings, IdStyle};

/// The settings of the agent-turn protocol. The names in files are those of the format that it follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentTurnSettings {
    /// Who the agent is, in its prompt's first line.
    pub agent_name: String,
    /// Where it is, likewise.
    pub site_name: String,
    /// The date of the first line, `YYYY-MM-DD`; without it the line has none.
    pub date: Option<String>,
    /// Its identity and voice, in the first person of whoever runs the site.
    pub persona: Option<String>,
    /// Takes the place of the whole system prompt, the rules of the envelope included.
    pub system_prompt: Option<String>,
    /// JavaScript that defines `systemPrompt(ctx, defaultPrompt)`, which gives the whole system prompt; wins over both that follow.
    /// In a file of settings, the path of a file with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt_function: Option<String>,
    /// As `systemPrompt`, with `{default}` for what would stand there; wins over it.
    pub system_prompt_template: Option<String>,
    /// Rules for the whole site, after the default prompt.
    pub append_system_prompt: Option<String>,
    /// Changed descriptions, by the name of the action.
    pub action_overrides: BTreeMap<String, ActionOverride>,
    /// Actions besides the built-in ones.
    pub custom_actions: Vec<CustomAction>,
    /// Built-in actions that there are not.
    pub disable_builtin_actions: BTreeSet<String>,
    /// Whether there is `present_surface`.
    pub allow_present: bool,
    /// The most tokens of a request, as estimated by its characters: older turns are left out first, then the end of the page.
    pub max_prompt_tokens: Option<u64>,
    /// The most characters of a dump.
    pub dom_max_length: usize,
    /// A JavaScript function of an element: `false` leaves it out of dumps.
    pub dom_filter: Option<String>,
    /// The form of ids in dumps.
    pub dom_ids: IdStyle,
    /// What stands above the elements of a page.
    #[serde(skip_serializing_if = "DomHeader::is_default")]
    pub dom_header: DomHeader,
    /// Whether the model sees a picture of the page with every dump.
    pub attach_screenshot: bool,
    /// Built-in actions that need a confirmation, besides the custom ones that say so.
    pub confirm_actions: BTreeSet<String>,
    /// Who gets one.
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

/// The lines of a dump that stand above its elements, where the model is shown a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DomHeader {
    /// URL, title and scroll position.
    #[default]
    All,
    /// None: the URL stands under `# Current page` alone.
    Url,
}

impl DomHeader {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An action of the site's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomAction {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, which are an object.
    pub parameters: Value,
    /// A JavaScript function of the arguments, which runs in the page; what it returns, or resolves to, is the result.
    pub script: String,
    /// Whether it needs a confirmation.
    #[serde(default)]
    pub confirm: bool,
}

/// Which actions that need a confirmation get one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmPolicy {
    /// All.
    #[default]
    Allow,
    /// None.
    Deny,
    /// Those that are listed.
    List(BTreeSet<String>),
}
