//! Records of an attempt: events, which are emitted immediately, and statistics.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use super::meter::TimeBreakdown;
use super::{Failure, Invocation};
use crate::model::{
    AttemptOutcome, EVENT_VERSION, Event, EventKind, EventSink, Message, Role, Stats, Status, Task,
    WebEvent, long_answer, ms,
};

pub(crate) struct Records<'a> {
    task: &'a Task,
    sink: Arc<dyn EventSink>,
    started: Instant,
    /// Time that the attempt took in earlier processes.
    before: Duration,
    /// Final state of the attempt's environment, which determines the score.
    state: OnceLock<Value>,
    /// Answers to all user messages except the last.
    earlier_answers: Mutex<Vec<String>>,
    stats: Mutex<Stats>,
}

impl<'a> Records<'a> {
    /// Creates the records of an attempt. `before` is the time that it took in earlier processes.
    pub fn new(task: &'a Task, sink: Arc<dyn EventSink>, before: Duration) -> Self {
        Self {
            task,
            sink,
            started: Instant::now(),
            before,
            state: OnceLock::new(),
            earlier_answers: Mutex::default(),
            stats: Mutex::default(),
        }
    }

    /// Records the start of the attempt.
    pub fn begin_attempt(&self, root: &Invocation) {
        self.emit(
            root,
            EventKind::AttemptStart {
                query: Some(self.task.query.clone()),
                context_chars: Some(self.task.context.chars().count() as u64),
            },
        );
    }

    /// Records the end of the attempt and returns its outcome.
    pub fn end_attempt(
        &self,
        root: &Invocation,
        result: Result<String, Failure>,
        covered: TimeBreakdown,
    ) -> AttemptOutcome {
        let refused = matches!(&result, Err(failure) if failure.refusal.is_some());
        let (status, answer, error) = ending(root, result);
        let mut stats = self.count(|stats| stats.clone());
        stats.total = self.passed();
        stats.busy = covered.work;
        stats.waiting = covered.waiting;
        self.emit(
            root,
            EventKind::AttemptEnd {
                status,
                answer: answer.as_deref().map(|answer| shown(root, answer)),
                error: error.clone(),
            },
        );
        AttemptOutcome {
            earlier_answers: std::mem::take(&mut *self.earlier_answers.lock()),
            status,
            answer,
            error,
            refused,
            state: self.state.get().cloned(),
            stats,
        }
    }

    /// Records the start of an invocation.
    pub fn begin(&self, invocation: &Invocation, system_prompt: &str) {
        // Summarizers do not count as agents.
        if invocation.plan.role != Role::Compaction {
            self.count(|stats| {
                stats.agents += 1;
                stats.depth_reached = stats.depth_reached.max(invocation.plan.depth);
            });
        }
        self.emit(
            invocation,
            EventKind::InvocationStart {
                role: invocation.plan.role,
                query: Some(invocation.query().to_owned()),
                model: invocation.model.reference.clone(),
                max_iterations: invocation.plan.iterations,
                system_prompt: Some(system_prompt.to_owned()),
            },
        );
    }

    /// Records the end of an invocation.
    pub fn end(&self, invocation: &Invocation, result: &Result<String, Failure>, iterations: u32) {
        let (status, answer, error) = ending(invocation, result.clone());
        self.emit(
            invocation,
            EventKind::InvocationEnd {
                status,
                answer: answer.map(|answer| shown(invocation, &answer)),
                error,
                iterations,
            },
        );
    }

    /// Records a message to an agent that accepts several messages. `number` is 1-based.
    pub fn message(&self, invocation: &Invocation, number: u32, message: &Message) {
        let text = message.content.clone();
        self.emit(invocation, EventKind::MessageReceived { number, text });
    }

    /// Records the result of a message to an agent that accepts several messages.
    pub fn message_answered(
        &self,
        invocation: &Invocation,
        number: u32,
        result: &Result<String, Failure>,
    ) {
        let (status, answer, error) = ending(invocation, result.clone());
        self.emit(
            invocation,
            EventKind::MessageAnswered {
                number,
                status,
                answer,
                error,
            },
        );
    }

    /// Returns the time that the attempt has taken in this process and earlier ones.
    pub fn passed(&self) -> Duration {
        self.before + self.started.elapsed()
    }

    /// Records an event of an invocation.
    pub fn emit(&self, invocation: &Invocation, kind: EventKind) {
        self.sink.emit(Event {
            v: EVENT_VERSION,
            run_id: self.task.run_id.clone(),
            sample: self.task.sample.clone(),
            attempt: self.task.attempt,
            at_ms: Some(ms(self.passed())),
            invocation: invocation.id.clone(),
            parent: invocation.parent.clone(),
            depth: invocation.plan.depth,
            kind,
        });
    }

    /// Records the final state of the attempt's environment, which determines the score.
    pub fn record_final_state(&self, invocation: &Invocation, state: Value) {
        let event = WebEvent::State {
            state: state.clone(),
        };
        self.emit(invocation, EventKind::Web { event });
        // An attempt has only one environment, whose state is read once, at the end.
        let _ = self.state.set(state);
    }

    /// Records an answer that is followed by another user message.
    pub fn answered(&self, answer: &str) {
        self.earlier_answers.lock().push(answer.to_owned());
    }

    /// Counts a protocol fault.
    pub fn count_fault(&self) {
        self.count(|stats| stats.protocol_faults += 1);
    }

    /// Gives `change` access to the statistics.
    pub fn count<R>(&self, change: impl FnOnce(&mut Stats) -> R) -> R {
        change(&mut self.stats.lock())
    }
}

/// Returns an agent's answer for its events. A long answer of the root is truncated, because the
/// attempt's record contains it in full. A child's answer is stored only in events, so it is never
/// truncated.
pub(crate) fn shown(invocation: &Invocation, answer: &str) -> String {
    if invocation.is_root() {
        long_answer::shown(answer, "the attempt's record").into_owned()
    } else {
        answer.to_owned()
    }
}

/// Splits a result into the agent's status, its answer, and the reason for a missing answer. If the
/// root's model refuses, the refusal counts as the answer.
fn ending(
    invocation: &Invocation,
    result: Result<String, Failure>,
) -> (Status, Option<String>, Option<String>) {
    match result {
        Ok(answer) => (Status::Ok, Some(answer), None),
        Err(Failure {
            refusal: Some(text),
            ..
        }) if invocation.is_root() => (Status::Ok, Some(text), None),
        Err(failure) => (failure.status, None, Some(failure.reason)),
    }
}
