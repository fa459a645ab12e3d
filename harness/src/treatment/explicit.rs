//! Settings that were given explicitly, each with a function that resets it to its default.
//!
//! A setting in a group of [`settings`](crate::settings) is checked without any code here; a new
//! group needs a row in [`GROUPS`]. Another setting with one value needs a row in [`SETTINGS`].
//! Models, and settings with several values such as drivers, have constructors instead, because
//! each value is checked separately.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{ExperimentPlan, Treatment};
use crate::agent::{
    AgentSettings, CHILD_MODEL, COMPACTION_MODEL, LLM_MODEL, MODEL_ALIAS, MODEL_AT_DEPTH, ModelSlot,
};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::settings::{
    self, CompactionSettings, IterationSettings, PageSettings, PromptSettings, ProtocolSettings,
    ReplSettings, SettingsGroup,
};
use crate::tool::ToolSet;

pub(super) const PROMPT: &str = "--prompt";
pub(super) const REPLACEMENT: &str = "--system-prompt-file";
pub(super) const ACTION_OVERRIDES: &str = "--action-overrides";
const PROFILE: &str = "--profile";
const DRIVERS: &str = "--drivers";
const TOOLS: &str = "--tools";
const WEB_AGENT: &str = "--web-agent";
pub(super) const HOOKS: &str = "--hooks";

/// A setting that was given explicitly. It must affect at least one agent.
#[derive(Clone)]
pub struct ExplicitSetting {
    /// Flag of the setting.
    pub flag: Cow<'static, str>,
    /// Value shown after the flag in messages; empty if only the flag is shown.
    pub value: String,
    /// Whether the setting is a limit. A limit without effect is harmless: scripts set the same
    /// limits for all protocols, and labels of runs do not contain limits.
    pub is_limit: bool,
    reset: Arc<dyn Fn(&mut Treatment) + Send + Sync>,
}

impl ExplicitSetting {
    /// Returns the flags of all settings that are checked.
    pub fn flags() -> impl Iterator<Item = String> {
        const OTHERS: [&str; 6] = [PROMPT, PROFILE, DRIVERS, TOOLS, HOOKS, WEB_AGENT];
        const OF_MODELS: [&str; 5] = [
            MODEL_ALIAS,
            CHILD_MODEL,
            LLM_MODEL,
            MODEL_AT_DEPTH,
            COMPACTION_MODEL,
        ];
        let rows = SETTINGS.iter().map(|row| row.flag);
        let listed = rows.chain(OTHERS).chain(OF_MODELS).map(str::to_owned);
        let in_groups = GROUPS.iter().flat_map(|group| (group.flags)());
        listed.chain(in_groups)
    }

    fn new(
        flag: impl Into<Cow<'static, str>>,
        value: &str,
        reset: impl Fn(&mut Treatment) + Send + Sync + 'static,
    ) -> Self {
        Self {
            flag: flag.into(),
            value: value.to_owned(),
            is_limit: false,
            reset: Arc::new(reset),
        }
    }

    /// Creates the setting `--drivers NAME` for one of the root's drivers.
    pub fn driver(name: &str) -> Self {
        let driver = name.to_owned();
        Self::new(DRIVERS, name, move |run| {
            run.drivers.retain(|other| other.name != driver);
        })
    }

    /// Creates the setting `--profile NAME`. `drivers` are the profile's drivers, except those that
    /// are also given with `--drivers`.
    pub fn profile(name: &str, drivers: Vec<String>) -> Self {
        Self::new(PROFILE, name, move |run| {
            run.drivers.retain(|driver| !drivers.contains(&driver.name));
        })
    }

    fn prompt(name: &str) -> Self {
        Self::new(PROMPT, name, |run| {
            run.overrides.definition = None;
            run.root = AgentSettings::default();
        })
    }

    /// Creates the setting `--tools NAME` for one of the root's tools.
    pub fn tool(name: &str) -> Self {
        let tool = name.to_owned();
        Self::new(TOOLS, name, move |run| {
            run.tools.root = run.tools.root.without(&tool);
        })
    }

    /// Creates the setting `--hooks NAME` for one of the run's hooks.
    pub fn hook(name: &str) -> Self {
        let hook = name.to_owned();
        Self::new(HOOKS, name, move |run| {
            run.hooks.retain(|other| other.name() != hook);
        })
    }

    /// Creates the setting `--web-agent`.
    pub fn web_agent() -> Self {
        Self::new(WEB_AGENT, "", |run| run.web = AgentTurnSettings::default())
    }

    /// Creates the setting of a slot's model, for example `--model-alias ALIAS`.
    pub fn model(slot: ModelSlot) -> Self {
        Self::new(slot.flag(), &slot.value(), move |run| {
            run.models.remove(&slot);
        })
    }

    /// Returns a copy of `from` in which this setting has its default.
    pub(super) fn removed(&self, from: &Treatment) -> Treatment {
        let mut run = from.clone();
        (self.reset)(&mut run);
        run
    }

    /// Returns the setting that implies this one, if any.
    pub(super) fn implied_by(&self, run: &Treatment) -> Option<String> {
        let name = &self.value;
        match &*self.flag {
            DRIVERS => {
                let (profile, drivers) = run.implied.profile.as_ref()?;
                let is_implied = drivers.contains(name);
                is_implied.then(|| format!("--profile {profile}"))
            }
            TOOLS => {
                let definition = &run.overrides.definition.as_ref()?.name;
                let in_set = |tools: &ToolSet| Some(tools.named(name)?.digest());
                let implied = in_set(&run.implied.tools)?;
                let is_implied = in_set(&run.tools.root) == Some(implied);
                is_implied.then(|| format!("--prompt {definition}"))
            }
            _ => None,
        }
    }

