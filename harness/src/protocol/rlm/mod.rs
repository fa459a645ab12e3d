//! The rlm protocol: an agent runs the code of its replies in a REPL until the code returns.

mod delegation;

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use sandbox::message::{CellErrorKind, CellOutcome, Context};
use sandbox::{Repl, Session};

use crate::agent::{
    AgentBehavior, AgentPlan, Attempt, Conversation, Failure, Invocation, ModelReply, NextStep,
    PageFunctions, Treatment, Turn, run_turns, shown,
};
use crate::model::{EventKind, Message, Role, ToolCall, ms};
use crate::prompt::{
    CellReport, ContextKind, Position, code_tool, cut_off_message, first_message,
    message_to_instance, mismatch_message, next_message, no_code_message, output_left_out,
    result_message, returned_early_message,
};
use crate::protocol::ProtocolBehavior;
use crate::protocol::background::Background;
use crate::protocol::direct::OneCall;
use crate::text::{code_blocks, foreign_language, truncate_middle};

/// Maximum characters of an error message, and of a returned value to review, that the model is
/// shown. Longer texts are shortened in the middle.
const SHOWN_BACK: usize = 10_000;

/// RLM protocol. Its root has a REPL, or is a flat agent if the maximum depth is 0.
pub(super) struct Rlm;

#[async_trait]
impl ProtocolBehavior for Rlm {
    fn root(&self, treatment: &Treatment) -> AgentPlan {
        let root = AgentPlan::root(treatment);
        if treatment.prompts.max_depth > 0 {
            return root;
        }
        AgentPlan {
            role: Role::Flat,
            iterations: 1,
            ..root
        }
    }

    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        if root.plan.role == Role::Flat {
            OneCall::of_root(attempt, root).open(conversation);
        } else {
            conversation.push(first(attempt, root));
        }
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        if root.plan.role == Role::Flat {
            run_turns(attempt, root, &mut OneCall::of_root(attempt, root)).await
        } else {
            Box::pin(run(attempt, root)).await
        }
    }
}

/// Runs the root in a REPL. If the attempt has a page, records the page's final state for scoring.
async fn run(attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
    let Some(browser) = attempt.run.browser.as_deref() else {
        return Box::pin(run_repl(attempt, root.clone())).await;
    };
    let page = attempt.meter.during(browser.open(attempt.task)).await?;
    let functions =
        PageFunctions::of_root(Arc::clone(&page), attempt.run.treatment.pages.extensions());
    let root = Invocation {
        page: Some(functions.clone()),
        ..root.clone()
    };
    let result = tokio::select! {
        result = Box::pin(run_repl(attempt, root.clone())) => result,
        error = functions.broken() => Err(error.into()),
    };
    if Failure::has_final_state(&result) {
        let _working = attempt.meter.begin();
        let state = page.state(result.as_deref().ok()).await?;
        if let Some(state) = state {
            attempt.records.record_final_state(&root, state);
        }
    }
    result
}

/// Runs a root that ends when its code returns a value.
pub(crate) async fn run_repl(attempt: &Attempt<'_>, root: Invocation) -> Result<String, Failure> {
    let session = attempt.meter.during(attempt.open_session(&root)).await?;
    let _subscribed = attempt.subscribe_to_budget(&session);
    ReplAgent::of_root(attempt, root, &session).run().await
}

/// Returns the first user message in the root's conversation.
pub(crate) fn first(attempt: &Attempt<'_>, root: &Invocation) -> Message {
    let kind = kind_of(&attempt.task.context);
    let first = first_message(&root.asked(), &kind, root.plan.iterations);
    attempt.with_images(root, Message::user(first))
}

/// Returns the kind of a text context, for the first message to an agent with a REPL.
pub(crate) fn kind_of(context: &str) -> ContextKind {
    match context.encode_utf16().count() as u64 {
        0 => ContextKind::None,
        length => ContextKind::Text(length),
    }
}

/// Running agent with a REPL.
pub(crate) struct ReplAgent<'a> {
    attempt: &'a Attempt<'a>,
    invocation: Invocation,
    session: &'a Session,
    repl: Repl,
    /// Initial messages, oldest first.
    shown: Vec<Message>,
    /// Further messages of the user, in order; always empty for agents other than the root.
    follow_ups: VecDeque<String>,
    /// Whether no message from the agent's inbox has been processed yet.
    awaits_first: bool,
    /// Tool calls of the last reply. The next message must contain their results.
    last_calls: Vec<ToolCall>,
    /// Number of child ids assigned so far.
    calls: u32,
    /// Agents that run in the background.
    background: Background<'a>,
}

/// Combined result of the cells of one iteration.
#[derive(Default)]
pub(crate) struct CellResults {
    pub output: String,
    error: Option<String>,
    unawaited: u32,
    returns_in_function: bool,
    pub returned: Option<String>,
}

