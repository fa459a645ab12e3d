//! The two groups of a run's settings: what can change an answer, and how the run is carried out.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sandbox::{Isolation, WorkerCommand};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{AgentSettings, AgentTools, Budget, Compaction, ModelAssignments, ProtocolSettings};
use crate::hook::Hook;
use crate::model::Protocol;
use crate::model::web::DumpAlso;
use crate::prompt::{
    AgentTurnSettings, AnswerSchema, Driver, ModelAlias, PromptMode, PromptOverrides,
};
use crate::tool::ToolSet;

/// Default of `--max-depth`.
pub const DEFAULT_MAX_DEPTH: u32 = 2;
/// Default of `--max-iterations`.
pub const DEFAULT_MAX_ITERATIONS: u32 = 15;

/// Everything that shapes an agent, except the models.
///
/// The serialized form is what a run records and what the fingerprint is computed from; each field
/// is a part of both. Skipped fields are recorded elsewhere, as their comments explain.
#[derive(Clone, Serialize)]
pub struct Treatment {
    /// Protocol of the agents.
    pub protocol: Protocol,
    /// Prompt mode of the root, if its prompt has modes. The mode in effect is recorded in
    /// [`Effective`](crate::treatment::Effective).
    #[serde(skip)]
    pub prompt_mode: PromptMode,
    /// Drivers of the root, in order.
    #[serde(serialize_with = "drivers")]
    pub drivers: Vec<Driver>,
    /// Hooks of the run, for all agents whose prompts list none.
    #[serde(serialize_with = "hooks")]
    pub hooks: Vec<Arc<dyn Hook>>,
    /// What agents may call besides each other.
    #[serde(rename = "tools")]
    pub tools: AgentTools,
    /// Overrides of the prompts.
    #[serde(rename = "prompt_layers")]
    pub overrides: PromptOverrides,
    /// Request settings of the root's definition in `overrides`, whose hash covers them.
    #[serde(skip)]
    pub root: AgentSettings,
    /// Depth at which agents are flat. Recorded like the mode.
    #[serde(skip)]
    pub max_depth: u32,
    /// Maximum iterations of the root; children get fewer by depth. Recorded like the mode.
    #[serde(skip)]
    pub max_iterations: u32,
    /// How code runs.
    #[serde(flatten)]
    pub repl: ReplTreatment,
    /// Settings of single protocols.
    #[serde(flatten)]
    pub settings: ProtocolSettings,
    /// Wall time of one attempt.
    #[serde(rename = "attempt_timeout_s", serialize_with = "seconds")]
    pub attempt_time: Duration,
    /// What is shortened when conversations grow long.
    #[serde(skip_serializing_if = "Compaction::is_default")]
    pub compaction: Compaction,
    /// Schema that the root's answer must match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_schema: Option<AnswerSchema>,
    /// Budget of one attempt with all its agents. Its time is `attempt_time`.
    pub attempt_budget: Budget,
    /// Settings of the web agent.
    #[serde(rename = "web_agent", serialize_with = "undated")]
    pub web: AgentTurnSettings,
    /// Extensions of page dumps, in every protocol that has pages.
    #[serde(rename = "page_dump", skip_serializing_if = "DumpAlso::is_plain")]
    pub dump: DumpAlso,
    /// Whether code is sent as tool calls. Recorded with the sampling.
    #[serde(skip)]
    pub code_via_tool: bool,
    /// Whether a response is stopped after the last code block that may run. Recorded with the
    /// sampling.
    #[serde(skip)]
    pub stop_early: bool,
    /// Other models, by the names under which agents call them. Recorded with the models.
    #[serde(skip)]
    pub aliases: Vec<ModelAlias>,
    /// Default models of agents below the root. Recorded with the models.
    #[serde(skip)]
    pub assigned: ModelAssignments<String>,
    /// Values implied by another setting, already applied above.
    #[serde(skip)]
    pub brought: Brought,
}

impl fmt::Debug for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recorded = serde_json::to_value(self).unwrap_or_default();
        f.debug_tuple("Treatment").field(&recorded).finish()
    }
}

/// How code runs for the agents of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplTreatment {
    /// Limits and printing.
    #[serde(rename = "sandbox")]
    pub config: sandbox::Config,
    /// Maximum code blocks run per response; further ones are dropped.
    pub max_blocks_per_iteration: u32,
    /// Whether a return in the first iteration is shown back once for confirmation.
    pub confirm_first_return: bool,
    /// Seed of clocks, timers and random numbers, if they are pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deterministic: Option<u64>,
    /// Whether the engine only interprets, which slows cells down and so can end them at their
    /// limits. Also set in the isolation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub jitless: bool,
}

impl Default for ReplTreatment {
    fn default() -> Self {
        Self {
            config: sandbox::Config::default(),
            max_blocks_per_iteration: 1,
            confirm_first_return: true,
            deterministic: None,
            jitless: false,
        }
    }
}

/// Values set by a setting that implies several: naming one of them again has no effect.
#[derive(Clone, Default)]
pub struct Brought {
    /// Name of the selected profile, with its drivers.
    pub profile: Option<(String, Vec<String>)>,
    /// Tools of the definition.
    pub tools: ToolSet,
}

impl Default for Treatment {
    /// A solver of the `rlm` protocol without any additions.
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            prompt_mode: PromptMode::default(),
            drivers: Vec::new(),
            hooks: Vec::new(),
            tools: AgentTools::default(),
            overrides: PromptOverrides::default(),
            root: AgentSettings::default(),
            max_depth: DEFAULT_MAX_DEPTH,
            max_iterations: DEFAULT_MAX_ITERATIONS,
            repl: ReplTreatment::default(),
            settings: ProtocolSettings::default(),
            attempt_time: Duration::from_hours(1),
            compaction: Compaction::default(),
            answer_schema: None,
            attempt_budget: Budget::default(),
            web: AgentTurnSettings::default(),
            dump: DumpAlso::default(),
            code_via_tool: false,
            stop_early: false,
            aliases: Vec::new(),
            assigned: ModelAssignments::default(),
            brought: Brought::default(),
        }
    }
}

/// How a run is carried out; nothing here can change an answer. The serialized form is what a run
/// records.
#[derive(Debug, Clone, Serialize)]
pub struct Conduct {
    /// Where isolates run.
    #[serde(flatten, serialize_with = "place")]
    pub isolation: Isolation,
    /// Whether screenshots of pages are included in trajectories.
    pub screenshots: bool,
    /// Budget of all attempts together. Recorded with that of each attempt.
    #[serde(skip)]
    pub budget: Budget,
}

impl Default for Conduct {
    /// On threads of this process, without a limit.
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

fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Omits the date, which does not make another experiment.
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
