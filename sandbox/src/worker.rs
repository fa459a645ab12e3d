//! The loop of an isolate's thread: requests, timers and clocks become turns, and turns become replies.

mod waiting;
mod warm_up;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::inbox::{Arriving, Inbox, Next};
use crate::isolate::{Action, Given, Isolate, Turn, TurnEnd};
use crate::limits::Limits;
use crate::message::{
    AgentId, CallId, CellError, CellErrorKind, CellOutcome, Context, Reply, Request,
};
use crate::ops::{Called, Done};
use crate::output::Output;
use crate::rewrite::{Earlier, rewrite};
use crate::stack_trace;
use crate::thread::End;

pub(crate) use warm_up::warmed_up;

/// CPU time for turns that belong to no running cell.
const HOUSEKEEPING: Duration = Duration::from_secs(5);

/// Where replies go.
pub(crate) type Outbox = Box<dyn Fn(Reply) + Send>;

/// The state of one session.
pub(crate) struct Worker {
    isolate: Isolate,
    limits: Limits,
    outbox: Outbox,
    agents: BTreeMap<AgentId, Agent>,
    /// Pending calls and the agents whose cells made them.
    calls: HashMap<CallId, AgentId>,
    /// Builtins that a cell of this isolate shadowed.
    shadowed: BTreeSet<String>,
    next_cell: u32,
    broken: bool,
}

struct Agent {
    parent: Option<AgentId>,
    /// The call that opened this agent.
    opened_by: Option<CallId>,
    /// Names that its cells declared by `let`, `const` or `class`.
    lexical: BTreeSet<String>,
    cell: Option<RunningCell>,
}

struct RunningCell {
    number: u32,
    /// Names of the agent's own that the cell declares or assigns.
    assigned: Vec<String>,
    executed: Duration,
    /// Time spent waiting with no call pending.
    waited: Duration,
    waiting_since: Option<Instant>,
    pending_calls: u32,
}

impl Worker {
    pub fn new(isolate: Isolate, limits: Limits, outbox: Outbox) -> Self {
        Self {
            isolate,
            limits,
            outbox,
            agents: BTreeMap::new(),
            calls: HashMap::new(),
            shadowed: BTreeSet::new(),
            next_cell: 0,
            broken: false,
        }
    }

    /// Runs until the other side hangs up, or the isolate breaks.
    pub fn run(&mut self, requests: &mut impl Inbox) -> End {
        while !self.broken {
            match requests.next(self.next_due()) {
                Next::Request(request) => self.handle(request, None),
                Next::Open(request, context) => self.handle(request, Some(context)),
                Next::Due => {}
                Next::HungUp => return End::HungUp,
            }
            self.fire_timers();
            self.end_long_waits();
            self.end_stalled();
        }
        End::Broken
    }

    /// `arriving` is the context of an agent that is opened, if it is on its way.
    fn handle(&mut self, request: Request, arriving: Option<Arriving>) {
        match request {
            Request::Open {
                agent,
                parent,
                context,
                info,
                functions,
            } => {
                let opened_by = match &context {
                    Context::Text(_) => None,
                    Context::OfCall(call) => Some(*call),
                };
                self.agents.insert(
                    agent,
                    Agent {
                        parent,
                        opened_by,
                        lexical: BTreeSet::new(),
                        cell: None,
                    },
                );
                let building = arriving.as_ref().map_or(0, |arriving| arriving.bytes);
                let context = self.take_in(&context, arriving);
                let info = serde_json::to_string(&info).unwrap_or_default();
                let functions = serde_json::to_string(&functions).unwrap_or_default();
                self.turn(
                    agent,
                    &Action::Open {
                        agent,
                        parent,
                        info: &info,
                        context,
                        functions: &functions,
                    },
                );
                if building > 0 {
                    self.isolate.take_back(building);
                }
                // What an agent that could not be opened left on its way is no request.
                let left = self.isolate.host(|host| host.arriving.take());
                left.into_iter().for_each(Arriving::skip);
            }
            Request::Set { agent, name, json } => {
                self.turn(
                    agent,
                    &Action::SetName {
                        agent,
                        name: &name,
                        json: &json,
                    },
                );
            }
            Request::Run {
                agent,
                code,
                iteration,
            } => self.start_cell(agent, &code, iteration),
            Request::Budget(budget) => {
                self.isolate
                    .host(|host| host.budget = (budget, Instant::now()));
            }
            Request::Settle { call, result } => {
                if let Some(agent) = self.calls.remove(&call) {
                    if let Some(cell) = self.running(agent) {
                        cell.pending_calls -= 1;
                    }
                    self.turn(
                        agent,
                        &Action::Settle {
                            call,
                            result: &result,
                        },
                    );
                }
            }
            Request::GetCallContext { call } => {
                if let Some(agent) = self.calls.get(&call).copied() {
                    let text = match self.turn(agent, &Action::CallContext { call }) {
                        TurnEnd::Completed(text) => Ok(text.unwrap_or_default()),
                        TurnEnd::Threw { message, .. } => Err(message),
                        TurnEnd::Terminated | TurnEnd::OutOfMemory | TurnEnd::Broken => {
                            Err("reading the context took too long".to_owned())
                        }
                    };
                    (self.outbox)(Reply::CallContext { agent, call, text });
                }
            }
            Request::Close { agent, returned } => {
                self.turn(agent, &Action::Close { agent, returned });
                self.agents.remove(&agent);
                self.calls.retain(|_, owner| *owner != agent);
                self.isolate.host(|host| host.outputs.remove(&agent));
            }
        }
    }

