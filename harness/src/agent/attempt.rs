//! State shared by the agents of one attempt.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use sandbox::Session;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::{
    AgentPlan, AgentSettings, Budget, BudgetSubscribers, BudgetSubscription, Conversation, Failure,
    Halt, HaltReason, Invocation, Ledger, Meter, Records, Run, Scope,
};
use crate::hook::RunningHook;
use crate::journal::AttemptJournal;
use crate::model::web::Browser;
use crate::model::{AttemptOutcome, EventKind, EventSink, Message, Status, Task};
use crate::prompt::code_tool;

/// Running hooks of an attempt, by name. Each hook handles one event at a time.
type RunningHooks = Mutex<HashMap<String, Arc<Mutex<Box<dyn RunningHook>>>>>;

pub(crate) struct Attempt<'a> {
    pub run: &'a Run,
    pub task: &'a Task,
    pub records: Records<'a>,
    pub meter: Meter,
    pub ledger: Arc<Ledger>,
    /// Wall time limit.
    time: Duration,
    /// Journal of the responses received in this process and earlier ones.
    pub journal: &'a AttemptJournal,
    stopped: Halt<Stop>,
    pub running_hooks: RunningHooks,
    /// Settings of agents without a prompt definition.
    plain: AgentSettings,
    subscribers: BudgetSubscribers,
}

/// Reason to end an attempt before its agents have finished.
#[derive(Debug, Clone)]
enum Stop {
    /// The whole run is halted.
    Halted(HaltReason),
    /// The attempt deviates from its journal.
    Diverged(String),
}

/// Error for an attempt that deviates from its journal, with a description of the deviation.
#[derive(Debug)]
pub(crate) struct Diverged(pub String);

impl<'a> Attempt<'a> {
    /// Creates an attempt. `above` is the parent ledger, which belongs to the run or to a client's
    /// request.
    pub fn new(
        run: &'a Run,
        task: &'a Task,
        sink: Arc<dyn EventSink>,
        journal: &'a AttemptJournal,
        above: &Arc<Ledger>,
    ) -> Self {
        let passed = journal.passed();
        let time = run.treatment.attempt_time;
        let time = above.left_of_request().map_or(time, |left| left.min(time));
        Self {
            run,
            task,
            records: Records::new(task, sink, passed),
            meter: Meter::default(),
            ledger: Ledger::new(
                Scope::Attempt,
                Budget {
                    time: Some(time.saturating_sub(passed)),
                    ..run.treatment.attempt_budget
                },
                Some(above),
            ),
            time,
            journal,
            stopped: Halt::default(),
            running_hooks: RunningHooks::default(),
            plain: AgentSettings::default(),
            subscribers: BudgetSubscribers::default(),
        }
    }

    /// Runs the root's `work`, which runs the rest of the tree, and records the attempt.
    /// `restarted` is the reason why the attempt was restarted, if it was.
    ///
    /// # Errors
    /// Returns [`Diverged`] if the attempt deviates from its journal.
    pub async fn run_root(
        &self,
        root: &Invocation,
        restarted: Option<String>,
        work: impl Future<Output = Result<String, Failure>>,
    ) -> Result<AttemptOutcome, Diverged> {
        self.records.begin_attempt(root);
        if let Some(reason) = restarted {
            self.records
                .emit(root, EventKind::AttemptRestarted { reason });
        }
        let responses = self.journal.responses() as u64;
        if responses > 0 {
            self.records
                .emit(root, EventKind::AttemptResumed { responses });
        }
        let limit = self.time;
        let left = limit.saturating_sub(self.journal.passed());
        let result = tokio::select! {
            result = timeout(left, work) => result.unwrap_or_else(|_| {
                Err(Failure::new(Status::Limit, format!("the attempt took more than {} s", limit.as_secs_f64())))
            }),
            stop = self.stopped.raised() => match stop {
                Stop::Halted(reason) => Err(Failure::new(Status::Cancelled, reason.message().to_owned())),
                Stop::Diverged(why) => return Err(Diverged(why)),
            },
        };
        self.book_unused_results();
        let continued = self.journal.continued();
        self.records.count(|stats| stats.continued = continued);
        Ok(self.records.end_attempt(root, result, self.meter.covered()))
    }

    pub fn root(&self, plan: AgentPlan) -> Invocation {
        let treatment = &self.run.treatment;
        let model = self.run.root_model();
        Invocation {
            inherited_tools: treatment.tools.root.clone(),
            schema: treatment.answer_schema.clone(),
            ..Invocation::root(plan, &self.task.query, model, &self.ledger)
        }
    }

