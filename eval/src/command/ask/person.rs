//! Whoever sits at the terminal, for agents that talk with a person.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use harness::Person;
use tokio::sync::{Mutex, oneshot};

use crate::terminal;

/// Reads what the person says from stdin, a line for each answer. What agents say stands on stderr.
#[derive(Default)]
pub(super) struct AtTerminal {
    /// One agent speaks at a time.
    turn: Arc<Mutex<()>>,
}

#[async_trait]
impl Person for AtTerminal {
    /// An empty line, or the end of stdin, ends the talk.
    async fn reply(&self, agent: &str, message: &str) -> Option<String> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        terminal::lines(&format!("\n{agent} says:\n{message}"));
        terminal::note("your answer, on one line (an empty line ends the talk):");
        let (answer, answered) = oneshot::channel();
        // A thread of its own: the program may end while it waits for a line, which a runtime would wait for.
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = io::stdin().read_line(&mut line);
            drop(turn);
            let _ = answer.send(read.map(|_| line.trim().to_owned()));
        });
        let line = answered.await.ok()?.ok()?;
        (!line.is_empty()).then_some(line)
    }
}
