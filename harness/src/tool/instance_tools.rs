//! Creates the tools with which agents create, message and close instances, from the bundled
//! descriptions in `harness/tools/agents.json`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::instances::{InstanceCall, InstanceKind, InstanceTool};
use super::tool_set::{BoundTool, CallTarget, ToolSetError};
use crate::model::ToolSpec;

/// Names, descriptions and parameters of one tool in the bundled file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    /// Name of the function in a REPL.
    function: String,
    /// Name as a native tool; `None` if the tool is only a function in a REPL.
    native: Option<String>,
    /// Description in the prompt of an agent with a REPL; `None` if the prompt does not list the
    /// function.
    description: Option<String>,
    /// Description as a native tool.
    native_description: Option<String>,
    parameters: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    create: Text,
    get: Text,
    send: Text,
    close: Text,
    tell_caller: Text,
}

fn texts() -> Texts {
    #[expect(clippy::expect_used, reason = "a test checks the bundled file")]
    serde_json::from_str(include_str!("../../tools/agents.json")).expect("bundled tools are valid")
}

fn bound(text: Text, call: InstanceCall, agents: &str) -> Result<BoundTool, ToolSetError> {
    let told = |text: Option<String>| text.map(|text| text.replace("{agents}", agents));
    let (description, of_wire) = (told(text.description), told(text.native_description));
    let spec = ToolSpec {
        name: text.function,
        description: description.clone().unwrap_or_default(),
        parameters: text.parameters,
    };
    let tool = InstanceTool {
        call,
        native: text.native.zip(of_wire),
        is_listed: description.is_some(),
    };
    BoundTool::new(spec, CallTarget::Instance(tool))
}

/// Creates the tools for instances of these definitions.
///
/// # Errors
/// Returns the errors of [`BoundTool::new`].
pub(crate) fn instance_tools(kinds: Vec<InstanceKind>) -> Result<Vec<BoundTool>, ToolSetError> {
    let texts = texts();
    let kinds: BTreeMap<String, Arc<InstanceKind>> = kinds
        .into_iter()
        .map(|kind| (kind.agent.clone(), Arc::new(kind)))
        .collect();
    let agents: Vec<String> = kinds
        .values()
        .map(|kind| {
            let (agent, most) = (&kind.agent, kind.max_instances);
            format!("{agent}: {} (at most {most} open)", kind.description.trim())
        })
        .collect();
    let agents = agents.join("; ");
    let mut create = texts.create;
    create.parameters["properties"]["agent"]["enum"] = json!(kinds.keys().collect::<Vec<_>>());
    Ok(vec![
        bound(create, InstanceCall::Create(Arc::new(kinds)), &agents)?,
        bound(texts.get, InstanceCall::Get, &agents)?,
        bound(texts.send, InstanceCall::Send, &agents)?,
        bound(texts.close, InstanceCall::Close, &agents)?,
    ])
}

/// Creates the tool with which an instance sends messages to its caller.
///
/// # Errors
/// Returns the errors of [`BoundTool::new`].
pub(crate) fn tell_caller() -> Result<BoundTool, ToolSetError> {
    bound(texts().tell_caller, InstanceCall::TellCaller, "")
}
