//! Catalog of a web agent's built-in and custom actions, with the descriptions that the model
//! reads.

use std::sync::{Arc, LazyLock};

use jsonschema::Validator;
use serde::Deserialize;
use serde_json::Value;

use super::texts::tool_section;
use crate::model::{ToolChoice, ToolSpec, ToolUse};
use crate::prompt::AgentTurnSettings;
use crate::prompt::sections::ACTIONS;

#[derive(Deserialize)]
struct Bundled {
    envelope: ToolSpec,
    actions: Vec<ToolSpec>,
    present: ToolSpec,
}

#[expect(clippy::expect_used, reason = "the bundled file is tested")]
static BUNDLED: LazyLock<Bundled> =
    LazyLock::new(|| serde_saphyr::from_str(ACTIONS).expect("agent-turn.yaml is well-formed"));

/// Actions available to the agent.
#[derive(Debug)]
pub(super) struct Catalog {
    entries: Vec<CatalogEntry>,
}

/// An action that the model can call.
#[derive(Debug)]
pub(super) struct CatalogEntry {
    spec: ToolSpec,
    validator: Validator,
    pub run: Run,
    pub confirm: bool,
}

/// How to run an action.
#[derive(Debug)]
pub(super) enum Run {
    /// Runs a built-in action on the page.
    Builtin,
    /// Does nothing on the page: `present_surface` is for the host.
    Present,
    /// Calls this JavaScript function on the page.
    Script(String),
}

/// Error for invalid settings of the agent-turn protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct AgentTurnError {
    /// Name of the field in the file.
    pub field: String,
    /// Description of the problem, and of valid values.
    pub problem: String,
}

impl AgentTurnError {
    pub(super) fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }
}

/// Returns the tools of requests: only `agent_turn`, as a forced call.
pub(super) fn tool_use() -> ToolUse {
    let envelope = &BUNDLED.envelope;
    ToolUse {
        choice: ToolChoice::Forced(envelope.name.clone()),
        specs: Arc::from([envelope.clone()]),
        parallel: false,
    }
}

/// Returns the name of the only native tool, `agent_turn`.
pub(super) fn envelope_name() -> &'static str {
    &BUNDLED.envelope.name
}

impl Catalog {
    /// Creates the catalog from the enabled built-in actions and the custom actions.
    ///
    /// # Errors
    /// Returns an error for an unknown or duplicate name, or for an invalid schema.
    pub fn new(settings: &AgentTurnSettings) -> Result<Self, AgentTurnError> {
        let builtin: Vec<&str> = BUNDLED
            .actions
            .iter()
            .map(|spec| spec.name.as_str())
            .collect();
        for name in &settings.disable_builtin_actions {
            if !builtin.contains(&name.as_str()) {
                let known = builtin.join(", ");
                return Err(AgentTurnError::new(
                    "disableBuiltinActions",
                    format!("unknown built-in action `{name}`: expected one of {known}"),
                ));
            }
        }
        let mut entries = Vec::new();
        let needs_confirmation = |name: &String| settings.confirm_actions.contains(name);
        let enabled = BUNDLED
            .actions
            .iter()
            .filter(|spec| !settings.disable_builtin_actions.contains(&spec.name))
            .map(|spec| (spec, Run::Builtin));
        let present = Some((&BUNDLED.present, Run::Present)).filter(|_| settings.allow_present);
        for (spec, run) in enabled.chain(present) {
            let confirm = needs_confirmation(&spec.name);
            entries.push(CatalogEntry::new(spec.clone(), run, confirm, "actions")?);
        }
        for (index, custom) in settings.custom_actions.iter().enumerate() {
            let field = format!("customActions[{index}]");
            let taken = entries.iter().any(|entry| entry.spec.name == custom.name);
            if custom.name.is_empty() || custom.name == "narrate" || taken {
                return Err(AgentTurnError::new(
                    format!("{field}.name"),
                    format!(
                        "`{}` is empty or already used: expected a unique name",
                        custom.name
                    ),
                ));
            }
            let spec = ToolSpec {
                name: custom.name.clone(),
                description: custom.description.clone(),
                parameters: custom.parameters.clone(),
            };
            let run = Run::Script(custom.script.clone());
            let confirm = custom.confirm || needs_confirmation(&custom.name);
            entries.push(CatalogEntry::new(spec, run, confirm, &field)?);
        }
        let mut catalog = Self { entries };
        for name in &settings.confirm_actions {
            if catalog.get(name).is_none() {
                let problem = unknown(name, &catalog.names().join(", "));
                return Err(AgentTurnError::new("confirmActions", problem));
            }
        }
        for (name, changed) in &settings.action_overrides {
            let names = catalog.names().join(", ");
            let Some(entry) = catalog
                .entries
                .iter_mut()
                .find(|entry| entry.spec.name == *name)
            else {
                return Err(AgentTurnError::new(
                    "actionOverrides",
                    unknown(name, &names),
                ));
            };
            if let Some(description) = &changed.description {
                entry.spec.description.clone_from(description);
            } else if let Some(more) = &changed.append_description {
                entry.spec.description = format!("{}\n{more}", entry.spec.description.trim_end());
            }
        }
        Ok(catalog)
    }

    /// Returns the action with this name.
    pub fn get(&self, name: &str) -> Option<&CatalogEntry> {
        self.entries.iter().find(|entry| entry.spec.name == name)
    }

    /// Returns the names of all actions, in order.
    pub fn names(&self) -> Vec<&str> {
        let names = self.entries.iter();
        names.map(|entry| entry.spec.name.as_str()).collect()
    }

    /// Formats all actions for the system prompt.
    pub fn reference(&self) -> String {
        let tools: Vec<String> = self
            .entries
            .iter()
            .map(|entry| {
                let schema = serde_json::to_string_pretty(&entry.spec.parameters);
                tool_section(
                    &entry.spec.name,
                    &entry.spec.description,
                    &schema.unwrap_or_default(),
                )
            })
            .collect();
        tools.join("\n\n")
    }
}

impl CatalogEntry {
    fn new(spec: ToolSpec, run: Run, confirm: bool, field: &str) -> Result<Self, AgentTurnError> {
        let error = |problem: String| AgentTurnError::new(format!("{field}.parameters"), problem);
        if spec.parameters.get("type").and_then(Value::as_str) != Some("object") {
            return Err(error(
                "expected a JSON Schema with `type: object`, because arguments are named"
                    .to_owned(),
            ));
        }
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&spec.parameters)
            .map_err(|fault| error(format!("invalid JSON Schema: {fault}")))?;
        Ok(Self {
            spec,
            validator,
            run,
            confirm,
        })
    }

    /// Validates arguments against the schema.
    ///
    /// # Errors
    /// Returns the violations, as text for the model.
    pub fn check(&self, args: &Value) -> Result<(), String> {
        let faults: Vec<String> = self
            .validator
            .iter_errors(args)
            .take(MOST_FAULTS)
            .map(|fault| {
                let place = fault.instance_path().to_string();
                let place = if place.is_empty() {
                    "args".to_owned()
                } else {
                    format!("args{place}")
                };
                let problem: String = fault.to_string().chars().take(LONGEST_FAULT).collect();
                format!("{place}: {problem}")
            })
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("; "))
        }
    }
}

const MOST_FAULTS: usize = 5;
const LONGEST_FAULT: usize = 300;

fn unknown(name: &str, known: &str) -> String {
    format!("unknown action `{name}`: expected one of {known}")
}
