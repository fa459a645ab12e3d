//! The loop of one agent with a REPL: ask, run the code, show what it did, until it returns.

use sandbox::message::{CellErrorKind, CellOutcome};
use sandbox::{Repl, Session};

use crate::attempt::Attempt;
use crate::background::Background;
use crate::code_tool;
use crate::conversation::Conversation;
use crate::cut::two_ends;
use crate::event::{EventKind, Image, Message, Role, ms};
use crate::failure::Failure;
use crate::fence::code_blocks;
use crate::invocation::Invocation;
use crate::model_call::Said;
use crate::outcome::Status;
use crate::prompt::{
    CellReport, ContextKind, Position, cut_off_message, first_message, no_code_message,
    output_left_out, result_message, returned_early_message,
};

/// Characters of a cell's error, or of a first-iteration return, that are shown back; of a longer one, its two ends.
const SHOWN_BACK: usize = 10_000;

/// An agent at work.
pub(crate) struct ReplAgent<'a> {
    pub attempt: &'a Attempt<'a>,
    pub invocation: Invocation,
    pub session: &'a Session,
    pub repl: Repl,
    /// Calls made so far.
    pub calls: u32,
    /// Images of its first message.
    pub images: Vec<Image>,
    /// What it sees of the conversation in which it was called.
    pub earlier: Vec<Message>,
    /// Agents that it called without waiting for them.
    pub background: Background<'a>,
}

/// What the cells of one iteration came to.
struct Ran {
    output: String,
    error: Option<String>,
    unawaited: u32,
    returned: Option<String>,
}

impl<'a> ReplAgent<'a> {
    pub fn new(
        attempt: &'a Attempt<'a>,
        invocation: Invocation,
        session: &'a Session,
        repl: Repl,
    ) -> Self {
        Self {
            attempt,
            invocation,
            session,
            repl,
            calls: 0,
            images: Vec::new(),
            earlier: Vec::new(),
            background: Background::default(),
        }
    }

    /// Runs to the answer or to the reason why there is none.
    pub async fn run(mut self, context: &ContextKind) -> Result<String, Failure> {
        let mut conversation = self.attempt.begin(&self.invocation);
        for message in std::mem::take(&mut self.earlier) {
            conversation.push(message);
        }
        let first = first_message(self.invocation.query(), context, self.invocation.iterations);
        let first = Message {
            images: std::mem::take(&mut self.images),
            ..Message::user(first)
        };
        conversation.push(self.attempt.with_images(&self.invocation, first));
        let mut used = 0;
        let result = self.iterate(&mut conversation, &mut used).await;
        self.stop_background();
        self.attempt.end(&self.invocation, &result, used);
        if result.is_ok() {
            self.repl.close_returned();
        }
        result
    }

    async fn iterate(
        &mut self,
        conversation: &mut Conversation,
        used: &mut u32,
    ) -> Result<String, Failure> {
        let iterations = self.invocation.iterations;
        let attempt = self.attempt;
        for iteration in 1..=iterations {
            *used = iteration;
            if self.invocation.role == Role::Root {
                attempt.count(|stats| stats.iterations = iteration);
            }
            attempt.emit(&self.invocation, EventKind::IterationStart { iteration });
            let said = self
                .background
                .beside(attempt.ask(&self.invocation, conversation))
                .await?;
            let next = Position {
                iteration: iteration + 1,
                iterations,
            };
            let step = self.respond(&said, iteration, next).await?;
            match step.with_notes(&self.background.take_notes()) {
                Step::Answer(answer) => return Ok(answer),
                Step::Continue(text) => {
                    conversation.push(code_tool::answer(&said.response.tool_calls, text));
                }
                Step::Output {
                    message,
                    stub,
                    chars,
                } => {
                    let told = |text| code_tool::answer(&said.response.tool_calls, text);
                    conversation.push_output(told(message), told(stub), chars);
                }
            }
        }
        Err(Failure {
            status: Status::Limit,
            reason: format!("reached max iterations ({iterations}) without returning an answer"),
        })
    }

