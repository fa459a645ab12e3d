//! The two trees of a run's settings: what can change an answer, and how it is carried out.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sandbox::{Isolation, WorkerCommand};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{AgentSettings, AgentTools, Assigned, Budget, Compaction, ProtocolSettings};
use crate::hook::Hook;
use crate::model::Protocol;
use crate::model::web::DumpAlso;
use crate::prompt::{
    AgentTurnSettings, AnswerSchema, Driver, ModelAlias, PromptMode, PromptOverrides,
};
use crate::tool::ToolSet;

/// `--max-depth` where a run does not say.
pub const DEFAULT_MAX_DEPTH: u32 = 2;
/// `--max-iterations` where a run does not say.
pub const DEFAULT_MAX_ITERATIONS: u32 = 15;

/// Everything that shapes an agent, the models apart.
///
/// Serialised, it is what a run records of it and the fingerprint is made of: each field is a part. What is skipped is recorded
/// elsewhere, as its comment says.
#[derive(Clone, Serialize)]
pub struct Treatment {
    /// How the model speaks.
    pub protocol: Protocol,
    /// How the root works, where its prompt has modes. Recorded is what is true of it, in [`Effective`](crate::treatment::Effective).
    #[serde(skip)]
    pub prompt_mode: PromptMode,
    /// Guidance for the root, in order.
    #[serde(serialize_with = "drivers")]
    pub drivers: Vec<Driver>,
    /// The hooks of the run, for all agents whose prompts list none.
    #[serde(serialize_with = "hooks")]
    pub hooks: Vec<Arc<dyn Hook>>,
    /// What agents may call besides each other.
    #[serde(rename = "tools")]
    pub tools: AgentTools,
    /// What is laid over the prompts.
    #[serde(rename = "prompt_layers")]
    pub overrides: PromptOverrides,
    /// What the definition in `overrides` says of the root's requests, which its hash stands for.
    #[serde(skip)]
    pub root: AgentSettings,
    /// Agents at this depth are flat. Recorded as the mode is.
    #[serde(skip)]
    pub max_depth: u32,
    /// Iterations of the root; children get fewer by depth. Recorded as the mode is.
    #[serde(skip)]
    pub max_iterations: u32,
    /// How code runs.
    #[serde(flatten)]
    pub repl: ReplTreatment,
    /// What belongs to one protocol each.
    #[serde(flatten)]
    pub settings: ProtocolSettings,
    /// Wall time of one attempt.
    #[serde(rename = "attempt_timeout_s", serialize_with = "seconds")]
    pub attempt_time: Duration,
    /// What gives way where conversations grow long.
    #[serde(skip_serializing_if = "Compaction::is_default")]
    pub compaction: Compaction,
    /// What the root's answer has to conform to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_schema: Option<AnswerSchema>,
    /// What one attempt may spend, all its agents included. Its time is `attempt_time`.
    pub attempt_budget: Budget,
    /// The web agent.
    #[serde(rename = "web_agent", serialize_with = "undated")]
    pub web: AgentTurnSettings,
    /// What dumps of pages hold beyond their format, in every protocol that has pages.
    #[serde(rename = "page_dump", skip_serializing_if = "DumpAlso::is_plain")]
    pub dump: DumpAlso,
    /// Whether code comes by calls of a tool. Recorded with the sampling.
    #[serde(skip)]
    pub code_via_tool: bool,
    /// Whether a response ends where it has said all the code that may run. Recorded with the sampling.
    #[serde(skip)]
    pub stop_early: bool,
    /// The other models, by the names that agents call them by. Recorded with the models.
    #[serde(skip)]
    pub aliases: Vec<ModelAlias>,
    /// The models of agents below the root that name none. Recorded with the models.
    #[serde(skip)]
    pub assigned: Assigned<String>,
    /// What other claims bring along; it is in the fields above.
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
    /// Code blocks of one response that are run; further ones are dropped.
    pub max_blocks_per_iteration: u32,
    /// Whether a return in the first iteration is shown back once.
    pub confirm_first_return: bool,
    /// What clocks, timers and random numbers follow from, where they are pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deterministic: Option<u64>,
    /// Whether the engine only interprets, which makes cells slower and so can end them at their limits. The isolation has it, too.
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

/// What is there by a claim that brings several things: naming one of them again changes nothing.
#[derive(Clone, Default)]
pub struct Brought {
    /// The profile that was named, with its drivers.
    pub profile: Option<(String, Vec<String>)>,
    /// The tools of the definition.
    pub tools: ToolSet,
}

impl Default for Treatment {
    /// A solver of the `rlm` protocol, with nothing besides.
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
            assigned: Assigned::default(),
            brought: Brought::default(),
        }
    }
}

/// How a run is carried out: nothing of it can change an answer. Serialised, it is what a run records of it.
#[derive(Debug, Clone, Serialize)]
pub struct Conduct {
    /// Where isolates run.
    #[serde(flatten, serialize_with = "place")]
    pub isolation: Isolation,
    /// Whether pictures of pages go into trajectories.
    pub screenshots: bool,
    /// What all attempts may spend together. Recorded with what each may.
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

/// Another day is no other experiment.
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
