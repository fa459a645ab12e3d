//! Runs attempts: one task each, by a tree of agents that share a sandbox session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::agent_settings::AgentSettings;
use crate::attempt::Attempt;
use crate::equipment::Equipment;
use crate::halt::{Halt, HaltReason};
use crate::hook::Hook;
use crate::ledger::{Budget, Ledger, SharedBudget, Spent};
use crate::model::web::Browser;
use crate::model::{AttemptOutcome, EventSink, NoEvents, Protocol, Sampling, Task};
use crate::prompt::{Driver, ModelAlias, PromptLayers, PromptMode};
use crate::protocol::agent_turn::{AgentTurnError, AgentTurnSettings, WebAgent};
use crate::provider::{Provider, Request};
use sandbox::{Isolation, Sandbox, StartError, WarmPool};

/// Everything that shapes an agent, the models apart. Nothing is optional.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// How the model speaks.
    pub protocol: Protocol,
    /// How the root works.
    pub prompt_mode: PromptMode,
    /// Guidance for the root, in this order.
    pub drivers: Vec<Driver>,
    /// Agents at this depth are flat.
    pub max_depth: u32,
    /// Iterations of the root; children get fewer by depth.
    pub max_iterations: u32,
    /// Code blocks of one response that are run; further ones are dropped.
    pub max_blocks_per_iteration: u32,
    /// Whether a return in the first iteration is shown back once.
    pub confirm_first_return: bool,
    /// Limits and printing of the REPL.
    pub sandbox: sandbox::Config,
    /// Where isolates run.
    pub isolation: Isolation,
    /// Wall time of one attempt.
    pub attempt_time: Duration,
    /// What may be spent.
    pub budgets: Budgets,
    /// What a web agent is told and allowed, for the agent-turn protocol.
    pub agent_turn: AgentTurnSettings,
    /// Whether pictures of pages go into trajectories.
    pub screenshots: bool,
}

/// What may be spent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budgets {
    /// By all attempts of the engine together.
    pub run: Budget,
    /// By one attempt, all its agents included. Its time is [`EngineConfig::attempt_time`].
    pub attempt: Budget,
}

/// A model and where it runs.
#[derive(Clone)]
pub struct Model {
    /// As the user wrote it: `PROVIDER/MODEL`.
    pub reference: String,
    /// Its name at the provider.
    pub name: String,
    /// How it is to answer.
    pub sampling: Arc<Sampling>,
    /// Where it runs.
    pub provider: Arc<dyn Provider>,
}

/// The models of a run.
#[derive(Clone)]
pub struct Models {
    /// The one that agents use unless they name another.
    pub main: Model,
    /// The aliases that agents may name, in the order of the prompt's table.
    pub aliases: Vec<(ModelAlias, Model)>,
}

