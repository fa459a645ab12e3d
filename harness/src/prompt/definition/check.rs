//! Checks the references in definitions: models, tools, hooks, variables and includes.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::Fault;
use super::library::Library;
use super::properties::{Definition, Kind, Sides, VariableType};
use super::slots::{missing_slot, misspelled_slots};
use super::tool_settings::{Side, SubagentSettings, SubpromptSettings, ToolForm, ToolReference};
use crate::text::hint_for_unknown;

/// Names that definitions may use, in addition to the names of other definitions.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Valid values of `model`.
    pub models: Vec<String>,
    /// Valid prefixes of any other `model`, for example `openai/`.
    pub model_prefixes: Vec<String>,
    /// Tools other than callable prompts, each with the environment variables that it reads.
    pub tools: BTreeMap<String, Vec<String>>,
    /// Names of the available hooks.
    pub hooks: Vec<String>,
}

impl Library {
    /// Returns the faults of all definitions, sorted by file and line. Omits faults of partial
    /// definitions that may follow from the ones already reported.
    pub fn check(&self, known: &Known) -> Vec<Fault> {
        let mut faults = Vec::new();
        for definition in self.iter() {
            faults.extend(self.check_one(definition, known));
        }
        for (definition, reported) in self.partial() {
            let more = self.check_one(definition, known);
            faults.extend(more.into_iter().filter(|fault| {
                let own = fault.place.file == definition.source.to_string();
                !own || !reported
                    .iter()
                    .any(|field| follows(&fault.place.field, field))
            }));
        }
        once(faults)
    }

    /// Returns all faults of one definition and of its includes.
    pub fn check_one(&self, definition: &Definition, known: &Known) -> Vec<Fault> {
        let mut check = Check {
            library: self,
            known,
            definition,
            faults: Vec::new(),
        };
        if let Some(sides) = &definition.sides {
            check.sides(sides);
        } else {
            check.prompt();
        }
        if definition.kind == Kind::Prompt {
            check.model();
            check.hooks();
            check.tools();
            check.variables();
        }
        let mut faults = check.faults;
        faults.sort_by(|a, b| a.place.cmp(&b.place));
        faults
    }
}

/// Whether a fault in `field` may follow from the one already reported in `reported`, and need not
/// be reported as well.
fn follows(field: &str, reported: &str) -> bool {
    let is_inside = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    is_inside(field, reported)
        || field == "prompt" && is_inside(reported, field)
        || field.starts_with("env.")
            && (is_inside(reported, "variables") || is_inside(reported, "tools"))
}

/// Removes repeated faults, which are found through several definitions. Of equal faults, keeps the
/// one with the longest path of includes; of each include cycle, the first.
fn once(faults: Vec<Fault>) -> Vec<Fault> {
    let mut cycles: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    let mut kept: Vec<Fault> = Vec::new();
    for fault in faults {
        if let Some(last) = fault.includes.last()
            && let Some(start) = fault.includes.iter().position(|name| name == last)
            && start + 1 < fault.includes.len()
            && !cycles.insert(fault.includes[start..].iter().cloned().collect())
        {
            continue;
        }
        let same =
            |other: &&mut Fault| other.place == fault.place && other.problem == fault.problem;
        match kept.iter_mut().find(same) {
            Some(known) if known.includes.len() < fault.includes.len() => *known = fault,
            Some(_) => {}
            None => kept.push(fault),
        }
    }
    kept.sort_by(|a, b| a.place.cmp(&b.place));
    kept
}

struct Check<'a> {
    library: &'a Library,
    known: &'a Known,
    definition: &'a Definition,
    faults: Vec<Fault>,
}

