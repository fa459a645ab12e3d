//! The timeline of one agent in an attempt: when it worked, when it waited, and its usage.

use std::collections::BTreeMap;

use model::ActionSurface;
use model::{EventKind, Role, Status, Usage, WebEvent};
use serde::Serialize;
use serde_json::Value;

use records::trajectory;

use crate::answer_match::Match;

/// One agent of an attempt. Times are in milliseconds since the start of the attempt.
#[derive(Debug, Serialize)]
pub struct Agent<'a> {
    /// Invocation id: `root`, `d1-c0`, ….
    pub id: &'a str,
    /// Invocation id of the parent agent.
    pub parent: Option<&'a str>,
    /// Depth in the tree of agents; 0 for the root.
    pub depth: u32,
    /// Role: `root`, `child`, …; empty until known.
    pub role: &'static str,
    /// Where the agent acts between requests to the model; `None` until its role is known.
    pub surface: Option<ActionSurface>,
    /// Model assigned to the agent.
    pub model: &'a str,
    /// Beginning of the agent's query.
    pub query: &'a Value,
    /// Beginning of the agent's answer.
    pub answer: &'a Value,
    /// Relation of the answer to the expected answer; `None` if they do not match or have not been
    /// compared.
    pub holds: Option<Match>,
    /// Reason why the agent did not give an answer.
    pub error: &'a Value,
    /// Status with which the agent ended, `Cancelled` if its caller stopped it; `None` while the
    /// agent is running.
    pub status: Option<Status>,
    /// Start time.
    pub start_ms: f64,
    /// End time; for a running agent, time of the attempt's last event.
    pub end_ms: f64,
    /// Number of iterations that have begun; 1 for an agent without a REPL.
    pub iterations: usize,
    /// Number of messages received; 0 for an agent that does not accept messages.
    pub messages: usize,
    /// Maximum iterations; per message, if the agent accepts messages.
    pub max_iterations: u32,
    /// Number of requests to models.
    pub llm_calls: u64,
    /// Number of cells that ended in an error.
    pub failed_cells: u64,
    /// Tokens of the agent's own requests.
    pub usage: Usage,
    /// Known cost of the agent's own requests in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of responses whose cost is unknown.
    pub unpriced_calls: u64,
    /// Activities of the agent over time, in order.
    pub segments: Vec<Segment>,
}

/// Activities of an agent over time, and the beginnings of its texts.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    /// Beginning of the query.
    pub query: Value,
    /// Beginning of the answer.
    pub answer: Value,
    /// Beginning of the error.
    pub error: Value,
    start_ms: f64,
    end_ms: f64,
    role: Option<Role>,
    /// Whether the agent ended or was stopped.
    has_ended: bool,
    segments: Vec<Segment>,
    /// Current activity and cell.
    state: State,
}

/// Period of a single activity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Segment {
    /// Activity.
    pub kind: Activity,
    /// Start time in milliseconds.
    pub from_ms: f64,
    /// End time in milliseconds.
    pub to_ms: f64,
}

/// Activity of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Waiting for a response from the model.
    Model,
    /// Executing code.
    Code,
    /// Running a cell without executing code: starting the sandbox, or waiting for the processor, a
    /// tool or a timer.
    Sandbox,
    /// Waiting for children.
    Waiting,
    /// Opening, using, reading or capturing the agent's page or app.
    Browser,
    /// Waiting for called tools.
    Tools,
    /// Waiting before a request: for a rate limit, a connection, a retry or free budget.
    Held,
}

#[derive(Debug, Clone, Default)]
struct State {
    doing: Option<(Activity, f64)>,
    children: u32,
    /// Index of the first segment of the current cell.
    cell: usize,
    /// Whether `doing` is only assumed to be a further cell of the response. No event marks the
    /// start of a cell; the next event shows whether the assumed cell ran.
    is_guess: bool,
}

