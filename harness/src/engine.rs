//! Runs attempts: one task each, by a tree of agents that share a sandbox session.

use std::io;
use std::sync::Arc;

use sandbox::{Sandbox, StartError, WarmPool};

use crate::agent::{
    Attempt, Conduct, Diverged, HaltReason, Ledger, Model, Models, Person, Purse, Reservation, Run,
    SharedBudget, Spent, Treatment,
};
use crate::journal::{EarlierRun, JournalStore, Lane};
use crate::model::web::Browser;
use crate::model::{AttemptOutcome, EventSink, NoEvents, Stats, Status, Task};
use crate::prompt::PromptMode;
use crate::protocol::agent_turn::AgentTurnError;
use crate::protocol::{self, RootAgent};
use crate::provider::{Forecast, ProviderError, Request};

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
    journal: Option<Arc<dyn JournalStore>>,
    played_back: Option<Arc<dyn EarlierRun>>,
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
        let delegates = treatment.protocol.nature().calls_children() && treatment.max_depth >= 2;
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

    /// Keeps what all attempts spend within a budget of several runs, too. To be called before anything is spent.
    #[must_use]
    pub fn within(mut self, budget: &SharedBudget) -> Self {
        let own = Ledger::of_run_within(self.run.conduct.budget, budget);
        self.run.ledger = Arc::new(own);
        self
    }

    /// Asks this purse before every request, too. To be called before anything is spent.
    #[must_use]
    pub fn with_purse(mut self, purse: Arc<dyn Purse>) -> Self {
        self.run.purse = Some(purse);
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

    /// Announces attempts that may come at any time, this many at once: so many sandboxes are kept ready.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn keep_ready(&self, attempts: usize) {
        self.run.sandbox.expect(usize::MAX / 2);
        if self.run.treatment.protocol.nature().has_repl() {
            self.run.sandbox.keep_ready(attempts);
        }
    }

    /// Keeps a journal of every attempt, from which it goes on where an earlier process left it.
    #[must_use]
    pub fn with_journal(mut self, journal: Arc<dyn JournalStore>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Lets cells read the clocks and random numbers of an earlier run, whose responses are played back.
    #[must_use]
    pub fn playing_back(mut self, run: Arc<dyn EarlierRun>) -> Self {
        self.played_back = Some(run);
        self
    }

    /// Runs one attempt to its end. Dropping the future stops it, its children and its sandbox. One whose journal holds what an
    /// earlier process received goes on from there; where it does not go as it went then, it begins anew, with an event that says
    /// why.
    pub async fn run(&self, task: &Task, sink: Arc<dyn EventSink>) -> AttemptOutcome {
        self.run_charging(task, sink, &self.run.ledger).await
    }

    /// The same for a request, which is charged with what the attempt spends instead of this engine's run.
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

    fn lane(&self, task: &Task) -> io::Result<Lane> {
        let pinned = self.run.treatment.repl.deterministic;
        let lane = Lane::open(self.journal.as_ref(), task, pinned)?;
        Ok(lane.playing_back(self.played_back.as_ref()))
    }

    async fn try_run(
        &self,
        task: &Task,
        sink: &Arc<dyn EventSink>,
        lane: &Lane,
        restarted: Option<String>,
        ledger: &Arc<Ledger>,
    ) -> Result<AttemptOutcome, Diverged> {
        let attempt = Attempt::new(&self.run, task, Arc::clone(sink), lane, ledger);
        let agent = self.root_agent();
        let root = attempt.root(agent.root(&self.run.treatment));
        let work = agent.run(&attempt, &root);
        attempt.carry_out(&root, restarted, work).await
    }

    /// The outcome of an attempt whose journal cannot be read or written: the run ends with it.
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

    /// What the root of an attempt is asked first. Nothing is sent.
    pub fn first_request(&self, task: &Task) -> Request {
        let lane = Lane::default();
        let attempt = Attempt::new(&self.run, task, Arc::new(NoEvents), &lane, &self.run.ledger);
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
        let own = self.run.ledger.exhausted();
        own.or_else(|| self.run.purse.as_ref()?.exhausted())
    }

    /// Reserves the expected expense of a request beside those of agents, such as a judge's. Waits while other calls leave no
    /// room in the budget.
    ///
    /// # Errors
    /// [`ProviderError::OverBudget`] if the request does not fit.
    pub async fn reserve(&self, forecast: Option<Forecast>) -> Result<Reservation, ProviderError> {
        let expected = forecast.into();
        let hold = self.run.hold(expected, 0).await;
        let hold = hold.map_err(|overdrawn| overdrawn.error)?;
        let reserved = self.run.ledger.reserve(expected, 0).await;
        reserved.map_or_else(
            |overdrawn| Err(overdrawn.error),
            |reservation| Ok(reservation.with_hold(hold)),
        )
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
