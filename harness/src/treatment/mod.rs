//! Checks that every explicit setting of a run has an effect on its agents.
//!
//! A setting that labels a run must change what the agents receive, or the combination is rejected.
//! There is no table of valid combinations: the agents are assembled with and without the setting.
//! If both results are equal, the part of the run that masks the setting is found in the same way
//! and explained in the error ([`Treatment::check`]).

mod claim;
mod inert;
mod protocol;
mod repl;
mod plan;

use serde::Serialize;

use crate::model::Protocol;
use crate::prompt::PromptMode;

pub use crate::agent::{
    Brought, DEFAULT_MAX_DEPTH, DEFAULT_MAX_ITERATIONS, Overflow, ProtocolSettings, ReplTreatment,
    Treatment,
};
pub use claim::{Claim, Setting};
pub use inert::{HiddenBy, Inert};
pub use plan::{AgentSent, HookSent, Sent};
pub use protocol::ProtocolSetting;
pub use repl::ReplSetting;

/// Settings in effect for a run's agents, as recorded with the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effective {
    /// Mode of the root's prompt, if the prompt has one.
    pub prompt_mode: Option<PromptMode>,
    /// Names of the drivers in the root's prompt, in order. The record contains those of the
    /// treatment instead, with their hashes.
    #[serde(skip)]
    pub drivers: Vec<String>,
    /// Maximum depth of an agent; 0 if the root has no children.
    pub max_depth: u32,
    /// Maximum number of responses of the root.
    pub max_iterations: u32,
}

impl Effective {
    /// Returns the word for names and labels of the run: the root's mode, or the protocol if its
    /// prompt has no mode.
    pub fn word(&self, protocol: Protocol) -> &'static str {
        self.prompt_mode
            .map_or(protocol.as_str(), PromptMode::as_str)
    }
}

impl Treatment {
    /// Returns the settings in effect, derived from the assembled agents.
    pub fn effective(&self) -> Effective {
        let root = self.root_prompt();
        Effective {
            prompt_mode: root.mode(),
            drivers: root.drivers().map(str::to_owned).collect(),
            max_depth: self.deepest(),
            max_iterations: self.root_iterations(),
        }
    }

    /// Checks that every explicit setting has an effect on an agent.
    ///
    /// # Errors
    /// Returns [`Inert`] with the settings without effect, what masks them, and what would be
    /// valid.
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

    /// Removes replacements of bundled sections that no agent's prompt contains, because one folder
    /// of replacements may serve runs of several protocols. Returns their names, in order.
    pub fn remove_unused_sections(&mut self) -> Vec<String> {
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

    /// Returns the names of overridden tools and actions that no agent has, in order.
    pub fn unused_overrides(&self) -> Vec<&str> {
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
