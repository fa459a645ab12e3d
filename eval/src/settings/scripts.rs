//! Isolates the user's script files (hooks, prompt modules, tools and `systemPromptFunction`) and
//! loads hooks.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::{env, io};

use harness::hook::HookRegistry;
use harness::sandbox::{Isolation, WorkerCommand};
use harness::tool::{ToolRegistry, ToolSandbox, script_tools};
use tokio::runtime::{Builder, Runtime};

use super::McpServer;
use super::{SettingsError, WORKER};
use crate::mcp_servers;

/// Makes script files run in worker processes with the same isolation as cells, even if cells run
/// on threads.
pub fn confine_scripts(cells: &Isolation) {
    let command = match cells {
        Isolation::Process(command) => WorkerCommand {
            sessions: 1,
            ..command.clone()
        },
        Isolation::Thread => WorkerCommand {
            // If the path is unknown, use the name by which the program was called.
            program: env::current_exe()
                .unwrap_or_else(|_| env::args_os().next().unwrap_or_default().into()),
            arguments: vec![WORKER.to_owned()],
            strict: false,
            sessions: 1,
            jitless: false,
        },
    };
    harness::set_script_isolation(Isolation::Process(command));
}

/// Returns the bundled hooks and those in a folder. Loads the files now, so that an invalid one is
/// reported before work starts.
///
/// # Errors
/// [`SettingsError`] for a file that is not a hook.
pub fn hook_registry(folder: Option<&Path>) -> Result<HookRegistry, SettingsError> {
    let bundled = HookRegistry::bundled();
    let Some(folder) = folder else {
        return Ok(bundled);
    };
    let runtime = runtime().map_err(|error| {
        SettingsError::new(format!("cannot start a runtime to load hooks: {error}"))
    })?;
    Ok(runtime.block_on(bundled.with_dir(folder))?)
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Returns all tools that can be named: the bundled ones, those in a folder, and those of MCP
/// servers. Starts these servers.
///
/// # Errors
/// [`SettingsError`] for a file in the folder that is not a tool, or a server without usable tools.
pub fn tool_registry(
    folder: Option<&Path>,
    servers: &[McpServer],
) -> Result<ToolRegistry, SettingsError> {
    let sandbox = Arc::new(ToolSandbox::new(harness::script_isolation()));
    let mut registry = ToolRegistry::with_host_tools(&sandbox);
    if let Some(folder) = folder {
        let wrong = |error: &dyn Display| SettingsError::new(error.to_string());
        let loaded = runtime()
            .map_err(|error| wrong(&error))?
            .block_on(script_tools(folder, &sandbox));
        for tool in loaded.map_err(|error| wrong(&error))? {
            registry.add(tool).map_err(|error| wrong(&error))?;
        }
    }
    for tool in mcp_servers::tools(servers)? {
        let added = registry.add(tool);
        added.map_err(|error| SettingsError::new(format!("--mcp-server: {error}")))?;
    }
    Ok(registry)
}
