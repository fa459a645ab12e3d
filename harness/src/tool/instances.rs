//! The tools by which an agent creates agents that take messages, speaks to them and closes them, and by which such an agent speaks to
//! its caller.
//!
//! Invariant: nothing here runs an agent. What a call does is the agent layer's.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use sandbox::{Maker, Method};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool_set::{BoundTool, Runs, ToolSetError};
use super::{CallSettings, ToolError};
use crate::model::ToolSpec;
use crate::prompt::definition::InputSchema;

/// How many instances of one definition an agent may have open where its `maxInstances` does not say.
pub(crate) const MAX_INSTANCES: NonZeroU32 = NonZeroU32::new(16).unwrap();

/// A definition of which an agent may create instances.
#[derive(Debug, Clone)]
pub(crate) struct InstanceKind {
    /// What the caller calls it.
    pub agent: String,
    /// Its `toolDescription`.
    pub description: String,
    /// The specialist that runs.
    pub specialist: String,
    /// How its messages are made and which parts of its work its caller reads.
    pub settings: CallSettings,
    /// What a message has to be that is an object.
    pub schema: Option<InputSchema>,
    /// How many may be open at once.
    pub max_instances: NonZeroU32,
    /// Whether its caller hears what it says by `parent.send()`, and not its answers.
    pub explicit: bool,
}

impl InstanceKind {
    /// What of it can change an answer.
    fn version(&self) -> String {
        let Self {
            agent,
            description,
            specialist,
            settings,
            schema,
            max_instances,
            explicit,
        } = self;
        let schema = schema.as_ref().map(InputSchema::json);
        format!(
            "{agent} {description} {specialist} {} {schema:?} {max_instances} {explicit}",
            settings.version()
        )
    }
}

/// What a call of one of these tools does.
#[derive(Clone)]
pub(crate) enum InstanceCall {
    /// `agents.create(agent, name)`
    Create(Arc<BTreeMap<String, Arc<InstanceKind>>>),
    /// `agents.get(id)`
    Get,
    /// `agent.send(message)`
    Send,
    /// `agent.close()`
    Close,
    /// `parent.send({ message })`
    TellCaller,
}

/// What the calls are named in errors: as the caller calls them.
pub(crate) struct InstanceNames {
    pub create: &'static str,
    pub get: &'static str,
    pub send: &'static str,
    pub close: &'static str,
    pub tell_caller: &'static str,
}

impl InstanceNames {
    /// Those of a caller with a REPL, or of one that calls tools natively.
    pub const fn of(has_repl: bool) -> &'static Self {
        const REPL: InstanceNames = InstanceNames {
            create: "agents.create",
            get: "agents.get",
            send: "agent.send",
            close: "agent.close",
            tell_caller: "parent.send",
        };
        const NATIVE: InstanceNames = InstanceNames {
            create: "subagent_create",
            get: "agents.get",
            send: "subagent_message",
            close: "subagent_close",
            tell_caller: "parent_message",
        };
        if has_repl { &REPL } else { &NATIVE }
    }
}

/// The arguments of any of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
pub(crate) struct InstanceArguments {
    pub agent: String,
    pub name: String,
    pub id: String,
    pub message: Value,
}

impl InstanceArguments {
    /// Arguments that conform to the tool's schema.
    ///
    /// # Errors
    /// They are of another kind all the same.
    pub fn read(arguments: Value) -> Result<Self, ToolError> {
        serde_json::from_value(arguments).map_err(|error| ToolError(error.to_string()))
    }
}

/// One of the tools, as its bundled file says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    /// The function in a REPL.
    function: String,
    /// What it is natively; it is not offered there without one.
    native: Option<String>,
    /// Its description in a REPL, where it is told by itself.
    description: Option<String>,
    /// Its description natively.
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
    #[expect(clippy::expect_used, reason = "a bundled file, which a test reads")]
    serde_json::from_str(include_str!("../../tools/agents.json")).expect("bundled tools are valid")
}

/// What is told of such a tool besides its schema.
#[derive(Clone)]
pub(crate) struct InstanceTool {
    pub call: InstanceCall,
    /// Its name and description on the wire, if it is offered there.
    pub native: Option<(String, String)>,
    /// Whether the prompt of an agent with a REPL lists it by itself.
    pub is_listed: bool,
}

impl InstanceTool {
    /// What of it can change an answer, besides what its spec says.
    pub fn version(&self) -> String {
        match &self.call {
            InstanceCall::Create(kinds) => {
                let kinds: Vec<String> = kinds.values().map(|kind| kind.version()).collect();
                kinds.join(" ")
            }
            _ => String::new(),
        }
    }
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
    BoundTool::new(spec, Runs::Instance(tool))
}

/// The tools for these definitions.
///
/// # Errors
/// Those of [`BoundTool`].
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

/// The tool by which an instance speaks to its caller.
///
/// # Errors
/// Those of [`BoundTool`].
pub(crate) fn tell_caller() -> Result<BoundTool, ToolSetError> {
    bound(texts().tell_caller, InstanceCall::TellCaller, "")
}

/// The functions in a REPL that give an agent to speak to.
pub(super) fn makers() -> [Maker; 2] {
    let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let method = |name: &str, takes: &[&str]| Method {
        name: name.to_owned(),
        takes: texts(takes),
    };
    let maker = |name: &str, takes: &[&str]| Maker {
        name: name.to_owned(),
        takes: texts(takes),
        methods: vec![
            method("agents.send", &["message"]),
            method("agents.close", &[]),
        ],
    };
    [
        maker("agents.create", &["agent", "name"]),
        maker("agents.get", &["id"]),
    ]
}

/// An agent that starts with its caller.
#[derive(Debug, Clone)]
pub(crate) struct ImmediateAgent {
    /// What the caller calls it.
    pub agent: String,
    /// The specialist that runs.
    pub specialist: String,
    pub settings: CallSettings,
    /// The name of this one.
    pub name: String,
    /// What it is to do; without it, what its caller is asked.
    pub message: Option<String>,
    /// What it is, where it takes messages.
    pub kind: Option<Arc<InstanceKind>>,
}