    /// Runs the code of a response and gives the next user message, or the answer.
    async fn respond(
        &mut self,
        said: &Said,
        iteration: u32,
        next: Position,
    ) -> Result<Step, Failure> {
        let calls = &said.response.tool_calls;
        let mut blocks = if said.truncated {
            Vec::new()
        } else if calls.is_empty() {
            code_blocks(&said.response.text)
        } else {
            code_tool::codes(calls)
        };
        let allowed = self.attempt.engine.config.max_blocks_per_iteration as usize;
        let dropped = u32::try_from(blocks.len().saturating_sub(allowed)).unwrap_or(u32::MAX);
        blocks.truncate(allowed);
        if dropped > 0 || blocks.is_empty() {
            self.attempt.count(|stats| stats.protocol_faults += 1);
        }
        if blocks.is_empty() {
            let nothing = CellOutcome::default();
            self.record(iteration, "", &nothing, None, false, 0);
            let via_tool = self.invocation.model.sampling.code_via_tool;
            return Ok(Step::Continue(if said.truncated {
                cut_off_message(next)
            } else {
                no_code_message(next, via_tool)
            }));
        }
        let confirm = self.attempt.engine.config.confirm_first_return;
        let intercepts = confirm && iteration == 1 && next.iteration <= next.iterations;
        let ran = self
            .run_blocks(&blocks, iteration, intercepts, dropped)
            .await?;
        match ran.returned {
            Some(answer) if intercepts => {
                if self.invocation.role == Role::Root {
                    self.attempt.count(|stats| stats.returned_early = true);
                }
                Ok(Step::Continue(returned_early_message(
                    &two_ends(&answer, SHOWN_BACK),
                    next,
                )))
            }
            Some(answer) => Ok(Step::Answer(answer)),
            None => {
                let chars = ran.output.chars().count() as u64;
                let mut report = CellReport {
                    output: &ran.output,
                    error: ran.error,
                    dropped_blocks: dropped,
                    unawaited: ran.unawaited,
                };
                let message = result_message(&report, next);
                let left_out = output_left_out(chars);
                report.output = &left_out;
                Ok(Step::Output {
                    message,
                    stub: result_message(&report, next),
                    chars,
                })
            }
        }
    }

    /// Runs blocks in order until one fails or returns.
    async fn run_blocks(
        &mut self,
        blocks: &[String],
        iteration: u32,
        intercepts: bool,
        dropped: u32,
    ) -> Result<Ran, Failure> {
        let mut ran = Ran {
            output: String::new(),
            error: None,
            unawaited: 0,
            returned: None,
        };
        for code in blocks {
            let outcome = match self.run_cell(code, iteration).await {
                Ok(outcome) => outcome,
                Err(failure) => {
                    // The last cell of a sandbox that is gone, and why it is.
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
                let message = two_ends(&error.message, SHOWN_BACK);
                std::iter::once(message.as_str())
                    .chain(error.stack.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join("\n    ")
            });
            let told = outcome
                .error
                .as_ref()
                .is_some_and(|error| error.kind == CellErrorKind::Unawaited);
            ran.unawaited = if told { 0 } else { outcome.unawaited };
            self.attempt
                .count(|stats| stats.failed_cells += u32::from(outcome.error.is_some()));
            let intercepted = intercepts && outcome.value.is_some();
            self.record(
                iteration,
                code,
                &outcome,
                ran.error.clone(),
                intercepted,
                dropped,
            );
            ran.returned = outcome.value;
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
        self.attempt.emit(
            &self.invocation,
            EventKind::IterationEnd {
                iteration,
                code: code.to_owned(),
                output: outcome.output.clone(),
                error,
                returned: outcome.value.clone(),
                intercepted: Some(intercepted),
                executed_ms: Some(ms(outcome.executed)),
                dropped_blocks: Some(dropped_blocks),
            },
        );
    }
}

impl Step {
    /// The same with notes at the end of the next message.
    fn with_notes(self, notes: &str) -> Self {
        match self {
            Self::Answer(answer) => Self::Answer(answer),
            Self::Continue(text) => Self::Continue(text + notes),
            Self::Output {
                message,
                stub,
                chars,
            } => Self::Output {
                message: message + notes,
                stub: stub + notes,
                chars,
            },
        }
    }
}

enum Step {
    Answer(String),
    Continue(String),
    /// Like `Continue`, with a cell's output in it.
    Output {
        message: String,
        /// The message without the output.
        stub: String,
        /// Characters of the output.
        chars: u64,
    },
}