impl CellResults {
    /// Returns the message about cells that did not return a value, the same message without their
    /// output, and the number of characters of the output.
    pub fn report(self, dropped_blocks: u32, next: Position) -> (String, String, u64) {
        let chars = self.output.chars().count() as u64;
        let mut report = CellReport {
            output: &self.output,
            error: self.error,
            dropped_blocks,
            unawaited: self.unawaited,
            returns_in_function: self.returns_in_function,
        };
        let message = result_message(&report, next);
        let left_out = output_left_out(chars);
        report.output = &left_out;
        (message, result_message(&report, next), chars)
    }
}

impl<'a> ReplAgent<'a> {
    /// Creates an agent with an open REPL. `shown` are its initial messages, oldest first.
    pub fn new(
        attempt: &'a Attempt<'a>,
        invocation: Invocation,
        session: &'a Session,
        repl: Repl,
        shown: Vec<Message>,
    ) -> Self {
        let follow_ups = if invocation.is_root() {
            attempt.task.follow_ups.clone().into()
        } else {
            VecDeque::new()
        };
        Self {
            follow_ups,
            attempt,
            invocation,
            session,
            repl,
            shown,
            awaits_first: true,
            last_calls: Vec::new(),
            calls: 0,
            background: Background::default(),
        }
    }

    /// Creates the root of an attempt, and opens its REPL.
    pub fn of_root(attempt: &'a Attempt<'a>, root: Invocation, session: &'a Session) -> Self {
        let context = Context::Text(Arc::clone(&attempt.task.context));
        let repl = session.open_with(None, context, attempt.info(&root), root.functions());
        let shown = vec![first(attempt, &root)];
        Self::new(attempt, root, session, repl, shown)
    }

    /// Removes and returns the notes of background agents.
    pub fn take_notes(&mut self) -> String {
        self.background.take_notes()
    }

    /// Returns the code blocks of a reply to run, and the number of blocks dropped because of the
    /// limit.
    pub fn blocks(&self, reply: &ModelReply) -> (Vec<String>, u32) {
        let calls = &reply.response.tool_calls;
        let mut blocks = if reply.truncated {
            Vec::new()
        } else if calls.is_empty() {
            code_blocks(&reply.response.text)
        } else {
            code_tool::codes(calls)
        };
        let allowed = self
            .attempt
            .run
            .treatment
            .iterations
            .max_blocks_per_iteration as usize;
        let dropped = u32::try_from(blocks.len().saturating_sub(allowed)).unwrap_or(u32::MAX);
        blocks.truncate(allowed);
        (blocks, dropped)
    }

    /// Records an iteration without code, and counts it as a protocol fault.
    pub fn record_nothing(&self, iteration: u32) {
        self.attempt.records.count_fault();
        self.record(iteration, "", &CellOutcome::default(), None, false, 0);
    }

    /// Runs the agent until it answers or fails.
    pub async fn run(mut self) -> Result<String, Failure> {
        let invocation = self.invocation.clone();
        run_turns(self.attempt, &invocation, &mut self).await
    }

    /// Runs the code of a reply.
    async fn run_code(&mut self, reply: &ModelReply, turn: Turn) -> Result<ReplyOutcome, Failure> {
        let iteration = turn.count();
        let next = turn.next();
        let (blocks, dropped) = self.blocks(reply);
        if blocks.is_empty() {
            self.record_nothing(iteration);
            let via_tool = self.invocation.model.sampling.code_via_tool;
            return Ok(ReplyOutcome::Message(if reply.truncated {
                cut_off_message(next)
            } else {
                no_code_message(next, via_tool, foreign_language(&reply.response.text))
            }));
        }
        let confirm = self.attempt.run.treatment.iterations.confirm_first_return;
        let intercepts = confirm && iteration == 1 && !turn.is_last();
        let ran = self.run_blocks(&blocks, turn, intercepts, dropped).await?;
        match ran.returned {
            Some(answer) if intercepts => {
                if self.invocation.is_root() {
                    self.attempt
                        .records
                        .count(|stats| stats.returned_early = true);
                }
                Ok(ReplyOutcome::Message(returned_early_message(
                    &truncate_middle(&answer, SHOWN_BACK),
                    next,
                )))
            }
            Some(answer) => Ok(ReplyOutcome::Answer(answer)),
            None => {
                let (message, stub, chars) = ran.report(dropped, next);
                Ok(ReplyOutcome::Output {
                    message,
                    stub,
                    chars,
                })
            }
        }
    }

