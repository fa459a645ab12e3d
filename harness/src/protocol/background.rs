//! Agents that run while their caller continues, and notes that pass their answers to the caller.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;

use futures::FutureExt;
use futures::channel::mpsc;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};

use crate::agent::{Attempt, Invocation};
use crate::model::EventKind;
use crate::prompt::sections::NOTE_AGENT_DONE;

/// Id of an agent, and its answer or error.
type Done = (String, Result<String, String>);

/// Background agents of one caller: agents that answer once, and instances that accept messages.
pub(crate) struct Background<'a> {
    running: FuturesUnordered<BoxFuture<'a, Done>>,
    ids: BTreeSet<String>,
    /// Instances that accept messages. They make progress only while [`Background::step`] is
    /// polled.
    serving: FuturesUnordered<BoxFuture<'a, ()>>,
    /// Receives new instances from calls that run concurrently with [`Background::step`].
    created: mpsc::UnboundedReceiver<BoxFuture<'a, ()>>,
    creating: mpsc::UnboundedSender<BoxFuture<'a, ()>>,
    /// Notes to append to the caller's next message.
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
    /// Starts an agent that answers once.
    pub fn start(&mut self, id: String, work: BoxFuture<'a, Result<String, String>>) {
        self.ids.insert(id.clone());
        self.running.push(Box::pin(async move { (id, work.await) }));
    }

    /// Adds an instance that accepts messages.
    pub fn keep(&self, serving: BoxFuture<'a, ()>) {
        self.serving.push(serving);
    }

    /// Returns a sender for instances that are created while [`Background::step`] is polled.
    pub fn creating(&self) -> mpsc::UnboundedSender<BoxFuture<'a, ()>> {
        self.creating.clone()
    }

    /// Adds a note to the caller's next message.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Waits for the next event and handles it: starts a new instance, turns an answer into a note,
    /// or drops an instance that has ended.
    pub async fn step(&mut self) {
        tokio::select! {
            biased;
            Some(serving) = self.created.next() => self.serving.push(serving),
            Some((id, result)) = self.running.next(), if !self.running.is_empty() => {
                let answer = result.unwrap_or_else(|error| format!("error: {error}"));
                self.notes.push(NOTE_AGENT_DONE.render([&id, &answer]));
                self.ids.remove(&id);
            }
            Some(()) = self.serving.next(), if !self.serving.is_empty() => {}
        }
    }

    /// Awaits `work` while running the background agents.
    pub async fn run_background_while<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                // Poll the agents first, so that the caller's next message includes answers that
                // are ready.
                biased;
                () = self.step() => {}
                done = &mut work => return done,
            }
        }
    }

    /// Removes the notes and returns them, each preceded by a blank line.
    pub fn take_notes(&mut self) -> String {
        let notes = std::mem::take(&mut self.notes).into_iter();
        notes.map(|note| format!("\n\n{note}")).collect()
    }

    /// Stops all agents because their caller ends. Idle instances end normally; the others are
    /// recorded as stopped.
    pub fn stop(&mut self, attempt: &Attempt<'_>, caller: &Invocation) {
        self.running.clear();
        let mut stopped = std::mem::take(&mut self.ids);
        stopped.extend(caller.instances.close_all());
        // Poll the instances, so that idle ones can record their end.
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
