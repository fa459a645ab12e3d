//! The one loop of every agent: ask, let its protocol act on the reply, until that answers or the iterations are used up.

use std::future::Future;

use super::{Attempt, Conversation, Failure, Invocation, ModelReply};
use crate::model::{EventKind, Status};
use crate::prompt::Position;

/// What a protocol does with the turns of one agent.
///
/// Invariant: nothing here asks a model, counts iterations or ends an agent's records; that is the loop's.
pub(crate) trait Turns: Send {
    /// Puts what the agent is shown first into its conversation, with the tools that its requests offer.
    fn open(&mut self, conversation: &mut Conversation);

    /// Prepares the next request: what is shown in it alone.
    fn prepare(
        &mut self,
        _conversation: &mut Conversation,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        async { Ok(()) }
    }

    /// Awaits the model's reply, and lets what the agent left running go on meanwhile.
    fn beside<T: Send>(
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
    ) -> impl Future<Output = Result<Step, Failure>> + Send;

    /// Ends the agent's work, while its records are still open.
    fn close(
        &mut self,
        _conversation: &Conversation,
        result: Result<String, Failure>,
    ) -> impl Future<Output = Result<String, Failure>> + Send {
        async { result }
    }

    /// What an agent that used up its iterations did not do.
    fn missing(&self) -> &'static str {
        "an answer"
    }

    /// Whether a turn is an iteration, which is counted and recorded. A single call is not.
    fn iterates(&self) -> bool {
        true
    }
}

/// What comes after a reply.
#[derive(Debug)]
pub(crate) enum Step {
    /// The agent's answer.
    Answer(String),
    /// Another turn. What the model is shown next is in the conversation.
    GoOn,
}

/// Where in its iterations an agent stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// 1-based.
    pub iteration: u32,
    /// Iterations that the agent has.
    pub iterations: u32,
}

impl Turn {
    /// Whether no other turn follows.
    pub const fn is_last(self) -> bool {
        self.iteration >= self.iterations
    }

    /// What the next message says of where the agent stands.
    pub const fn next(self) -> Position {
        Position {
            iteration: self.iteration + 1,
            iterations: self.iterations,
        }
    }
}

/// Runs an agent from its first message to its answer, or to the reason why it has none.
pub(crate) async fn run_turns(
    attempt: &Attempt<'_>,
    invocation: &Invocation,
    agent: &mut impl Turns,
) -> Result<String, Failure> {
    let mut conversation = attempt.begin(invocation);
    agent.open(&mut conversation);
    let mut used = 0;
    let result = iterate(attempt, invocation, agent, &mut conversation, &mut used).await;
    let result = agent.close(&conversation, result).await;
    attempt.records.end(invocation, &result, used);
    result
}

async fn iterate(
    attempt: &Attempt<'_>,
    invocation: &Invocation,
    agent: &mut impl Turns,
    conversation: &mut Conversation,
    used: &mut u32,
) -> Result<String, Failure> {
    let iterations = invocation.iterations;
    for iteration in 1..=iterations {
        *used = iteration;
        if agent.iterates() {
            if invocation.is_root() {
                attempt.records.count(|stats| stats.iterations = iteration);
            }
            attempt
                .records
                .emit(invocation, EventKind::IterationStart { iteration });
        }
        agent.prepare(conversation).await?;
        let reply = agent.beside(attempt.ask(invocation, conversation)).await?;
        let turn = Turn {
            iteration,
            iterations,
        };
        if let Step::Answer(answer) = agent.respond(reply, turn, conversation).await? {
            return Ok(answer);
        }
    }
    Err(Failure {
        status: Status::Limit,
        reason: format!(
            "reached max iterations ({iterations}) without {}",
            agent.missing()
        ),
    })
}
