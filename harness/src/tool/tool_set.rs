//! The tools of one agent: each with its function's name, and the values and options that are bound to it.

use std::fmt;
use std::sync::Arc;

use sandbox::{HostFunctions, NameError};
use serde_json::{Map, Value};

use super::instances::{InstanceCall, InstanceTool, makers};
use super::{CallSettings, FILES_DIR, ImmediateAgent, Tool, ToolError, Values};
use crate::model::ToolSpec;
use crate::model::lenient_json;
use crate::prompt::ActionOverrides;
use crate::prompt::definition::{Definition, InputSchema};
use crate::text::{did_you_mean, nearest, sha256_hex};

/// The tools of one agent, in the order of its prompt.
#[derive(Clone, Default)]
pub struct ToolSet {
    tools: Arc<[BoundTool]>,
    functions: HostFunctions,
}

/// A tool with its bound values and options.
#[derive(Clone)]
pub struct BoundTool {
    /// Its name in a REPL, its description and its parameters.
    spec: ToolSpec,
    schema: InputSchema,
    pub(crate) runs: Runs,
    /// The agents that start with an agent that has this.
    immediate: Arc<[ImmediateAgent]>,
}

/// What a call runs.
#[derive(Clone)]
pub(crate) enum Runs {
    /// A tool, with what is bound to it.
    Tool {
        tool: Arc<dyn Tool>,
        values: Arc<Values>,
        options: Arc<Map<String, Value>>,
    },
    /// A prompt that answers as a child.
    Specialist {
        name: String,
        settings: CallSettings,
    },
    /// Something with agents that take messages.
    Instance(InstanceTool),
}

/// Tools that cannot be given together, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolSetError {
    /// A name that is no function's.
    #[error("a tool's name: {0}")]
    Name(#[from] NameError),
    /// Two tools have one name on the wire.
    #[error("two tools are `{0}` to a model that calls them natively")]
    Twice(String),
    /// Parameters that are no JSON Schema of an object.
    #[error("the parameters of the tool `{tool}`: {problem}")]
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong with them.
        problem: String,
    },
}

impl BoundTool {
    /// A tool with values and options.
    ///
    /// # Errors
    /// [`ToolSetError::Schema`].
    pub fn tool(
        tool: Arc<dyn Tool>,
        values: Values,
        options: Map<String, Value>,
    ) -> Result<Self, ToolSetError> {
        let spec = tool.spec().clone();
        let runs = Runs::Tool {
            tool,
            values: Arc::new(values),
            options: Arc::new(options),
        };
        Self::new(spec, runs)
    }

