//! Agents that run in the background of their caller, and the notes that it gets when they have answered.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;

use futures::FutureExt;
use futures::channel::mpsc;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};

use crate::agent::{Attempt, Invocation};
use crate::model::EventKind;
use crate::prompt::agent_done;

/// An agent's id, and what it answered or why it did not.
type Done = (String, Result<String, String>);

/// The agents that one agent called without waiting for them, and those that wait for its messages.
pub(crate) struct Background<'a> {
    running: FuturesUnordered<BoxFuture<'a, Done>>,
    ids: BTreeSet<String>,
    /// Those that take messages. They are at work only while this is polled.
    serving: FuturesUnordered<BoxFuture<'a, ()>>,
    /// More of them, from calls that run while this is polled.
    created: mpsc::UnboundedReceiver<BoxFuture<'a, ()>>,
    creating: mpsc::UnboundedSender<BoxFuture<'a, ()>>,
    /// Notes that the caller gets with its next message.
    notes: Vec<String>,
}

impl Default for Background<'_> {
    fn default() -> Self {
        let (creating, created) = mpsc::unbounded();
        Self {
            running: FuturesUnordered::new(),
            ids: BTreeSet::new(),
            serving: FuturesUnordered::new(),
            created,
            creating,
            notes: Vec::new(),
        }
    }
}

impl<'a> Background<'a> {
    /// Starts one that answers once.
    pub fn start(&mut self, id: String, work: BoxFuture<'a, Result<String, String>>) {
        self.ids.insert(id.clone());
        self.running.push(Box::pin(async move { (id, work.await) }));
    }

    /// Keeps one that takes messages.
    pub fn keep(&self, serving: BoxFuture<'a, ()>) {
        self.serving.push(serving);
    }

    /// Where calls put agents that take messages while this is polled.
    pub fn creating(&self) -> mpsc::UnboundedSender<BoxFuture<'a, ()>> {
        self.creating.clone()
    }

    /// Tells the caller something with its next message.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Waits until something of them happens that their caller may hear of.
    pub async fn step(&mut self) {
        tokio::select! {
            biased;
            Some(serving) = self.created.next() => self.serving.push(serving),
            Some((id, result)) = self.running.next(), if !self.running.is_empty() => {
                let answer = result.unwrap_or_else(|error| format!("error: {error}"));
                self.notes.push(agent_done(&id, &answer));
                self.ids.remove(&id);
            }
            Some(()) = self.serving.next(), if !self.serving.is_empty() => {}
        }
    }

    /// Awaits `work` and lets the agents run meanwhile.
    pub async fn beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                // First what is nearly done, so that its caller hears of it with its next message.
                biased;
                () = self.step() => {}
                done = &mut work => return done,
            }
        }
    }

    /// The notes for the caller, each after a blank line; forgets them.
    pub fn take_notes(&mut self) -> String {
        let notes = std::mem::take(&mut self.notes).into_iter();
        notes.map(|note| format!("\n\n{note}")).collect()
    }

    /// Ends all of them, because their caller ends: those that wait for messages are done, and any other is stopped, which is recorded.
    pub fn stop(&mut self, attempt: &Attempt<'_>, caller: &Invocation) {
        self.running.clear();
        let mut stopped = std::mem::take(&mut self.ids);
        stopped.extend(caller.instances.close_all());
        // Those without work end when they are polled, and their records with them.
        while let Some(Some(())) = self.serving.next().now_or_never() {}
        self.serving.clear();
        for child in stopped {
            let error = "stopped: its caller ended".to_owned();
            attempt
                .records
                .emit(caller, EventKind::DelegationError { child, error });
        }
    }
}
