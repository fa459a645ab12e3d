//! The two groups of a run's settings: the treatment, which can change answers, and the conduct,
//! which cannot.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sandbox::{Isolation, WorkerCommand};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{AgentSettings, AgentTools, Budget, Compaction, ModelMap};
use crate::hook::Hook;
use crate::model::Protocol;
use crate::prompt::{AgentTurnSettings, AnswerSchema, Driver, PromptOverrides};
use crate::settings::{
    IterationSettings, PageSettings, PromptSettings, ProtocolSettings, ReplSettings, SettingsGroup,
};
use crate::tool::ToolSet;

/// Settings that can change an answer, except the models.
///
/// The run records the serialized form, and the fingerprint is computed from it. Fields that
/// serialization skips are recorded elsewhere, as their comments explain.
#[derive(Clone, Serialize)]
pub struct Treatment {
    /// Protocol of the agents.
    pub protocol: Protocol,
    /// Settings that determine the built-in prompts. Mode and depth are recorded in
    /// [`Effective`](crate::treatment::Effective), the code format with the sampling settings.
    #[serde(flatten, serialize_with = "others")]
    pub prompts: PromptSettings,
    /// Drivers of the root, in order.
    #[serde(serialize_with = "drivers")]
    pub drivers: Vec<Driver>,
    /// Hooks for all agents whose prompts list none.
    #[serde(serialize_with = "hooks")]
    pub hooks: Vec<Arc<dyn Hook>>,
    /// Tools and prompts that agents may call.
    #[serde(rename = "tools")]
    pub tools: AgentTools,
    /// Overrides of the prompts.
    #[serde(rename = "prompt_layers")]
    pub overrides: PromptOverrides,
    /// Request settings of the root's definition. Recorded in the hash of `overrides`.
    #[serde(skip)]
    pub root: AgentSettings,
    /// Limits and printing of the REPL. `jitless` is also set in [`Conduct::isolation`].
    #[serde(flatten, serialize_with = "repl")]
    pub repl: ReplSettings,
    /// Settings of iterations. `max_iterations` is recorded like the prompt mode.
    #[serde(flatten, serialize_with = "iterations")]
    pub iterations: IterationSettings,
    /// Settings of individual protocols. Only changed ones are recorded.
    #[serde(flatten, serialize_with = "others")]
    pub protocols: ProtocolSettings,
    /// Maximum wall time of one attempt.
    #[serde(rename = "attempt_timeout_s", serialize_with = "seconds")]
    pub attempt_time: Duration,
    /// Settings for shortening long conversations.
    #[serde(flatten, serialize_with = "compaction")]
    pub compaction: Compaction,
    /// Schema that the root's answer must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_schema: Option<AnswerSchema>,
    /// Budget of one attempt with all its agents; `attempt_time` is its time limit.
    pub attempt_budget: Budget,
    /// Settings of the web agent.
    #[serde(rename = "web_agent", serialize_with = "undated")]
    pub web: AgentTurnSettings,
    /// Additions to page dumps in all protocols with web pages.
    #[serde(flatten, serialize_with = "pages")]
    pub pages: PageSettings,
    /// Whether a streamed response is stopped after the last code block that may run. Recorded with
    /// the sampling settings.
    #[serde(skip)]
    pub stop_early: bool,
    /// References of the models; that of the main model is empty if it is unknown. Recorded with
    /// the models.
    #[serde(skip)]
    pub models: ModelMap<String>,
    /// Values implied by other settings, already applied to the fields above.
    #[serde(skip)]
    pub implied: ImpliedSettings,
}

impl fmt::Debug for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recorded = serde_json::to_value(self).unwrap_or_default();
        f.debug_tuple("Treatment").field(&recorded).finish()
    }
}

/// Values implied by other settings. Setting the same value explicitly has no effect.
#[derive(Clone, Default)]
pub struct ImpliedSettings {
    /// Name of the selected profile and names of its drivers.
    pub profile: Option<(String, Vec<String>)>,
    /// Tools of the root's definition.
    pub tools: ToolSet,
}