    /// Makes room for a context, whatever the engine makes of its bytes.
    fn take_in<'a>(&mut self, context: &'a Context, arriving: Option<Arriving>) -> Given<'a> {
        if let Some(arriving) = arriving {
            let pieces = arriving.pieces;
            // Two for each, and one for a while: what they are put together in grows by half at a time.
            self.isolate.allow(arriving.bytes.saturating_mul(3));
            self.isolate.host(|host| host.arriving = Some(arriving));
            return Given::Pieces(pieces);
        }
        match context {
            Context::Text(text) => {
                self.isolate.allow(text.len().saturating_mul(2));
                Given::Text(text)
            }
            Context::OfCall(call) => Given::OfCall(*call),
        }
    }

    fn start_cell(&mut self, agent: AgentId, code: &str, iteration: u32) {
        self.next_cell += 1;
        let number = self.next_cell;
        let output = Output::new(self.limits.output_chars);
        self.isolate.host(|host| host.outputs.insert(agent, output));
        let cell = RunningCell {
            number,
            assigned: Vec::new(),
            executed: Duration::ZERO,
            waited: Duration::ZERO,
            waiting_since: None,
            pending_calls: 0,
        };
        match self.agents.get_mut(&agent) {
            Some(entry) => entry.cell = Some(cell),
            None => return,
        }
        let earlier = Earlier {
            shadowed: self.shadowed.clone(),
            lexical: self.lexical_names(agent),
        };
        let rewritten = match rewrite(code, &earlier) {
            Ok(rewritten) => rewritten,
            Err(error) => return self.fail(agent, CellErrorKind::Syntax, error.to_string()),
        };
        self.shadowed = rewritten.shadowed;
        let declared: Vec<&String> = rewritten
            .lexical
            .iter()
            .chain(&rewritten.variables)
            .collect();
        let declared = serde_json::to_string(&declared).unwrap_or_default();
        if let Some(entry) = self.agents.get_mut(&agent) {
            entry
                .lexical
                .retain(|name| !rewritten.variables.contains(name));
            entry.lexical.extend(rewritten.lexical);
        }
        if let Some(cell) = self.running(agent) {
            cell.assigned = rewritten.assigned;
        }
        self.isolate
            .host(|host| host.sources.add(rewritten.sources));
        let action = Action::Run {
            agent,
            cell: number,
            iteration,
            script: &rewritten.script,
            declared: &declared,
        };
        if let TurnEnd::Threw { message, line } = self.turn(agent, &action) {
            let place = line.map_or(String::new(), |line| format!(" (line {line})"));
            self.fail(
                agent,
                CellErrorKind::Syntax,
                format!("SyntaxError: {message}{place}"),
            );
        }
    }

    /// Names that an agent or an ancestor of it declared by `let`, `const` or `class`.
    fn lexical_names(&self, agent: AgentId) -> BTreeSet<String> {
        let lineage = std::iter::successors(self.agents.get(&agent), |entry| {
            self.agents.get(&entry.parent?)
        });
        lineage.flat_map(|entry| entry.lexical.clone()).collect()
    }

    /// One turn of an agent, charged to its cell; then everything that the turn brought about.
    fn turn(&mut self, agent: AgentId, action: &Action<'_>) -> TurnEnd {
        let began = Instant::now();
        let limit = self.limits.cell_time;
        let budget = match self.running(agent) {
            Some(cell) => {
                cell.stop_waiting(began);
                limit
                    .saturating_sub(cell.executed)
                    .max(Duration::from_millis(1))
            }
            None => HOUSEKEEPING,
        };
        let Turn { end, executed } = self.isolate.turn(budget, action);
        let ended = Instant::now();
        for (id, other) in &mut self.agents {
            let Some(cell) = &mut other.cell else {
                continue;
            };
            if *id == agent {
                cell.executed += executed;
            } else if let Some(since) = &mut cell.waiting_since {
                // The thread was not free for it: that is no waiting of its own.
                *since += ended - began;
            }
        }
        self.collect();
        match end {
            TurnEnd::Terminated => {
                let seconds = limit.as_secs_f64();
                self.abort(
                    agent,
                    CellErrorKind::TimedOut,
                    &format!(
                        "TimeoutError: the cell ran for more than {seconds} s and was stopped; \
                         variables keep what was assigned before"
                    ),
                );
            }
            TurnEnd::OutOfMemory => self.out_of_memory(agent),
            TurnEnd::Broken => self.broken = true,
            _ => {}
        }
        if let Some(cell) = self.running(agent)
            && cell.pending_calls == 0
        {
            cell.waiting_since = Some(Instant::now());
        }
        end
    }

    /// Sends on the calls made and the cells ended in the last turn.
    fn collect(&mut self) {
        let (calls, done) = self.isolate.host(|host| {
            (
                std::mem::take(&mut host.calls),
                std::mem::take(&mut host.done),
            )
        });
        for (agent, called) in calls {
            let (id, reply) = match called {
                Called::Agent(call) => (call.id, Reply::Called { agent, call }),
                Called::Function(call) => (call.id, Reply::Invoked { agent, call }),
            };
            self.calls.insert(id, agent);
            if let Some(cell) = self.running(agent) {
                cell.pending_calls += 1;
                cell.waiting_since = None;
            }
            (self.outbox)(reply);
        }
        for done in done {
            self.finish(done);
        }
    }

    fn finish(&mut self, done: Done) {
        let Some(agent) = self.agents.get_mut(&done.agent) else {
            return;
        };
        let Some(cell) = agent.cell.take_if(|cell| cell.number == done.cell) else {
            return;
        };
        let mut outcome = CellOutcome {
            executed: cell.executed,
            unawaited: done.unawaited,
            abandoned: done.abandoned,
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
        if outcome.unawaited > 0 && outcome.error.is_none() && outcome.value.is_none() {
            outcome.error = Some(CellError {
                kind: CellErrorKind::Unawaited,
                message: unawaited_message(outcome.unawaited, &done.functions),
                stack: Vec::new(),
            });
        }
        self.forget_calls(&outcome.abandoned);
        self.send_outcome(done.agent, outcome);
    }

    /// Ends a cell whose heap overflowed. What it assigned is dropped with its names: else the heap stays full.
    fn out_of_memory(&mut self, agent: AgentId) {
        let names = self
            .running(agent)
            .map(|cell| cell.assigned.clone())
            .unwrap_or_default();
        let json = serde_json::to_string(&names).unwrap_or_default();
        self.isolate.turn(
            HOUSEKEEPING,
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
                "RangeError: out of memory: the attempt needs more than {megabytes} MB{dropped}"
            ),
        );
        self.isolate.recover_memory();
    }

    /// Ends an agent's cell from outside with an error.
    fn abort(&mut self, agent: AgentId, kind: CellErrorKind, message: &str) {
        if self.running(agent).is_none() {
            return;
        }
        // Empties the agent's pending calls and timers; its report is used for them alone.
        self.isolate.turn(HOUSEKEEPING, &Action::Abort { agent });
        let done = self.isolate.host(|host| std::mem::take(&mut host.done));
        let abandoned = done
            .into_iter()
            .find(|done| done.agent == agent)
            .map(|done| done.abandoned);
        let Some(cell) = self
            .agents
            .get_mut(&agent)
            .and_then(|entry| entry.cell.take())
        else {
            return;
        };
        let abandoned = abandoned.unwrap_or_default();
        self.forget_calls(&abandoned);
        let error = CellError {
            kind,
            message: message.to_owned(),
            stack: Vec::new(),
        };
        let outcome = CellOutcome {
            executed: cell.executed,
            error: Some(error),
            abandoned,
            ..CellOutcome::default()
        };
        self.send_outcome(agent, outcome);
    }

    fn forget_calls(&mut self, calls: &[CallId]) {
        for call in calls {
            self.calls.remove(call);
        }
    }

    /// Ends a cell that never started.
    fn fail(&mut self, agent: AgentId, kind: CellErrorKind, message: String) {
        if let Some(entry) = self.agents.get_mut(&agent) {
            entry.cell = None;
        }
        let error = CellError {
            kind,
            message,
            stack: Vec::new(),
        };
        self.send_outcome(
            agent,
            CellOutcome {
                error: Some(error),
                ..CellOutcome::default()
            },
        );
    }

    fn send_outcome(&mut self, agent: AgentId, mut outcome: CellOutcome) {
        let rejections = self.isolate.unhandled_rejections();
        let output = self.isolate.host(|host| host.outputs.remove(&agent));
        let mut output = output.unwrap_or_default();
        for text in rejections {
            output.push(&format!("Uncaught (in promise) {text}"), 0);
        }
        outcome.output = output.finish();
        (self.outbox)(Reply::Finished { agent, outcome });
    }

    fn running(&mut self, agent: AgentId) -> Option<&mut RunningCell> {
        self.agents.get_mut(&agent)?.cell.as_mut()
    }
}

/// Which names lost their values, for a message; of many, the first.
fn dropped_text(names: &[String]) -> String {
    const TOLD: usize = 20;
    let mut told = names[..names.len().min(TOLD)].join(", ");
    if names.len() > TOLD {
        let _ = write!(told, " and {} more", names.len() - TOLD);
    }
    if told.is_empty() {
        return told;
    }
    format!("; what it assigned was dropped: {told}")
}

/// `functions` are those called, parted by spaces.
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
        "Error: {calls} not awaited; the result is lost. Await each call: `const r = await {example}(…)`, or \
         `await Promise.all([…])` for several at once"
    )
}
