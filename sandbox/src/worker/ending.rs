//! Ends cells that finish, run out of memory or are aborted from outside, and reports their
//! outcomes.

use std::fmt::Write as _;
use std::time::Duration;

use super::{HOUSEKEEPING, Worker};
use crate::host_state::CellEnd;
use crate::isolate::Action;
use crate::jobs;
use crate::message::{AgentId, CellError, CellErrorKind, CellOutcome, Event, Reply};
use crate::stack_trace;

/// Note for a model that uses another harness's way to answer.
const ANSWER_NOTE: &str = "note: `answer` is a variable of yours, which nobody reads; to give your answer, call return(value)";

impl Worker {
    pub(super) fn finish(&mut self, done: CellEnd) {
        let number = self.running(done.agent).map(|cell| cell.number);
        if number != Some(done.cell) {
            return;
        }
        let Some(cell) = self.end_cell(done.agent) else {
            return;
        };
        let mut outcome = CellOutcome {
            executed: cell.executed,
            unawaited: done.unawaited,
            returns_in_function: cell.returns_in_function && done.status == "ended",
            ..CellOutcome::default()
        };
        match done.status.as_str() {
            "returned" => outcome.value = Some(done.body),
            "threw" => {
                outcome.error = Some(CellError {
                    kind: CellErrorKind::Thrown,
                    message: done.body,
                    stack: stack_trace::frames(&done.stack),
                });
            }
            _ => {}
        }
        if outcome.unawaited > 0 && outcome.error.is_none() {
            let mut message = unawaited_message(outcome.unawaited, &done.functions);
            if outcome.value.is_some() {
                message.push_str("; then return again, because this answer was not taken");
            }
            outcome.error = Some(without_stack(CellErrorKind::Unawaited, message));
        }
        if cell.sets_answer && outcome.value.is_none() {
            self.isolate.host(|host| {
                if let Some(output) = host.outputs.get_mut(&done.agent) {
                    output.push(ANSWER_NOTE, 0);
                }
            });
        }
        self.send_outcome(done.agent, cell.number, outcome);
    }

    /// Ends a cell whose heap exceeded its limit. Drops the values that the cell assigned to names,
    /// because the heap would otherwise stay full.
    pub(super) fn out_of_memory(&mut self, agent: AgentId, place: &str) {
        let Some(cell) = self.running(agent) else {
            return self.recover_memory();
        };
        let names = cell.assigned.clone();
        let json = serde_json::to_string(&names).unwrap_or_default();
        let owner = self.housekeeping_owner();
        self.isolate.turn(
            HOUSEKEEPING,
            owner,
            &Action::Forget {
                agent,
                names: &json,
            },
        );
        let megabytes = self.limits.heap_bytes >> 20;
        let dropped = dropped_text(&names);
        self.abort(
            agent,
            CellErrorKind::OutOfMemory,
            &format!(
                "RangeError: out of memory: the attempt needs more than {megabytes} MB (--memory-limit){dropped}{place}"
            ),
        );
        self.recover_memory();
    }

    /// Ends a cell with an endless chain of jobs. Values that the cell assigned remain, because
    /// they did not fill the heap.
    pub(super) fn endless_jobs(&mut self, agent: AgentId, waiting: u64, ran: Duration) {
        let megabytes = self.limits.heap_bytes >> 20;
        self.abort(
            agent,
            CellErrorKind::TimedOut,
            &format!(
                "TimeoutError: the cell was stopped after {:.1} s: at least {waiting} of its promises waited for one another, ever more of \
                 them, and filled its memory of {megabytes} MB (--memory-limit); variables keep what was assigned before. An async function \
                 that awaits or returns its own next call keeps each of them; a loop with `await` keeps none",
                ran.as_secs_f64()
            ),
        );
        self.recover_memory();
    }

    /// Frees memory. Much of it may belong to jobs of stopped code.
    fn recover_memory(&mut self) {
        self.run_jobs_left();
        self.isolate.recover_memory();
    }

    /// Ends an agent's cell from outside with an error.
    pub(super) fn abort(&mut self, agent: AgentId, kind: CellErrorKind, message: &str) {
        let Some(cell) = self.running(agent) else {
            return;
        };
        jobs::stop(cell.number);
        // Clears the agent's pending calls and timers.
        let owner = self.housekeeping_owner();
        self.isolate
            .turn(HOUSEKEEPING, owner, &Action::Abort { agent });
        let Some(cell) = self.end_cell(agent) else {
            return;
        };
        let outcome = CellOutcome {
            executed: cell.executed,
            ..failed(kind, message.to_owned())
        };
        self.send_outcome(agent, cell.number, outcome);
        // Processes the effects that other agents had in that turn. A report of the ended cell
        // itself is ignored.
        self.collect();
    }

    /// Ends a cell that never started.
    pub(super) fn fail(&mut self, agent: AgentId, kind: CellErrorKind, message: String) {
        let cell = self.end_cell(agent).map_or(0, |cell| cell.number);
        self.send_outcome(agent, cell, failed(kind, message));
        self.send();
    }

    /// Reports the outcome of the agent's cell with this number, which has ended.
    fn send_outcome(&mut self, agent: AgentId, cell: u32, mut outcome: CellOutcome) {
        let agents = &self.agents;
        let rejections = self.isolate.unhandled_rejections(cell, |number| {
            let mut running = agents.values().filter_map(|entry| entry.cell.as_ref());
            running.any(|cell| cell.number == number)
        });
        let output = self.isolate.host(|host| host.outputs.remove(&agent));
        let mut output = output.unwrap_or_default();
        for text in rejections {
            output.push(&format!("Uncaught (in promise) {text}"), 0);
        }
        outcome.output = output.finish();
        if let Some(entry) = self.agents.get_mut(&agent) {
            entry.returned = outcome.value.is_some();
        }
        let event = Event::Finished(outcome);
        self.replies.push(Reply::Event { agent, event });
    }
}

fn failed(kind: CellErrorKind, message: String) -> CellOutcome {
    CellOutcome {
        error: Some(without_stack(kind, message)),
        ..CellOutcome::default()
    }
}

fn without_stack(kind: CellErrorKind, message: String) -> CellError {
    CellError {
        kind,
        message,
        stack: Vec::new(),
    }
}

/// Formats at most 20 of the names whose values were dropped, for an error message.
fn dropped_text(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        let _ = write!(shown, " and {} more", names.len() - SHOWN);
    }
    if shown.is_empty() {
        return shown;
    }
    format!("; what it assigned was dropped: {shown}")
}

/// Formats an error message about unawaited calls. `functions` lists the called functions,
/// separated by spaces.
fn unawaited_message(count: u32, functions: &str) -> String {
    let of_host = functions
        .split(' ')
        .find(|name| !["", "llm", "rlm"].contains(name));
    let (names, example) = match of_host {
        None => ("rlm()/llm()".to_owned(), "rlm"),
        Some(first) => (format!("{}()", functions.replace(' ', "()/")), first),
    };
    let calls = if count == 1 {
        format!("1 {names} call was")
    } else {
        format!("{count} {names} calls were")
    };
    format!(
        // prose: read by models
        "Error: {calls} not awaited; the result is lost. Await each call: `const r = await {example}(…)`, or \
         `await Promise.all([…])` for several at once"
    )
}
