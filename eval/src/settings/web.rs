//! What web agents are told and allowed: the file of `--web-agent`.

use std::path::Path;

use harness::Protocol;
use harness::agent_turn::AgentTurnSettings;
use harness::prompt::PromptLayers;

use super::SettingsError;
use crate::cli::WebArgs;

/// Reads the file and checks what it says.
///
/// # Errors
/// [`SettingsError::WebAgent`] with the file and the field.
pub(super) fn resolve(args: &WebArgs) -> Result<AgentTurnSettings, SettingsError> {
    match &args.web_agent {
        None => Ok(AgentTurnSettings::default()),
        Some(path) => read(path).map_err(|problem| SettingsError::WebAgent {
            path: path.clone(),
            problem,
        }),
    }
}

/// The flags that do nothing in this protocol and claim nothing of its agents: how a run is recorded.
pub(super) fn idle(args: &WebArgs, protocol: Protocol) -> Option<String> {
    let takes_pictures = protocol.nature().takes_pictures;
    (args.screenshots && !takes_pictures)
        .then(|| format!("--screenshots does nothing in the {protocol} protocol"))
}

/// The system prompt of the web agent of the file.
///
/// # Errors
/// As for [`resolve`].
pub(super) fn system_text(
    args: &WebArgs,
    settings: &AgentTurnSettings,
    layers: &PromptLayers,
) -> Result<String, SettingsError> {
    settings
        .system_text(layers)
        .map_err(|problem| SettingsError::WebAgent {
            path: args.web_agent.clone().unwrap_or_default(),
            problem: problem.to_string(),
        })
}

fn read(path: &Path) -> Result<AgentTurnSettings, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let settings: AgentTurnSettings =
        harness::yaml::read(&text).map_err(|error| error.to_string())?;
    settings.check().map_err(|error| error.to_string())?;
    Ok(settings)
}
