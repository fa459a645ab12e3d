//! Describes the tools to clients, and dispatches calls to them.

use std::sync::Arc;

use async_trait::async_trait;
use mcp::{Caller, Reply, ToolInfo, Toolbox};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use serve::{AdmissionQueue, Rejection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::roots::Roots;
use super::{compare_runs, llm_map, read_run, rlm};
use crate::command::serve::service::Service;
use crate::settings::McpSettings;

/// Instructions that clients show their models.
const INSTRUCTIONS: &str = include_str!("tools/instructions.md");

/// Name of each tool, with its description file, in listing order.
const TOOL_FILES: [(&str, &str); 4] = [
    (rlm::NAME, include_str!("tools/rlm.json")),
    (llm_map::NAME, include_str!("tools/llm_map.json")),
    (read_run::NAME, include_str!("tools/read_run.json")),
    (compare_runs::NAME, include_str!("tools/compare_runs.json")),
];

/// Contents of a tool's description file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    title: String,
    description: String,
    #[serde(default)]
    read_only: bool,
    input: Map<String, Value>,
    output: Map<String, Value>,
}

/// State shared by the tools.
pub(super) struct Tools {
    listed: Vec<ToolInfo>,
    pub service: Arc<Service>,
    pub roots: Arc<Roots>,
    /// Names of the agents that the tool `rlm` offers.
    pub agents: Vec<String>,
    /// Models that the tool `llm_map` offers, each with the name of its agent.
    pub models: Vec<(String, String)>,
    admission: AdmissionQueue,
    /// Limits the concurrent model calls of `llm_map` over all clients.
    pub calls: Arc<Semaphore>,
    /// Limits the concurrent tool calls that read files.
    readers: Arc<Semaphore>,
}

impl Tools {
    pub(super) fn new(settings: &McpSettings, service: Arc<Service>, roots: Roots) -> Self {
        let agents = settings.agents.clone();
        let models = settings.models.iter();
        let models: Vec<(String, String)> = models
            .map(|(model, agent)| (model.to_string(), agent.clone()))
            .collect();
        let names = models.iter().map(|(model, _)| model.clone()).collect();
        let listed = TOOL_FILES.iter().map(|(name, file)| {
            let mut info = described(name, file);
            match *name {
                rlm::NAME => restrict_models(&mut info, &agents),
                llm_map::NAME => restrict_models(&mut info, &names),
                _ => {}
            }
            info
        });
        Self {
            listed: listed.collect(),
            service,
            roots: Arc::new(roots),
            agents,
            models,
            admission: AdmissionQueue::new(settings.max_concurrency, settings.max_queue),
            calls: Arc::new(Semaphore::new(settings.max_concurrency)),
            readers: Arc::new(Semaphore::new(settings.max_concurrency)),
        }
    }

    /// Waits until an agent may start work. Hold the permit until the agent has ended.
    ///
    /// # Errors
    /// A sentence if too many calls are waiting or the server is stopping.
    pub(super) async fn turn(&self) -> Result<OwnedSemaphorePermit, String> {
        let place = self.admission.enter().map_err(|error| error.to_string())?;
        let turn = place.turn().await;
        turn.ok_or_else(|| "the server is stopping".to_owned())
    }

    /// Runs blocking work on another thread, so that other calls can proceed.
    ///
    /// # Errors
    /// The error of the work, or a sentence if it panics; the panic message is also printed.
    pub(super) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let permit = Arc::clone(&self.readers).acquire_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            // Held until the work has ended, even if the caller stopped waiting.
            let _permit = permit;
            work()
        });
        let done = done.await;
        done.map_err(|error| format!("the work failed: {error}"))?
    }
}

fn described(name: &'static str, file: &'static str) -> ToolInfo {
    #[expect(clippy::expect_used, reason = "a bundled file, which a test parses")]
    let tool: ToolFile = serde_json::from_str(file).expect("a bundled tool is valid");
    ToolInfo {
        name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.input,
        output_schema: tool.output,
        is_read_only: tool.read_only,
    }
}

/// Restricts the property `model` to `names`; the first is the default.
fn restrict_models(info: &mut ToolInfo, names: &Vec<String>) {
    let model = info.input_schema.get_mut("properties");
    let model = model.and_then(|properties| properties.get_mut("model"));
    if let Some(model) = model {
        model["enum"] = json!(names);
        model["default"] = json!(names.first());
    }
}

pub(super) fn refused(refused: &Rejection) -> String {
    refused.to_string()
}

#[async_trait]
impl Toolbox for Tools {
    fn instructions(&self) -> &str {
        INSTRUCTIONS.trim_end()
    }

    fn tools(&self) -> &[ToolInfo] {
        &self.listed
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> Result<Reply, String> {
        let permit = caller.client.admit();
        let _permit = permit.map_err(|error| error.to_string())?;
        match tool {
            rlm::NAME => rlm::call(self, arguments, caller).await,
            llm_map::NAME => llm_map::call(self, arguments, caller).await,
            read_run::NAME => read_run::call(self, arguments).await,
            compare_runs::NAME => compare_runs::call(self, arguments).await,
            other => Err(format!("unknown tool {other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TOOL_FILES, described};

    #[test]
    fn bundled_tools_are_objects_with_descriptions() {
        for (name, file) in TOOL_FILES {
            let info = described(name, file);
            assert!(!info.description.is_empty(), "{name}");
            for schema in [&info.input_schema, &info.output_schema] {
                assert_eq!(schema["type"], "object", "{name}");
            }
            for (property, schema) in info.input_schema["properties"].as_object().unwrap() {
                assert!(schema["description"].is_string(), "{name}.{property}");
            }
        }
    }
}
