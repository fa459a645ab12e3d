//! Runs attempts. An attempt is a tree of agents that works on one task.

use std::io;
use std::sync::Arc;

use sandbox::{Sandbox, StartError, WarmPool};

use crate::agent::{
    Attempt, Conduct, Diverged, Expense, ExternalBudget, HaltReason, Ledger, Model, ModelMap,
    Person, Reservation, Run, Scope, SharedBudget, Spent, Treatment,
};
use crate::journal::{AttemptJournal, JournalStore, ReplayedJournals};
use crate::model::web::Browser;
use crate::model::{AttemptOutcome, EventSink, NoEvents, Stats, Status, Task};
use crate::protocol::agent_turn::AgentTurnError;
use crate::protocol::{self, ProtocolBehavior};
use crate::provider::{Forecast, ProviderError, Request};
use crate::settings::PromptMode;

/// Error for settings that cannot be combined.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Coordinator mode is set, but the root cannot have children.
    #[error(
        "coordinator mode requires agents that can have children: expected a protocol with children and a max depth of at least 2, found max depth {max_depth}"
    )]
    NothingToDelegateTo {
        /// Depth limit.
        max_depth: u32,
    },
    /// Invalid settings of a web agent.
    #[error(transparent)]
    AgentTurn(#[from] AgentTurnError),
    /// The sandbox could not be started.
    #[error(transparent)]
    Sandbox(#[from] StartError),
}

/// Runs attempts with the settings of one run. Attempts may run concurrently.
pub struct Engine {
    run: Run,
    journal: Option<Arc<dyn JournalStore>>,
    played_back: Option<Arc<dyn ReplayedJournals>>,
}

impl Engine {
    /// Creates an engine for the settings and models of a run. The time limit of the run's budget
    /// starts now. `warn` is called if the kernel cannot fully confine the sandbox's processes, and
    /// once for each model whose server reports a changed version.
    ///
    /// # Errors
    /// Returns [`EngineError`] if the settings cannot be combined.
    pub fn new(
        treatment: Treatment,
        conduct: Conduct,
        models: ModelMap<Model>,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        protocol::protocol_behavior(treatment.protocol).check(&treatment)?;
        let delegates =
            treatment.protocol.capabilities().calls_children() && treatment.prompts.max_depth >= 2;
        if treatment.prompts.prompt_mode == PromptMode::Coordinator && !delegates {
            return Err(EngineError::NothingToDelegateTo {
                max_depth: treatment.prompts.max_depth,
            });
        }
        let warn: Arc<dyn Fn(&str) + Send + Sync> = Arc::new(warn);
        let warn_of_sandbox = Arc::clone(&warn);
        let sandbox = Sandbox::new(
            treatment.repl.config(),
            conduct.isolation.clone(),
            move |text| warn_of_sandbox(text),
        )?;
        Ok(Self {
            run: Run::new(treatment, conduct, models, WarmPool::new(sandbox), warn),
            journal: None,
            played_back: None,
        })
    }

    /// Applies a budget shared with other runs. Must be called before anything is spent.
    #[must_use]
    pub fn within(mut self, budget: &SharedBudget) -> Self {
        let above = Some(budget.ledger());
        self.run.ledger = Ledger::new(Scope::Run, self.run.conduct.budget, above);
        self
    }

    /// Applies a budget managed outside this process. Must be called before anything is spent.
    #[must_use]
    pub fn with_external_budget(mut self, external_budget: Arc<dyn ExternalBudget>) -> Self {
        self.run.external_budget = Some(external_budget);
        self
    }

    /// Sets the browser for attempts that use web pages.
    #[must_use]
    pub fn with_browser(mut self, browser: Arc<dyn Browser>) -> Self {
        self.run.browser = Some(browser);
        self
    }

    /// Sets the person who takes part in dialogues.
    #[must_use]
    pub fn with_person(mut self, person: Arc<dyn Person>) -> Self {
        self.run.person = Some(person);
        self
    }

    /// Announces the number of attempts to run, so that their sandboxes are started in advance.
    pub fn expect(&self, attempts: usize) {
        self.run.sandbox.expect(attempts);
    }

    /// Keeps sandboxes ready for this number of concurrent attempts. The total number of attempts
    /// is not limited.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn keep_ready(&self, attempts: usize) {
        self.run.sandbox.expect(usize::MAX / 2);
        if self.run.treatment.protocol.capabilities().has_repl() {
            self.run.sandbox.keep_ready(attempts);
        }
    }

    /// Sets the store for journals, from which a later process can resume attempts.
    #[must_use]
    pub fn with_journal(mut self, journal: Arc<dyn JournalStore>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Plays back the clocks and random numbers of an earlier run. The run's responses must also be
    /// played back.
    #[must_use]
    pub fn playing_back(mut self, run: Arc<dyn ReplayedJournals>) -> Self {
        self.played_back = Some(run);
        self
    }

    /// Runs one attempt. Dropping the future stops the attempt with all its agents and its sandbox.
    /// If the attempt's journal has responses from an earlier process, the attempt resumes from
    /// them. If it then deviates from the journal, it restarts, and an event states the reason.
    pub async fn run(&self, task: &Task, sink: Arc<dyn EventSink>) -> AttemptOutcome {
        self.run_charging(task, sink, &self.run.ledger).await
    }

    /// Runs one attempt like [`Engine::run`], but books its spending in the budget of a client's
    /// request instead of the run's.
    pub async fn run_within(
        &self,
        task: &Task,
        sink: Arc<dyn EventSink>,
        budget: &SharedBudget,
    ) -> AttemptOutcome {
        self.run_charging(task, sink, budget.ledger()).await
    }

    async fn run_charging(
        &self,
        task: &Task,
        sink: Arc<dyn EventSink>,
        ledger: &Arc<Ledger>,
    ) -> AttemptOutcome {
        let mut restarted = None;
        loop {
            let why = match self.open_journal(task) {
                Ok(journal) => match self
                    .try_run(task, &sink, &journal, restarted.take(), ledger)
                    .await
                {
                    Ok(outcome) => {
                        return match journal.end().await {
                            Ok(()) => outcome,
                            Err(error) => self.without_journal(&error, outcome.stats),
                        };
                    }
                    Err(Diverged(why)) => why,
                },
                Err(error) if error.kind() == io::ErrorKind::InvalidData => error.to_string(),
                Err(error) => return self.without_journal(&error, Stats::default()),
            };
            if let Some(journal) = &self.journal
                && let Err(error) = journal.give_up(&task.sample, task.attempt)
            {
                return self.without_journal(&error, Stats::default());
            }
            restarted = Some(why);
        }
    }

    fn open_journal(&self, task: &Task) -> io::Result<AttemptJournal> {
        let pinned = self.run.treatment.iterations.deterministic;
        let journal = AttemptJournal::open(self.journal.as_ref(), task, pinned)?;
        Ok(journal.playing_back(self.played_back.as_ref()))
    }

    async fn try_run(
        &self,
        task: &Task,
        sink: &Arc<dyn EventSink>,
        journal: &AttemptJournal,
        restarted: Option<String>,
        ledger: &Arc<Ledger>,
    ) -> Result<AttemptOutcome, Diverged> {
        let attempt = Attempt::new(&self.run, task, Arc::clone(sink), journal, ledger);
        let agent = self.protocol_behavior();
        let root = attempt.root(agent.root(&self.run.treatment));
        let work = agent.run(&attempt, &root);
        attempt.run_root(&root, restarted, work).await
    }

    /// Halts the run because an attempt's journal cannot be read or written. Returns the attempt's
    /// outcome.
    fn without_journal(&self, error: &io::Error, stats: Stats) -> AttemptOutcome {
        let reason = format!("cannot read or write the journal: {error}");
        self.halt(HaltReason::Failing(reason.clone()));
        AttemptOutcome::without_answer(Status::Cancelled, reason, stats)
    }

    /// Returns the first request of an attempt without sending it.
    pub fn first_request(&self, task: &Task) -> Request {
        let journal = AttemptJournal::default();
        let attempt = Attempt::new(
            &self.run,
            task,
            Arc::new(NoEvents),
            &journal,
            &self.run.ledger,
        );
        let agent = self.protocol_behavior();
        let root = attempt.root(agent.root(&self.run.treatment));
        let mut conversation = attempt.conversation(&root);
        agent.open(&attempt, &root, &mut conversation);
        conversation.turn = 1;
        attempt.request(&root, &conversation)
    }

    fn protocol_behavior(&self) -> &dyn ProtocolBehavior {
        protocol::protocol_behavior(self.run.treatment.protocol)
    }

    /// Waits until the run is halted, and returns the reason. Attempts then end with status
    /// `cancelled` at their next model call.
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

    /// Returns the reason why no further attempt may start, if any.
    pub fn halt_reason(&self) -> Option<HaltReason> {
        let raised = self.run.halt.reason();
        if let Some(HaltReason::Failing(_)) = raised {
            return raised;
        }
        // Takes precedence over the raised reason, because calls in progress may have increased the
        // amounts since.
        let exhausted = self.run.ledger.exhausted();
        exhausted
            .map(|error| HaltReason::OverBudget(error.to_string()))
            .or(raised)
    }

    /// Returns the amounts spent by all attempts.
    pub fn spent(&self) -> Spent {
        self.run.ledger.spent()
    }

    /// Halts the run for a reason that is detected outside its attempts.
    pub fn halt(&self, reason: HaltReason) {
        self.run.halt.raise(reason);
    }

    /// Adds spending of an earlier process to the run's ledger, so that the budget covers both.
    pub fn charge(&self, earlier: Spent) {
        self.run.ledger.charge(earlier);
    }

    /// Returns an error if nothing more may be spent.
    pub fn exhausted(&self) -> Option<ProviderError> {
        let own = self.run.ledger.exhausted();
        own.or_else(|| self.run.external_budget.as_ref()?.exhausted())
    }

    /// Reserves the expected expense of a request that is not made by an agent, such as a judge's.
    /// Waits while other calls in progress leave no room in the budget.
    ///
    /// # Errors
    /// Returns [`ProviderError::OverBudget`] if the request does not fit.
    pub async fn reserve(&self, forecast: Option<Forecast>) -> Result<Reservation, ProviderError> {
        let expense = Expense::new(forecast, 0);
        let reserved = self.run.reserve(&self.run.ledger, expense).await;
        reserved.map_err(|overdrawn| overdrawn.error)
    }

    /// Books spending that does not come from agents' calls, such as a judge's.
    pub fn book(&self, spent: Spent) {
        self.run.ledger.add(spent);
    }

    /// Returns the models of the run.
    pub const fn models(&self) -> &ModelMap<Model> {
        &self.run.models
    }

    /// Returns the default model of agents.
    pub fn main_model(&self) -> &Model {
        self.run.models.main()
    }
}
