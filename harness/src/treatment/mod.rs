//! What a run claims of its agents, and what they get of it.
//!
//! One rule holds for everything that a run can be named by: what is claimed is in what the agents get, or the combination is
//! refused. No table says what fits. What the agents get is assembled with the claim and without it, and where nothing differs
//! the part that hides it is found the same way and says why ([`Treatment::check`]).

mod claim;
mod inert;
mod protocol;
mod repl;
mod sent;

use serde::Serialize;

use crate::model::Protocol;
use crate::prompt::PromptMode;

pub use crate::agent::{
    Brought, DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, Overflow, ProtocolSettings, ReplTreatment,
    Treatment,
};
pub use claim::{Claim, Setting};
pub use inert::{HiddenBy, Inert};
pub use protocol::ProtocolSetting;
pub use repl::ReplSetting;
pub use sent::{AgentSent, HookSent, Sent};

/// What is true of a run's agents: what is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effective {
    /// The mode of the root's prompt; none where that has none.
    pub prompt_mode: Option<PromptMode>,
    /// The drivers in the root's prompt, by name, in order. Recorded are those of the treatment, with their hashes.
    #[serde(skip)]
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
            without.overrides.sections.remove(*name);
            without.sent() == sent
        };
        let idle: Vec<String> = self
            .overrides
            .sections
            .keys()
            .filter(is_idle)
            .cloned()
            .collect();
        self.overrides
            .sections
            .retain(|name, _| !idle.contains(name));
        idle
    }

    /// The names of overridden tools and actions that no agent has, in order.
    pub fn idle_overrides(&self) -> Vec<&str> {
        let sent = self.sent();
        let names = self.overrides.actions.0.keys();
        let is_idle = |name: &&String| {
            let mut without = self.clone();
            without.overrides.actions.0.remove(*name);
            without.sent() == sent
        };
        names.filter(is_idle).map(String::as_str).collect()
    }
}