impl<'a> Agent<'a> {
    /// Returns the agent's state at `now_ms`: the current activity is extended to that time, and
    /// segments that are too short to draw are merged. `stopped_ms` is the time at which an agent
    /// without a recorded end was stopped, if it was.
    pub(super) fn at(
        now_ms: f64,
        stopped_ms: Option<f64>,
        agent: &'a trajectory::Agent,
        timeline: &'a Timeline,
        iterations: usize,
        messages: usize,
    ) -> Self {
        let mut drawn = timeline.clone();
        if let Some(at_ms) = stopped_ms {
            drawn.stop(at_ms);
        } else if !drawn.has_ended {
            drawn.end_ms = now_ms;
            drawn.switch(now_ms, None);
        }
        let stopped = drawn.has_ended.then_some(Status::Cancelled);
        let used = agent.calls.used();
        Self {
            id: &agent.id,
            parent: agent.parent.as_deref(),
            depth: agent.depth,
            role: agent.role.map(Role::as_str).unwrap_or_default(),
            surface: agent.role.map(Role::action_surface),
            model: &agent.model,
            query: &timeline.query,
            answer: &timeline.answer,
            holds: None,
            error: &timeline.error,
            status: agent.status.or(stopped),
            start_ms: drawn.start_ms,
            end_ms: drawn.end_ms,
            iterations,
            messages,
            max_iterations: agent.max_iterations,
            llm_calls: agent.calls.asked,
            failed_cells: agent.cells.failed,
            usage: used.usage.unwrap_or_default(),
            cost_usd: used.cost_usd,
            unpriced_calls: used.unpriced_calls,
            segments: merge_short_segments(&drawn.segments, drawn.start_ms, drawn.end_ms),
        }
    }
}

impl Timeline {
    pub fn new(at_ms: f64) -> Self {
        Self {
            query: Value::Null,
            answer: Value::Null,
            error: Value::Null,
            start_ms: at_ms,
            end_ms: at_ms,
            role: None,
            has_ended: false,
            segments: Vec::new(),
            state: State::default(),
        }
    }

    /// Processes an event of the agent. `kind` is `None` for an event that this version does not
    /// know.
    pub fn take(&mut self, at_ms: f64, kind: Option<&EventKind>) {
        // A request of a stopped agent can fail after the agent was stopped.
        if !self.has_ended {
            self.end_ms = self.end_ms.max(at_ms);
        }
        let Some(kind) = kind else {
            return;
        };
        match kind {
            EventKind::InvocationStart { role, .. } => {
                self.start_ms = at_ms;
                self.role = Some(*role);
                // The page is opened before the first request.
                self.switch(at_ms, self.work().filter(|work| *work == Activity::Browser));
            }
            EventKind::InvocationEnd { .. } => {
                self.forget_guess();
                self.switch(at_ms, None);
                self.has_ended = true;
            }
            EventKind::LlmRequest { .. } => {
                self.forget_guess();
                self.switch(at_ms, Some(Activity::Model));
            }
            EventKind::LlmResponse { .. } => {
                self.switch(at_ms, self.work());
                self.state.cell = self.segments.len();
            }
            // After a failed request or an answered message, the agent is idle.
            EventKind::LlmError { .. } | EventKind::MessageAnswered { .. } => {
                self.switch(at_ms, None);
            }
            EventKind::LlmWait { ms, .. } => self.was(Activity::Held, at_ms, *ms),
            EventKind::Web {
                event: WebEvent::PageCall { ms, .. },
            } => self.was(Activity::Browser, at_ms, *ms),
            EventKind::IterationEnd { executed_ms, .. } => {
                self.state.children = 0;
                self.state.is_guess = false;
                self.switch(at_ms, None);
                if let Some(executed) = executed_ms {
                    self.split_executed(*executed);
                }
                self.state.cell = self.segments.len();
                self.switch(at_ms, self.work());
                self.state.is_guess = true;
            }
            EventKind::MessageReceived { .. } => self.switch(at_ms, self.work()),
            EventKind::DelegationSpawn { .. } | EventKind::MessageSent { .. } => {
                self.state.is_guess = false;
                self.state.children += 1;
                self.switch(at_ms, Some(Activity::Waiting));
            }
            EventKind::DelegationReturn { .. } | EventKind::DelegationError { .. } => {
                self.state.children = self.state.children.saturating_sub(1);
                if self.state.children == 0 && self.state.doing.is_some() {
                    self.switch(at_ms, self.work());
                }
            }
            _ => {}
        }
    }

