//! Describes the tools to clients, and dispatches calls to them.

use std::sync::Arc;

use async_trait::async_trait;
use mcp::{Caller, Reply, ToolInfo, Toolbox};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::roots::Roots;
use super::settings::McpSettings;
use super::state::ToolState;
use super::{compare_runs, llm_map, read_run, rlm};
use crate::command::serve::service::Service;

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

/// The tools and the state that they share.
pub(super) struct Tools {
    listed: Vec<ToolInfo>,
    state: ToolState,
}

impl Tools {
    pub(super) fn new(settings: &McpSettings, service: Arc<Service>, roots: Roots) -> Self {
        let state = ToolState::new(settings, service, roots);
        let models = state.models.iter();
        let models: Vec<String> = models.map(|(model, _)| model.clone()).collect();
        let listed = TOOL_FILES.iter().map(|(name, file)| {
            let mut info = described(name, file);
            match *name {
                rlm::NAME => restrict_models(&mut info, &state.agents),
                llm_map::NAME => restrict_models(&mut info, &models),
                _ => {}
            }
            info
        });
        Self {
            listed: listed.collect(),
            state,
        }
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
            rlm::NAME => rlm::call(&self.state, arguments, caller).await,
            llm_map::NAME => llm_map::call(&self.state, arguments, caller).await,
            read_run::NAME => read_run::call(&self.state, arguments).await,
            compare_runs::NAME => compare_runs::call(&self.state, arguments).await,
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
