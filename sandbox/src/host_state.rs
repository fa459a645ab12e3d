//! State of the ops: effects of cells, timers, the clock and the budget of the session.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::inbox::IncomingText;
use crate::message::{AgentId, Budget, CallId, Event};
use crate::output::Output;
use crate::rewrite::Sources;

/// Maximum delay of a timer. With a longer delay, a timer would in effect never fire.
const MAX_TIMER_DELAY: Duration = Duration::from_secs(86_400 * 365);

/// State of the ops, stored in a slot of the isolate.
pub(crate) type Host = Rc<RefCell<HostState>>;

/// State of the ops: effects of cells, which the worker handles after each turn, and the timers,
/// clock and budget of the session.
#[derive(Default)]
pub(crate) struct HostState {
    /// Output of each running cell.
    pub outputs: HashMap<AgentId, Output>,
    /// Calls made in this turn, each with the event that reports it.
    pub calls: Vec<(AgentId, CallId, Event)>,
    /// Calls cancelled in this turn.
    pub cancelled: Vec<CallId>,
    /// Agents that began in this turn to wait for another agent's call, each with the call.
    pub followed: Vec<(AgentId, CallId)>,
    /// Cells that ended in this turn.
    pub done: Vec<CellEnd>,
    /// Timers by sort key; the number orders timers with equal keys.
    pub timers: BTreeMap<(u128, u32), Timer>,
    /// Sort key of each timer, by number.
    places: HashMap<u32, u128>,
    /// Remaining budget, and the clock reading when it was set.
    pub budget: (Budget, u64),
    /// Original source code of the functions in the cells run so far.
    pub sources: Sources,
    /// Context of the agent that is being opened.
    pub arriving: Option<IncomingText>,
    /// Clock that cells read.
    pub clock: Clock,
    next_call: u32,
    next_timer: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Timer {
    pub agent: AgentId,
    pub due: Instant,
}

impl HostState {
    /// Returns the id of a new call.
    pub fn new_call(&mut self) -> CallId {
        self.next_call += 1;
        CallId(self.next_call)
    }

    /// Starts a timer and returns its number.
    pub fn start_timer(&mut self, agent: AgentId, milliseconds: f64) -> u32 {
        self.next_timer += 1;
        let delay = Duration::try_from_secs_f64(milliseconds / 1000.0).unwrap_or(MAX_TIMER_DELAY);
        let delay = delay.min(MAX_TIMER_DELAY);
        let due = Instant::now() + delay;
        let place = self.clock.place_of(due, delay);
        self.timers
            .insert((place, self.next_timer), Timer { agent, due });
        self.places.insert(self.next_timer, place);
        self.next_timer
    }

    /// Removes a timer, unless it was fired or cancelled before.
    pub fn cancel_timer(&mut self, timer: u32) {
        if let Some(place) = self.places.remove(&timer) {
            self.timers.remove(&(place, timer));
        }
    }

    /// Removes a timer that is due. Returns its agent, or `None` if it was cancelled.
    pub fn take_timer(&mut self, timer: u32) -> Option<AgentId> {
        let place = self.places.remove(&timer)?;
        self.clock.reach(place);
        self.timers.remove(&(place, timer)).map(|timer| timer.agent)
    }

    /// Sets the current remaining budget.
    pub fn set_budget(&mut self, budget: Budget) {
        let now = match budget.time {
            Some(_) => self.clock.read(),
            None => 0,
        };
        self.budget = (budget, now);
    }
}

/// Report that a cell has ended.
pub(crate) struct CellEnd {
    pub agent: AgentId,
    pub cell: u32,
    pub status: String,
    pub body: String,
    pub stack: String,
    pub unawaited: u32,
    /// Names of the functions whose calls were lost, separated by spaces.
    pub functions: String,
}
