//! Fires timers while cells wait, and ends cells that wait too long or for something that cannot
//! happen.

use std::time::Instant;

use super::Worker;
use crate::isolate::Action;
use crate::message::{AgentId, CallId, CellErrorKind, Step};

impl Worker {
    /// Returns when the next event without a request is due: a timer, or the wait limit of a cell.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let timer = self
            .isolate
            .host(|host| host.timers.values().next().map(|timer| timer.due));
        let waits = self.waiting.iter();
        let waits = waits.filter_map(|(agent, since)| self.wait_ends(*agent, *since));
        waits.chain(timer).min()
    }

    pub(super) fn fire_timers(&mut self) {
        let now = Instant::now();
        while let Some((agent, timer)) = self.isolate.host(|host| {
            let first = host.timers.first_key_value();
            let (&(_, timer), _) = first.filter(|(_, timer)| timer.due <= now)?;
            Some((host.take_timer(timer)?, timer))
        }) {
            self.note(Step::Fired(timer));
            self.turn(agent, &Action::FireTimer { agent, timer });
        }
    }

    pub(super) fn end_long_waits(&mut self) {
        let now = Instant::now();
        let waits = self.waiting.iter();
        let due = waits.filter(|(agent, since)| {
            let end = self.wait_ends(**agent, **since);
            end.is_some_and(|at| at <= now)
        });
        let due: Vec<AgentId> = due.map(|(agent, _)| *agent).collect();
        for agent in due {
            self.note(Step::WaitedTooLong(self.place_of(agent)));
            self.end_wait(agent);
        }
    }

    /// Ends a cell that has waited too long.
    pub(super) fn end_wait(&mut self, agent: AgentId) {
        let seconds = self.limits.timer_timeout.as_secs_f64();
        self.abort(
            agent,
            CellErrorKind::WaitedTooLong,
            &format!(
                "TimeoutError: the cell waited for timers for more than {seconds} s and was ended"
            ),
        );
    }

    /// Ends cells that can never settle: no timer, no call of the cell, and no call of another
    /// agent is pending, except calls whose answer depends on this cell.
    pub(super) fn end_stalled(&mut self) {
        if self.isolate.host(|host| !host.timers.is_empty()) {
            return;
        }
        let stalled = self.waiting.keys().filter(|agent| {
            let waiting_on_it = self.opened_by(**agent);
            self.calls.keys().all(|call| waiting_on_it.contains(call))
        });
        let stalled: Vec<AgentId> = stalled.copied().collect();
        for agent in stalled {
            self.abort(
                agent,
                CellErrorKind::NeverSettles,
                "Error: the cell awaits a promise that nothing can settle any more: no call and no timer is pending",
            );
        }
    }

    /// Returns the calls that wait for this agent: the one that opened it, and those that opened
    /// its ancestors.
    fn opened_by(&self, agent: AgentId) -> Vec<CallId> {
        let mut calls = Vec::new();
        let mut next = Some(agent);
        while let Some(entry) = next.and_then(|id| self.agents.get(&id)) {
            calls.extend(entry.opened_by);
            next = entry.parent;
        }
        calls
    }

    /// Returns when a cell that has been waiting since `since` exceeds its limit.
    fn wait_ends(&self, agent: AgentId, since: Instant) -> Option<Instant> {
        let cell = self.agents.get(&agent)?.cell.as_ref()?;
        Some(since + self.limits.timer_timeout.saturating_sub(cell.waited))
    }
}
