//! Resolves the tools of a run: loads the available tools, selects them by name, sets their
//! variables, and rejects secrets in prompts.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use clap::Args;
use harness::agent_turn::AgentTurnSettings;
use harness::hook::HookRegistry;
use harness::prompt::definition::{Fault, Faults, Kind, Library, secrets_in};
use harness::prompt::{ActionOverride, PromptOverrides, Replacement};
use harness::tool::{ToolRegistry, ToolSet};
use harness::{AgentTools, ToolResolver};
use serde::Serialize;

use super::layers::PromptOverrideSettings;
use super::values::{is_variable_name, names};
use super::{Granted, McpServer, PromptOverrideArgs, SettingsError, prompt_library, tool_registry};
use crate::mcp_servers;

/// Tools of the agents.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct ToolArgs {
    /// Tools of the root and of the children that it calls with `rlm()`; see `rlm-eval list tools`
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub tools: Vec<String>,

    /// Folder of attachments and of files that tools may read; links that lead outside it are
    /// rejected
    #[arg(long, value_name = "DIR")]
    pub files_dir: Option<Granted<PathBuf>>,
}

/// Hooks, which see the traffic between agents, models and tools.
#[derive(Debug, Clone, Default, Args, Serialize)]
#[command(next_help_heading = "Tools")]
pub struct HookArgs {
    /// Hooks of the run, in the order in which they run; an agent whose prompt definition lists
    /// hooks uses only the listed ones
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub hooks: Vec<String>,
}

/// Resolves the flags. The tools of the root's definition come first, followed by those of
/// `--tools`. Rejects secrets in any text that is sent to a model.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag, or for all errors in a definition's tools
/// together.
pub(super) fn resolve(
    args: &ToolArgs,
    given: &[String],
    servers: &[McpServer],
    layers: &PromptOverrideArgs,
    over: &PromptOverrideSettings,
    web: &AgentTurnSettings,
    hooks: &HookRegistry,
) -> Result<ResolvedTools, SettingsError> {
    let (definition, texts) = (over.definition.as_ref(), &over.overrides);
    let registry = tool_registry(layers.tools_dir.as_deref(), servers)?;
    let of_servers = mcp_servers::tools(servers)?.into_iter();
    let of_servers: Vec<String> = of_servers.map(|tool| tool.spec().name.clone()).collect();
    let library = prompt_library(layers.prompts_dir.as_deref())?;
    if let Some(folder) = &args.files_dir
        && !folder.is_dir()
    {
        let folder = folder.display();
        return Err(SettingsError::new(format!(
            "--files-dir {folder}: folder not found"
        )));
    }
    let given = values(given)?;
    let process = process_values();
    let resolver = ToolResolver {
        registry: &registry,
        library: &library,
        given: &given,
        process: &process,
        files: args.files_dir.as_deref(),
    };
    if let Some(name) = resolver.idle_values().next() {
        return Err(SettingsError::new(format!(
            "--env {name}: no tool or prompt reads this variable"
        )));
    }
    // Sort, because the typed order is not part of the fingerprint and must not reach agents.
    let mut typed = names(&args.tools);
    typed.extend(of_servers.iter().cloned());
    typed.sort();
    typed.dedup();
    let named = resolver
        .of_names(&typed, "--tools")
        .map_err(|faults| SettingsError::new(faults.to_string()))?;
    let of_definition = match definition {
        Some(definition) => resolver.of_definition(definition)?,
        None => AgentTools::default(),
    };
    let tools = of_definition.and(&named);
    resolver.check_secrets(definition, &tools)?;
    check_texts(texts, web, &resolver.secret_values())?;
    Ok(ResolvedTools {
        all: tools.with_settings(&library, hooks)?,
        of_definition: of_definition.with_settings(&library, hooks)?.root,
        of_servers,
    })
}

/// Tools that agents may call.
pub(super) struct ResolvedTools {
    /// Tools of all agents.
    pub all: AgentTools,
    /// Tools that the root's definition names.
    pub of_definition: ToolSet,
    /// Names of the tools of MCP servers.
    pub of_servers: Vec<String>,
}

