//! Dual agents, whose two sides discuss each message of their caller. One side may be a person.
//!
//! The dual agent itself does not query a model. Its sides are instances with their own
//! conversations and the depth of the dual agent.

use std::sync::Arc;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::{join, join_all};

use crate::agent::{
    Attempt, Counterpart, Dialogue, Failure, Inbox, Invocation, QueuedMessage, Specialist,
};
use crate::model::{Message, Status};
use crate::prompt::definition::Side;
use crate::tool::ToolError;

impl Attempt<'_> {
    /// Creates the agents on both sides of a dialogue, or only on side A if side B is a person.
    ///
    /// # Errors
    /// Returns the error for the caller: the depth limit, or an unknown model.
    pub fn sides(
        &self,
        agent: &Invocation,
        talk: &Dialogue,
    ) -> Result<Vec<(Invocation, &Arc<Specialist>)>, ToolError> {
        let side = |letter: char, name: &str| {
            let specialist = self.specialist(name)?;
            // The sides have the same depth as the dual agent.
            let mut above = agent.clone();
            above.plan.depth = agent.plan.depth.saturating_sub(1);
            let id = format!("{}.{letter}", agent.id);
            let query = specialist.name.clone();
            let mut side = self.specialist_child(&above, &id, specialist, query)?;
            side.outbox.clone_from(&agent.outbox);
            Ok((side, specialist))
        };
        let mut sides = vec![side('a', &talk.side_a)?];
        if let Counterpart::Agent(name) = &talk.side_b {
            sides.push(side('b', name)?);
        }
        Ok(sides)
    }

    /// Answers each message of the caller with a dialogue between the two sides.
    ///
    /// # Errors
    /// Returns a failure if the sides could not start. Later failures are returned in the answers.
    pub async fn talk(
        &self,
        agent: &Invocation,
        specialist: &Specialist,
        inbox: Inbox,
    ) -> Result<(), Failure> {
        let Some(talk) = specialist.talk.as_deref() else {
            return Err(Failure::ended());
        };
        self.records.begin(agent, "");
        let sides = self.sides(agent, talk).map_err(|error| {
            let failure = Failure::new(Status::Error, error.0);
            self.records.end(agent, &Err(failure.clone()), 0);
            failure
        })?;
        let (mut speakers, mut serving) = (Vec::new(), Vec::new());
        for (side, of_side) in sides {
            self.emit_created(agent, &side, side.query());
            let (to_side, messages) = mpsc::unbounded();
            speakers.push(to_side);
            serving.push(self.serve(side, of_side, Vec::new(), messages));
        }
        let answering = self.answer_by_talking(agent, &specialist.name, talk, speakers, inbox);
        let ((result, said), served) = join(answering, join_all(serving)).await;
        self.records.end(agent, &result, said);
        served.into_iter().collect()
    }

    /// Answers messages until the inbox is closed or a dialogue fails. Returns the last result, and
    /// the number of messages that the sides exchanged. `speakers` are the inboxes of the sides
    /// that are agents, A first.
    async fn answer_by_talking(
        &self,
        agent: &Invocation,
        name: &str,
        talk: &Dialogue,
        speakers: Vec<mpsc::UnboundedSender<QueuedMessage>>,
        mut inbox: Inbox,
    ) -> (Result<String, Failure>, u32) {
        let mut said = 0;
        let mut result = Ok(String::new());
        let mut number = 0;
        while let Some(letter) = inbox.next().await {
            number += 1;
            self.records.message(agent, number, &letter.message);
            let first = letter.message.clone();
            result = self
                .exchange(agent, name, talk, &speakers, first, &mut said)
                .await;
            self.records.message_answered(agent, number, &result);
            letter.answer(result.clone());
            if result.is_err() {
                break;
            }
        }
        (result, said)
    }

    /// Sends one message to the receiving side, and runs the dialogue. Returns the last message of
    /// the receiving side as the answer. Increments `messages` for each message of a side.
    async fn exchange(
        &self,
        agent: &Invocation,
        name: &str,
        talk: &Dialogue,
        speakers: &[mpsc::UnboundedSender<QueuedMessage>],
        first: Message,
        messages: &mut u32,
    ) -> Result<String, Failure> {
        let mut at = usize::from(talk.receives == Side::B);
        let receives = at;
        let mut message = first;
        let mut answer = String::new();
        for _ in 0..talk.max_messages.get() {
            let said = if let Some(inbox) = speakers.get(at) {
                let side = format!("{}.{}", agent.id, ["a", "b"][at]);
                let (letter, answered) = QueuedMessage::new(message);
                let _ = inbox.unbounded_send(letter);
                self.emit_sent(agent, &side);
                let said = answered.await.unwrap_or_else(|_| Err(Failure::ended()));
                self.emit_answered(agent, &side, &said);
                said?
            } else {
                let person = self.run.person.as_ref().ok_or_else(|| {
                    let problem =
                        format!("the agent `{name}` talks with a person, and there is none here");
                    Failure::new(Status::Error, problem)
                })?;
                match person.reply(name, &message.content).await {
                    Some(said) => said,
                    // The person ended the dialogue.
                    None => break,
                }
            };
            *messages += 1;
            if at == receives {
                answer.clone_from(&said);
            }
            if (talk.stop_phrase.as_ref()).is_some_and(|phrase| said.contains(phrase.as_str())) {
                break;
            }
            at = 1 - at;
            message = Message::user(said);
        }
        Ok(answer)
    }
}