    /// Ends the timeline of an agent whose caller stopped it, unless the agent has already ended.
    pub fn stop(&mut self, at_ms: f64) {
        if !self.has_ended {
            self.end_ms = self.end_ms.max(at_ms);
            self.forget_guess();
            self.switch(self.end_ms, None);
            self.has_ended = true;
        }
    }

    /// Returns the time at which the agent ended or was stopped, or `None` while it is running.
    pub fn ended_ms(&self) -> Option<f64> {
        self.has_ended.then_some(self.end_ms)
    }

    /// Stores the texts of an event, which may be truncated.
    pub fn keep(&mut self, kind: &mut Value) {
        for (text, name) in [
            (&mut self.query, "query"),
            (&mut self.answer, "answer"),
            (&mut self.error, "error"),
        ] {
            if let Some(found) = kind.get_mut(name) {
                *text = found.take();
            }
        }
    }

    /// Returns the agent's activity between requests to the model, which depends on its role.
    fn work(&self) -> Option<Activity> {
        match self.role.map(Role::action_surface) {
            Some(ActionSurface::None) => None,
            Some(ActionSurface::Page | ActionSurface::Apps) => Some(Activity::Browser),
            Some(ActionSurface::NativeTools) => Some(Activity::Tools),
            Some(ActionSurface::Repl | ActionSurface::LoneRepl | ActionSurface::Program) | None => {
                Some(Activity::Code)
            }
        }
    }

    /// Splits the segments of the finished cell into code execution, `executed_ms` in total, and
    /// other time. The times of execution are not recorded, so each segment is split in the same
    /// proportion. Execution comes last, because the sandbox starts first.
    fn split_executed(&mut self, executed_ms: f64) {
        let cell = self
            .segments
            .split_off(self.state.cell.min(self.segments.len()));
        let length = |segment: &Segment| segment.to_ms - segment.from_ms;
        let stretches = cell.iter().filter(|segment| segment.kind == Activity::Code);
        let whole: f64 = stretches.map(length).sum();
        let share = (executed_ms / whole).clamp(0.0, 1.0);
        for segment in cell {
            let begins = segment.to_ms - share * length(&segment);
            if segment.kind != Activity::Code || begins <= segment.from_ms {
                self.segments.push(segment);
                continue;
            }
            self.segments.push(Segment {
                kind: Activity::Sandbox,
                to_ms: begins,
                ..segment
            });
            if begins < segment.to_ms {
                self.segments.push(Segment {
                    from_ms: begins,
                    ..segment
                });
            }
        }
    }

    /// Discards the cell that was assumed after the last finished one, because it did not run.
    fn forget_guess(&mut self) {
        if std::mem::take(&mut self.state.is_guess) {
            self.state.doing = None;
        }
    }

    /// Adds an activity that is reported only when it ends. It took the last `ms` milliseconds,
    /// except for time before the end of the last segment.
    fn was(&mut self, what: Activity, at_ms: f64, ms: f64) {
        let marked = self
            .segments
            .last()
            .map_or(self.start_ms, |last| last.to_ms);
        let from_ms = (at_ms - ms).max(self.start_ms).max(marked);
        let doing = self.state.doing.map(|(kind, _)| kind);
        self.switch(from_ms, None);
        self.switch(from_ms, Some(what));
        self.switch(at_ms, doing);
    }

