//! Repeats the recorded steps of an earlier session: requests and timers in their original order.
//!
//! Invariants: a repeated step is not recorded again. A request that arrives before its step is
//! held until that step; a request without a step is handled after all steps.
//!
//! The end of a cell is reported only when it may cause the next step. If it were reported earlier,
//! its agent would stop children that kept running for a moment in the earlier session.

use std::time::{Duration, Instant};

use super::{End, Worker};
use crate::inbox::{Inbox, IncomingText, NextRequest};
use crate::isolate::Action;
use crate::message::{AgentId, Context, Event, Reply, Request, Step};

/// Maximum wait for the request of the next step. Does not apply to steps that answer a call or
/// read its context, which may take any time.
const PATIENCE: Duration = Duration::from_secs(30);

/// Maximum time for which the end of a cell is held back while the session waits for a step that
/// the end does not cause, in case it does. On a busy machine, the step can be late; if the end is
/// reported before it, a child that must take the step may be stopped.
const HOLD: Duration = Duration::from_secs(10);

impl Worker {
    /// Whether steps remain to be repeated.
    pub(super) fn repeats(&self) -> bool {
        self.repeating
            .as_ref()
            .is_some_and(|repeating| !repeating.steps.is_empty())
    }

    /// Removes the ends of cells from the replies, to report them later.
    pub(super) fn hold_ends(&mut self) {
        let Some(repeating) = &mut self.repeating else {
            return;
        };
        for reply in std::mem::take(&mut self.replies) {
            match reply {
                Reply::Event {
                    agent,
                    event: Event::Finished(_),
                } => repeating.ends.push((agent, reply)),
                other => self.replies.push(other),
            }
        }
    }

    /// Reports the ends of cells that may cause the next step, or all ends if there is no next step
    /// or `anyway` is set.
    fn report_ends(&mut self, anyway: bool) {
        let Some(repeating) = &mut self.repeating else {
            return;
        };
        let ends = std::mem::take(&mut repeating.ends);
        let next = repeating.steps.front().cloned();
        let (told, held): (Vec<_>, Vec<_>) = ends.into_iter().partition(|(agent, _)| match &next {
            Some(step) => anyway || self.may_be_caused_by_end_of(step, *agent),
            None => true,
        });
        if let Some(repeating) = &mut self.repeating {
            repeating.ends = held;
        }
        if !told.is_empty() {
            self.replies
                .extend(told.into_iter().map(|(_, reply)| reply));
            self.send_all();
        }
    }

    /// Whether a step may have been caused by the end of a cell of this agent.
    fn may_be_caused_by_end_of(&self, step: &Step, agent: AgentId) -> bool {
        let now = |then: &AgentId| self.repeating.as_ref()?.agents.get(then).copied();
        match step {
            Step::Ran(then) | Step::Listed(then) => now(then) == Some(agent),
            Step::Closed(then) => now(then).is_some_and(|closed| {
                // An agent that returned is closed because of its own return, any other because the
                // cell of an ancestor ended.
                let returned = self.agents.get(&closed).is_some_and(|entry| entry.returned);
                closed == agent || !returned && self.is_ancestor(agent, closed)
            }),
            Step::Settled(call) => {
                let entry = self.agents.get(&agent);
                entry.is_some_and(|entry| entry.opened_by == Some(*call))
            }
            _ => false,
        }
    }

    /// Whether `above` is an ancestor of `agent`.
    fn is_ancestor(&self, above: AgentId, agent: AgentId) -> bool {
        let parent = |agent: &AgentId| self.agents.get(agent)?.parent;
        std::iter::successors(parent(&agent), parent).any(|one| one == above)
    }