    /// Runs blocks in order until one fails or returns a value. `intercepts` is whether the model
    /// will review a returned value before it becomes the answer. Dropped blocks count as one
    /// protocol fault.
    pub async fn run_blocks(
        &mut self,
        blocks: &[String],
        turn: Turn,
        intercepts: bool,
        dropped: u32,
    ) -> Result<CellResults, Failure> {
        let iteration = turn.count();
        if dropped > 0 {
            self.attempt.records.count_fault();
        }
        let mut ran = CellResults::default();
        for code in blocks {
            let outcome = match self.run_cell(code, iteration).await {
                Ok(outcome) => outcome,
                Err(failure) => {
                    // The cell cannot continue: record it with the reason.
                    let nothing = CellOutcome::default();
                    let reason = Some(failure.reason.clone());
                    self.record(iteration, code, &nothing, reason, false, dropped);
                    return Err(failure);
                }
            };
            if !ran.output.is_empty() && !outcome.output.is_empty() {
                ran.output.push('\n');
            }
            ran.output.push_str(&outcome.output);
            ran.error = outcome.error.as_ref().map(|error| {
                let message = truncate_middle(&error.message, SHOWN_BACK);
                std::iter::once(message.as_str())
                    .chain(error.stack.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join("\n    ")
            });
            let reported = outcome
                .error
                .as_ref()
                .is_some_and(|error| error.kind == CellErrorKind::Unawaited);
            ran.unawaited = if reported { 0 } else { outcome.unawaited };
            self.attempt
                .records
                .count(|stats| stats.failed_cells += u32::from(outcome.error.is_some()));
            ran.returns_in_function = outcome.returns_in_function && outcome.output.is_empty();
            // An answer from a cell with an error may be incomplete, so it is accepted only in the
            // last turn.
            let is_refused = ran.error.is_some() && !turn.is_last();
            let intercepted = (intercepts || is_refused) && outcome.value.is_some();
            self.record(
                iteration,
                code,
                &outcome,
                ran.error.clone(),
                intercepted,
                dropped,
            );
            ran.returned = outcome.value.filter(|_| !is_refused);
            if ran.error.is_some() || ran.returned.is_some() {
                break;
            }
        }
        Ok(ran)
    }

    fn record(
        &self,
        iteration: u32,
        code: &str,
        outcome: &CellOutcome,
        error: Option<String>,
        intercepted: bool,
        dropped_blocks: u32,
    ) {
        self.attempt.records.emit(
            &self.invocation,
            EventKind::IterationEnd {
                iteration,
                code: code.to_owned(),
                output: outcome.output.clone(),
                error,
                returned: (outcome.value.as_deref()).map(|value| shown(&self.invocation, value)),
                intercepted: Some(intercepted),
                executed_ms: Some(ms(outcome.executed)),
                dropped_blocks: Some(dropped_blocks),
            },
        );
    }
}

impl AgentBehavior for ReplAgent<'_> {
    fn open(&mut self, conversation: &mut Conversation) {
        conversation.lister = Some(self.repl.lister());
        self.start_immediate();
        if let Some(last) = self.shown.last_mut() {
            last.content += &self.background.take_notes();
        }
        for message in self.shown.drain(..) {
            conversation.push(message);
        }
    }

    fn on_message(&mut self, message: Message, turn: Turn, conversation: &mut Conversation) {
        let query = &message.content;
        let text = if std::mem::take(&mut self.awaits_first) {
            first_message(query, &ContextKind::None, turn.iterations)
        } else {
            message_to_instance(query, turn.next())
        };
        let calls = std::mem::take(&mut self.last_calls);
        conversation.push(Message {
            images: message.images,
            ..code_tool::answer(&calls, text + &self.background.take_notes())
        });
    }

    async fn run_background_while<T: Send>(&mut self, asking: impl Future<Output = T> + Send) -> T {
        self.background.run_background_while(asking).await
    }

    async fn respond(
        &mut self,
        reply: ModelReply,
        turn: Turn,
        conversation: &mut Conversation,
    ) -> Result<NextStep, Failure> {
        let outcome = self.run_code(&reply, turn).await?;
        let calls = reply.response.tool_calls;
        let outcome = match outcome {
            ReplyOutcome::Answer(answer) if self.follow_ups.is_empty() => {
                self.last_calls = calls;
                return Ok(NextStep::Answer(answer));
            }
            other => other,
        };
        let notes = self.background.take_notes();
        let message = |text: String| code_tool::answer(&calls, text + &notes);
        match outcome {
            ReplyOutcome::Answer(answer) => {
                let next = self.follow_ups.pop_front().unwrap_or_default();
                if let Some(page) = &self.invocation.page {
                    page.answered(&answer).await?;
                }
                self.attempt.records.answered(&answer);
                conversation.push(message(next_message(&next, turn.next())));
            }
            ReplyOutcome::Message(text) => conversation.push(message(text)),
            ReplyOutcome::Output {
                message: text,
                stub,
                chars,
            } => conversation.push_output(message(text), message(stub), chars),
        }
        Ok(NextStep::Continue)
    }

    fn correct(&mut self, problem: &str, turn: Turn, conversation: &mut Conversation) {
        let text = mismatch_message(problem, Some(turn.next()));
        let calls = std::mem::take(&mut self.last_calls);
        conversation.push(code_tool::answer(&calls, text));
    }

    async fn close(
        &mut self,
        _conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> Result<String, Failure> {
        self.background.stop(self.attempt, &self.invocation);
        if result.is_ok() {
            self.repl.mark_returned();
        }
        result
    }

    fn expected(&self) -> &'static str {
        "returning an answer"
    }
}

/// Result of running a reply's code.
enum ReplyOutcome {
    Answer(String),
    /// Message for the model, without the output of a cell.
    Message(String),
    /// Message for the model that contains the output of a cell.
    Output {
        message: String,
        /// Message without the output.
        stub: String,
        /// Number of characters of the output.
        chars: u64,
    },
}
