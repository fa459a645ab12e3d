//! Runs attempts: one task each, by a tree of agents that share a sandbox session.

use std::sync::Arc;

use sandbox::{Sandbox, StartError, WarmPool};

use crate::agent::{
    Attempt, Conduct, HaltReason, Ledger, Model, Models, Person, Run, SharedBudget, Spent,
    Treatment,
};
use crate::model::web::Browser;
use crate::model::{AttemptOutcome, EventSink, NoEvents, Task};
use crate::prompt::PromptMode;
use crate::protocol::agent_turn::AgentTurnError;
use crate::protocol::{self, RootAgent};
use crate::provider::{ProviderError, Request};

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

/// Runs attempts of one treatment. Cheap to share; attempts run at once.
pub struct Engine {
    run: Run,
}

impl Engine {
    /// An engine for the settings of a run and its models. The time of the run's budget starts here. `warn` is called once
    /// if the kernel cannot confine the sandbox's processes fully, and once for each model whose served version
    /// changes.
    ///
    /// # Errors
    /// [`EngineError`] if the settings contradict each other.
    pub fn new(
        treatment: Treatment,
        conduct: Conduct,
        models: Models,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        protocol::root_agent(treatment.protocol).check(&treatment)?;
        let delegates = treatment.protocol.nature().has_repl() && treatment.max_depth >= 2;
        if treatment.prompt_mode == PromptMode::Coordinator && !delegates {
            return Err(EngineError::NothingToDelegateTo {
                max_depth: treatment.max_depth,
            });
        }
        let warn: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(warn);
        let warn_of_sandbox = Arc::clone(&warn);
        let sandbox = Sandbox::new(
            treatment.repl.config.clone(),
            conduct.isolation.clone(),
            move |text| warn_of_sandbox(text),
        )?;
        Ok(Self {
            run: Run::new(treatment, conduct, models, WarmPool::new(sandbox), warn),
        })
    }

    /// Keeps what all attempts spend within a budget of several runs, too. To be called before anything is spent.
    #[must_use]
    pub fn within(mut self, budget: &SharedBudget) -> Self {
        let own = Ledger::of_run_within(self.run.conduct.budget, budget);
        self.run.ledger = Arc::new(own);
        self
    }

    /// Gives every attempt a world on the web.
    #[must_use]
    pub fn with_browser(mut self, browser: Arc<dyn Browser>) -> Self {
        self.run.browser = Some(browser);
        self
    }

    /// Lets agents talk with a person.
    #[must_use]
    pub fn with_person(mut self, person: Arc<dyn Person>) -> Self {
        self.run.person = Some(person);
        self
    }

    /// Announces this many attempts, so that their sandboxes are started ahead of time. Without it, none is.
    pub fn expect(&self, attempts: usize) {
        self.run.sandbox.expect(attempts);
    }

    /// Runs one attempt to its end. Dropping the future stops it, its children and its sandbox.
    pub async fn run(&self, task: &Task, sink: Arc<dyn EventSink>) -> AttemptOutcome {
        let attempt = Attempt::new(&self.run, task, sink);
        let agent = self.root_agent();
        let root = attempt.root(agent.root(&self.run.treatment));
        attempt.carry_out(&root, agent.run(&attempt, &root)).await
    }

    /// What the root of an attempt is asked first. Nothing is sent.
    pub fn first_request(&self, task: &Task) -> Request {
        let attempt = Attempt::new(&self.run, task, Arc::new(NoEvents));
        let agent = self.root_agent();
        let root = attempt.root(agent.root(&self.run.treatment));
        let mut conversation = attempt.conversation(&root);
        agent.open(&attempt, &root, &mut conversation);
        conversation.turn = 1;
        attempt.request(&root, &conversation)
    }

    fn root_agent(&self) -> &dyn RootAgent {
        protocol::root_agent(self.run.treatment.protocol)
    }

    /// Ends when no attempt can go on, with the reason: then every attempt whose next step is a call to a model
    /// ends with status `cancelled`.
    pub async fn halted(&self) -> HaltReason {
        let run_is_over = async {
            match self.run.ledger.left().time {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            reason = self.run.halt.raised() => return reason,
            () = run_is_over => {}
        }
        if let Some(error) = self.run.ledger.exhausted() {
            self.run
                .halt
                .raise(HaltReason::OverBudget(error.to_string()));
        }
        self.run.halt.raised().await
    }

    /// Why no further attempt may begin, if so.
    pub fn halt_reason(&self) -> Option<HaltReason> {
        let raised = self.run.halt.reason();
        if let Some(HaltReason::Failing(_)) = raised {
            return raised;
        }
        // What was under way when the budget was found used up has been booked since.
        let exhausted = self.run.ledger.exhausted();
        exhausted
            .map(|error| HaltReason::OverBudget(error.to_string()))
            .or(raised)
    }

    /// What all attempts have spent.
    pub fn spent(&self) -> Spent {
        self.run.ledger.spent()
    }

    /// Ends the run, for a reason that was found outside of its attempts.
    pub fn halt(&self, reason: HaltReason) {
        self.run.halt.raise(reason);
    }

    /// Books what an earlier start of the same run had spent, so that its budget covers both.
    pub fn charge(&self, earlier: Spent) {
        self.run.ledger.charge(earlier);
    }

    /// Why nothing more may be spent, if so.
    pub fn exhausted(&self) -> Option<ProviderError> {
        self.run.ledger.exhausted()
    }

    /// Books what was spent beside the calls of agents, such as a judge's.
    pub fn book(&self, spent: Spent) {
        self.run.ledger.add(spent);
    }

    /// The models.
    pub const fn models(&self) -> &Models {
        &self.run.models
    }

    /// The model that agents use unless they name another.
    pub fn main_model(&self) -> &Model {
        &self.run.models.main
    }
}