    /// Whether resetting the setting changes the plan of a run. False if another setting implies
    /// it.
    pub(super) fn has_effect(&self, run: &Treatment, plan: &ExperimentPlan) -> bool {
        if self.implied_by(run).is_some() {
            return false;
        }
        let without = self.removed(run).plan();
        match &*self.flag {
            // A definition is selected for its text, so its other properties do not count.
            PROMPT => system_of_root(&without) != system_of_root(plan),
            _ => without != *plan,
        }
    }
}

fn system_of_root(plan: &ExperimentPlan) -> Option<&str> {
    plan.agents.first().map(|root| root.system.as_str())
}

/// Formats the setting as on a command line.
impl fmt::Display for ExplicitSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.flag)?;
        if self.value.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.value)
    }
}

impl fmt::Debug for ExplicitSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for ExplicitSetting {
    fn eq(&self, other: &Self) -> bool {
        (&self.flag, &self.value) == (&other.flag, &other.value)
    }
}

impl Eq for ExplicitSetting {}

/// A group of settings in a treatment.
struct Group {
    flags: fn() -> Vec<String>,
    /// Returns the settings that differ from their defaults.
    changed: fn(&Treatment) -> Vec<ExplicitSetting>,
}

/// Creates the row of a group, given its type and its field in [`Treatment`].
macro_rules! group {
    ($Group:ty, $($field:ident).+) => {
        Group {
            flags: || {
                let fields = settings::fields(&<$Group>::default()).into_iter();
                fields.map(|(key, _)| flag_of::<$Group>(&key)).collect()
            },
            changed: |run| changed_in(&run.$($field).+, |run| &mut run.$($field).+),
        }
    };
}

static GROUPS: [Group; 6] = [
    group!(PromptSettings, prompts),
    group!(PageSettings, pages),
    group!(CompactionSettings, compaction.settings),
    group!(IterationSettings, iterations),
    group!(ReplSettings, repl),
    group!(ProtocolSettings, protocols),
];

fn flag_of<G: SettingsGroup>(key: &str) -> String {
    format!("--{}", G::flag(key))
}

/// Returns the changed settings of a group.
fn changed_in<G: SettingsGroup + 'static>(
    group: &G,
    in_run: fn(&mut Treatment) -> &mut G,
) -> Vec<ExplicitSetting> {
    let changed = group.changed().into_iter();
    let settings = changed.map(|(key, value)| {
        let is_limit = G::LIMITS.contains(&key.as_str());
        let flag = flag_of::<G>(&key);
        let reset = move |run: &mut Treatment| in_run(run).reset(&key);
        ExplicitSetting {
            is_limit,
            ..ExplicitSetting::new(flag, &shown(&value), reset)
        }
    });
    settings.collect()
}

/// Returns the value as in a flag.
fn shown(value: &Value) -> String {
    match value {
        // A switch.
        Value::Bool(true) => String::new(),
        Value::String(word) => word.clone(),
        // Seconds: 5, not 5.0.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(shown).collect();
            values.join(",")
        }
        other => other.to_string(),
    }
}

/// A setting with one value outside the groups.
struct Row {
    flag: &'static str,
    /// Value shown after the flag in messages, as in [`ExplicitSetting::value`].
    value: &'static str,
    /// Whether the setting differs from its default.
    differs: fn(&Treatment) -> bool,
    reset: fn(&mut Treatment),
}

/// Creates the row of a flag that sets this field of [`Treatment`].
macro_rules! row {
    ($flag:expr, $($field:ident).+) => {
        Row {
            flag: $flag,
            value: "",
            differs: |run| run.$($field).+ != Treatment::default().$($field).+,
            reset: |run| run.$($field).+ = Treatment::default().$($field).+,
        }
    };
}

static SETTINGS: [Row; 9] = [
    row!("--agent-name", overrides.agent_name),
    row!("--site", overrides.site),
    Row {
        differs: |run| !run.overrides.persona.trim().is_empty(),
        ..row!("--persona", overrides.persona)
    },
    Row {
        differs: |run| !run.overrides.append.trim().is_empty(),
        ..row!("--append-system-prompt", overrides.append)
    },
    row!(REPLACEMENT, overrides.replacement),
    row!(ACTION_OVERRIDES, overrides.actions),
    row!("--stop-early", stop_early),
    Row {
        value: "extended",
        ..row!("--repl-api", overrides.repl_api)
    },
    row!("--answer-schema", answer_schema),
];

impl Treatment {
    /// Returns the explicit settings with a single value, the root's definition, and the models of
    /// callers that name none. A single value is explicit if it differs from its default.
    pub fn explicit(&self) -> Vec<ExplicitSetting> {
        let in_groups = GROUPS.iter().flat_map(|group| (group.changed)(self));
        let mut explicit: Vec<ExplicitSetting> = in_groups.collect();
        let given = SETTINGS.iter().filter(|row| (row.differs)(self));
        explicit.extend(given.map(|row| ExplicitSetting::new(row.flag, row.value, row.reset)));
        let slots = self.models.assignments().map(|(slot, _)| slot.clone());
        let (at_depth, others): (Vec<_>, Vec<_>) =
            slots.partition(|slot| matches!(slot, ModelSlot::Depth(_)));
        explicit.extend(others.into_iter().map(ExplicitSetting::model));
        let definition = self.overrides.definition.as_ref();
        explicit.extend(definition.map(|definition| ExplicitSetting::prompt(&definition.name)));
        explicit.extend(at_depth.into_iter().map(ExplicitSetting::model));
        explicit
    }
}
