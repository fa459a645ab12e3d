//! The loop that runs every agent. It queries the model and passes the reply to the protocol until
//! the agent answers or its iterations are used up.

use std::future::Future;
use std::sync::atomic::Ordering;

use futures::StreamExt;

use super::{Attempt, Conversation, Failure, Inbox, Invocation, ModelReply};
use crate::model::{EventKind, Message, Status};
use crate::prompt::{Position, answer_of_value, mismatch_message};

/// Maximum corrections of an answer that does not match its schema.
pub(crate) const CORRECTIONS: u32 = 2;

/// Behavior of an agent under one protocol.
///
/// Invariant: only the loop, not the implementations, queries models, counts iterations and ends an
/// agent's records.
pub(crate) trait AgentBehavior: Send {
    /// Adds the agent's first messages to its conversation, and sets the tools that its requests
    /// offer.
    fn open(&mut self, conversation: &mut Conversation);

    /// Adds the next message to the conversation of an agent that accepts several messages. All
    /// earlier messages have been answered.
    fn on_message(&mut self, message: Message, _turn: Turn, conversation: &mut Conversation) {
        conversation.push(message);
    }

    /// Prepares the next request, for example its last message, which later requests omit.
    fn prepare(
        &mut self,
        _conversation: &mut Conversation,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        async { Ok(()) }
    }

    /// Awaits `asking`, such as the model's reply, while code that the agent has left running
    /// continues.
    fn run_background_while<T: Send>(
        &mut self,
        asking: impl Future<Output = T> + Send,
    ) -> impl Future<Output = T> + Send {
        asking
    }

    /// Acts on a reply.
    fn respond(
        &mut self,
        reply: ModelReply,
        turn: Turn,
        conversation: &mut Conversation,
    ) -> impl Future<Output = Result<NextStep, Failure>> + Send;

    /// Adds a message about an answer that does not match its schema. The agent then has another
    /// turn.
    fn correct(&mut self, problem: &str, turn: Turn, conversation: &mut Conversation) {
        let next = self.iterates().then(|| turn.next());
        conversation.push(Message::user(mismatch_message(problem, next)));
    }

    /// Ends the agent's work before its result is recorded. Returns the final result.
    fn close(
        &mut self,
        _conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> impl Future<Output = Result<String, Failure>> + Send {
        async { result }
    }

    /// Returns the end of the error message "reached max iterations (…) without …".
    fn expected(&self) -> &'static str {
        "an answer"
    }

    /// Whether turns are counted and recorded as iterations. For an agent with a single call, they
    /// are not.
    fn iterates(&self) -> bool {
        true
    }
}

/// Next step after a reply.
#[derive(Debug)]
pub(crate) enum NextStep {
    /// The agent's answer.
    Answer(String),
    /// Another turn. The messages for it are already in the conversation.
    Continue,
}

/// Position of an agent in its iterations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Number of the current iteration, counted from 1 for each message; 0 before the first.
    pub iteration: u32,
    /// Maximum iterations for the current message.
    pub iterations: u32,
    /// Number of iterations for earlier messages.
    pub before: u32,
}

impl Turn {
    /// Returns the number of the iteration in the records, counted across all messages.
    pub const fn count(self) -> u32 {
        self.before + self.iteration
    }

    /// Whether no iterations are left after this one.
    pub const fn is_last(self) -> bool {
        self.iteration >= self.iterations
    }

    /// Returns the position that the next message to the agent states.
    pub const fn next(self) -> Position {
        Position {
            iteration: self.iteration + 1,
            iterations: self.iterations,
        }
    }
}

/// Runs an agent from its first message to its answer or failure.
pub(crate) async fn run_turns(
    attempt: &Attempt<'_>,
    invocation: &Invocation,
    agent: &mut impl AgentBehavior,
) -> Result<String, Failure> {
    let mut conversation = attempt.begin(invocation);
    agent.open(&mut conversation);
    let mut used = 0;
    let result = iterate(attempt, invocation, agent, &mut conversation, &mut used).await;
    let result = agent.close(&conversation, result).await;
    attempt.records.end(invocation, &result, used);
    result
}

/// Runs an agent that accepts messages. It answers each message in separate turns of one
/// conversation. It ends when its inbox is closed or when it fails to answer a message.
pub(crate) async fn answer_messages(
    attempt: &Attempt<'_>,
    invocation: &Invocation,
    agent: &mut impl AgentBehavior,
    mut inbox: Inbox,
) {
    let mut conversation = attempt.begin(invocation);
    agent.open(&mut conversation);
    let mut used = 0;
    let mut number = 0;
    let mut result = Ok(String::new());
    while let Some(queued_message) = agent.run_background_while(inbox.next()).await {
        number += 1;
        attempt
            .records
            .message(invocation, number, &queued_message.message);
        let turn = Turn {
            iteration: 0,
            iterations: invocation.plan.iterations,
            before: used,
        };
        agent.on_message(queued_message.message.clone(), turn, &mut conversation);
        result = iterate(attempt, invocation, agent, &mut conversation, &mut used).await;
        attempt
            .records
            .message_answered(invocation, number, &result);
        let failed = result.is_err();
        queued_message.answer(result.clone());
        if failed {
            break;
        }
    }
    let result = agent.close(&conversation, result).await;
    attempt.records.end(invocation, &result, used);
}

async fn iterate(
    attempt: &Attempt<'_>,
    invocation: &Invocation,
    agent: &mut impl AgentBehavior,
    conversation: &mut Conversation,
    used: &mut u32,
) -> Result<String, Failure> {
    // A single call is not an iteration, so each correction is an additional call.
    let corrections = if invocation.schema.is_some() && !agent.iterates() {
        CORRECTIONS
    } else {
        0
    };
    let iterations = invocation.plan.iterations + corrections;
    let before = *used;
    let mut refused = 0;
    for iteration in 1..=iterations {
        let turn = Turn {
            iteration,
            iterations,
            before,
        };
        *used = turn.count();
        invocation.progress.store(turn.count(), Ordering::Relaxed);
        if agent.iterates() {
            if invocation.is_root() {
                attempt.records.count(|stats| stats.iterations = iteration);
            }
            let iteration = turn.count();
            attempt
                .records
                .emit(invocation, EventKind::IterationStart { iteration });
        }
        agent.prepare(conversation).await?;
        let reply = agent
            .run_background_while(attempt.ask(invocation, conversation))
            .await?;
        let NextStep::Answer(answer) = agent.respond(reply, turn, conversation).await? else {
            continue;
        };
        let Some(schema) = &invocation.schema else {
            return Ok(answer);
        };
        match schema.value_of(&answer) {
            Ok(value) => return Ok(answer_of_value(&value)),
            Err(problem) if refused < CORRECTIONS && !turn.is_last() => {
                refused += 1;
                attempt.records.count(|stats| stats.protocol_faults += 1);
                agent.correct(&problem, turn, conversation);
            }
            Err(problem) => {
                return Err(Failure::new(
                    Status::Limit,
                    format!(
                        "the answer does not conform to its schema after {refused} corrections: {problem}"
                    ),
                ));
            }
        }
    }
    Err(Failure::new(
        Status::Limit,
        format!(
            "reached max iterations ({iterations}) without {}",
            agent.expected()
        ),
    ))
}
