//! Flags of web agents, and the `--web-agent` file.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use harness::agent_turn::AgentTurnSettings;
use harness::model::web::DumpExtensions;
use harness::prompt::PromptOverrides;
use harness::{Protocol, read_text_file};
use serde::{Deserialize, Serialize};

use super::values::one_of;
use super::{Granted, SettingsError};

/// Flags for web agents and for recording their pages.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Web pages")]
pub struct WebArgs {
    /// YAML file with the prompt and permissions of a web agent for `--protocol agent-turn`:
    /// persona, appendSystemPrompt, customActions and others; see docs/guides/web-agents.md
    #[arg(long, value_name = "FILE")]
    pub web_agent: Option<Granted<PathBuf>>,

    /// Store screenshots next to the trajectory: of the page in every turn with
    /// `--protocol agent-turn`, after every call of a function of `page` with `rlm`, and of the
    /// last app with `json-action`
    #[arg(long)]
    pub screenshots: bool,

    /// Text of a page that its dumps contain: only text of the elements that the dump format lists
    /// (listed), or also text directly in a `div`, a `span` or a section (all)
    #[arg(
        long,
        default_value = "listed",
        value_name = "WHICH",
        value_parser = one_of::<DumpText>(["listed", "all"])
    )]
    pub dump_text: DumpText,

    /// Additions to page dumps: ids inside links and buttons (nested), ids for `contenteditable`
    /// elements (editable), and the contents of iframes (frames)
    #[arg(
        long = "dump-include",
        alias = "dump-also",
        value_delimiter = ',',
        value_name = "WHAT,…",
        value_parser = one_of::<DumpAddition>(["nested", "editable", "frames"])
    )]
    #[serde(rename = "dump_also")]
    pub dump_include: Vec<DumpAddition>,
}

/// Text that a page dump contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DumpText {
    /// Text in the elements that the dump format lists.
    #[default]
    Listed,
    /// Text in any element.
    All,
}

/// Optional addition to a page dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DumpAddition {
    /// Ids for interactive elements inside interactive elements.
    Nested,
    /// Ids for editable elements that are not form fields.
    Editable,
    /// Contents of iframes.
    Frames,
}

impl WebArgs {
    /// Returns which optional contents page dumps include.
    pub(crate) fn dump(&self) -> DumpExtensions {
        DumpExtensions {
            text: self.dump_text == DumpText::All,
            nested: self.dump_include.contains(&DumpAddition::Nested),
            editable: self.dump_include.contains(&DumpAddition::Editable),
            frames: self.dump_include.contains(&DumpAddition::Frames),
        }
    }
}

/// Reads and checks the `--web-agent` file; returns the defaults without one.
///
/// # Errors
/// [`SettingsError`] that names the file and the field.
pub(super) fn resolve(args: &WebArgs) -> Result<AgentTurnSettings, SettingsError> {
    match &args.web_agent {
        None => Ok(AgentTurnSettings::default()),
        Some(path) => read(path).map_err(|problem| wrong(args, problem)),
    }
}

/// Returns a note if `--screenshots` has no effect in this protocol. It is not an error, because
/// the flag does not change the agents.
pub(super) fn idle(args: &WebArgs, protocol: Protocol) -> Option<String> {
    let supports_screenshots = protocol.capabilities().supports_screenshots();
    (args.screenshots && !supports_screenshots)
        .then(|| format!("--screenshots has no effect in the {protocol} protocol"))
}

/// Checks the system prompt of the web agent with these overrides.
///
/// # Errors
/// Like [`resolve`].
pub(crate) fn check_system_text(
    args: &WebArgs,
    settings: &AgentTurnSettings,
    layers: &PromptOverrides,
) -> Result<(), SettingsError> {
    let text = settings.system_text(layers);
    text.map(drop).map_err(|problem| wrong(args, problem))
}

fn wrong(args: &WebArgs, problem: impl Display) -> SettingsError {
    let path = args.web_agent.as_deref().unwrap_or(Path::new(""));
    let hint = "docs/guides/web-agents.md lists the fields of the file";
    SettingsError::with_hint(format!("--web-agent {}: {problem}", path.display()), hint)
}

fn read(path: &Path) -> Result<AgentTurnSettings, String> {
    let text = read_text_file(path).map_err(|error| error.to_string())?;
    let mut settings: AgentTurnSettings =
        harness::yaml::read(&text).map_err(|error| error.to_string())?;
    settings.check().map_err(|error| error.to_string())?;
    if let Some(file) = &mut settings.system_prompt_function {
        let beside = path.parent().unwrap_or(Path::new("")).join(&*file);
        *file = read_text_file(&beside)
            .map_err(|error| format!("systemPromptFunction: {}: {error}", beside.display()))?;
    }
    let as_it_stands = settings.system_text(&PromptOverrides::default());
    as_it_stands.map_err(|error| error.to_string())?;
    Ok(settings)
}
