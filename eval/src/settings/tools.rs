//! The tools of a run: names become tools with their values, files of JavaScript are read and checked.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::sync::Arc;

use harness::definition::Definition;
use harness::hook::HookRegistry;
use harness::sandbox::Isolation;
use harness::tool::{ToolRegistry, ToolSandbox, script_tools};
use harness::{Equipment, Outfit};

use super::name_list::names;
use super::{SettingsError, prompt_library};
use crate::cli::{LayerArgs, ToolArgs};

/// Every tool that can be named: the bundled ones, and those of a folder.
///
/// # Errors
/// [`SettingsError`] for a file of the folder that is no tool.
pub fn tool_registry(
    folder: Option<&Path>,
    isolation: &Isolation,
) -> Result<ToolRegistry, SettingsError> {
    let sandbox = Arc::new(ToolSandbox::new(isolation.clone()));
    let mut registry = ToolRegistry::with_host_tools(&sandbox);
    let Some(folder) = folder else {
        return Ok(registry);
    };
    let wrong = |problem: String| SettingsError::Tools { problem };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| wrong(error.to_string()))?;
    let tools = runtime
        .block_on(script_tools(folder, &sandbox))
        .map_err(|error| wrong(error.to_string()))?;
    for tool in tools {
        registry
            .add(tool)
            .map_err(|error| wrong(error.to_string()))?;
    }
    Ok(registry)
}

/// Resolves the flags. A definition's tools come first, then those named.
///
/// # Errors
/// A [`SettingsError`] for the first flag that is wrong, and for all that is wrong with a definition's tools at once.
pub(super) fn resolve(
    args: &ToolArgs,
    layers: &LayerArgs,
    isolation: &Isolation,
    definition: Option<&Definition>,
    hooks: &HookRegistry,
) -> Result<Equipment, SettingsError> {
    let registry = tool_registry(layers.tools_dir.as_deref(), isolation)?;
    let library = prompt_library(layers.prompts_dir.as_deref())?;
    if let Some(folder) = &args.files_dir
        && !folder.is_dir()
    {
        let folder = folder.display();
        return Err(SettingsError::Tools {
            problem: format!("--files-dir {folder}: there is no such folder"),
        });
    }
    let given = values(&args.values)?;
    // Of these, only what a definition or a tool declares is read.
    let process: BTreeMap<String, String> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let outfit = Outfit {
        registry: &registry,
        library: &library,
        given: &given,
        process: &process,
        files: args.files_dir.as_deref(),
    };
    if let Some(name) = outfit.idle_values().next() {
        return Err(SettingsError::Tools {
            problem: format!("--env {name}: no tool and no prompt reads a variable of this name"),
        });
    }
    let named = outfit
        .of_names(&names(&args.tools), "--tools")
        .map_err(|faults| SettingsError::Tools {
            problem: faults.to_string(),
        })?;
    let equipment = match definition {
        Some(definition) => outfit.of_definition(definition)?.and(&named),
        None => named,
    };
    Ok(equipment.with_settings(&library, hooks)?)
}

fn values(given: &[String]) -> Result<BTreeMap<String, String>, SettingsError> {
    let mut values = BTreeMap::new();
    for text in given {
        let wrong = |problem: &str| SettingsError::Tools {
            // The text may hold a secret value.
            problem: format!("--env: {problem}, expected NAME=VALUE"),
        };
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| wrong("a value has no `=`"))?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty()
            || name.starts_with(|c: char| c.is_ascii_digit())
            || !name.chars().all(is_name)
        {
            return Err(wrong("a name is not made of letters, digits and `_`"));
        }
        values.insert(name.to_owned(), value.to_owned());
    }
    Ok(values)
}
