//! Tools of one agent, with the values and options bound to them.

use std::fmt;
use std::sync::Arc;

use sandbox::{HostFunctions, NameError};
use serde_json::{Map, Value};

use super::instances::{InstanceCall, InstanceTool, object_factories};
use super::{CallSettings, FILES_DIR, ImmediateAgent, Tool, ToolError, Values};
use crate::model::ToolSpec;
use crate::model::lenient_json;
use crate::prompt::ActionOverrides;
use crate::prompt::definition::{Definition, InputSchema};
use crate::text::{hint_for_unknown, sha256_hex};

/// Tools of one agent, in the order of the agent's prompt.
#[derive(Clone, Default)]
pub struct ToolSet {
    tools: Arc<[BoundTool]>,
    functions: HostFunctions,
}

/// A tool as one agent can call it: a tool with its values and options, a prompt that runs as a
/// child agent, or an operation on instances.
#[derive(Clone)]
pub struct BoundTool {
    /// Name in a REPL, description and parameters.
    spec: ToolSpec,
    schema: InputSchema,
    pub(crate) runs: CallTarget,
    /// Agents that start together with any agent that has this tool.
    immediate: Arc<[ImmediateAgent]>,
}

/// Target of a tool call.
#[derive(Clone)]
pub(crate) enum CallTarget {
    /// A tool with the values and options bound to it.
    Tool {
        tool: Arc<dyn Tool>,
        values: Arc<Values>,
        options: Arc<Map<String, Value>>,
    },
    /// A prompt, which runs as a child agent.
    Specialist {
        name: String,
        settings: CallSettings,
    },
    /// An operation on instances (agents that accept messages).
    Instance(InstanceTool),
}

/// Error for invalid or conflicting tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolSetError {
    /// The name is not a valid function name.
    #[error("invalid tool name: {0}")]
    Name(#[from] NameError),
    /// Two tools have the same native name.
    #[error("two tools have the native name `{0}`")]
    Duplicate(String),
    /// The parameters are not a JSON Schema for an object.
    #[error("invalid parameters of the tool `{tool}`: {problem}")]
    Schema {
        /// Name of the tool.
        tool: String,
        /// Description of the problem.
        problem: String,
    },
}

impl BoundTool {
    /// Binds values and options to a tool.
    ///
    /// # Errors
    /// Returns [`ToolSetError::Schema`] for invalid parameters.
    pub fn tool(
        tool: Arc<dyn Tool>,
        values: Values,
        options: Map<String, Value>,
    ) -> Result<Self, ToolSetError> {
        let spec = tool.spec().clone();
        let runs = CallTarget::Tool {
            tool,
            values: Arc::new(values),
            options: Arc::new(options),
        };
        Self::new(spec, runs)
    }

    /// Creates a tool that calls a prompt. Its description is the prompt's `toolDescription`. Its
    /// parameters are the prompt's `requiredSchema`, or else the arguments that the settings name.
    ///
    /// # Errors
    /// Returns [`ToolSetError::Schema`] for invalid parameters.
    pub fn specialist(
        prompt: &Definition,
        name: String,
        settings: CallSettings,
    ) -> Result<Self, ToolSetError> {
        let parameters = prompt
            .required_schema
            .as_ref()
            .map_or_else(|| settings.parameters(), |schema| schema.json().clone());
        let spec = ToolSpec {
            name: prompt.name.clone(),
            description: prompt.tool_description.clone(),
            parameters,
        };
        Self::new(spec, CallTarget::Specialist { name, settings })
    }

    /// Sets the agents that start together with any agent that has this tool.
    #[must_use]
    pub(crate) fn with_immediate(self, immediate: Vec<ImmediateAgent>) -> Self {
        Self {
            immediate: immediate.into(),
            ..self
        }
    }

    pub(crate) fn new(mut spec: ToolSpec, runs: CallTarget) -> Result<Self, ToolSetError> {
        let schema = InputSchema::new(spec.parameters.clone()).map_err(|problem| {
            let tool = spec.name.clone();
            ToolSetError::Schema { tool, problem }
        })?;
        spec.name = spec.name.replace('-', "_");
        Ok(Self {
            spec,
            schema,
            runs,
            immediate: Arc::default(),
        })
    }