impl Check<'_> {
    fn fault(&mut self, field: &str, problem: impl Into<String>) {
        self.faults
            .push(Fault::new(self.definition.place(field), problem));
    }

    fn unknown(
        &mut self,
        field: &str,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = impl AsRef<str>>,
    ) {
        let known = known.into_iter().map(|name| name.as_ref().to_owned());
        let known: Vec<String> = known.collect();
        let hint = hint_for_unknown(name, &known);
        self.fault(field, format!("unknown {what} `{name}`{hint}"));
    }

    /// Checks includes, secrets, and the slots of texts that replace bundled sections.
    fn prompt(&mut self) {
        let definition = self.definition;
        let resolved = self.library.resolve(definition);
        let secret_values: Vec<&str> = definition
            .variables
            .iter()
            .filter(|variable| variable.kind == VariableType::Secret)
            .filter_map(|variable| definition.env.get(&variable.name))
            .map(String::as_str)
            .collect();
        self.faults
            .extend(self.library.leaks(definition, &secret_values));
        for (field, text) in definition.prompt_texts() {
            for problem in misspelled_slots(&definition.name, text) {
                self.fault(&field, problem);
            }
        }
        match resolved {
            Ok(prompt) if prompt.text().trim().is_empty() => {
                self.fault("prompt", "is empty");
            }
            Ok(prompt) => {
                if let Some(problem) = missing_slot(&definition.name, &prompt.text()) {
                    self.fault("prompt", problem);
                }
            }
            Err(faults) => self.faults.extend(faults.0),
        }
    }

    fn model(&mut self) {
        let (known, model) = (self.known, &self.definition.model);
        let named = known.models.contains(model);
        let prefixed = known
            .model_prefixes
            .iter()
            .any(|prefix| model.len() > prefix.len() && model.starts_with(prefix.as_str()));
        if !named && !prefixed {
            let forms = known
                .model_prefixes
                .iter()
                .map(|prefix| format!("{prefix}…"));
            let names = known.models.iter().cloned().chain(forms);
            self.unknown("model", "model", model, names);
        }
    }

    fn hooks(&mut self) {
        for (at, hook) in self.definition.hooks.iter().flatten().enumerate() {
            if !hook.is_empty() && !self.known.hooks.contains(hook) {
                let field = format!("hooks[{at}]");
                self.unknown(&field, "hook", hook, &self.known.hooks);
            }
        }
    }

    /// Checks the agent's name, and that its sides are prompts.
    fn sides(&mut self, sides: &Sides) {
        self.name();
        for (field, problem) in self.library.side_faults(sides) {
            self.fault(field, problem);
        }
    }

    fn name(&mut self) {
        let name = &self.definition.name;
        if self.known.tools.contains_key(name) {
            let problem = format!("`{name}` is also the name of a tool");
            self.fault("name", problem);
        }
    }

    fn tools(&mut self) {
        let definition = self.definition;
        self.name();
        let tools = definition.tools.iter().enumerate();
        for (at, tool) in tools.filter(|(_, tool)| !tool.name.is_empty()) {
            let prompt = self
                .library
                .find(&tool.name)
                .filter(|definition| definition.kind.can_be_called());
            let at = format!("tools[{at}]");
            match (self.known.tools.get(&tool.name), prompt) {
                (Some(variables), _) => self.tool(&at, tool, variables),
                (None, Some(prompt)) => self.subprompt(&at, tool, prompt),
                (None, None) => self.unknown_tool(&at, tool),
            }
        }
    }

    fn unknown_tool(&mut self, at: &str, tool: &ToolReference) {
        let (known, library) = (self.known, self.library);
        if library.is_broken(&tool.name) {
            return;
        }
        if library.find(&tool.name).is_some() {
            let problem = format!(
                "`{}` is a fragment, which has no model and cannot be called",
                tool.name
            );
            self.fault(at, problem);
            return;
        }
        let prompts = library
            .iter()
            .filter(|definition| definition.kind.can_be_called())
            .map(|definition| &definition.name);
        let names = known.tools.keys().chain(prompts);
        self.unknown(at, "tool", &tool.name, names);
    }

    fn tool(&mut self, at: &str, tool: &ToolReference, variables: &[String]) {
        match &tool.form {
            ToolForm::Plain => {}
            ToolForm::Tool(settings) => {
                for name in settings.env.keys() {
                    if !variables.contains(name) {
                        self.unknown(&format!("{at}.env.{name}"), "variable", name, variables);
                    }
                }
            }
            ToolForm::Subprompt(_) | ToolForm::Subagent(_) => {
                let problem = format!(
                    "`{}` is a tool, but its configuration is for a prompt or agent; expected `env`, `options`",
                    tool.name
                );
                self.fault(at, problem);
            }
        }
    }

    fn subprompt(&mut self, at: &str, tool: &ToolReference, prompt: &Definition) {
        let (message, attachments, name) = match &tool.form {
            ToolForm::Plain => return,
            ToolForm::Tool(_) => {
                let problem = format!(
                    "`{}` is a prompt, but `env` and `options` are for tools",
                    tool.name
                );
                self.fault(at, problem);
                return;
            }
            ToolForm::Subprompt(SubpromptSettings {
                init_user_message_property: message,
                init_attachments_property: attachments,
                ..
            }) => (message, attachments, &None),
            ToolForm::Subagent(settings) => {
                self.subagent(at, settings, prompt);
                (
                    &settings.init_user_message_property,
                    &settings.init_attachments_property,
                    &settings.init_agent_name_property,
                )
            }
        };
        let properties = [
            ("initUserMessageProperty", message),
            ("initAttachmentsProperty", attachments),
            ("initAgentNameProperty", name),
        ];
        let Some(schema) = &prompt.required_schema else {
            return;
        };
        let inputs = schema.json().get("properties").and_then(|p| p.as_object());
        let inputs: Vec<&String> = inputs.into_iter().flat_map(serde_json::Map::keys).collect();
        for (field, property) in properties {
            if let Some(property) = property
                && !inputs.contains(&property)
            {
                let what = format!("input of `{}`", tool.name);
                self.unknown(&format!("{at}.{field}"), &what, property, &inputs);
            }
        }
    }

    fn subagent(&mut self, at: &str, settings: &SubagentSettings, child: &Definition) {
        for (property, problem) in settings.faults(self.definition, child) {
            self.fault(&format!("{at}.{property}"), problem);
        }
        let own = own_variables(self.definition);
        let mut named = vec![("optional".to_owned(), settings.optional.as_ref())];
        if let Some(immediate) = &settings.immediate {
            let (name, description) = (&immediate.name_env, &immediate.description_env);
            named.push(("immediate.nameEnv".to_owned(), name.as_ref()));
            named.push(("immediate.descriptionEnv".to_owned(), description.as_ref()));
            let of_child = own_variables(child);
            let scoped = immediate.scoped_env.iter().enumerate();
            named.extend(scoped.map(|(index, name)| {
                let is_foreign = !of_child.contains(name.as_str());
                (
                    format!("immediate.scopedEnv[{index}]"),
                    is_foreign.then_some(name),
                )
            }));
        }
        for (field, name) in named {
            if let Some(name) = name.filter(|name| !own.contains(name.as_str())) {
                let field = format!("{at}.{field}");
                self.unknown(&field, "variable", name, &own);
            }
        }
    }

    /// Checks that every variable in `env` is declared by the prompt, or read by a tool or prompt
    /// that it calls.
    fn variables(&mut self) {
        let (definition, known, library) = (self.definition, self.known, self.library);
        let mut variables = own_variables(definition);
        for tool in &definition.tools {
            let of_tool = known.tools.get(&tool.name).into_iter().flatten();
            variables.extend(of_tool.map(String::as_str));
            if let Some(prompt) = library.find(&tool.name) {
                variables.extend(own_variables(prompt));
            }
        }
        for name in definition.env.keys() {
            if !variables.contains(name.as_str()) {
                let field = format!("env.{name}");
                self.unknown(&field, "variable", name, &variables);
            }
        }
    }
}