    /// Repeats the next step, or waits for its request. Returns [`End::HungUp`] if the other side
    /// hung up.
    pub(super) fn repeat(&mut self, requests: &mut impl Inbox) -> Option<End> {
        self.report_ends(false);
        let repeating = self.repeating.as_mut()?;
        let step = repeating.steps.front()?.clone();
        match step {
            Step::Fired(timer) => match self.isolate.host(|host| host.take_timer(timer)) {
                Some(agent) => {
                    self.finish_step();
                    self.turn(agent, &Action::FireTimer { agent, timer });
                }
                None => self.diverge(&format!("the recording fires timer {timer}, which was not started")),
            },
            Step::Budget(budget) => {
                self.finish_step();
                self.isolate.host(|host| host.set_budget(budget));
            }
            Step::WaitedTooLong(then) => match repeating.agents.get(&then).copied() {
                Some(agent) if self.running(agent).is_some() => {
                    self.finish_step();
                    self.end_wait(agent);
                }
                _ => self.diverge("the recording ends a cell that waited too long, but the cell has already ended"),
            },
            Step::Told(call, status) if self.calls.contains_key(&call) => {
                self.finish_step();
                let result = Ok(status);
                self.handle(Request::Settle { call, result }, None);
            }
            Step::Settled(call) | Step::AskedContext(call) | Step::Told(call, _)
                if !self.calls.contains_key(&call) =>
            {
                self.diverge(&format!("the recording settles call {}, which was not made", call.0));
            }
            step => {
                let mut held = repeating.held.iter();
                let place = held.position(|request| repeating.is_step(request, &step));
                if let Some(request) = place.and_then(|place| repeating.held.remove(place)) {
                    self.repeat_request(&step, request, None);
                } else {
                    return self.wait_for(&step, requests);
                }
            }
        }
        None
    }

    fn wait_for(&mut self, step: &Step, requests: &mut impl Inbox) -> Option<End> {
        let holds_ends = !self.repeating.as_ref()?.ends.is_empty();
        let until = match step {
            _ if holds_ends => Some(HOLD),
            Step::Settled(_) | Step::AskedContext(_) => None,
            _ => Some(PATIENCE),
        };
        let (request, arriving) = match requests.next(until.map(|time| Instant::now() + time)) {
            NextRequest::Request(request) => (request, None),
            NextRequest::Open(request, arriving) => (request, Some(arriving)),
            NextRequest::Due if holds_ends => {
                self.report_ends(true);
                return None;
            }
            NextRequest::Due => {
                let seconds = PATIENCE.as_secs();
                let what =
                    format!("the next recorded step did not arrive within {seconds} s: {step:?}");
                self.diverge(&what);
                return None;
            }
            NextRequest::HungUp => return Some(End::HungUp),
        };
        let repeating = self.repeating.as_mut()?;
        if let Request::Budget(budget) = request {
            repeating.budget = Some(budget);
        } else if repeating.is_step(&request, step) {
            self.repeat_request(step, request, arriving);
        } else {
            let whole = with_context(request, arriving);
            repeating.held.push_back(whole);
        }
        None
    }

    fn repeat_request(&mut self, step: &Step, request: Request, arriving: Option<IncomingText>) {
        if let (Request::Open { agent, .. }, Step::Opened(then, _), Some(repeating)) =
            (&request, step, &mut self.repeating)
        {
            repeating.agents.insert(*then, *agent);
        }
        self.finish_step();
        self.handle(request, arriving);
    }

    /// Removes the step that is being repeated.
    fn finish_step(&mut self) {
        if let Some(repeating) = &mut self.repeating {
            repeating.steps.pop_front();
        }
    }

    /// After the last step, sets the current budget and reports that the repetition is complete.
    /// Held requests are handled next.
    pub(super) fn catch_up(&mut self) {
        if self.broken || self.repeats() {
            return;
        }
        self.report_ends(true);
        let repeating = self.repeating.as_mut();
        let budget = repeating.and_then(|repeating| repeating.budget.take());
        self.replies.push(Reply::CaughtUp);
        self.send();
        if let Some(budget) = budget {
            self.handle(Request::Budget(budget), None);
        }
    }

    /// After the last step, removes and returns a held request.
    pub(super) fn take_held(&mut self) -> Option<Request> {
        let repeating = self.repeating.as_mut()?;
        let request = repeating.held.pop_front();
        if request.is_none() && repeating.steps.is_empty() {
            self.repeating = None;
        }
        request
    }

    /// Reports that the repetition failed, and ends the isolate, because its state is unreliable.
    fn diverge(&mut self, what: &str) {
        let what = what.to_owned();
        self.replies.push(Reply::Diverged { what });
        self.send();
        self.broken = true;
    }
}

/// Reads all pieces of an arriving context and adds the context to its request.
fn with_context(mut request: Request, arriving: Option<IncomingText>) -> Request {
    let Some(mut arriving) = arriving else {
        return request;
    };
    let mut text = String::with_capacity(arriving.bytes);
    for _ in 0..arriving.pieces {
        text.push_str(&(arriving.next)());
    }
    if let Request::Open { context, .. } = &mut request {
        *context = Context::text(text);
    }
    request
}