/// Returns the errors that the library's definitions would cause with these flags and the current
/// environment variables: missing variables, unavailable tools, and secrets in prompts.
///
/// # Errors
/// A [`SettingsError`] for an invalid `--env` flag in `given`.
pub fn faults_by_values(
    given: &[String],
    registry: &ToolRegistry,
    library: &Library,
) -> Result<Vec<Fault>, SettingsError> {
    let resolver = ToolResolver {
        registry,
        library,
        given: &values(given)?,
        process: &process_values(),
        files: None,
    };
    let secrets = resolver.secret_values();
    let own = library.iter().filter(|definition| definition.is_own());
    let refused = own
        .filter(|definition| definition.kind == Kind::Prompt)
        .filter_map(|definition| resolver.of_definition(definition).err())
        .flat_map(|Faults(faults)| faults);
    let leaks = library
        .iter()
        .flat_map(|definition| library.leaks(definition, &secrets));
    Ok(refused.chain(leaks).collect())
}

/// Returns the variables of the process environment that are valid UTF-8.
fn process_values() -> BTreeMap<String, String> {
    env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Rejects prompt overrides that contain a secret.
fn check_texts(
    layers: &PromptOverrides,
    web: &AgentTurnSettings,
    secrets: &[&str],
) -> Result<(), SettingsError> {
    let (before, after) = match &layers.replacement {
        None => ("", ""),
        Some(Replacement::Whole(text)) => (text.as_str(), ""),
        Some(Replacement::Around { before, after }) => (before.as_str(), after.as_str()),
    };
    let mut texts = vec![
        ("--agent-name", layers.agent_name.as_str()),
        ("--site", layers.site.as_str()),
        ("--persona", layers.persona.as_str()),
        ("--append-system-prompt", layers.append.as_str()),
        ("--system-prompt-file", before),
        ("--system-prompt-file", after),
    ];
    let overrides = layers.actions.0.values().flat_map(descriptions);
    texts.extend(overrides.map(|text| ("--action-overrides", text)));
    let schemas = web.custom_actions.iter();
    let schemas: Vec<String> = schemas.map(|own| own.parameters.to_string()).collect();
    let of_web = web_texts(web).chain(schemas.iter().map(String::as_str));
    texts.extend(of_web.map(|text| ("--web-agent", text)));
    for (flag, text) in texts {
        if let Some(secret) = secrets_in(text, secrets).first() {
            let problem = format!("{flag}: the text contains a secret: {secret}");
            return Err(SettingsError::new(problem));
        }
    }
    Ok(())
}

fn descriptions(wanted: &ActionOverride) -> impl Iterator<Item = &str> {
    let given = [&wanted.description, &wanted.append_description];
    given.into_iter().flatten().map(String::as_str)
}

/// Returns the texts of a web agent's settings that are sent to the model, except schemas.
fn web_texts(web: &AgentTurnSettings) -> impl Iterator<Item = &str> {
    let prompts = [
        &web.persona,
        &web.system_prompt,
        &web.system_prompt_template,
        &web.append_system_prompt,
    ];
    let prompts = prompts.into_iter().flatten();
    let own = web.custom_actions.iter().map(|own| &own.description);
    let texts = [&web.agent_name, &web.site_name].into_iter();
    let texts = texts.chain(prompts).chain(own).map(String::as_str);
    texts.chain(web.action_overrides.values().flat_map(descriptions))
}

/// Parses `--env`: `NAME=VALUE`, or `NAME` for the value in the environment of this process.
fn values(given: &[String]) -> Result<BTreeMap<String, String>, SettingsError> {
    let mut values = BTreeMap::new();
    for text in given {
        // The text may contain a secret, so the message must not quote it.
        let wrong = |problem: &str| {
            SettingsError::new(format!("--env: {problem}; expected NAME=VALUE or NAME"))
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.as_str(), None),
        };
        if !is_variable_name(name) {
            return Err(wrong("a name may contain only letters, digits and `_`"));
        }
        let forwarded = || env::var(name).ok();
        let value = value.map(str::to_owned).or_else(forwarded);
        let value =
            value.ok_or_else(|| wrong("a NAME without VALUE must be set in the environment"))?;
        values.insert(name.to_owned(), value);
    }
    Ok(values)
}
