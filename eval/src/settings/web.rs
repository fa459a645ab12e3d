//! Prompt and permissions of web agents: the file of `--web-agent`.

use std::fmt::Display;
use std::path::Path;

use harness::agent_turn::AgentTurnSettings;
use harness::prompt::PromptOverrides;
use harness::{Protocol, read_text_file};

use super::SettingsError;
use crate::cli::WebArgs;

/// Reads and checks the file.
///
/// # Errors
/// [`SettingsError`] with the file and the field.
pub(super) fn resolve(args: &WebArgs) -> Result<AgentTurnSettings, SettingsError> {
    match &args.web_agent {
        None => Ok(AgentTurnSettings::default()),
        Some(path) => read(path).map_err(|problem| wrong(args, problem)),
    }
}

/// Returns a note about the recording flags that have no effect in this protocol. These flags do
/// not change the agents, so they are not an error.
pub(super) fn idle(args: &WebArgs, protocol: Protocol) -> Option<String> {
    let supports_screenshots = protocol.capabilities().supports_screenshots();
    (args.screenshots && !supports_screenshots)
        .then(|| format!("--screenshots has no effect in the {protocol} protocol"))
}

/// Returns the system prompt in the web agent's file.
///
/// # Errors
/// Like [`resolve`].
pub(super) fn system_text(
    args: &WebArgs,
    settings: &AgentTurnSettings,
    layers: &PromptOverrides,
) -> Result<String, SettingsError> {
    settings
        .system_text(layers)
        .map_err(|problem| wrong(args, problem))
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