    /// A prompt as a tool: its `toolDescription`, and its `requiredSchema` as the arguments. One without a schema takes
    /// what the settings name.
    ///
    /// # Errors
    /// [`ToolSetError::Schema`].
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
        Self::new(spec, Runs::Specialist { name, settings })
    }

    /// This, with agents that start with an agent that has it.
    #[must_use]
    pub(crate) fn with_immediate(self, immediate: Vec<ImmediateAgent>) -> Self {
        Self {
            immediate: immediate.into(),
            ..self
        }
    }

    pub(crate) fn new(mut spec: ToolSpec, runs: Runs) -> Result<Self, ToolSetError> {
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

    /// Its name in a REPL, `page.open` or `search_docs`, with its description and parameters.
    pub const fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Whether it is a tool that reads files of the user's folder.
    pub fn reads_files(&self) -> bool {
        match &self.runs {
            Runs::Tool { tool, .. } => {
                let mut variables = tool.variables().iter();
                variables.any(|variable| variable.name == FILES_DIR)
            }
            Runs::Specialist { .. } | Runs::Instance(_) => false,
        }
    }

    /// Its name to a model that calls it natively.
    pub fn wire_name(&self) -> String {
        match &self.runs {
            Runs::Instance(InstanceTool {
                native: Some((name, _)),
                ..
            }) => name.clone(),
            _ => self.spec.name.replace('.', "_"),
        }
    }

    /// Whether requests offer it to a model that calls tools natively.
    fn is_offered(&self) -> bool {
        !matches!(&self.runs, Runs::Instance(tool) if tool.native.is_none())
    }

    /// Whether it is a function of the REPL by itself: what gives an agent to speak to, and the methods of such an agent, are not.
    fn is_function(&self) -> bool {
        match &self.runs {
            Runs::Instance(tool) => matches!(tool.call, InstanceCall::TellCaller),
            _ => true,
        }
    }

    /// Whether it creates agents that take messages.
    fn creates(&self) -> bool {
        matches!(&self.runs, Runs::Instance(tool) if matches!(tool.call, InstanceCall::Create(_)))
    }

    /// Whether an agent cannot have both.
    fn collides_with(&self, other: &Self) -> bool {
        let object = |name: &str| name.split_once('.').map(|(object, _)| object.to_owned());
        let (own, others) = (&self.spec.name, &other.spec.name);
        self.wire_name() == other.wire_name()
            || object(own).as_ref() == Some(others)
            || object(others).as_ref() == Some(own)
    }

    /// The arguments with defaults filled in, if they conform. `name` is what the caller called.
    ///
    /// # Errors
    /// Everything that does not.
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

    /// What of it can change an answer, as a hash.
    pub fn digest(&self) -> String {
        let own = match &self.runs {
            Runs::Tool {
                tool,
                values,
                options,
            } => format!(
                "{} {:?} {}",
                tool.version(),
                values.open(),
                Value::Object(options.as_ref().clone())
            ),
            Runs::Specialist { settings, .. } => settings.version(),
            Runs::Instance(tool) => tool.version(),
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
    /// Tools that are given together.
    ///
    /// # Errors
    /// [`ToolSetError`] for names that cannot be, alone or together.
    pub fn new(given: Vec<BoundTool>) -> Result<Self, ToolSetError> {
        let named = given.iter().filter(|tool| tool.is_function());
        let mut functions = HostFunctions::new(named.map(|tool| tool.spec.name.clone()))?;
        if given.iter().any(BoundTool::creates) {
            functions = functions.with_makers(makers())?;
        }
        let mut names: Vec<String> = given.iter().map(BoundTool::wire_name).collect();
        names.sort_unstable();
        if let Some(same) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ToolSetError::Twice(same[0].clone()));
        }
        Ok(Self {
            tools: given.into(),
            functions,
        })
    }

    /// Tools without values and options, such as those of a page that is opened for one task.
    ///
    /// # Errors
    /// As for [`ToolSet::new`].
    pub fn of_tools(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, ToolSetError> {
        let given: Result<_, _> = tools
            .into_iter()
            .map(|tool| BoundTool::tool(tool, Values::default(), Map::new()))
            .collect();
        Self::new(given?)
    }

    /// These tools, then those of another box, which take the place of any whose names they have.
    #[must_use]
    pub fn under(&self, other: &Self) -> Self {
        let stays = |own: &&BoundTool| !other.iter().any(|given| own.collides_with(given));
        let given = self.iter().filter(stays).chain(other.iter());
        // Each box is right by itself, and no name of one is in the other.
        Self::new(given.cloned().collect()).unwrap_or_else(|_| other.clone())
    }

    /// These tools but for the one of this name in a REPL or on the wire.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let stays = |given: &&BoundTool| given.spec.name != name && given.wire_name() != name;
        let given = self.iter().filter(stays).cloned().collect();
        // What is right together is right without one of them.
        Self::new(given).unwrap_or_default()
    }

    /// Those of these tools whose names these are, in a REPL or on the wire.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Self {
        let is_named = |tool: &&BoundTool| {
            names.contains(&tool.spec.name) || names.contains(&tool.wire_name())
        };
        let some = self.iter().filter(is_named).cloned().collect();
        // What is right together is right without the others.
        Self::new(some).unwrap_or_default()
    }

    /// The tool of this name in a REPL or on the wire.
    pub fn named(&self, name: &str) -> Option<&BoundTool> {
        self.iter()
            .find(|given| given.spec.name == name || given.wire_name() == name)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &BoundTool> {
        self.tools.iter()
    }

    /// What a REPL is opened with.
    pub fn functions(&self) -> HostFunctions {
        self.functions.clone()
    }

    /// The descriptions for a model that has a REPL.
    pub fn specs(&self) -> Vec<ToolSpec> {
        let listed = self.iter().filter(|given| match &given.runs {
            Runs::Instance(tool) => tool.is_listed,
            _ => true,
        });
        listed.map(|given| given.spec.clone()).collect()
    }

    /// The agents that start with one that has these tools.
    pub(crate) fn immediate(&self) -> impl Iterator<Item = &ImmediateAgent> {
        self.iter().flat_map(|given| given.immediate.iter())
    }

    /// What requests of the `tools` protocol offer: the tools by their names on the wire, described as a run says otherwise.
    pub fn offered(&self, actions: &ActionOverrides) -> Vec<ToolSpec> {
        let offered = self.iter().filter_map(|given| {
            let mut spec = given.spec.clone();
            if let Runs::Instance(tool) = &given.runs {
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

    /// Whether a call of this name is one that a child answers, or that creates one.
    pub(crate) fn makes_child(&self, name: &str) -> bool {
        self.get(name)
            .is_ok_and(|given| matches!(given.runs, Runs::Specialist { .. }) || given.creates())
    }

    /// The tool with this name in a REPL or on the wire.
    ///
    /// # Errors
    /// A sentence with the nearest name in a REPL.
    pub fn get(&self, name: &str) -> Result<&BoundTool, ToolError> {
        self.find(name, |given| Some(given.spec.name.clone()))
    }

    /// The same for a caller that calls tools natively.
    ///
    /// # Errors
    /// A sentence with the nearest name on the wire.
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
            let near = nearest(name, known.iter().map(String::as_str));
            let hint = did_you_mean(near.as_deref(), &known);
            ToolError(format!("there is no tool `{name}`{hint}"))
        })
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digests = self
            .iter()
            .map(|given| (given.spec.name.as_str(), given.digest()));
        f.debug_map().entries(digests).finish()
    }
}