    /// Returns the tool's name in a REPL (`page.open`, `search_docs`), description and parameters.
    pub const fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Whether the tool reads files in the folder [`FILES_DIR`].
    pub fn reads_files(&self) -> bool {
        match &self.runs {
            CallTarget::Tool { tool, .. } => {
                let mut variables = tool.variables().iter();
                variables.any(|variable| variable.name == FILES_DIR)
            }
            CallTarget::Specialist { .. } | CallTarget::Instance(_) => false,
        }
    }

    /// Returns the tool's name as a native tool.
    pub fn wire_name(&self) -> String {
        match &self.runs {
            CallTarget::Instance(InstanceTool {
                native: Some((name, _)),
                ..
            }) => name.clone(),
            _ => self.spec.name.replace('.', "_"),
        }
    }

    /// Whether this is the tool's name in a REPL or as a native tool.
    fn is_named(&self, name: &str) -> bool {
        self.spec.name == name || self.wire_name() == name
    }

    /// Whether requests with native tools include this tool.
    fn is_offered(&self) -> bool {
        !matches!(&self.runs, CallTarget::Instance(tool) if tool.native.is_none())
    }

    /// Whether the tool is a plain function in a REPL, rather than a function that returns an agent
    /// object or a method of one.
    fn is_function(&self) -> bool {
        match &self.runs {
            CallTarget::Instance(tool) => matches!(tool.call, InstanceCall::TellCaller),
            _ => true,
        }
    }

    /// Whether the tool creates instances.
    fn creates(&self) -> bool {
        matches!(&self.runs, CallTarget::Instance(tool) if matches!(tool.call, InstanceCall::Create(_)))
    }

    /// Whether an agent cannot have both tools, because their names collide.
    fn collides_with(&self, other: &Self) -> bool {
        let object = |name: &str| name.split_once('.').map(|(object, _)| object.to_owned());
        let (own, others) = (&self.spec.name, &other.spec.name);
        self.wire_name() == other.wire_name()
            || object(own).as_ref() == Some(others)
            || object(others).as_ref() == Some(own)
    }

    /// Parses arguments, checks them against the schema and adds defaults. `name` is the tool's
    /// name in errors.
    ///
    /// # Errors
    /// Returns [`ToolError`] with all problems of the arguments.
    pub fn accept(&self, name: &str, arguments: &str) -> Result<Value, ToolError> {
        let wrong = |problem: String| ToolError(format!("{name}(): wrong arguments: {problem}"));
        let arguments = if arguments.trim().is_empty() {
            "{}"
        } else {
            arguments
        };
        let value: Value = lenient_json::arguments(arguments)
            .map_err(|error| wrong(format!("they are no JSON that can be read: {error}")))?;
        self.schema.accept(value).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            wrong(faults.join("; "))
        })
    }

    /// Returns a hash of everything that can change an answer.
    pub fn digest(&self) -> String {
        let own = match &self.runs {
            CallTarget::Tool {
                tool,
                values,
                options,
            } => format!(
                "{} {:?} {}",
                tool.version(),
                values.open(),
                Value::Object(options.as_ref().clone())
            ),
            CallTarget::Specialist { settings, .. } => settings.version(),
            CallTarget::Instance(tool) => tool.version(),
        };
        let own = if self.immediate.is_empty() {
            own
        } else {
            format!("{own} {:?}", self.immediate)
        };
        let ToolSpec {
            name,
            description,
            parameters,
        } = &self.spec;
        sha256_hex(&format!("{name}\n{description}\n{parameters}\n{own}"))
    }
}

