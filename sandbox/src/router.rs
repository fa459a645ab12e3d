//! Routes each reply to the REPL that waits for it, and notifies all REPLs when the session has
//! ended.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot, watch};

use crate::message::{AgentId, Listing, RecordedSteps, Reply};
use crate::session::{Event, SessionLost};

/// REPLs of one session, and the recorded steps of the session.
#[derive(Debug, Default)]
pub(crate) struct Router {
    state: Mutex<State>,
    /// Whether all recorded steps are repeated, or never will be.
    caught_up: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    routes: HashMap<AgentId, mpsc::UnboundedSender<Vec<Event>>>,
    /// Callers that wait for an agent's variables, oldest first.
    listings: HashMap<AgentId, VecDeque<oneshot::Sender<Result<Listing, String>>>>,
    /// Whether no more replies will arrive.
    ended: bool,
    /// Reason for the end, once known.
    lost: Option<SessionLost>,
    /// Steps since they were last taken, if they are recorded.
    course: RecordedSteps,
    keeps: bool,
}

impl Router {
    /// Registers an agent and returns its events, grouped by turn. If the isolate is lost, the
    /// channel is closed and empty.
    pub fn add(&self, agent: AgentId) -> mpsc::UnboundedReceiver<Vec<Event>> {
        let (sender, events) = mpsc::unbounded_channel();
        let mut state = self.lock();
        if state.lost.is_none() {
            state.routes.insert(agent, sender);
        }
        events
    }

    /// Registers for the next listing of an agent's variables. If the isolate is lost, none
    /// arrives.
    pub fn expect_listing(&self, agent: AgentId) -> oneshot::Receiver<Result<Listing, String>> {
        let (sender, listing) = oneshot::channel();
        let mut state = self.lock();
        if state.lost.is_none() {
            state.listings.entry(agent).or_default().push_back(sender);
        }
        listing
    }

    /// Forgets an agent.
    pub fn remove(&self, agent: AgentId) {
        let mut state = self.lock();
        state.routes.remove(&agent);
        state.listings.remove(&agent);
    }

    /// Sends the replies of a turn to their REPLs, in order. Skips REPLs that were dropped in the
    /// meantime.
    pub fn route(&self, replies: Vec<Reply>) {
        let mut events: Vec<(AgentId, Vec<Event>)> = Vec::new();
        for reply in replies {
            let (agent, event) = match reply {
                Reply::StepsTaken(course) => {
                    let mut state = self.lock();
                    if state.keeps {
                        state.course.extend(course);
                    }
                    continue;
                }
                Reply::CaughtUp => {
                    self.caught_up.send_replace(true);
                    continue;
                }
                Reply::Diverged { what } => {
                    self.lose(SessionLost::diverged(what));
                    continue;
                }
                Reply::Variables { agent, listing } => {
                    let mut state = self.lock();
                    let waiting = state.listings.get_mut(&agent).and_then(VecDeque::pop_front);
                    if let Some(waiting) = waiting {
                        // The caller may have given up.
                        let _ = waiting.send(listing);
                    }
                    continue;
                }
                Reply::Called { agent, call } => (agent, Event::Called(call)),
                Reply::Invoked { agent, call } => (agent, Event::Invoked(call)),
                Reply::StatusRequested { agent, call, of } => {
                    (agent, Event::StatusRequested { call, of })
                }
                Reply::Cancelled { agent, call } => (agent, Event::Cancelled(call)),
                Reply::Finished { agent, outcome } => (agent, Event::Finished(outcome)),
                Reply::CallContext { agent, call, text } => {
                    (agent, Event::CallContext { call, text })
                }
            };
            match events.last_mut().filter(|(last, _)| *last == agent) {
                Some((_, of_agent)) => of_agent.push(event),
                None => events.push((agent, vec![event])),
            }
        }
        let state = self.lock();
        for (agent, of_agent) in events {
            if let Some(sender) = state.routes.get(&agent) {
                let _ = sender.send(of_agent);
            }
        }
    }

    /// Records that the isolate is gone. The first reason is kept.
    pub fn lose(&self, lost: SessionLost) {
        let mut state = self.lock();
        state.lost.get_or_insert(lost);
        state.routes.clear();
        state.listings.clear();
        drop(state);
        self.caught_up.send_replace(true);
    }

    /// Records steps from now on until they are taken.
    pub fn keep_course(&self) {
        self.lock().keeps = true;
    }

    /// Returns the steps recorded since the last call.
    pub fn take_course(&self) -> RecordedSteps {
        std::mem::take(&mut self.lock().course)
    }

    /// Waits until all recorded steps are repeated, or the isolate is gone.
    pub async fn caught_up(&self) {
        let mut seen = self.caught_up.subscribe();
        // The sender lives as long as `self`.
        let _ = seen.wait_for(|is| *is).await;
    }

    /// Whether replies can still arrive.
    pub fn lives(&self) -> bool {
        let state = self.lock();
        !state.ended && state.lost.is_none()
    }

    /// Records that no more replies will arrive; the reason follows.
    pub fn end(&self) {
        self.lock().ended = true;
    }

    /// Returns why the isolate is gone.
    pub fn lost(&self) -> SessionLost {
        self.lock()
            .lost
            .clone()
            .unwrap_or_else(SessionLost::unknown)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
