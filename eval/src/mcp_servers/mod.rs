//! Tools of MCP servers that agents can call.
//!
//! A server is a command that the user typed, and its output is untrusted input: the number and
//! length of its names, descriptions and schemas are bounded, control characters are removed, and
//! the schemas are checked like those of other tools. The description and schema of a tool are part
//! of the run's fingerprint; the command that starts the server is not.

mod result;

use std::collections::BTreeSet;
use std::process::Stdio;
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use browser::environment;
use harness::model::{ToolSpec, excerpt};
use harness::tool::{Tool, ToolError, ToolScope};
use mcp::{Server, ServerError, ServerTool, Spawn, Spawned};
use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::process::Command;

use self::result::MAX_TEXT_CHARS;
use crate::process::guard;
use crate::settings::{McpServer, SettingsError, mcp_not_built};

/// Maximum time for a server to start and list its tools. A first start may download the server.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const CALL_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum bytes of a tool's schema.
const LONGEST_SCHEMA: usize = 32_000;
/// Maximum characters of a tool's name including the server's name. Model APIs reject longer names.
const LONGEST_NAME: usize = 64;
/// Values of `format` that argument validation supports; others are removed from schemas.
const FORMATS: [&str; 12] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "regex",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];

/// Running servers. Agents with the same server settings share one process, for example those of
/// `rlm-eval serve`.
static RUNNING: Mutex<Vec<(McpServer, Weak<Server>)>> = Mutex::new(Vec::new());

/// A tool of a server.
struct McpTool {
    spec: ToolSpec,
    /// Name of the tool on its server.
    name: String,
    server: Arc<Server>,
}

/// Starts the servers that are not running yet, and returns the tools of all servers.
///
/// # Errors
/// A [`SettingsError`] for a server that does not start, or a tool that agents cannot call.
pub fn tools(servers: &[McpServer]) -> Result<Vec<Arc<dyn Tool>>, SettingsError> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    let mut names = BTreeSet::new();
    for server in servers {
        let wrong = |problem: String| {
            SettingsError::new(format!("--mcp-server {}: {problem}", server.name))
        };
        if !names.insert(&server.name) {
            return Err(wrong("duplicate server name".to_owned()));
        }
        let running = running(server).map_err(|error| match error {
            ServerError::NotBuilt => mcp_not_built(),
            error => wrong(error.to_string()),
        })?;
        let mut of_server = BTreeSet::new();
        for tool in &running.listing.tools {
            let spec = spec(&server.name, tool).map_err(wrong)?;
            if !of_server.insert(spec.name.clone()) {
                return Err(wrong(format!(
                    "two of the server's tools would be named `{}`",
                    spec.name
                )));
            }
            tools.push(Arc::new(McpTool {
                spec,
                name: tool.name.clone(),
                server: Arc::clone(&running),
            }));
        }
        if of_server.is_empty() {
            return Err(wrong("the server has no tools".to_owned()));
        }
    }
    Ok(tools)
}

fn running(server: &McpServer) -> Result<Arc<Server>, ServerError> {
    let mut all = RUNNING.lock();
    all.retain(|(_, running)| running.strong_count() > 0);
    let mut known = all.iter().filter(|(known, _)| known == server);
    if let Some(running) = known.find_map(|(_, running)| running.upgrade()) {
        return Ok(running);
    }
    let started = Arc::new(Server::start(
        spawn(server.clone()),
        START_TIMEOUT,
        CALL_TIMEOUT,
    )?);
    all.push((server.clone(), Arc::downgrade(&started)));
    Ok(started)
}

/// Returns a function that starts a server process without keys in its environment, in a process
/// group that is killed when this program ends.
fn spawn(server: McpServer) -> Spawn {
    Box::new(move || {
        let (program, arguments) = server.words.split_first().unwrap_or((&server.name, &[]));
        let child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(environment::of_child())
            .envs(server.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0) // Ctrl-C in the terminal must not end the server before its agents.
            .kill_on_drop(true)
            .spawn()?;
        let group = child.id().unwrap_or_default();
        let guard = Box::new(guard::watch(group)?);
        Ok(Spawned { child, guard })
    })
}