impl ToolSet {
    /// Creates a set of tools after checking their names.
    ///
    /// # Errors
    /// Returns [`ToolSetError`] for invalid or conflicting names.
    pub fn new(given: Vec<BoundTool>) -> Result<Self, ToolSetError> {
        let named = given.iter().filter(|tool| tool.is_function());
        let mut functions = HostFunctions::new(named.map(|tool| tool.spec.name.clone()))?;
        if given.iter().any(BoundTool::creates) {
            functions = functions.with_factories(object_factories())?;
        }
        let mut names: Vec<String> = given.iter().map(BoundTool::wire_name).collect();
        names.sort_unstable();
        if let Some(same) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ToolSetError::Duplicate(same[0].clone()));
        }
        Ok(Self {
            tools: given.into(),
            functions,
        })
    }

    /// Creates a set of tools that need no values or options, such as the page tools of one task.
    ///
    /// # Errors
    /// Returns the errors of [`ToolSet::new`].
    pub fn of_tools(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, ToolSetError> {
        let given: Result<_, _> = tools
            .into_iter()
            .map(|tool| BoundTool::tool(tool, Values::default(), Map::new()))
            .collect();
        Self::new(given?)
    }

    /// Returns the tools of both sets. Tools of `other` replace tools of this set whose names
    /// collide with theirs.
    #[must_use]
    pub fn under(&self, other: &Self) -> Self {
        let stays = |own: &&BoundTool| !other.iter().any(|given| own.collides_with(given));
        let given = self.iter().filter(stays).chain(other.iter());
        // Cannot fail, because both sets are valid and no names collide.
        Self::new(given.cloned().collect()).unwrap_or_else(|_| other.clone())
    }

    /// Returns all tools except the one with this name in a REPL or as a native tool.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let given = self.iter().filter(|given| !given.is_named(name));
        // Cannot fail, because a subset of a valid set is valid.
        Self::new(given.cloned().collect()).unwrap_or_default()
    }

    /// Returns only the tools with one of these names in a REPL or as a native tool.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Self {
        let some = (self.iter()).filter(|given| names.iter().any(|name| given.is_named(name)));
        // Cannot fail, because a subset of a valid set is valid.
        Self::new(some.cloned().collect()).unwrap_or_default()
    }

    /// Returns the tool with this name in a REPL or as a native tool, if any.
    pub fn named(&self, name: &str) -> Option<&BoundTool> {
        self.iter().find(|given| given.is_named(name))
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns the tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &BoundTool> {
        self.tools.iter()
    }

    /// Returns the name and digest of each tool, in order.
    pub(crate) fn digests(&self) -> impl Iterator<Item = (String, String)> {
        self.iter()
            .map(|given| (given.spec.name.clone(), given.digest()))
    }

    /// Returns the host functions for a REPL.
    pub fn functions(&self) -> HostFunctions {
        self.functions.clone()
    }

    /// Returns the specs of the tools that the prompt of an agent with a REPL lists.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let listed = self.iter().filter(|given| match &given.runs {
            CallTarget::Instance(tool) => tool.is_listed,
            _ => true,
        });
        listed.map(|given| given.spec.clone()).collect()
    }

    /// Returns the agents that start together with any agent that has these tools.
    pub(crate) fn immediate(&self) -> impl Iterator<Item = &ImmediateAgent> {
        self.iter().flat_map(|given| given.immediate.iter())
    }

    /// Returns the specs of the native tools for requests, with the run's overrides of
    /// descriptions.
    pub fn offered(&self, actions: &ActionOverrides) -> Vec<ToolSpec> {
        let offered = self.iter().filter_map(|given| {
            let mut spec = given.spec.clone();
            if let CallTarget::Instance(tool) = &given.runs {
                spec.description.clone_from(&tool.native.as_ref()?.1);
            }
            Some((spec, given.wire_name()))
        });
        let (specs, names): (Vec<ToolSpec>, Vec<String>) = offered.unzip();
        let described = actions.apply(specs).into_iter();
        let on_the_wire = described
            .zip(names)
            .map(|(spec, name)| ToolSpec { name, ..spec });
        on_the_wire.collect()
    }

    /// Whether a call to the tool `name` runs or creates a child agent.
    pub(crate) fn makes_child(&self, name: &str) -> bool {
        self.get(name).is_ok_and(|given| {
            matches!(given.runs, CallTarget::Specialist { .. }) || given.creates()
        })
    }

    /// Returns the tool with this name in a REPL or as a native tool, for a caller with a REPL.
    ///
    /// # Errors
    /// Returns [`ToolError`] with the most similar name in a REPL if no tool has this name.
    pub fn get(&self, name: &str) -> Result<&BoundTool, ToolError> {
        self.find(name, |given| Some(given.spec.name.clone()))
    }

    /// Returns the tool with this name in a REPL or as a native tool, for a caller with native
    /// tools.
    ///
    /// # Errors
    /// Returns [`ToolError`] with the most similar native name if no tool has this name.
    pub(crate) fn get_native(&self, name: &str) -> Result<&BoundTool, ToolError> {
        self.find(name, |given| given.is_offered().then(|| given.wire_name()))
    }

    fn find(
        &self,
        name: &str,
        written: impl Fn(&BoundTool) -> Option<String>,
    ) -> Result<&BoundTool, ToolError> {
        self.named(name).ok_or_else(|| {
            let known: Vec<String> = self.iter().filter_map(written).collect();
            let hint = hint_for_unknown(name, &known);
            ToolError(format!("there is no tool `{name}`{hint}"))
        })
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.digests()).finish()
    }
}