/// Settings that cannot work together.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A coordinator without anybody to delegate to.
    #[error("coordinator mode has nothing to delegate to at max depth {max_depth}")]
    NothingToDelegateTo {
        /// The depth limit.
        max_depth: u32,
    },
    /// A web agent that cannot be.
    #[error(transparent)]
    AgentTurn(#[from] AgentTurnError),
    /// The sandbox does not load.
    #[error(transparent)]
    Sandbox(#[from] StartError),
}

/// Runs attempts of one configuration. Cheap to share; attempts run at once.
pub struct Engine {
    pub(crate) config: EngineConfig,
    pub(crate) models: Models,
    pub(crate) sandbox: WarmPool,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) halt: Halt,
    pub(crate) web_agent: WebAgent,
    pub(crate) agent: AgentSettings,
    pub(crate) layers: PromptLayers,
    pub(crate) hooks: Vec<Arc<dyn Hook>>,
    pub(crate) equipment: Equipment,
    /// Where the worlds of tasks come from, for protocols and benchmarks that have any.
    pub(crate) browser: Option<Arc<dyn Browser>>,
    by_alias: HashMap<String, Model>,
    /// The version that each model's server said first.
    served: Mutex<HashMap<String, Served>>,
    warn: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The version that a model's server says it serves.
struct Served {
    version: String,
    /// Whether it has changed since, which is told once.
    changed: bool,
}

impl Engine {
    /// Puts a configuration and its models together. The time of the run's budget begins. `warn` is told once what
    /// the kernel lacks to confine the sandbox's processes fully, and once for each model whose served version
    /// changes.
    ///
    /// # Errors
    /// [`EngineError`] if the settings contradict each other.
    pub fn new(
        config: EngineConfig,
        models: Models,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let delegates = config.protocol.nature().has_repl && config.max_depth >= 2;
        if config.prompt_mode == PromptMode::Coordinator && !delegates {
            return Err(EngineError::NothingToDelegateTo {
                max_depth: config.max_depth,
            });
        }
        let web_agent = WebAgent::new(config.agent_turn.clone())?;
        let by_alias = models
            .aliases
            .iter()
            .map(|(alias, model)| (alias.alias.clone(), model.clone()))
            .collect();
        let warn: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(warn);
        let warn_of_sandbox = Arc::clone(&warn);
        let sandbox = Sandbox::new(
            config.sandbox.clone(),
            config.isolation.clone(),
            move |text| warn_of_sandbox(text),
        )?;
        let ledger = Arc::new(Ledger::of_run(config.budgets.run));
        Ok(Self {
            config,
            models,
            sandbox: WarmPool::new(sandbox),
            ledger,
            halt: Halt::default(),
            web_agent,
            agent: AgentSettings::default(),
            layers: PromptLayers::default(),
            hooks: Vec::new(),
            equipment: Equipment::default(),
            browser: None,
            by_alias,
            served: Mutex::default(),
            warn,
        })
    }

    /// Keeps what all attempts spend within a budget of several runs, too. To be called before anything is spent.
    #[must_use]
    pub fn within(mut self, budget: &SharedBudget) -> Self {
        let own = Ledger::of_run_within(self.config.budgets.run, budget);
        self.ledger = Arc::new(own);
        self
    }

    /// Gives every attempt a world on the web.
    #[must_use]
    pub fn with_browser(mut self, browser: Arc<dyn Browser>) -> Self {
        self.browser = Some(browser);
        self
    }

    /// Gives the run hooks, for all agents whose prompts list none.
    #[must_use]
    pub fn with_hooks(mut self, hooks: Vec<Arc<dyn Hook>>) -> Self {
        self.hooks = hooks;
        self
    }

    /// Gives the root what its prompt definition says of tools, reasoning and images.
    #[must_use]
    pub fn with_agent(mut self, agent: AgentSettings) -> Self {
        self.agent = agent;
        self
    }

    /// Lays these over the prompts of all agents.
    #[must_use]
    pub fn with_layers(mut self, layers: PromptLayers) -> Self {
        self.web_agent = self.web_agent.under(&layers);
        self.layers = layers;
        self
    }

    /// Gives agents tools.
    #[must_use]
    pub fn with_equipment(mut self, equipment: Equipment) -> Self {
        self.equipment = equipment;
        self
    }

    /// Tells that so many attempts will be run: their sandboxes are made ready ahead. Without it none is.
    pub fn expect(&self, attempts: usize) {
        self.sandbox.expect(attempts);
    }

    /// Runs one attempt to its end. Dropping the future stops it, its children and its sandbox.
    pub async fn run(&self, task: &Task, sink: Arc<dyn EventSink>) -> AttemptOutcome {
        Attempt::new(self, task, sink).run().await
    }

    /// What the root of an attempt is asked first. Nothing is sent.
    pub fn first_request(&self, task: &Task) -> Request {
        Attempt::new(self, task, Arc::new(NoEvents)).first_request()
    }

    /// Ends when no attempt can go on, with the reason: then every attempt whose next step is a call to a model
    /// ends with status `cancelled`.
    pub async fn halted(&self) -> HaltReason {
        let run_is_over = async {
            match self.ledger.left().time {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            reason = self.halt.raised() => return reason,
            () = run_is_over => {}
        }
        if let Some(error) = self.ledger.exhausted() {
            self.halt.raise(HaltReason::OverBudget(error.to_string()));
        }
        self.halt.raised().await
    }

    /// Why no further attempt may begin, if so.
    pub fn halt_reason(&self) -> Option<HaltReason> {
        let told = self.halt.reason();
        if let Some(HaltReason::Failing(_)) = told {
            return told;
        }
        // What was under way when the budget was found used up has been booked since.
        let exhausted = self.ledger.exhausted();
        exhausted
            .map(|error| HaltReason::OverBudget(error.to_string()))
            .or(told)
    }

    /// What all attempts have spent.
    pub fn spent(&self) -> Spent {
        self.ledger.spent()
    }

    /// Ends the run, for a reason that was found outside of its attempts.
    pub fn halt(&self, reason: HaltReason) {
        self.halt.raise(reason);
    }

    /// Books what an earlier start of the same run had spent, so that its budget covers both.
    pub fn charge(&self, earlier: Spent) {
        self.ledger.charge(earlier);
    }

    /// Books what was spent beside the calls of agents, such as a judge's.
    pub fn book(&self, spent: Spent) {
        self.ledger.add(spent);
    }

    /// Takes down which version of a model was served, and warns of the first change.
    pub(crate) fn note_served(&self, model: &Model, version: &str) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let known = served
            .entry(model.reference.clone())
            .or_insert_with(|| Served {
                version: version.to_owned(),
                changed: false,
            });
        if known.version == version || known.changed {
            return;
        }
        known.changed = true;
        // The models of a recording are those of its time.
        if model.provider.recording().is_some() {
            return;
        }
        (self.warn)(&format!(
            "{} was served as {} and now as {version}: the run's answers come from different models",
            model.reference, known.version
        ));
    }

    /// The models.
    pub const fn models(&self) -> &Models {
        &self.models
    }

    /// The model that agents use unless they name another.
    pub fn main_model(&self) -> &Model {
        &self.models.main
    }

    /// The model of roots: the run's, with what their definition says of reasoning.
    pub(crate) fn root_model(&self) -> Model {
        let main = &self.models.main;
        Model {
            sampling: Arc::new(self.agent.reasoning_over(&main.sampling)),
            ..main.clone()
        }
    }

    /// The model that a definition names: an alias, `default` for the run's own, or a model of the run by its reference.
    pub(crate) fn model_of_definition(&self, name: &str) -> Result<Model, String> {
        if name == "default" {
            return Ok(self.models.main.clone());
        }
        let mut all = std::iter::once(&self.models.main).chain(self.by_alias.values());
        match all.find(|model| model.reference == name) {
            Some(model) => Ok(model.clone()),
            None => self.model(Some(name)),
        }
    }

    /// The model that a call names, or the one it gets without naming any.
    pub(crate) fn model(&self, alias: Option<&str>) -> Result<Model, String> {
        let Some(alias) = alias else {
            return Ok(self.models.main.clone());
        };
        self.by_alias.get(alias).cloned().ok_or_else(|| {
            let mut known: Vec<&str> = self.by_alias.keys().map(String::as_str).collect();
            known.sort_unstable();
            if known.is_empty() {
                format!("unknown model alias '{alias}': this run has no aliases; leave `model` out")
            } else {
                format!(
                    "unknown model alias '{alias}'; known aliases: {}",
                    known.join(", ")
                )
            }
        })
    }
}
