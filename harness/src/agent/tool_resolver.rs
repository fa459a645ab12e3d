//! Resolves the tools of agents, listed by name or in the `tools` of definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::slice;
use std::sync::Arc;

use super::{AgentTools, Counterpart, Dialogue, Specialist, Specialists};
use crate::prompt::definition::{
    AgentType, Definition, Fault, Faults, Kind, Library, ParentCommunication, Side, Sides,
    SourceLocation, SubagentSettings, SubpromptSettings, ToolForm, ToolReference, ToolSettings,
    ToolStrategy, Variable, VariableType,
};
use crate::text::hint_for_unknown;
use crate::tool::{
    BoundTool, CallSettings, FILES_DIR, ImmediateAgent, InstanceKind, MAX_INSTANCES, ToolRegistry,
    ToolSet, ValueError, ValueSources, Values, instance_tools, tell_caller,
};

/// Sources of tools, callable prompts and values of variables.
#[derive(Debug, Clone, Copy)]
pub struct ToolResolver<'a> {
    /// Tools other than callable prompts.
    pub registry: &'a ToolRegistry,
    /// Callable prompts.
    pub library: &'a Library,
    /// Values of variables from the command line.
    pub given: &'a BTreeMap<String, String>,
    /// Process environment, used only to check that prompts do not contain the values of secret
    /// variables. Tools and prompts do not receive its values.
    pub process: &'a BTreeMap<String, String>,
    /// Folder of attachments, which tools may read.
    pub files: Option<&'a Path>,
}

impl ToolResolver<'_> {
    /// Resolves tools and prompts by name, for a root without a definition. `place` is the location
    /// in errors.
    ///
    /// # Errors
    /// Returns all problems found.
    pub fn of_names(&self, names: &[String], place: &str) -> Result<AgentTools, Faults> {
        let references = names.iter().map(|name| ToolReference {
            name: name.clone(),
            form: ToolForm::Plain,
        });
        let at = |_: usize, _: &str| SourceLocation::of_file(place);
        self.resolve_tools(&references.collect::<Vec<_>>(), None, &at)
    }

    /// Resolves the tools that a definition lists. Returns no tools if its `toolChoice` is `none`.
    ///
    /// # Errors
    /// Returns the errors of [`ToolResolver::of_names`].
    pub fn of_definition(&self, definition: &Definition) -> Result<AgentTools, Faults> {
        let listed: &[ToolReference] = match definition.tool_choice {
            ToolStrategy::None => &[],
            ToolStrategy::Auto | ToolStrategy::Required => &definition.tools,
        };
        let at = |index: usize, of: &str| definition.place(&format!("tools[{index}]{of}"));
        self.resolve_tools(listed, Some(definition), &at)
    }

    /// Returns the names of command-line values that no tool or prompt uses.
    pub fn idle_values(&self) -> impl Iterator<Item = &String> {
        let of_tools = self.registry.all().flat_map(|tool| tool.variables());
        let mut known: BTreeSet<&str> = of_tools.map(|variable| variable.name.as_str()).collect();
        for definition in self.library.iter() {
            let declared = definition.variables.iter();
            known.extend(declared.map(|variable| variable.name.as_str()));
            known.extend(definition.env.keys().map(String::as_str));
            for reference in &definition.tools {
                if let ToolForm::Tool(settings) = &reference.form {
                    known.extend(settings.env.keys().map(String::as_str));
                }
            }
        }
        let given = self.given.keys();
        given.filter(move |name| !known.contains(name.as_str()))
    }

    /// Returns the values of the secret variables of all tools and definitions, from all sources.
    pub fn secret_values(&self) -> Vec<&str> {
        let of_tools = self.registry.all().flat_map(|tool| tool.variables());
        let of_prompts = self.library.iter().flat_map(|prompt| &prompt.variables);
        let variables = of_tools.chain(of_prompts);
        let secret = variables.filter(|variable| variable.kind == VariableType::Secret);
        let names: BTreeSet<&str> = secret.map(|variable| variable.name.as_str()).collect();
        let mut sources = vec![self.given, self.process];
        for prompt in self.library.iter() {
            sources.push(&prompt.env);
            sources.extend(prompt.tools.iter().filter_map(|tool| match &tool.form {
                ToolForm::Tool(settings) => Some(&settings.env),
                _ => None,
            }));
        }
        let values = sources
            .into_iter()
            .flat_map(|source| names.iter().filter_map(|name| source.get(*name)));
        values.map(String::as_str).collect()
    }

    /// Checks the prompts that a run may send for secrets: the root's prompt, callable prompts and
    /// user-supplied sections.
    ///
    /// # Errors
    /// Returns all places that contain a secret.
    pub fn check_secrets(
        &self,
        root: Option<&Definition>,
        tools: &AgentTools,
    ) -> Result<(), Faults> {
        let values = self.secret_values();
        let called = tools.specialists.values();
        let called = called.filter_map(|specialist| self.library.find(&specialist.name));
        let sent = root
            .into_iter()
            .chain(called)
            .chain(self.library.overridden());
        let mut faults: Vec<Fault> = sent
            .flat_map(|prompt| self.library.leaks(prompt, &values))
            .collect();
        faults.sort();
        faults.dedup();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(Faults(faults))
        }
    }

    fn resolve_tools(
        &self,
        references: &[ToolReference],
        of: Option<&Definition>,
        at: &dyn Fn(usize, &str) -> SourceLocation,
    ) -> Result<AgentTools, Faults> {
        let mut work = Resolver {
            source: self,
            wanted: Vec::new(),
            known: BTreeMap::new(),
            faults: Vec::new(),
        };
        if let Some(definition) = of {
            work.check_variables(definition);
        }
        let root = work.tool_set(references, of, at);
        let mut specialists = Specialists::new();
        while let Some((key, wanted)) = work.wanted.pop() {
            if let Some(definition) = self.library.find(&wanted.definition) {
                let specialist = work.specialist(definition, &wanted);
                specialists.insert(key, Arc::new(specialist));
            }
        }
        if work.faults.is_empty() {
            Ok(AgentTools {
                root,
                specialists: Arc::new(specialists),
            })
        } else {
            work.faults.sort();
            work.faults.dedup();
            Err(Faults(work.faults))
        }
    }
}

