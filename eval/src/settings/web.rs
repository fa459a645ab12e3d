//! Flags of web agents, and the `--web-agent` file.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::Args;
use harness::agent_turn::AgentTurnSettings;
use harness::prompt::PromptOverrides;
use harness::settings::PageSettings;
use harness::{Protocol, read_text_file};
use serde::Serialize;

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

    /// Additions to page dumps.
    #[command(flatten)]
    #[serde(flatten)]
    pub pages: PageSettings,
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
