//! Lets agents talk with the person at the terminal.
//!
//! Messages go to stderr and replies are read from stdin, so that stdout contains only the answer.

use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use harness::Person;
use tokio::sync::{Mutex, oneshot};

use crate::process::terminal;

/// Reads the person's replies from stdin, one line each.
#[derive(Default)]
pub(super) struct TerminalPerson {
    /// Lock that lets only one agent talk to the person at a time.
    turn: Arc<Mutex<()>>,
}

#[async_trait]
impl Person for TerminalPerson {
    /// An empty line or the end of stdin ends the conversation.
    async fn reply(&self, agent: &str, message: &str) -> Option<String> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        terminal::lines(&format!("\n{agent} says:\n{message}"));
        terminal::note("your reply, on one line (an empty line ends the conversation):");
        let (answer, answered) = oneshot::channel();
        // Uses a detached thread because the runtime would wait for a blocking read at exit.
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
