//! Runs attempts. Each attempt is one task, run by a tree of agents in a sandbox session.

use std::io;
use std::sync::Arc;

use sandbox::{Sandbox, StartError, WarmPool};

use crate::agent::{
    Attempt, Conduct, Diverged, ExternalBudget, HaltReason, Ledger, Model, Models, Person,
    Reservation, Run, SharedBudget, Spent, Treatment,
};
use crate::journal::{AttemptJournal, JournalStore, ReplayedJournals};
use crate::model::web::Browser;
use crate::model::{AttemptOutcome, EventSink, NoEvents, Stats, Status, Task};
use crate::prompt::PromptMode;
use crate::protocol::agent_turn::AgentTurnError;
use crate::protocol::{self, ProtocolBehavior};
use crate::provider::{Forecast, ProviderError, Request};

/// Error for settings that cannot be combined.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Coordinator mode without children.
    #[error("coordinator mode has nothing to delegate to at max depth {max_depth}")]
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

/// Runs attempts of one treatment, concurrently if requested.
pub struct Engine {
    run: Run,
    journal: Option<Arc<dyn JournalStore>>,
    played_back: Option<Arc<dyn ReplayedJournals>>,
}

impl Engine {
    /// Creates an engine for the settings and models of a run. The time of the run's budget starts
    /// now. `warn` is called once if the kernel cannot fully confine the sandbox's processes, and
    /// once for each model whose served version changes.
    ///
    /// # Errors
    /// Returns [`EngineError`] if the settings cannot be combined.
    pub fn new(
        treatment: Treatment,
        conduct: Conduct,
        models: Models,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        protocol::protocol_behavior(treatment.protocol).check(&treatment)?;
        let delegates =
            treatment.protocol.capabilities().calls_children() && treatment.max_depth >= 2;
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
            journal: None,
            played_back: None,
        })
    }

    /// Applies a budget shared with other runs. Must be called before anything is spent.
    #[must_use]
    pub fn within(mut self, budget: &SharedBudget) -> Self {
        let own = Ledger::of_run_within(self.run.conduct.budget, budget);
        self.run.ledger = Arc::new(own);
        self
    }

    /// Applies a budget managed outside this process. Must be called before anything is spent.
    #[must_use]
    pub fn with_purse(mut self, purse: Arc<dyn ExternalBudget>) -> Self {
        self.run.purse = Some(purse);
        self
    }

    /// Adds the browser for attempts that use web pages.
    #[must_use]
    pub fn with_browser(mut self, browser: Arc<dyn Browser>) -> Self {
        self.run.browser = Some(browser);
        self
    }

    /// Adds a person who takes part in dialogues.
    #[must_use]
    pub fn with_person(mut self, person: Arc<dyn Person>) -> Self {
        self.run.person = Some(person);
        self
    }

    /// Announces this many attempts. Their sandboxes are then started ahead of time.
    pub fn expect(&self, attempts: usize) {
        self.run.sandbox.expect(attempts);
    }

    /// Keeps sandboxes ready for this number of concurrent attempts, which may start at any time.
    ///
    /// # Panics
    /// Panics outside a tokio runtime.
    pub fn keep_ready(&self, attempts: usize) {
        self.run.sandbox.expect(usize::MAX / 2);
        if self.run.treatment.protocol.capabilities().has_repl() {
            self.run.sandbox.keep_ready(attempts);
        }
    }

    /// Keeps a journal of every attempt, so that a later process can resume it.
    #[must_use]
    pub fn with_journal(mut self, journal: Arc<dyn JournalStore>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Replays the clocks and random numbers of an earlier run, whose responses are replayed as
    /// well.
    #[must_use]
    pub fn playing_back(mut self, run: Arc<dyn ReplayedJournals>) -> Self {
        self.played_back = Some(run);
        self
    }

    /// Runs one attempt. Dropping the future stops the attempt, its children and its sandbox. An
    /// attempt whose journal has responses of an earlier process resumes from them. If it deviates
    /// from the journal, it restarts, with an event about the reason.
    pub async fn run(&self, task: &Task, sink: Arc<dyn EventSink>) -> AttemptOutcome {
        self.run_charging(task, sink, &self.run.ledger).await
    }

    /// Runs one attempt like [`Engine::run`], but charges its spending to a client's request
    /// instead of this engine's run.
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
            let why = match self.lane(task) {
                Ok(lane) => match self
                    .try_run(task, &sink, &lane, restarted.take(), ledger)
                    .await
                {
                    Ok(outcome) => {
                        return match lane.end().await {
                            Ok(()) => outcome,
                            Err(error) => self.without_journal(&error, outcome.stats),
                        };
                    }
                    Err(Diverged(why)) => match lane.give_up() {
                        Ok(()) => why,
                        Err(error) => return self.without_journal(&error, Stats::default()),
                    },
                },
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    let given_up = self.journal.as_ref().map_or(Ok(()), |journal| {
                        journal.give_up(&task.sample, task.attempt)
                    });
                    match given_up {
                        Ok(()) => error.to_string(),
                        Err(error) => return self.without_journal(&error, Stats::default()),
                    }
                }
                Err(error) => return self.without_journal(&error, Stats::default()),
            };
            restarted = Some(why);
        }
    }

    fn lane(&self, task: &Task) -> io::Result<AttemptJournal> {
        let pinned = self.run.treatment.repl.deterministic;
        let lane = AttemptJournal::open(self.journal.as_ref(), task, pinned)?;
        Ok(lane.playing_back(self.played_back.as_ref()))
    }

    async fn try_run(
        &self,
        task: &Task,
        sink: &Arc<dyn EventSink>,
        lane: &AttemptJournal,
        restarted: Option<String>,
        ledger: &Arc<Ledger>,
    ) -> Result<AttemptOutcome, Diverged> {
        let attempt = Attempt::new(&self.run, task, Arc::clone(sink), lane, ledger);
        let agent = self.protocol_behavior();
        let root = attempt.root(agent.root(&self.run.treatment));
        let work = agent.run(&attempt, &root);
        attempt.run_root(&root, restarted, work).await
    }

    /// Halts the run, and returns the outcome of an attempt whose journal cannot be read or
    /// written.
    fn without_journal(&self, error: &io::Error, stats: Stats) -> AttemptOutcome {
        let reason = format!("the journal cannot be used: {error}");
        self.halt(HaltReason::Failing(reason.clone()));
        AttemptOutcome {
            earlier_answers: Vec::new(),
            status: Status::Cancelled,
            answer: None,
            error: Some(reason),
            refused: false,
            state: None,
            stats,
        }
    }

    /// Returns the first request of an attempt's root, without sending it.
    pub fn first_request(&self, task: &Task) -> Request {
        let lane = AttemptJournal::default();
        let attempt = Attempt::new(&self.run, task, Arc::new(NoEvents), &lane, &self.run.ledger);
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

    /// Waits until no attempt can continue, and returns the reason. Attempts whose next step is a
    /// model call then end with status `cancelled`.
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

    /// Returns the reason why no further attempt may begin, if any.
    pub fn halt_reason(&self) -> Option<HaltReason> {
        let raised = self.run.halt.reason();
        if let Some(HaltReason::Failing(_)) = raised {
            return raised;
        }
        // Usage of calls that were under way then has been booked since, so the amounts are newer.
        let exhausted = self.run.ledger.exhausted();
        exhausted
            .map(|error| HaltReason::OverBudget(error.to_string()))
            .or(raised)
    }

    /// Returns the amounts spent by all attempts.
    pub fn spent(&self) -> Spent {
        self.run.ledger.spent()
    }

    /// Halts the run for a reason found outside its attempts.
    pub fn halt(&self, reason: HaltReason) {
        self.run.halt.raise(reason);
    }

    /// Books the spending of an earlier start of the same run, so that its budget covers both.
    pub fn charge(&self, earlier: Spent) {
        self.run.ledger.charge(earlier);
    }

    /// Returns the reason why nothing more may be spent, if any.
    pub fn exhausted(&self) -> Option<ProviderError> {
        let own = self.run.ledger.exhausted();
        own.or_else(|| self.run.purse.as_ref()?.exhausted())
    }

    /// Reserves the expected expense of a request that no agent makes, such as a judge's. Waits
    /// while other calls leave no room in the budget.
    ///
    /// # Errors
    /// Returns [`ProviderError::OverBudget`] if the request does not fit.
    pub async fn reserve(&self, forecast: Option<Forecast>) -> Result<Reservation, ProviderError> {
        if let Some(error) = self.run.purse.as_ref().and_then(|purse| purse.exhausted()) {
            return Err(error);
        }
        let reserved = self.run.ledger.reserve(forecast.into(), 0).await;
        reserved.map_err(|overdrawn| overdrawn.error)
    }

    /// Books spending other than the calls of agents, such as a judge's.
    pub fn book(&self, spent: Spent) {
        self.run.ledger.add(spent);
    }

    /// Returns the models of the run.
    pub const fn models(&self) -> &Models {
        &self.run.models
    }

    /// Returns the default model of agents.
    pub fn main_model(&self) -> &Model {
        &self.run.models.main
    }
}