    /// Opens a sandbox session for an agent and its `rlm()` descendants. An agent opens at most one
    /// session.
    pub async fn open_session(&self, invocation: &Invocation) -> Result<Session, Failure> {
        let session = self.run.sandbox.session().await.map_err(|error| {
            Failure::new(Status::Error, format!("the sandbox did not start: {error}"))
        })?;
        let begun = self.journal.begin(&invocation.id, &session);
        self.written(begun).await;
        Ok(session)
    }

    /// Returns an agent's request settings: those of its prompt definition, if it has one.
    pub fn settings<'b>(&'b self, invocation: &'b Invocation) -> &'b AgentSettings {
        let settings = invocation.plan.settings.as_deref();
        settings.unwrap_or(&self.plain)
    }

    /// Adds the task's images to an agent's `first` message if the agent is the root.
    pub fn with_images(&self, invocation: &Invocation, mut first: Message) -> Message {
        if invocation.is_root() {
            first.images.extend_from_slice(&self.task.images);
        }
        first
    }

    fn system(&self, invocation: &Invocation) -> String {
        let treatment = &self.run.treatment;
        let mut prompt = invocation.plan.system_prompt(
            treatment,
            invocation.model.sampling.code_via_tool,
            &invocation.id,
            invocation.ancestors(),
        );
        let is_replaced = invocation.is_root() && treatment.overrides.replaces_whole_prompt();
        if invocation.page.is_some() && !is_replaced {
            prompt.add_page(&treatment.overrides);
        }
        prompt.text()
    }

    /// Records the start of an invocation and returns its empty conversation.
    pub fn begin(&self, invocation: &Invocation) -> Conversation {
        let conversation = self.conversation(invocation);
        self.records.begin(invocation, &conversation.system);
        conversation
    }

    /// Creates an empty conversation with the agent's system prompt and code tool.
    pub fn conversation(&self, invocation: &Invocation) -> Conversation {
        let mut conversation = Conversation::new(self.system(invocation));
        let code_via_tool = invocation.model.sampling.code_via_tool;
        conversation.tools = code_tool::tool_use(code_via_tool, invocation.plan.role);
        conversation
    }

    /// Ends the whole attempt, even while its agents are running; never returns.
    pub async fn stop(&self, reason: HaltReason) -> ! {
        self.stopped.raise(Stop::Halted(reason));
        std::future::pending().await
    }

    /// Halts the whole run and ends the attempt; never returns.
    pub async fn halt_run(&self, reason: HaltReason) -> ! {
        self.run.halt.raise(reason.clone());
        self.stop(reason).await
    }

    /// Ends the whole attempt because it deviates from its journal; never returns.
    pub async fn diverge(&self, why: String) -> ! {
        self.stopped.raise(Stop::Diverged(why));
        std::future::pending().await
    }

    /// Halts the whole run if the journal could not be written, because a resumed run would pay for
    /// the same responses again.
    pub async fn written(&self, written: io::Result<()>) {
        if let Err(error) = written {
            let reason = HaltReason::Failing(format!("cannot write the journal: {error}"));
            self.halt_run(reason).await;
        }
    }

    /// Publishes the remaining budget to the attempt's REPLs.
    pub fn publish_budget(&self) {
        let left = self.ledger.left();
        self.subscribers.publish(sandbox::message::Budget {
            llm_calls: left.calls,
            tokens: left.tokens,
            // Rounded to a millionth of a dollar to hide rounding errors of the sum.
            cost_usd: left.cost_usd.map(|cost| (cost * 1e6).round() / 1e6),
            time: left.time,
        });
    }

    /// Subscribes a session to updates of the remaining budget until the returned guard is dropped.
    pub fn subscribe_to_budget(&self, session: &Session) -> BudgetSubscription<'_> {
        self.subscribers.add(session)
    }

    /// Returns the engine's browser.
    ///
    /// # Errors
    /// Returns a failure if the engine does not have a browser.
    pub fn browser(&self) -> Result<&dyn Browser, Failure> {
        self.run.browser.as_deref().ok_or_else(|| {
            Failure::new(
                Status::Error,
                format!(
                    "the protocol {} requires a browser, but this engine does not have one",
                    self.run.treatment.protocol
                ),
            )
        })
    }

    /// Returns the information about an agent that JavaScript finds in `__rlm`.
    pub fn info(&self, invocation: &Invocation) -> sandbox::message::AgentInfo {
        sandbox::message::AgentInfo {
            depth: invocation.plan.depth,
            max_depth: self.run.treatment.prompts.max_depth,
            max_iterations: invocation.plan.iterations,
            lineage: invocation.lineage.clone(),
            invocation_id: invocation.id.clone(),
            parent_id: invocation.parent.clone(),
        }
    }
}