/// Returns a tool's name, description and schema for models.
fn spec(server: &str, tool: &ServerTool) -> Result<ToolSpec, String> {
    let method = method(&tool.name);
    let name = format!("{server}.{method}");
    if method.is_empty() || name.len() > LONGEST_NAME {
        return Err(format!(
            "the name of the tool {:?} is invalid: expected at most {LONGEST_NAME} characters \
             including the server's name",
            excerpt(&tool.name, LONGEST_NAME)
        ));
    }
    let bytes = tool.input_schema.to_string().len();
    if bytes > LONGEST_SCHEMA {
        return Err(format!(
            "the schema of the tool `{method}` has {bytes} bytes: expected at most {LONGEST_SCHEMA}"
        ));
    }
    let description = excerpt(&plain(&tool.description), MAX_TEXT_CHARS);
    Ok(ToolSpec {
        description: match description.trim() {
            "" => format!("The tool `{method}` of the server `{server}`."),
            text => text.to_owned(),
        },
        name,
        parameters: known_formats(&tool.input_schema),
    })
}

/// Converts a tool's name to the name of a JavaScript method.
fn method(name: &str) -> String {
    let kept = name.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => c,
        _ => '_',
    });
    let kept: String = kept.collect();
    if kept.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("_{kept}");
    }
    kept
}

/// Removes control characters other than line breaks.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let kept = text.chars().filter(|c| *c == '\n' || !c.is_control());
    kept.collect()
}

/// Removes formats and the URI of a dialect from a schema if argument validation does not support
/// them. Both are only hints, but validation rejects them.
fn known_formats(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let is_kept = |name: &str, value: &Value| match (name, value) {
                ("format", Value::String(format)) => FORMATS.contains(&format.as_str()),
                ("$schema", Value::String(dialect)) => dialect.contains("json-schema.org/"),
                _ => true,
            };
            let kept = members.iter().filter(|(name, value)| is_kept(name, value));
            let kept = kept.map(|(name, value)| {
                let is_data = ["const", "default", "enum", "examples"].contains(&name.as_str());
                let value = if is_data {
                    value.clone()
                } else {
                    known_formats(value)
                };
                (name.clone(), value)
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(known_formats).collect()),
        value => value.clone(),
    }
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, _: &ToolScope) -> Result<Value, ToolError> {
        let Value::Object(arguments) = arguments else {
            return Err(ToolError("the arguments are not an object".to_owned()));
        };
        let result = self.server.call(&self.name, arguments).await;
        let result = result.map_err(|error| {
            let problem = excerpt(&plain(&error.to_string()), MAX_TEXT_CHARS);
            ToolError(format!("{}(): {problem}", self.spec.name))
        })?;
        result::value(&self.spec.name, &result)
    }

    fn version(&self) -> String {
        hex::encode(Sha256::digest(&self.server.listing.version))
    }
}

#[cfg(test)]
mod tests {
    use mcp::ServerTool;
    use serde_json::json;

    use super::spec;

    #[test]
    fn bounds_and_sanitizes_tools_of_servers() {
        let tool = |name: &str, description: &str, schema: serde_json::Value| ServerTool {
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema: schema,
        };
        let object = json!({"type": "object"});
        let long = "x".repeat(5_000);
        for (name, expected) in [
            ("get-page", Some("notes.get_page")),
            ("files/read.v2", Some("notes.files_read_v2")),
            ("2nd", Some("notes._2nd")),
            ("ключ", Some("notes.____")),
            ("", None),
            (&long, None),
        ] {
            let spec = spec("notes", &tool(name, "d", object.clone()));
            assert_eq!(
                spec.ok().map(|spec| spec.name).as_deref(),
                expected,
                "{name}"
            );
        }
        for (description, expected) in [
            ("", "The tool `t` of the server `n`."),
            (" a\r\nb\u{1b}[31m\0 ", "a\nb[31m"),
        ] {
            let spec = spec("n", &tool("t", description, object.clone())).unwrap();
            assert_eq!(spec.description, expected);
        }
        let cut = spec("n", &tool("t", &long, object.clone())).unwrap();
        assert_eq!(cut.description.chars().count(), 4_001);
        assert!(
            spec(
                "n",
                &tool(
                    "t",
                    "d",
                    json!({"type": "object", "title": "x".repeat(40_000)})
                )
            )
            .is_err()
        );
        let schema = json!({"$schema": "urn:x", "type": "object", "properties": {
            "format": {"type": "string", "format": "date"},
            "n": {"type": "integer", "format": "uint32", "default": {"format": "uint32"}},
        }});
        assert_eq!(
            spec("n", &tool("t", "d", schema)).unwrap().parameters,
            json!({"type": "object", "properties": {
                "format": {"type": "string", "format": "date"},
                "n": {"type": "integer", "default": {"format": "uint32"}},
            }})
        );
    }
}