fn own_variables(definition: &Definition) -> BTreeSet<&str> {
    let variables = definition.variables.iter();
    variables.map(|variable| variable.name.as_str()).collect()
}

impl SubagentSettings {
    /// Returns the settings that are invalid if `child` is listed in the `tools` of `of`: each
    /// property with the reason.
    pub fn faults(&self, of: &Definition, child: &Definition) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let declares = |definition: &Definition, name: &str, kind| {
            let mut variables = definition.variables.iter();
            variables.any(|variable| variable.name == name && variable.kind == kind)
        };
        if let Some(immediate) = &self.immediate {
            for (property, name) in [
                ("immediate.nameEnv", &immediate.name_env),
                ("immediate.descriptionEnv", &immediate.description_env),
            ] {
                if let Some(name) = name
                    && declares(of, name, VariableType::Secret)
                {
                    let problem = "is a secret, which must not be passed to an agent";
                    faults.push((property, problem.to_owned()));
                }
            }
            for name in &immediate.scoped_env {
                if declares(child, name, VariableType::Text)
                    && declares(of, name, VariableType::Secret)
                {
                    let problem =
                        format!("`{name}` is a secret here and a text in `{}`", child.name);
                    faults.push(("immediate.scopedEnv", problem));
                }
            }
        }
        let side_b = child.sides.as_ref().and_then(|sides| sides.side_b.as_ref());
        if let Some(resumable) = &self.resumable
            && resumable.receives_messages == Side::B
            && side_b.is_none()
        {
            let problem = format!(
                "`{}` has no side B that is an agent; expected `side_a`",
                child.name
            );
            faults.push(("resumable.receives_messages", problem));
        }
        faults
    }
}
