//! The engine's settings.

use harness::agent_turn::AgentTurnSettings;
use harness::{AgentSettings, Equipment, Protocol, sandbox};
use std::time::Duration;

use harness::prompt::{Driver, ModelAlias, PromptMode};
use harness::treatment::{Effective, ReplTreatment, Sent};

use super::guidance::Guidance;
use super::treatment::Claimed;
use super::{
    BudgetSettings, HookSettings, Keys, LayerSettings, ModelSettings, Resolved, SettingsError,
    guidance, model_ref, models,
};
use crate::cli::{EngineArgs, StoreArgs, TrafficArgs};

/// Everything that shapes a running agent.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The model, as typed; it has one of the known forms.
    pub model: String,
    /// How models are asked, and where.
    pub models: ModelSettings,
    /// The models that agents may call by name.
    pub aliases: Vec<ModelAlias>,
    /// How the model speaks.
    pub protocol: Protocol,
    /// How the root works, where its prompt has modes; `effective` says whether it has.
    pub prompt_mode: PromptMode,
    /// Guidance for the root, in order: the profile's, then the user's.
    pub drivers: Vec<Driver>,
    /// What is laid over the prompts.
    pub layers: LayerSettings,
    /// The profile that was applied.
    pub profile: Option<String>,
    /// Agents at this depth are flat; at least 1.
    pub max_depth: u32,
    /// Iterations of the root; at least 1.
    pub max_iterations: u32,
    /// Code blocks of one response that run; at least 1.
    pub max_blocks_per_iteration: u32,
    /// Whether a return in the first iteration must be repeated.
    pub confirm_first_return: bool,
    /// What agents may call besides each other.
    pub equipment: Equipment,
    /// Limits and printing of the REPL.
    pub sandbox: sandbox::Config,
    /// Where cells run.
    pub isolation: sandbox::Isolation,
    /// Wall time of one attempt.
    pub attempt_time: Duration,
    /// What may be spent.
    pub budget: BudgetSettings,
    /// How requests go to models.
    pub traffic: TrafficArgs,
    /// Where responses are kept.
    pub store: StoreArgs,
    /// Whether the cassette is one that an earlier start of the run began.
    pub record_goes_on: bool,
    /// What a web agent is told and allowed.
    pub agent_turn: AgentTurnSettings,
    /// Whether pictures of pages go into trajectories.
    pub screenshots: bool,
    /// What sees what passes.
    pub hooks: HookSettings,
    /// What is true of the agents: what is recorded of mode, depth and iterations.
    pub effective: Effective,
    /// What the agents get: two runs that send the same are one experiment.
    pub sent: Sent,
}

impl EngineSettings {
    /// Resolves the flags of the engine. Keys that are needed must be there.
    ///
    /// # Errors
    /// A [`SettingsError`] for the first flag that is wrong.
    pub fn resolve(args: &EngineArgs, keys: Keys) -> Result<Resolved<Self>, SettingsError> {
        let model = args.model.trim();
        model_ref::check("--model", model)?;
        let mut guidance = guidance::resolve(&args.guidance, Some(model))?;
        let mut references = vec![("--model".to_owned(), model.to_owned())];
        for alias in &guidance.settings.aliases {
            let place = format!("--model-alias {}", alias.alias);
            model_ref::check(&place, &alias.model)?;
            references.push((place, alias.model.clone()));
        }
        let max_iterations = args.max_iterations;
        let max_blocks_per_iteration = args.max_blocks_per_iteration;
        let models = models::resolve(
            &args.models,
            &references,
            guidance.settings.code_via_tool,
            max_blocks_per_iteration,
            keys,
        )?;
        models::check_read(&args.models, &models, model)?;
        let isolation = args.sandbox.isolation()?;
        let hooks = super::hooks::resolve(&args.hooks, &args.guidance.layers)?;
        let definition = guidance.settings.layers.definition.as_ref();
        if let Some(definition) = definition {
            let agent = AgentSettings::of(definition, &hooks.registry)?;
            models::check_main(model, &agent.reasoning_over(&models.sampling))?;
        }
        let web = super::web::resolve(&args.web)?;
        let equipped = super::tools::resolve(
            &args.tools,
            &args.guidance.layers,
            &isolation,
            &guidance.settings.layers,
            &web.agent_turn,
            &hooks.registry,
        )?;
        let budget = super::budget::resolve(&args.budget)?;
        budget.check_prices(references.iter().map(|(_, reference)| reference.as_str()))?;
        let protocol = guidance.settings.protocol;
        let idle = super::web::idle(&args.web, protocol);
        guidance.warnings.extend(idle);
        let repl = ReplTreatment {
            config: args.sandbox.config(),
            max_blocks: max_blocks_per_iteration,
            confirm_first_return: args.confirm_first_return,
        };
        let claimed = Claimed {
            guidance: &args.guidance,
            tools: &args.tools,
            hooks: &args.hooks,
            web: &args.web,
            max_iterations,
            stop_early: args.models.stop_early,
            repl: &repl,
            tools_of_definition: equipped.of_definition,
        };
        let equipment = equipped.all;
        let checked = claimed.check(&mut guidance, &equipment, &hooks, &web.agent_turn)?;
        Ok(guidance.map(|guidance| {
            let Guidance {
                prompt_mode,
                protocol,
                max_depth,
                drivers,
                profile,
                of_profile: _,
                aliases,
                code_via_tool: _,
                layers,
            } = guidance;
            Self {
                model: model.to_owned(),
                models,
                aliases,
                protocol,
                prompt_mode,
                drivers,
                layers,
                profile,
                max_depth,
                max_iterations,
                max_blocks_per_iteration,
                confirm_first_return: args.confirm_first_return,
                equipment,
                sandbox: args.sandbox.config(),
                isolation,
                attempt_time: *args.attempt_timeout,
                budget,
                traffic: args.traffic.clone(),
                store: args.store.clone(),
                record_goes_on: false,
                agent_turn: web.agent_turn,
                screenshots: web.screenshots,
                hooks,
                effective: checked.effective,
                sent: checked.sent,
            }
        }))
    }

    /// What the definition that the root runs under says of its requests, its tools apart.
    ///
    /// # Errors
    /// [`SettingsError::Hook`] for a hook that there is not.
    pub fn agent(&self) -> Result<AgentSettings, SettingsError> {
        Ok(match &self.layers.definition {
            Some(definition) => AgentSettings::of(definition, &self.hooks.registry)?,
            None => AgentSettings::default(),
        })
    }
}
