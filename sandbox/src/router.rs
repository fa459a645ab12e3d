//! Routes each reply to the REPL that waits for it, and notifies all REPLs when the session ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot, watch};

use crate::message::{AgentId, Event, Listing, RecordedSteps, Reply};
use crate::session_lost::SessionLost;

/// REPLs and recorded steps of one session.
#[derive(Debug, Default)]
pub(crate) struct Router {
    state: Mutex<State>,
    /// Whether all recorded steps have been repeated, or the isolate is lost.
    caught_up: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    routes: HashMap<AgentId, mpsc::UnboundedSender<Vec<Event>>>,
    /// Callers that wait for an agent's variables, oldest first.
    listings: HashMap<AgentId, VecDeque<oneshot::Sender<Result<Listing, String>>>>,
    /// Whether the stream of replies has ended.
    ended: bool,
    /// Reason why the session ended, once known.
    lost: Option<SessionLost>,
    /// Steps since the last [`Router::take_recorded_steps`], if steps are recorded.
    course: RecordedSteps,
    keeps: bool,
}

impl Router {
    /// Registers an agent and returns a receiver of its events, grouped by turn. If the isolate is
    /// lost, the channel is empty and closed.
    pub fn add(&self, agent: AgentId) -> mpsc::UnboundedReceiver<Vec<Event>> {
        let (sender, events) = mpsc::unbounded_channel();
        let mut state = self.lock();
        if state.lost.is_none() {
            state.routes.insert(agent, sender);
        }
        events
    }

    /// Returns a receiver for the next listing of an agent's variables. If the isolate is lost, the
    /// channel is closed without a listing.
    pub fn expect_listing(&self, agent: AgentId) -> oneshot::Receiver<Result<Listing, String>> {
        let (sender, listing) = oneshot::channel();
        let mut state = self.lock();
        if state.lost.is_none() {
            state.listings.entry(agent).or_default().push_back(sender);
        }
        listing
    }

    /// Removes an agent, whose later replies are dropped.
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
                        // The caller may no longer be waiting.
                        let _ = waiting.send(listing);
                    }
                    continue;
                }
                Reply::Event { agent, event } => (agent, event),
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

    /// Records that the isolate is lost. Keeps the reason of an earlier call.
    pub fn lose(&self, lost: SessionLost) {
        let mut state = self.lock();
        state.lost.get_or_insert(lost);
        state.routes.clear();
        state.listings.clear();
        drop(state);
        self.caught_up.send_replace(true);
    }

    /// Starts to record steps, which [`Router::take_recorded_steps`] returns.
    pub fn start_recording(&self) {
        self.lock().keeps = true;
    }

    /// Returns the steps recorded since the last call.
    pub fn take_recorded_steps(&self) -> RecordedSteps {
        std::mem::take(&mut self.lock().course)
    }

    /// Waits until all recorded steps have been repeated, or the isolate is lost.
    pub async fn caught_up(&self) {
        let mut seen = self.caught_up.subscribe();
        // Cannot fail, because the sender lives as long as `self`.
        let _ = seen.wait_for(|is| *is).await;
    }

    /// Whether replies can still arrive.
    pub fn lives(&self) -> bool {
        let state = self.lock();
        !state.ended && state.lost.is_none()
    }

    /// Records that no more replies will arrive. The reason is recorded later.
    pub fn end(&self) {
        self.lock().ended = true;
    }

    /// Returns the reason why the isolate was lost.
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
