//! Agents that run in the background of their caller, and the notes that it gets when they are done.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};

use crate::agent::{Attempt, Invocation};
use crate::model::EventKind;
use crate::prompt::agent_done;

/// An agent's id, and what it answered or why it did not.
type Done = (String, Result<String, String>);

/// The agents that one agent called without waiting for them.
#[derive(Default)]
pub(crate) struct Background<'a> {
    running: FuturesUnordered<BoxFuture<'a, Done>>,
    ids: BTreeSet<String>,
    /// Notes that the caller gets with its next message.
    notes: Vec<String>,
}

impl<'a> Background<'a> {
    /// Starts one.
    pub fn start(&mut self, id: String, work: BoxFuture<'a, Result<String, String>>) {
        self.ids.insert(id.clone());
        self.running.push(Box::pin(async move { (id, work.await) }));
    }

    /// Whether none is running.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Waits until the next one ends; returns at once if none is running.
    pub async fn step(&mut self) {
        if let Some((id, result)) = self.running.next().await {
            let answer = result.unwrap_or_else(|error| format!("error: {error}"));
            self.notes.push(agent_done(&id, &answer));
            self.ids.remove(&id);
        }
    }

    /// Awaits `work` and lets the agents run meanwhile.
    pub async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                // First what is nearly done, so that its caller hears of it with its next message.
                biased;
                () = self.step(), if !self.is_empty() => {}
                done = &mut work => return done,
            }
        }
    }

    /// The notes for the caller, each after a blank line; forgets them.
    pub fn take_notes(&mut self) -> String {
        let notes = std::mem::take(&mut self.notes).into_iter();
        notes.map(|note| format!("\n\n{note}")).collect()
    }

    /// Stops all of them, because their caller ends, and records it.
    pub fn stop(&mut self, attempt: &Attempt<'_>, caller: &Invocation) {
        self.running.clear();
        for child in std::mem::take(&mut self.ids) {
            let error = "stopped: its caller ended".to_owned();
            attempt
                .records
                .emit(caller, EventKind::DelegationError { child, error });
        }
    }
}
