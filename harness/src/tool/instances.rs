//! Operations on instances (agents that accept messages): creating, messaging and closing them. An
//! instance can also send messages to its caller.
//!
//! Invariant: this module does not run agents. The agent layer executes the operations.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use sandbox::{Method, ObjectFactory};
use serde::Deserialize;
use serde_json::Value;

use super::{CallSettings, ToolError};
use crate::prompt::definition::InputSchema;

/// Default of `maxInstances`: how many instances of one definition a caller may have open.
pub(crate) const MAX_INSTANCES: NonZeroU32 = NonZeroU32::new(16).unwrap();

/// A definition that an agent may instantiate.
#[derive(Debug, Clone)]
pub(crate) struct InstanceKind {
    /// Name by which the caller refers to the agent.
    pub agent: String,
    /// `toolDescription` of the definition.
    pub description: String,
    /// Name of the specialist to run.
    pub specialist: String,
    pub settings: CallSettings,
    /// Schema of messages; `None` if messages are texts.
    pub schema: Option<InputSchema>,
    /// Maximum number of instances that a caller may have open.
    pub max_instances: NonZeroU32,
    /// Whether the caller receives what the instance sends with `parent.send()`, and not its
    /// answers.
    pub explicit: bool,
}

impl InstanceKind {
    /// Returns a string that contains everything that can change an answer, for digests.
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

/// Operation of an instance tool.
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

/// Names of the operations in errors, as the caller writes them.
pub(crate) struct InstanceNames {
    pub create: &'static str,
    pub get: &'static str,
    pub send: &'static str,
    pub close: &'static str,
    pub tell_caller: &'static str,
}

impl InstanceNames {
    /// Returns the names that a caller uses: REPL functions if it has a REPL, otherwise native
    /// tools.
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

/// Arguments of all instance tools. Those that a tool does not take keep their defaults.
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
    /// Parses arguments that conform to the tool's schema.
    ///
    /// # Errors
    /// Returns an error if an argument has the wrong type.
    pub fn read(arguments: Value) -> Result<Self, ToolError> {
        serde_json::from_value(arguments).map_err(|error| ToolError(error.to_string()))
    }
}

/// Properties of an instance tool in addition to its spec.
#[derive(Clone)]
pub(crate) struct InstanceTool {
    pub call: InstanceCall,
    /// Name and description as a native tool, if the tool is available natively.
    pub native: Option<(String, String)>,
    /// Whether the prompt of an agent with a REPL lists the tool. Other tools are explained in the
    /// description of `agents.create`.
    pub is_listed: bool,
}

impl InstanceTool {
    /// Returns a string that contains everything outside the spec that can change an answer.
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

/// Returns the REPL functions that return an agent object.
pub(super) fn object_factories() -> [ObjectFactory; 2] {
    let texts = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let method = |name: &str, takes: &[&str]| Method {
        name: name.to_owned(),
        takes: texts(takes),
    };
    let maker = |name: &str, takes: &[&str]| ObjectFactory {
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

/// An agent that starts together with its caller.
#[derive(Debug, Clone)]
pub(crate) struct ImmediateAgent {
    /// Name by which the caller refers to the agent.
    pub agent: String,
    /// Name of the specialist to run.
    pub specialist: String,
    pub settings: CallSettings,
    /// Name of the instance, as in `agents.create(agent, name)`.
    pub name: String,
    /// Task of the agent; `None` if it receives the task of the caller.
    pub message: Option<String>,
    /// Definition of the instance; `None` if the agent does not accept messages.
    pub kind: Option<Arc<InstanceKind>>,
}