    fn switch(&mut self, at_ms: f64, doing: Option<Activity>) {
        if self.state.doing.map(|(kind, _)| kind) == doing {
            return;
        }
        if let Some((kind, from_ms)) = self.state.doing.take()
            && at_ms > from_ms
        {
            self.segments.push(Segment {
                kind,
                from_ms,
                to_ms: at_ms,
            });
        }
        self.state.doing = doing.map(|doing| (doing, at_ms));
    }
}

/// Merges neighboring segments that are too close to be distinguished and that are of the same
/// kind, or that together are too short to be visible.
fn merge_short_segments(segments: &[Segment], start_ms: f64, end_ms: f64) -> Vec<Segment> {
    /// Number of columns that exceeds the width of wide screens.
    const COLUMNS: f64 = 2000.0;
    let column = (end_ms - start_ms) / COLUMNS;
    let mut merged: Vec<Segment> = Vec::new();
    // A column shows one kind, so the time of its other kinds is owed to later columns. In total,
    // each kind is drawn for about as long as it took.
    let mut owed: BTreeMap<Activity, f64> = BTreeMap::new();
    let mut rest = segments;
    while let Some((first, after)) = rest.split_first() {
        let in_column = after
            .iter()
            .take_while(|next| next.to_ms - first.from_ms < column);
        let (group, after) = rest.split_at(1 + in_column.count());
        rest = after;
        let (mut kind, mut to_ms, mut busy_ms) = (first.kind, first.to_ms, 0.0);
        for segment in group {
            let length = segment.to_ms - segment.from_ms;
            *owed.entry(segment.kind).or_default() += length;
            busy_ms += length;
            to_ms = segment.to_ms;
        }
        for segment in group {
            if owed[&segment.kind] > owed[&kind] {
                kind = segment.kind;
            }
        }
        *owed.entry(kind).or_default() -= busy_ms;
        match merged.last_mut() {
            Some(last) if first.from_ms - last.to_ms < column && last.kind == kind => {
                last.to_ms = to_ms;
            }
            _ => merged.push(Segment {
                kind,
                from_ms: first.from_ms,
                to_ms,
            }),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use model::{EventKind, WebEvent};
    use serde_json::{Value, json};

    use super::{Activity, Segment, Timeline, merge_short_segments};

    /// Creates an event of a type, with empty values in fields that timelines do not read.
    fn event(kind: &str, role: &str, executed_ms: &Value) -> EventKind {
        let fields = json!({
            "type": kind, "role": role, "executed_ms": executed_ms, "status": "ok", "iterations": 1, "iteration": 1,
            "new_messages": [], "text": "", "code": "", "output": "", "child": "d1-c0", "answer_chars": 0, "model": "",
            "max_iterations": 1,
        });
        serde_json::from_value(fields).unwrap()
    }

    /// Formats the activities of an agent with the given role and timed events, such as `model
    /// 100-300 code 300-700`.
    fn format_activities(role: &str, events: &[(f64, EventKind)]) -> String {
        let mut timeline = Timeline::new(0.0);
        let start = event("invocation_start", role, &Value::Null);
        timeline.take(0.0, Some(&start));
        for (at_ms, kind) in events {
            timeline.take(*at_ms, Some(kind));
        }
        let segments = merge_short_segments(&timeline.segments, 0.0, 1000.0);
        let texts = segments.iter().map(|segment| {
            let kind = json!(segment.kind);
            let kind = kind.as_str().unwrap_or_default();
            format!("{kind} {:.0}-{:.0}", segment.from_ms, segment.to_ms)
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn draws_activity_of_each_role() {
        let of = |kind: &str| event(kind, "root", &Value::Null);
        let end = |executed: Value| event("iteration_end", "root", &executed);
        let ended = (1000.0, of("invocation_end"));
        let asked = [(100.0, of("llm_request")), (300.0, of("llm_response"))];
        let after =
            |more: &[(f64, EventKind)]| [&asked[..], more, std::slice::from_ref(&ended)].concat();
        let cell = |executed: Value| after(&[(700.0, end(executed))]);
        let delegated = after(&[
            (340.0, of("delegation_spawn")),
            (600.0, of("delegation_return")),
            (660.0, end(json!(10.0))),
        ]);
        let blocks = after(&[
            (500.0, end(json!(50.0))),
            (600.0, of("delegation_spawn")),
            (700.0, of("delegation_return")),
            (800.0, end(json!(100.0))),
            (850.0, of("llm_request")),
            (900.0, of("llm_response")),
        ]);
        let page_call = |ms: f64| EventKind::Web {
            event: WebEvent::PageCall {
                function: "page.click".to_owned(),
                arguments: String::new(),
                result: None,
                error: None,
                ms,
            },
        };
        let browser = "browser 0-100 model 100-300 browser 300-1000";
        let rows = [
            (
                "root",
                cell(json!(100.0)),
                "model 100-300 sandbox 300-600 code 600-700",
            ),
            ("root", cell(Value::Null), "model 100-300 code 300-700"),
            (
                "root",
                after(&[
                    (450.0, page_call(100.0)),
                    // Two concurrent calls; the one that ends first began last.
                    (550.0, page_call(20.0)),
                    (600.0, page_call(90.0)),
                    (700.0, end(Value::Null)),
                ]),
                "model 100-300 code 300-350 browser 350-450 code 450-530 browser 530-600 code 600-700",
            ),
            ("root", cell(json!(900.0)), "model 100-300 code 300-700"),
            ("root", cell(json!(0.0)), "model 100-300 sandbox 300-700"),
            (
                "root",
                delegated,
                "model 100-300 sandbox 300-336 code 336-340 waiting 340-600 sandbox 600-654 code 654-660",
            ),
            (
                "root",
                after(&[(500.0, end(json!(50.0))), (700.0, end(json!(100.0)))]),
                "model 100-300 sandbox 300-450 code 450-500 sandbox 500-600 code 600-700",
            ),
            (
                "root",
                blocks,
                "model 100-300 sandbox 300-450 code 450-500 sandbox 500-550 code 550-600 waiting 600-700 \
                 sandbox 700-750 code 750-800 model 850-900 code 900-1000",
            ),
            ("agent_turn", after(&[]), browser),
            ("json_action", after(&[]), browser),
            ("tools", after(&[]), "model 100-300 tools 300-1000"),
            ("one_shot", after(&[]), "model 100-300"),
        ];
        for (role, events, wanted) in rows {
            assert_eq!(format_activities(role, &events), wanted, "{role}");
        }
    }

    /// Each row has the lengths of the model, code and idle periods of one iteration.
    #[test]
    fn draws_every_activity_of_long_attempts() {
        let rows = [
            (500, [18_600.0, 3000.0, 0.0]),
            (500, [3000.0, 18_600.0, 0.0]),
            (2000, [79.0, 10.0, 11.0]),
            (2000, [60.0, 40.0, 0.0]),
            (50_000, [2.0, 3.0, 0.0]),
        ];
        for (iterations, [model, code, idle]) in rows {
            let mut segments = Vec::new();
            let mut at_ms = 0.0;
            for _ in 0..iterations {
                for (kind, length) in [(Activity::Model, model), (Activity::Code, code)] {
                    segments.push(Segment {
                        kind,
                        from_ms: at_ms,
                        to_ms: at_ms + length,
                    });
                    at_ms += length;
                }
                at_ms += idle;
            }
            let merged = merge_short_segments(&segments, 0.0, at_ms);
            assert!(merged.len() <= 4001, "{iterations}: {}", merged.len());
            for (kind, length) in [(Activity::Model, model), (Activity::Code, code)] {
                let lengths = merged
                    .iter()
                    .filter(|segment| segment.kind == kind)
                    .map(|segment| segment.to_ms - segment.from_ms);
                let drawn: f64 = lengths.sum();
                let real = length * f64::from(iterations);
                let tolerance = idle * f64::from(iterations) + at_ms / 500.0;
                assert!(
                    (drawn - real).abs() <= tolerance,
                    "{iterations} {kind:?}: {drawn} of {real}"
                );
            }
        }
    }
}
