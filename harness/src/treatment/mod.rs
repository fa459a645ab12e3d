//! Checks that every explicit setting of a run has an effect on its agents.
//!
//! If an explicit setting does not change what the agents receive, the combination is rejected.
//! There is no table of valid combinations: [`Treatment::check`] assembles the plan with and
//! without the setting. If the plans are equal, it removes other parts of the run to find the one
//! that masks the setting, and names that part in the error.

mod explicit;
mod no_effect;
mod plan;

use serde::Serialize;

use crate::model::Protocol;
use crate::settings::PromptMode;

pub use crate::agent::{ImpliedSettings, Treatment};
pub use explicit::ExplicitSetting;
pub use no_effect::{MaskedBy, NoEffect};
pub use plan::{AgentInputs, AgentPosition, ExperimentPlan, HookPlan};

/// Settings in effect for a run's agents, as recorded with the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effective {
    /// Mode of the root's prompt, if it has one.
    pub prompt_mode: Option<PromptMode>,
    /// Names of the drivers in the root's prompt, in order. Not serialized, because records contain
    /// the drivers of the treatment with their hashes.
    #[serde(skip)]
    pub drivers: Vec<String>,
    /// Maximum depth of an agent; 0 if the root has no children.
    pub max_depth: u32,
    /// Maximum number of responses of the root.
    pub max_iterations: u32,
}

impl Effective {
    /// Returns the mode of the root's prompt, or the protocol if the prompt has no mode. Names and
    /// labels of runs contain this word.
    pub fn word(&self, protocol: Protocol) -> &'static str {
        self.prompt_mode
            .map_or(protocol.as_str(), PromptMode::as_str)
    }
}

impl Treatment {
    /// Returns the settings in effect, derived from the plan.
    pub fn effective(&self) -> Effective {
        let root = self.root_agent();
        let prompt = self.prompt(&root);
        Effective {
            prompt_mode: prompt.mode(),
            drivers: prompt.drivers().map(str::to_owned).collect(),
            max_depth: self.deepest(),
            max_iterations: root.iterations,
        }
    }

    /// Checks that every explicit setting affects an agent.
    ///
    /// # Errors
    /// Returns [`NoEffect`] with the masked settings, the cause, and a valid alternative.
    pub fn check(&self, settings: &[ExplicitSetting]) -> Result<(), NoEffect> {
        let plan = self.plan();
        let masked: Vec<&ExplicitSetting> = settings
            .iter()
            .filter(|setting| !setting.has_effect(self, &plan))
            .collect();
        match masked.as_slice() {
            [] => Ok(()),
            [first, others @ ..] => Err(NoEffect::of(self, first, others)),
        }
    }

    /// Removes replacements of bundled sections that no agent's prompt contains, and returns their
    /// names in order. Unused replacements are not an error, because several protocols may share
    /// one folder of replacements.
    pub fn remove_unused_sections(&mut self) -> Vec<String> {
        let plan = self.plan();
        let is_idle = |name: &&String| {
            let mut without = self.clone();
            without.overrides.sections.remove(*name);
            without.plan() == plan
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

    /// Returns the names of tools and actions whose overrides do not affect any agent, in order.
    pub fn unused_overrides(&self) -> Vec<&str> {
        let plan = self.plan();
        let names = self.overrides.actions.0.keys();
        let is_idle = |name: &&String| {
            let mut without = self.clone();
            without.overrides.actions.0.remove(*name);
            without.plan() == plan
        };
        names.filter(is_idle).map(String::as_str).collect()
    }
}
