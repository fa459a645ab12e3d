//! What a run claims of its agents, and what they get of it.
//!
//! One rule holds for everything that a run can be named by: what is claimed is in what the agents get, or the combination is
//! refused. No table says what fits. What the agents get is assembled with the claim and without it, and where nothing differs
//! the part that hides it is found the same way and says why ([`Treatment::check`]).

mod claim;
mod inert;
mod repl;
mod sent;

use std::sync::Arc;

use crate::agent::{AgentSettings, Equipment};
use crate::hook::Hook;
use crate::model::Protocol;
use crate::prompt::{Driver, ModelAlias, PromptLayers, PromptMode};
use crate::protocol::agent_turn::AgentTurnSettings;
use crate::tool::Toolbox;

pub use claim::{Claim, Setting};
pub use inert::{HiddenBy, Inert};
pub use repl::{ReplSetting, ReplTreatment};
pub use sent::{AgentSent, HookSent, Sent};

/// `--max-depth` where a run does not say.
pub const DEFAULT_MAX_DEPTH: u32 = 2;
/// `--max-iterations` where a run does not say.
pub const DEFAULT_MAX_ITERATIONS: u32 = 15;

/// Everything that a run claims of its agents, the model apart.
#[derive(Clone)]
pub struct Treatment {
    /// How the model speaks.
    pub protocol: Protocol,
    /// How the root works, where its prompt has modes.
    pub prompt_mode: PromptMode,
    /// Guidance for the root, in order.
    pub drivers: Vec<Driver>,
    /// Agents at this depth are flat.
    pub max_depth: u32,
    /// Iterations of the root.
    pub max_iterations: u32,
    /// Whether code comes by calls of a tool.
    pub code_via_tool: bool,
    /// Whether a response ends where it has said all the code that may run.
    pub stop_early: bool,
    /// How code runs.
    pub repl: ReplTreatment,
    /// What is laid over the prompts.
    pub layers: PromptLayers,
    /// The name of the definition that the root runs under; its text is in `layers`.
    pub definition: Option<String>,
    /// What that definition says of the root's requests.
    pub root: AgentSettings,
    /// What agents may call besides each other.
    pub equipment: Equipment,
    /// The hooks of the run.
    pub hooks: Vec<Arc<dyn Hook>>,
    /// The web agent.
    pub web: AgentTurnSettings,
    /// The other models, by the names that agents call them by.
    pub aliases: Vec<ModelAlias>,
    /// What other claims bring along.
    pub brought: Brought,
}

/// What is there by a claim that brings several things: naming one of them again changes nothing.
#[derive(Clone, Default)]
pub struct Brought {
    /// The profile that was named, with its drivers.
    pub profile: Option<(String, Vec<String>)>,
    /// The tools of the definition.
    pub tools: Toolbox,
}

impl Default for Treatment {
    /// A solver of the `rlm` protocol, with nothing besides.
    fn default() -> Self {
        Self {
            protocol: Protocol::default(),
            prompt_mode: PromptMode::default(),
            drivers: Vec::new(),
            max_depth: DEFAULT_MAX_DEPTH,
            max_iterations: DEFAULT_MAX_ITERATIONS,
            code_via_tool: false,
            stop_early: false,
            repl: ReplTreatment::default(),
            layers: PromptLayers::default(),
            definition: None,
            root: AgentSettings::default(),
            equipment: Equipment::default(),
            hooks: Vec::new(),
            web: AgentTurnSettings::default(),
            aliases: Vec::new(),
            brought: Brought::default(),
        }
    }
}

/// What is true of a run's agents: what is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// The mode of the root's prompt; none where that has none.
    pub prompt_mode: Option<PromptMode>,
    /// The drivers in the root's prompt, by name, in order.
    pub drivers: Vec<String>,
    /// The greatest depth that an agent can have: 0 where the root has no children.
    pub max_depth: u32,
    /// Responses that the root can give.
    pub max_iterations: u32,
}

impl Effective {
    /// The word for how the root works, in names and labels: its mode, or the protocol where its prompt has none.
    pub fn word(&self, protocol: Protocol) -> &'static str {
        self.prompt_mode
            .map_or(protocol.as_str(), PromptMode::as_str)
    }
}

impl Treatment {
    /// What is true of the agents, read off what they get.
    pub fn effective(&self) -> Effective {
        let root = self.root_prompt();
        Effective {
            prompt_mode: root.mode(),
            drivers: root.drivers().map(str::to_owned).collect(),
            max_depth: self.deepest(),
            max_iterations: self.root_iterations(),
        }
    }

    /// Whether everything that is claimed is in what the agents get.
    ///
    /// # Errors
    /// [`Inert`] names what is not, the part that hides it, and what would be right.
    pub fn check(&self, claims: &[Claim]) -> Result<(), Inert> {
        let sent = self.sent();
        let dead: Vec<&Claim> = claims
            .iter()
            .filter(|claim| !claim.is_live(self, &sent))
            .collect();
        match dead.as_slice() {
            [] => Ok(()),
            [first, others @ ..] => Err(Inert::of(self, first, others)),
        }
    }

    /// Takes the texts in place of bundled sections away that stand in no agent's prompt: a folder of them may serve runs of
    /// several kinds. Gives their names, in order.
    pub fn drop_idle_sections(&mut self) -> Vec<String> {
        let sent = self.sent();
        let is_idle = |name: &&String| {
            let mut without = self.clone();
            without.layers.sections.remove(*name);
            without.sent() == sent
        };
        let idle: Vec<String> = self
            .layers
            .sections
            .keys()
            .filter(is_idle)
            .cloned()
            .collect();
        self.layers.sections.retain(|name, _| !idle.contains(name));
        idle
    }

    /// The names of overridden tools and actions that no agent has, in order.
    pub fn idle_overrides(&self) -> Vec<&str> {
        let sent = self.sent();
        let names = self.layers.actions.0.keys();
        let is_idle = |name: &&String| {
            let mut without = self.clone();
            without.layers.actions.0.remove(*name);
            without.sent() == sent
        };
        names.filter(is_idle).map(String::as_str).collect()
    }
}
