//! Log of a web agent's newest turns. It is recorded at the end of the trajectory, together with
//! the last messages.

use std::collections::VecDeque;

use crate::agent::{Attempt, Conversation, Invocation};
use crate::model::web::{ActionResult, Envelope, LoggedTurn};
use crate::model::{EventKind, Message, WebEvent};

/// Maximum number of turns in the log.
const KEPT: usize = 50;

#[derive(Debug, Default)]
pub(super) struct TurnLog(VecDeque<LoggedTurn>);

impl TurnLog {
    /// Adds a turn, and drops the oldest if the log is full.
    pub fn add(&mut self, iteration: u32, envelope: &Envelope, results: &[ActionResult]) {
        self.push(LoggedTurn {
            iteration,
            memory: envelope.memory.clone(),
            todos_remaining: envelope.todos_remaining.clone(),
            actions: envelope.actions.clone(),
            results: results.to_vec(),
            problem: None,
        });
    }

    /// Adds a turn without a usable envelope.
    pub fn add_malformed(&mut self, iteration: u32, problem: &str) {
        self.push(LoggedTurn {
            iteration,
            problem: Some(problem.to_owned()),
            ..LoggedTurn::default()
        });
    }

    fn push(&mut self, turn: LoggedTurn) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(turn);
    }

    /// Records the log, the messages of the last request and all later messages in the trajectory.
    /// Images are omitted, because earlier events contain them.
    pub fn record(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &Conversation) {
        let without_images = |message: &Message| Message {
            images: Vec::new(),
            ..message.clone()
        };
        let messages = conversation.messages().iter();
        let event = WebEvent::TurnLog {
            last_messages: messages.map(|message| without_images(message)).collect(),
            last_page: conversation.tail.as_ref().map(without_images),
            turns: self.0.iter().cloned().collect(),
        };
        attempt.records.emit(root, EventKind::Web { event });
    }
}

#[cfg(test)]
mod tests {
    use super::TurnLog;

    #[test]
    fn keeps_newest_fifty_turns() {
        let mut log = TurnLog::default();
        for iteration in 1..=52 {
            log.add_malformed(iteration, "no call");
        }
        let kept: Vec<u32> = log.0.iter().map(|turn| turn.iteration).collect();
        assert_eq!(kept, (3..=52).collect::<Vec<u32>>());
    }
}