impl Default for Treatment {
    /// Returns the `rlm` protocol with default settings, without drivers, hooks and tools.
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            prompts: PromptSettings::default(),
            drivers: Vec::new(),
            hooks: Vec::new(),
            tools: AgentTools::default(),
            overrides: PromptOverrides::default(),
            root: AgentSettings::default(),
            repl: ReplSettings::default(),
            iterations: IterationSettings::default(),
            protocols: ProtocolSettings::default(),
            attempt_time: Duration::from_hours(1),
            compaction: Compaction::default(),
            answer_schema: None,
            attempt_budget: Budget::default(),
            web: AgentTurnSettings::default(),
            pages: PageSettings::default(),
            stop_early: false,
            models: ModelMap::new(String::new()),
            implied: ImpliedSettings::default(),
        }
    }
}

/// Settings that cannot change an answer. The run records the serialized form.
#[derive(Debug, Clone, Serialize)]
pub struct Conduct {
    /// Whether JavaScript runs in threads of this process or in worker processes.
    #[serde(flatten, serialize_with = "place")]
    pub isolation: Isolation,
    /// Whether screenshots of pages are included in trajectories.
    pub screenshots: bool,
    /// Budget of all attempts together. Recorded with the budget of each attempt.
    #[serde(skip)]
    pub budget: Budget,
}

impl Default for Conduct {
    /// Returns isolation in threads of this process and an unlimited budget.
    fn default() -> Self {
        Self {
            isolation: Isolation::Thread,
            screenshots: false,
            budget: Budget::default(),
        }
    }
}

fn drivers<S: Serializer>(drivers: &[Driver], serializer: S) -> Result<S::Ok, S::Error> {
    let named = |driver: &Driver| json!({ "name": driver.name, "sha256": driver.digest });
    serializer.collect_seq(drivers.iter().map(named))
}

fn hooks<S: Serializer>(hooks: &[Arc<dyn Hook>], serializer: S) -> Result<S::Ok, S::Error> {
    let named = |hook: &Arc<dyn Hook>| json!({ "name": hook.name(), "version": hook.digest() });
    serializer.collect_seq(hooks.iter().map(named))
}

/// Serializes the limits and the print style in the units of the sandbox.
fn repl<S: Serializer>(repl: &ReplSettings, serializer: S) -> Result<S::Ok, S::Error> {
    let mut recorded = repl.others();
    recorded.insert("sandbox".to_owned(), json!(repl.config()));
    recorded.serialize(serializer)
}

/// Serializes the settings without the maximum.
fn iterations<S: Serializer>(all: &IterationSettings, serializer: S) -> Result<S::Ok, S::Error> {
    let mut recorded = all.others();
    let blocks = all.max_blocks_per_iteration;
    recorded.insert("max_blocks_per_iteration".to_owned(), blocks.into());
    let confirms = all.confirm_first_return;
    recorded.insert("confirm_first_return".to_owned(), confirms.into());
    recorded.serialize(serializer)
}

fn others<S: Serializer>(settings: &impl SettingsGroup, serializer: S) -> Result<S::Ok, S::Error> {
    settings.others().serialize(serializer)
}

fn compaction<S: Serializer>(compaction: &Compaction, serializer: S) -> Result<S::Ok, S::Error> {
    let mut recorded = compaction.settings.others();
    if !compaction.is_default() {
        recorded.insert("compaction".to_owned(), json!(compaction));
    }
    recorded.serialize(serializer)
}

fn pages<S: Serializer>(pages: &PageSettings, serializer: S) -> Result<S::Ok, S::Error> {
    let mut recorded = pages.others();
    let dump = pages.extensions();
    if !dump.is_plain() {
        recorded.insert("page_dump".to_owned(), json!(dump));
    }
    recorded.serialize(serializer)
}

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Serializes the settings without the date, which does not distinguish experiments.
fn undated<S: Serializer>(web: &AgentTurnSettings, serializer: S) -> Result<S::Ok, S::Error> {
    let undated = AgentTurnSettings {
        date: None,
        ..web.clone()
    };
    undated.serialize(serializer)
}

fn place<S: Serializer>(isolation: &Isolation, serializer: S) -> Result<S::Ok, S::Error> {
    let (word, shared_by): (_, Value) = match isolation {
        Isolation::Thread => ("thread", Value::Null),
        Isolation::Process(WorkerCommand {
            strict, sessions, ..
        }) => (if *strict { "strict" } else { "process" }, json!(sessions)),
    };
    json!({ "isolation": word, "attempts_per_worker": shared_by }).serialize(serializer)
}
