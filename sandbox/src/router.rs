//! Routes each reply to the REPL that waits for it, and notifies all REPLs when the session has ended.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use crate::message::{AgentId, Reply};
use crate::session::{Event, Lost};

/// The REPLs of one session.
#[derive(Debug, Default)]
pub(crate) struct Router(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    routes: HashMap<AgentId, mpsc::UnboundedSender<Vec<Event>>>,
    /// No reply comes any more.
    ended: bool,
    /// Why, once that is known.
    lost: Option<Lost>,
}

impl Router {
    /// The events of an agent from now on, those of a turn together. If the isolate is lost, the channel is closed and empty.
    pub fn add(&self, agent: AgentId) -> mpsc::UnboundedReceiver<Vec<Event>> {
        let (sender, events) = mpsc::unbounded_channel();
        let mut state = self.lock();
        if state.lost.is_none() {
            state.routes.insert(agent, sender);
        }
        events
    }

    /// Forgets an agent.
    pub fn remove(&self, agent: AgentId) {
        self.lock().routes.remove(&agent);
    }

    /// Sends the replies of a turn to their REPLs, in their order; does nothing for a REPL that was dropped in the meantime.
    pub fn route(&self, replies: Vec<Reply>) {
        let mut events: Vec<(AgentId, Vec<Event>)> = Vec::new();
        for reply in replies {
            let (agent, event) = match reply {
                Reply::Called { agent, call } => (agent, Event::Called(call)),
                Reply::Invoked { agent, call } => (agent, Event::Invoked(call)),
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

    /// The isolate is gone. The first reason stays.
    pub fn lose(&self, lost: Lost) {
        let mut state = self.lock();
        state.lost.get_or_insert(lost);
        state.routes.clear();
    }

    /// Whether replies can still come.
    pub fn lives(&self) -> bool {
        let state = self.lock();
        !state.ended && state.lost.is_none()
    }

    /// No reply comes any more; why is yet to be found out.
    pub fn end(&self) {
        self.lock().ended = true;
    }

    /// Why the isolate is gone.
    pub fn lost(&self) -> Lost {
        self.lock().lost.clone().unwrap_or_else(Lost::unknown)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