/// State while resolving tools.
struct Resolver<'a> {
    source: &'a ToolResolver<'a>,
    /// Unresolved callable prompts of the tool sets, with their keys.
    wanted: Vec<(String, PendingSpecialist)>,
    /// All callable prompts of the tool sets, by key.
    known: BTreeMap<String, PendingSpecialist>,
    faults: Vec<Fault>,
}

/// Unresolved callable prompt or agent, as given in an entry of `tools`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PendingSpecialist {
    /// Name of the prompt or agent.
    definition: String,
    /// Definition that contains the entry, if the entry changes the prompt's variables or messages;
    /// `None` for the form shared by all other entries.
    of: Option<String>,
    /// Values of variables that the entry passes to the prompt.
    scoped: BTreeMap<String, String>,
    /// Whether the agent sends messages to its caller with a tool.
    explicit: bool,
    /// Whether side B, instead of side A, receives the caller's messages.
    receives_b: bool,
}

impl PendingSpecialist {
    /// Returns the key of the specialist in [`Specialists`], which [`Resolver::want`] makes unique.
    fn key(&self) -> String {
        match &self.of {
            None => self.definition.clone(),
            Some(of) => format!("{} for {of}", self.definition),
        }
    }
}

impl Resolver<'_> {
    fn fault(&mut self, place: SourceLocation, problem: impl Into<String>) {
        self.faults.push(Fault::new(place, problem));
    }

    /// Adds a callable prompt to resolve, and returns its key. Variants of one definition can have
    /// entries with the same name and different values, so the keys of further ones are numbered.
    fn want(&mut self, wanted: PendingSpecialist) -> String {
        let base = wanted.key();
        let mut key = base.clone();
        let mut number = 1;
        while let Some(known) = self.known.get(&key) {
            if *known == wanted {
                return key;
            }
            number += 1;
            key = format!("{base} ({number})");
        }
        self.known.insert(key.clone(), wanted.clone());
        self.wanted.push((key.clone(), wanted));
        key
    }

    fn tool_set(
        &mut self,
        references: &[ToolReference],
        of: Option<&Definition>,
        at: &dyn Fn(usize, &str) -> SourceLocation,
    ) -> ToolSet {
        let mut given = Vec::new();
        let mut kinds = Vec::new();
        let mut immediate = Vec::new();
        for (index, reference) in references.iter().enumerate() {
            let before = self.faults.len();
            if let ToolForm::Subagent(settings) = &reference.form
                && let (Some(of), Some(child)) = (of, self.source.library.find(&reference.name))
            {
                for (property, problem) in settings.faults(of, child) {
                    self.fault(at(index, &format!(".{property}")), problem);
                }
            }
            if self.faults.len() > before {
                continue;
            }
            match self.entry(reference, of) {
                Ok(ResolvedEntry::Tool(tool)) => given.push(tool),
                Ok(ResolvedEntry::Instances(kind, first)) => {
                    kinds.push(kind);
                    immediate.extend(first);
                }
                Ok(ResolvedEntry::LeftOut) => {}
                Err(problem) => self.fault(at(index, ""), problem),
            }
        }
        let tools = if kinds.is_empty() {
            Ok(Vec::new())
        } else {
            instance_tools(kinds)
        };
        let tools = tools.and_then(|tools| {
            // Immediate agents are attached to the first tool, which creates instances.
            let mut immediate = Some(immediate);
            let tools = tools
                .into_iter()
                .map(|tool| tool.with_immediate(immediate.take().unwrap_or_default()));
            given.extend(tools);
            ToolSet::new(given)
        });
        tools.unwrap_or_else(|error| {
            self.fault(at(0, ""), error.to_string());
            ToolSet::default()
        })
    }

    /// Resolves one entry of `tools`.
    fn entry(
        &mut self,
        reference: &ToolReference,
        of: Option<&Definition>,
    ) -> Result<ResolvedEntry, String> {
        let name = &reference.name;
        if let Some(prompt) = self.source.library.find(name)
            && prompt.kind.can_be_called()
        {
            return self.prompt(prompt, reference, of);
        }
        let Ok(tool) = self.source.registry.get(name) else {
            let prompts = self.source.library.iter();
            let prompts = prompts.filter(|prompt| prompt.kind.can_be_called());
            let known: Vec<String> = prompts
                .map(|prompt| prompt.name.clone())
                .chain(
                    self.source
                        .registry
                        .all()
                        .map(|tool| tool.spec().name.clone()),
                )
                .collect();
            let hint = hint_for_unknown(name, &known);
            return Err(format!("unknown tool `{name}`{hint}"));
        };
        let settings = match &reference.form {
            ToolForm::Plain => ToolSettings::default(),
            ToolForm::Tool(settings) => settings.clone(),
            ToolForm::Subprompt(_) | ToolForm::Subagent(_) => {
                return Err(format!(
                    "`{name}` is a tool, but its configuration is for a prompt or agent; expected `env`, `options`"
                ));
            }
        };
        let mut variables = of.map_or_else(Vec::new, |definition| definition.variables.clone());
        if let Some(definition) = of {
            for variable in &mut variables {
                let is_read = (tool.variables().iter()).any(|own| own.name == variable.name);
                // `check_variables` reports variables without any value, once for all tools.
                variable.required &= is_read && self.missing_value(variable, definition).is_none();
            }
        }
        for variable in tool.variables() {
            if variables.iter().all(|known| known.name != variable.name) {
                variables.push(variable.clone());
            }
        }
        // Only tools that declare a secret receive it, not all tools of the prompt.
        let others_secrets: BTreeSet<&str> = (self.source.registry.all())
            .flat_map(|tool| tool.variables())
            .filter(|variable| variable.kind == VariableType::Secret)
            .map(|variable| variable.name.as_str())
            .filter(|name| variables.iter().all(|known| known.name != *name))
            .collect();
        let mut of_prompt = of.map_or_else(BTreeMap::new, |definition| definition.env.clone());
        of_prompt.retain(|name, _| !others_secrets.contains(name.as_str()));
        let sources = ValueSources {
            given: self.source.given,
            tool: &settings.env,
            prompt: &of_prompt,
        };
        let mut values = Values::resolve(&variables, sources).map_err(|error| error.to_string())?;
        if let Some(folder) = self.source.files {
            values = values.with(FILES_DIR, folder.display().to_string());
        }
        BoundTool::tool(tool, values, settings.options)
            .map(ResolvedEntry::Tool)
            .map_err(|error| error.to_string())
    }

    fn prompt(
        &mut self,
        prompt: &Definition,
        reference: &ToolReference,
        of: Option<&Definition>,
    ) -> Result<ResolvedEntry, String> {
        let name = &prompt.name;
        let wanted = PendingSpecialist {
            definition: name.clone(),
            ..PendingSpecialist::default()
        };
        let settings = match &reference.form {
            ToolForm::Plain => CallSettings::from(&SubpromptSettings::default()),
            ToolForm::Subprompt(settings) => CallSettings::from(settings),
            ToolForm::Tool(_) => {
                return Err(format!(
                    "`{name}` is a prompt, but `env` and `options` are for tools"
                ));
            }
            ToolForm::Subagent(settings) => {
                return self.subagent(prompt, settings, of, wanted);
            }
        };
        let key = self.want(wanted);
        BoundTool::specialist(prompt, key, settings)
            .map(ResolvedEntry::Tool)
            .map_err(|error| error.to_string())
    }

    /// Resolves an entry that is an agent. The entry is omitted if its `optional` variable has no
    /// value.
    fn subagent(
        &mut self,
        prompt: &Definition,
        settings: &SubagentSettings,
        of: Option<&Definition>,
        mut wanted: PendingSpecialist,
    ) -> Result<ResolvedEntry, String> {
        let value_of = |variable: &str| self.value_of(variable, of);
        if let Some(variable) = &settings.optional
            && value_of(variable).is_none()
        {
            return Ok(ResolvedEntry::LeftOut);
        }
        let call = CallSettings::from(settings);
        if let Some(immediate) = &settings.immediate {
            for variable in &immediate.scoped_env {
                if let Some(value) = value_of(variable) {
                    wanted.scoped.insert(variable.clone(), value);
                }
            }
        }
        if let Some(resumable) = &settings.resumable {
            wanted.explicit = resumable.parent_communication == Some(ParentCommunication::Explicit);
            wanted.receives_b = resumable.receives_messages == Side::B;
        }
        if !wanted.scoped.is_empty() || wanted.explicit || wanted.receives_b {
            wanted.of = Some(of.map_or_else(String::new, |definition| definition.name.clone()));
        }
        let explicit = wanted.explicit;
        let key = self.want(wanted);
        let kind = settings.resumable.as_ref().map(|resumable| InstanceKind {
            agent: prompt.name.clone(),
            description: prompt.tool_description.clone(),
            specialist: key.clone(),
            settings: call.clone(),
            schema: prompt.required_schema.clone(),
            max_instances: resumable.max_instances.unwrap_or(MAX_INSTANCES),
            explicit,
        });
        let immediate = settings.immediate.as_ref().map(|immediate| {
            let value = |variable: &Option<String>| self.value_of(variable.as_deref()?, of);
            ImmediateAgent {
                agent: prompt.name.clone(),
                specialist: key.clone(),
                settings: call.clone(),
                name: value(&immediate.name_env).unwrap_or_else(|| prompt.name.clone()),
                message: value(&immediate.description_env),
                kind: kind.clone().map(Arc::new),
            }
        });
        if let Some(kind) = kind {
            return Ok(ResolvedEntry::Instances(kind, immediate));
        }
        BoundTool::specialist(prompt, key, call)
            .map(|tool| ResolvedEntry::Tool(tool.with_immediate(immediate.into_iter().collect())))
            .map_err(|error| error.to_string())
    }

    /// Returns the value of a variable for a definition, unless it is empty.
    fn value_of(&self, variable: &str, of: Option<&Definition>) -> Option<String> {
        let own = of.map(|definition| &definition.env);
        let sources = [Some(self.source.given), own];
        let mut values = sources
            .into_iter()
            .flatten()
            .filter_map(|values| values.get(variable));
        values.find(|value| !value.is_empty()).cloned()
    }

    /// Reports required variables of a definition that have no value, even if no tool uses them.
    fn check_variables(&mut self, definition: &Definition) {
        for (index, variable) in definition.variables.iter().enumerate() {
            if let Some(error) = self.missing_value(variable, definition) {
                let place = definition.place(&format!("variables[{index}]"));
                self.fault(place, error.to_string());
            }
        }
    }

    /// Returns the error of a required variable that has a value neither in the definition nor in
    /// an entry of its `tools`.
    fn missing_value(&self, variable: &Variable, of: &Definition) -> Option<ValueError> {
        let resolve = |tool: &BTreeMap<String, String>| {
            let sources = ValueSources {
                given: self.source.given,
                tool,
                prompt: &of.env,
            };
            Values::resolve(slice::from_ref(variable), sources).err()
        };
        let error = resolve(&BTreeMap::new())?;
        let has_value = of.tools.iter().any(|entry| match &entry.form {
            ToolForm::Tool(settings) => resolve(&settings.env).is_none(),
            _ => false,
        });
        (!has_value).then_some(error)
    }

    /// Returns the key of one side of a dual agent. The side has the settings of the agent's entry.
    fn side(&mut self, name: &str, of_agent: &PendingSpecialist) -> String {
        let wanted = PendingSpecialist {
            definition: name.to_owned(),
            of: of_agent.of.as_ref().map(|_| of_agent.key()),
            receives_b: false,
            ..of_agent.clone()
        };
        // Only prompts can be sides. `Library::side_faults` reports other kinds. Resolving a dual
        // agent as its own side would recurse endlessly.
        let side = self.source.library.find(name);
        if side.is_some_and(|side| side.kind == Kind::Prompt) {
            self.want(wanted)
        } else {
            wanted.key()
        }
    }

    fn specialist(&mut self, definition: &Definition, wanted: &PendingSpecialist) -> Specialist {
        let mut definition = definition.clone();
        definition.env.extend(wanted.scoped.clone());
        let definition = &definition;
        self.check_variables(definition);
        if let Some(sides) = &definition.sides {
            return self.two_sided(definition, sides, wanted);
        }
        let prompt = match self.source.library.resolve(definition) {
            Ok(prompt) => prompt.into_pieces(self.source.library),
            Err(faults) => {
                self.faults.extend(faults.0);
                Vec::new()
            }
        };
        let mut tools = if definition.tool_choice == ToolStrategy::None {
            ToolSet::default()
        } else {
            let at = |index: usize, of: &str| definition.place(&format!("tools[{index}]{of}"));
            self.tool_set(&definition.tools, Some(definition), &at)
        };
        if wanted.explicit {
            let to_caller = tell_caller().and_then(|tool| ToolSet::new(vec![tool]));
            match to_caller {
                Ok(to_caller) => tools = to_caller.under(&tools),
                Err(error) => self.fault(definition.place("tools"), error.to_string()),
            }
        }
        Specialist {
            name: definition.name.clone(),
            prompt: prompt.into(),
            model: definition.model.clone(),
            tools,
            files: self.source.files.map(Arc::from),
            settings: Arc::default(),
            talk: None,
        }
    }

    fn two_sided(
        &mut self,
        definition: &Definition,
        sides: &Sides,
        wanted: &PendingSpecialist,
    ) -> Specialist {
        for (field, problem) in self.source.library.side_faults(sides) {
            self.fault(definition.place(field), problem);
        }
        let model = self.source.library.find(&sides.side_a);
        let model = model.map_or_else(|| "default".to_owned(), |side| side.model.clone());
        let talk = Dialogue {
            side_a: self.side(&sides.side_a, wanted),
            side_b: match &sides.side_b {
                Some(name) => Counterpart::Agent(self.side(name, wanted)),
                None => Counterpart::Person,
            },
            with_person: sides.kind == AgentType::AiHuman,
            receives: if wanted.receives_b { Side::B } else { Side::A },
            max_messages: sides.max_messages,
            stop_phrase: sides.stop_phrase.clone(),
        };
        Specialist {
            name: definition.name.clone(),
            prompt: Arc::default(),
            model,
            tools: ToolSet::default(),
            files: self.source.files.map(Arc::from),
            settings: Arc::default(),
            talk: Some(Arc::new(talk)),
        }
    }
}

/// Result of resolving an entry of `tools`.
enum ResolvedEntry {
    /// A callable tool.
    Tool(BoundTool),
    /// Kind of instances, with the instance that starts together with its caller, if any.
    Instances(InstanceKind, Option<ImmediateAgent>),
    /// The entry is omitted, because its `optional` variable has no value.
    LeftOut,
}
