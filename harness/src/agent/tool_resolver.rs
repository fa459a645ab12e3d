//! Resolves the tools of agents from names and from the `tools` of definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::{AgentTools, Specialist, Specialists};
use crate::prompt::definition::{
    Definition, Fault, Faults, Kind, Library, Place, SubagentSettings, SubpromptSettings, ToolForm,
    ToolReference, ToolSettings, ToolStrategy, VariableType,
};
use crate::text::{did_you_mean, nearest};
use crate::tool::{
    BoundTool, CallSettings, FILES_DIR, ToolRegistry, ToolSet, ValueSources, Values,
};

/// Where tools, prompts and values come from.
#[derive(Debug, Clone, Copy)]
pub struct ToolResolver<'a> {
    /// The tools that are no prompts.
    pub registry: &'a ToolRegistry,
    /// The prompts that can be called.
    pub library: &'a Library,
    /// Values that the user gave on the command line.
    pub given: &'a BTreeMap<String, String>,
    /// The process environment.
    pub process: &'a BTreeMap<String, String>,
    /// The folder that tools may read, and that attachments come from.
    pub files: Option<&'a Path>,
}

impl ToolResolver<'_> {
    /// Tools and prompts by name, for a root without a definition. `place` is what errors name.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn of_names(&self, names: &[String], place: &str) -> Result<AgentTools, Faults> {
        let references = names.iter().map(|name| ToolReference {
            name: name.clone(),
            form: ToolForm::Plain,
        });
        let at = |_: usize, _: &str| Place {
            file: place.to_owned(),
            ..Place::default()
        };
        self.equip(&references.collect::<Vec<_>>(), None, &at)
    }

    /// What a definition lists. Nothing where its `toolChoice` is `none`.
    ///
    /// # Errors
    /// As for [`ToolResolver::of_names`].
    pub fn of_definition(&self, definition: &Definition) -> Result<AgentTools, Faults> {
        let listed: &[ToolReference] = match definition.tool_choice {
            ToolStrategy::None => &[],
            ToolStrategy::Auto | ToolStrategy::Required => &definition.tools,
        };
        let at = |index: usize, of: &str| definition.place(&format!("tools[{index}]{of}"));
        self.equip(listed, Some(definition), &at)
    }

    /// The names among those given on the command line that no tool and no prompt reads.
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

    /// The values of secret variables of all tools and definitions, from every source.
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

    /// Whether no prompt that a run sends holds a secret: that of the root, those that may be called, and sections of the
    /// user's own.
    ///
    /// # Errors
    /// Every place that holds one.
    pub fn check_secrets(
        &self,
        root: Option<&Definition>,
        tools: &AgentTools,
    ) -> Result<(), Faults> {
        let values = self.secret_values();
        let called = tools.specialists.keys();
        let called = called.filter_map(|name| self.library.find(name));
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

    fn equip(
        &self,
        references: &[ToolReference],
        of: Option<&Definition>,
        at: &dyn Fn(usize, &str) -> Place,
    ) -> Result<AgentTools, Faults> {
        let mut work = Work {
            resolver: self,
            wanted: Vec::new(),
            faults: Vec::new(),
        };
        // Those of a definition with tools are looked up with each tool.
        if let Some(definition) = of.filter(|_| references.is_empty()) {
            work.check_variables(definition);
        }
        let root = work.tool_set(references, of, at);
        let mut specialists = Specialists::new();
        while let Some(name) = work.wanted.pop() {
            if let Some(definition) = self.library.find(&name)
                && !specialists.contains_key(&name)
            {
                let specialist = work.specialist(definition);
                specialists.insert(name, Arc::new(specialist));
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

/// What is being put together.
struct Work<'a> {
    resolver: &'a ToolResolver<'a>,
    /// Prompts that some tool set has and that are yet to be made ready.
    wanted: Vec<String>,
    faults: Vec<Fault>,
}

impl Work<'_> {
    fn fault(&mut self, place: Place, problem: impl Into<String>) {
        self.faults.push(Fault {
            place,
            problem: problem.into(),
            includes: Vec::new(),
        });
    }

    fn tool_set(
        &mut self,
        references: &[ToolReference],
        of: Option<&Definition>,
        at: &dyn Fn(usize, &str) -> Place,
    ) -> ToolSet {
        let mut given = Vec::new();
        for (index, reference) in references.iter().enumerate() {
            let before = self.faults.len();
            if let ToolForm::Subagent(settings) = &reference.form {
                for (property, problem) in settings.unsupported() {
                    self.fault(at(index, &format!(".{property}")), problem);
                }
            }
            if self.faults.len() > before {
                continue;
            }
            match self.entry(reference, of) {
                Ok(Some(tool)) => given.push(tool),
                Ok(None) => {}
                Err(problem) => self.fault(at(index, ""), problem),
            }
        }
        ToolSet::new(given).unwrap_or_else(|error| {
            self.fault(at(0, ""), error.to_string());
            ToolSet::default()
        })
    }

    /// One entry, or nothing for one that is left out.
    fn entry(
        &mut self,
        reference: &ToolReference,
        of: Option<&Definition>,
    ) -> Result<Option<BoundTool>, String> {
        let name = &reference.name;
        if let Some(prompt) = self.resolver.library.find(name)
            && prompt.kind == Kind::Prompt
        {
            return self.prompt(prompt, reference, of);
        }
        let Ok(tool) = self.resolver.registry.get(name) else {
            let prompts = self.resolver.library.iter();
            let prompts = prompts.filter(|prompt| prompt.kind == Kind::Prompt);
            let known: Vec<String> = prompts
                .map(|prompt| prompt.name.clone())
                .chain(
                    self.resolver
                        .registry
                        .all()
                        .map(|tool| tool.spec().name.clone()),
                )
                .collect();
            let near = nearest(name, known.iter().map(String::as_str));
            let hint = did_you_mean(near.as_deref(), &known);
            return Err(format!("unknown tool `{name}`{hint}"));
        };
        let settings = match &reference.form {
            ToolForm::Plain => ToolSettings::default(),
            ToolForm::Tool(settings) => settings.clone(),
            ToolForm::Subprompt(_) | ToolForm::Subagent(_) => {
                return Err(format!(
                    "`{name}` is a tool, and its settings are those of a prompt"
                ));
            }
        };
        let none = BTreeMap::new();
        let mut variables = of.map_or_else(Vec::new, |definition| definition.variables.clone());
        for variable in tool.variables() {
            if variables.iter().all(|known| known.name != variable.name) {
                variables.push(variable.clone());
            }
        }
        let sources = ValueSources {
            given: self.resolver.given,
            process: self.resolver.process,
            tool: &settings.env,
            prompt: of.map_or(&none, |definition| &definition.env),
        };
        let mut values = Values::resolve(&variables, sources).map_err(|error| error.to_string())?;
        if let Some(folder) = self.resolver.files {
            values = values.with(FILES_DIR, folder.display().to_string());
        }
        BoundTool::tool(tool, values, settings.options)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    fn prompt(
        &mut self,
        prompt: &Definition,
        reference: &ToolReference,
        of: Option<&Definition>,
    ) -> Result<Option<BoundTool>, String> {
        let name = &prompt.name;
        let settings = match &reference.form {
            ToolForm::Plain => CallSettings::from(&SubpromptSettings::default()),
            ToolForm::Subprompt(settings) => CallSettings::from(settings),
            ToolForm::Tool(_) => {
                return Err(format!(
                    "`{name}` is a prompt, and `env` and `options` are those of a tool"
                ));
            }
            ToolForm::Subagent(settings) => match self.subagent(settings, of) {
                Some(settings) => settings,
                None => return Ok(None),
            },
        };
        self.wanted.push(name.clone());
        BoundTool::specialist(prompt, settings)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    /// The settings of an agent, or nothing where its `optional` variable has no value.
    fn subagent(
        &self,
        settings: &SubagentSettings,
        of: Option<&Definition>,
    ) -> Option<CallSettings> {
        if let Some(variable) = &settings.optional {
            let has = |values: &BTreeMap<String, String>| {
                values.get(variable).is_some_and(|value| !value.is_empty())
            };
            let declared = of.is_some_and(|definition| {
                definition
                    .variables
                    .iter()
                    .any(|known| known.name == *variable)
            });
            let known = has(self.resolver.given)
                || declared && has(self.resolver.process)
                || of.is_some_and(|definition| has(&definition.env));
            if !known {
                return None;
            }
        }
        Some(CallSettings::from(settings))
    }

    /// Says which required variables of a definition have no value, whether or not a tool reads them.
    fn check_variables(&mut self, definition: &Definition) {
        let none = BTreeMap::new();
        let sources = ValueSources {
            given: self.resolver.given,
            process: self.resolver.process,
            tool: &none,
            prompt: &definition.env,
        };
        if let Err(error) = Values::resolve(&definition.variables, sources) {
            self.fault(definition.place("variables"), error.to_string());
        }
    }

    fn specialist(&mut self, definition: &Definition) -> Specialist {
        if definition.tools.is_empty() {
            self.check_variables(definition);
        }
        let prompt = match self.resolver.library.resolve(definition) {
            Ok(prompt) => prompt.text(),
            Err(faults) => {
                self.faults.extend(faults.0);
                String::new()
            }
        };
        let tools = if definition.tool_choice == ToolStrategy::None {
            ToolSet::default()
        } else {
            let at = |index: usize, of: &str| definition.place(&format!("tools[{index}]{of}"));
            self.tool_set(&definition.tools, Some(definition), &at)
        };
        Specialist {
            name: definition.name.clone(),
            prompt,
            model: definition.model.clone(),
            tools,
            files: self.resolver.files.map(Arc::from),
            settings: Arc::default(),
        }
    }
}
