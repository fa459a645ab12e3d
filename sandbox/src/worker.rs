//! The main loop of an isolate's thread: runs turns for requests, timers and deadlines, and sends
//! replies.

mod ending;
mod repeating;
mod repetition;
mod requests;
mod waiting;
mod warm_up;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::inbox::{Inbox, NextRequest};
use crate::isolate::{Action, Isolate, Turn, TurnEnd};
use crate::jobs;
use crate::limits::Limits;
use crate::message::{AgentId, CallId, CellErrorKind, Event, RecordedSteps, Reply, Step};
use crate::output::Output;
use crate::rewrite::{Cell, EarlierNames, rewrite};
use crate::text_cache::TextCache;
use repetition::Repetition;

pub(crate) use warm_up::warmed_up;

/// CPU time after which a stopped cell is assumed to be a long search, so that its error message
/// states where it was stopped.
const LONG: Duration = Duration::from_secs(10);

/// CPU time limit for turns that do not belong to a running cell.
const HOUSEKEEPING: Duration = Duration::from_secs(5);

/// Receiver of replies, grouped by turn.
pub(crate) type Outbox = Box<dyn Fn(Vec<Reply>) + Send>;

/// Reason why an isolate's thread ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// No more requests will be sent.
    HungUp,
    /// The isolate cannot run code anymore: the engine broke, or the thread panicked.
    Broken,
}

/// State of one session.
pub(crate) struct Worker {
    isolate: Isolate,
    limits: Limits,
    outbox: Outbox,
    /// Replies of the current turn.
    replies: Vec<Reply>,
    agents: BTreeMap<AgentId, Agent>,
    /// Pending calls and the agents whose cells made them.
    calls: HashMap<CallId, AgentId>,
    /// Pending calls that request the status of another call.
    questions: HashSet<CallId>,
    /// Agents that wait for a call of another agent, by call.
    followers: HashMap<CallId, Vec<AgentId>>,
    /// Agents whose running cell has no pending call, each with the start of its wait. Per-turn
    /// work is limited to these few agents: an attempt has many, and nearly all wait for calls.
    waiting: BTreeMap<AgentId, Instant>,
    /// Builtins that a cell of this isolate shadowed.
    shadowed: BTreeSet<String>,
    /// Rewritten cells, cached when there are several agents, which often run the same code.
    rewritten: TextCache<(String, EarlierNames), Cell>,
    next_cell: u32,
    /// Number of agents opened so far.
    opened: u32,
    /// Owner number of the latest turn that did not belong to a cell, counted down from the
    /// maximum.
    next_turn: u32,
    broken: bool,
    /// Whether the session was begun, so that its steps are reported.
    begun: bool,
    /// Steps that were not reported yet.
    did: Vec<Step>,
    repeating: Option<Repetition>,
    /// Whether the current step repeats a recorded one.
    is_repeating_step: bool,
}

struct Agent {
    parent: Option<AgentId>,
    /// Call that opened the agent.
    opened_by: Option<CallId>,
    /// Names that the agent's cells declared by `let`, `const` or `class`.
    lexical: BTreeSet<String>,
    cell: Option<RunningCell>,
    /// Position among all agents in the order in which they were opened, 1-based.
    place: u32,
    /// Whether the agent's last finished cell returned.
    returned: bool,
}

struct RunningCell {
    number: u32,
    /// Names of the agent, not of its ancestors, that the cell declares or assigns.
    assigned: Vec<String>,
    /// Whether a function of the cell contains `return(…)`.
    returns_in_function: bool,
    /// Whether the cell sets the variable that agents of another harness use to answer.
    sets_answer: bool,
    executed: Duration,
    /// Time spent waiting without a pending call.
    waited: Duration,
    pending: BTreeSet<CallId>,
}

impl Worker {
    pub fn new(isolate: Isolate, limits: Limits, outbox: Outbox) -> Self {
        Self {
            isolate,
            limits,
            outbox,
            replies: Vec::new(),
            agents: BTreeMap::new(),
            calls: HashMap::new(),
            questions: HashSet::new(),
            followers: HashMap::new(),
            waiting: BTreeMap::new(),
            shadowed: BTreeSet::new(),
            rewritten: TextCache::default(),
            next_cell: 0,
            opened: 0,
            next_turn: u32::MAX,
            broken: false,
            begun: false,
            did: Vec::new(),
            repeating: None,
            is_repeating_step: false,
        }
    }

    /// Runs until the other side hangs up or the isolate breaks.
    pub fn run(&mut self, requests: &mut impl Inbox) -> End {
        while !self.broken {
            if self.repeats() {
                self.is_repeating_step = true;
                let end = self.repeat(requests);
                self.is_repeating_step = false;
                if let Some(end) = end {
                    return end;
                }
                self.catch_up();
            } else if let Some(request) = self.take_held() {
                self.handle(request, None);
            } else {
                match requests.next(self.next_due()) {
                    NextRequest::Request(request) => self.handle(request, None),
                    NextRequest::Open(request, context) => self.handle(request, Some(context)),
                    NextRequest::Due => {}
                    NextRequest::HungUp => return End::HungUp,
                }
            }
            if !self.repeats() {
                self.fire_timers();
            }
            loop {
                self.run_jobs_left();
                if !self.repeats() {
                    self.end_long_waits();
                }
                self.end_stalled();
                if self.broken || !jobs::has_pending() {
                    break;
                }
            }
        }
        End::Broken
    }

    fn start_cell(&mut self, agent: AgentId, code: &str, iteration: u32) {
        // Ends a cell that is still running, because no caller waits for it.
        self.end_cell(agent);
        self.next_cell += 1;
        let number = self.next_cell;
        let output = Output::new(self.limits.output_chars);
        self.isolate.host(|host| host.outputs.insert(agent, output));
        let cell = RunningCell {
            number,
            assigned: Vec::new(),
            returns_in_function: false,
            sets_answer: false,
            executed: Duration::ZERO,
            waited: Duration::ZERO,
            pending: BTreeSet::new(),
        };
        match self.agents.get_mut(&agent) {
            Some(entry) => entry.cell = Some(cell),
            None => return,
        }
        let earlier = EarlierNames {
            shadowed: self.shadowed.clone(),
            lexical: self.lexical_names(agent),
        };
        let among_others = self.opened > 1;
        let rewritten = if among_others {
            let key = (code.to_owned(), earlier);
            let make = |(code, earlier): &(String, EarlierNames)| rewrite(code, earlier);
            self.rewritten.of(key, code.len(), make)
        } else {
            rewrite(code, &earlier)
        };
        let rewritten = match rewritten {
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
            let assigns = rewritten.assigned.iter().any(|name| name == "answer");
            cell.sets_answer = assigns && code.contains("content") && code.contains("ready");
            cell.assigned = rewritten.assigned;
            cell.returns_in_function = rewritten.returns_in_function;
        }
        self.isolate
            .host(|host| host.sources.add(rewritten.sources));
        let action = Action::Run {
            agent,
            cell: number,
            iteration,
            script: &rewritten.script,
            declared: &declared,
            keep: among_others,
        };
        if let TurnEnd::Threw { message, line } = self.turn(agent, &action) {
            let place = line.map_or(String::new(), |line| format!(" (line {line})"));
            self.fail(
                agent,
                CellErrorKind::Syntax,
                format!("SyntaxError: {message}{}{place}", remedy(&message)),
            );
        }
    }

    /// Returns the names that an agent or one of its ancestors declared by `let`, `const` or
    /// `class`.
    fn lexical_names(&self, agent: AgentId) -> BTreeSet<String> {
        let lineage = std::iter::successors(self.agents.get(&agent), |entry| {
            self.agents.get(&entry.parent?)
        });
        lineage.flat_map(|entry| entry.lexical.clone()).collect()
    }

    /// Runs one turn of an agent, charges it to the agent's cell, and processes its effects.
    fn turn(&mut self, agent: AgentId, action: &Action<'_>) -> TurnEnd {
        let began = Instant::now();
        let limit = self.limits.cell_time;
        let waited = self.waiting.remove(&agent).map_or(Duration::ZERO, |since| {
            began.saturating_duration_since(since)
        });
        let (owner, budget) = match self.running(agent) {
            Some(cell) => {
                cell.waited += waited;
                let left = limit.saturating_sub(cell.executed);
                (cell.number, left.max(Duration::from_millis(1)))
            }
            None => (self.housekeeping_owner(), HOUSEKEEPING),
        };
        let turn = self.isolate.turn(budget, owner, action);
        let ended = Instant::now();
        for since in self.waiting.values_mut() {
            // Other cells could not use the thread during the turn, so the time does not count as
            // waiting.
            *since += ended - began;
        }
        let end = self.end_turn(agent, turn);
        if let Some(cell) = self.running(agent)
            && cell.pending.is_empty()
        {
            self.waiting.insert(agent, Instant::now());
        }
        end
    }

    /// Processes the effects of a turn of `agent`.
    fn end_turn(&mut self, agent: AgentId, turn: Turn) -> TurnEnd {
        let Turn {
            end,
            executed,
            stopped,
            place,
        } = turn;
        // A job of another agent may have used the time.
        let by = stopped
            .and_then(|cell| self.agent_of(cell))
            .unwrap_or(agent);
        let mut whole = executed;
        if let Some(cell) = self.running(by) {
            cell.executed += executed;
            whole = cell.executed;
        }
        let place = place
            .filter(|_| whole >= LONG)
            .map_or(String::new(), |place| format!(". It was at {place}"));
        if !matches!(end, TurnEnd::Completed(_) | TurnEnd::Threw { .. }) {
            // The stopped cell may already have reported its end, but left a job that kept running.
            let cell = self.running(by).map(|cell| cell.number);
            self.isolate
                .host(|host| host.done.retain(|done| Some(done.cell) != cell));
        }
        self.collect();
        let limit = self.limits.cell_time;
        // Many short turns may use up the time although none of them is stopped.
        let is_over = self.running(by).is_some_and(|cell| cell.executed >= limit);
        match &end {
            TurnEnd::OutOfMemory => self.out_of_memory(by, &place),
            TurnEnd::EndlessJobs(waiting) => self.endless_jobs(by, *waiting, whole),
            TurnEnd::Broken => self.broken = true,
            end if is_over || matches!(end, TurnEnd::Terminated) => self.abort(
                by,
                CellErrorKind::TimedOut,
                &format!(
                    "TimeoutError: the cell ran for more than {} s and was stopped; \
                     variables keep what was assigned before{place}",
                    limit.as_secs_f64()
                ),
            ),
            _ => {}
        }
        end
    }

    /// Runs the jobs of other owners that were left when an earlier turn was stopped.
    fn run_jobs_left(&mut self) {
        while !self.broken && jobs::has_pending() {
            let owner = self.housekeeping_owner();
            let turn = self
                .isolate
                .turn(self.limits.cell_time, owner, &Action::Jobs);
            // No agent has the id `u32::MAX`.
            self.end_turn(AgentId(u32::MAX), turn);
        }
    }

    /// Returns an owner number for a turn that does not belong to a running cell.
    fn housekeeping_owner(&mut self) -> u32 {
        self.next_turn = self.next_turn.wrapping_sub(1);
        self.next_turn
    }

    /// Returns the agent whose running cell has this number.
    fn agent_of(&self, cell: u32) -> Option<AgentId> {
        let mut agents = self.agents.iter();
        agents.find_map(|(agent, entry)| {
            let running = entry.cell.as_ref()?;
            (running.number == cell).then_some(*agent)
        })
    }

    /// Reports the calls made and the cells ended in the last turn.
    fn collect(&mut self) {
        let (calls, followed, cancelled, done) = self.isolate.host(|host| {
            (
                std::mem::take(&mut host.calls),
                std::mem::take(&mut host.followed),
                std::mem::take(&mut host.cancelled),
                std::mem::take(&mut host.done),
            )
        });
        for (agent, id, event) in calls {
            let Some(cell) = self.running(agent) else {
                // The cell ended in the meantime, so nobody would receive the answer.
                continue;
            };
            cell.pending.insert(id);
            if matches!(event, Event::StatusRequested { .. }) {
                self.questions.insert(id);
            }
            self.calls.insert(id, agent);
            self.waiting.remove(&agent);
            self.replies.push(Reply::Event { agent, event });
        }
        for (agent, call) in followed {
            if self.calls.contains_key(&call)
                && let Some(cell) = self.running(agent)
            {
                cell.pending.insert(call);
                self.waiting.remove(&agent);
                self.followers.entry(call).or_default().push(agent);
            }
        }
        for call in cancelled {
            if let Some(agent) = self.calls.remove(&call) {
                self.no_longer_pending(agent, call);
                let event = Event::Cancelled(call);
                self.replies.push(Reply::Event { agent, event });
            }
        }
        for done in done {
            self.finish(done);
        }
        self.send();
    }

    /// Sends all replies of a turn together: the harness must not answer a call before it knows
    /// that the cell ended in the same turn.
    fn send(&mut self) {
        if self.is_repeating_step {
            self.hold_ends();
        }
        self.send_all();
    }

    fn send_all(&mut self) {
        if self.replies.is_empty() {
            return;
        }
        if self.begun {
            let did = RecordedSteps {
                steps: std::mem::take(&mut self.did),
                clock: self.isolate.host(|host| host.clock.take_readings()),
            };
            if !did.is_empty() {
                self.replies.insert(0, Reply::StepsTaken(did));
            }
        }
        (self.outbox)(std::mem::take(&mut self.replies));
    }

    /// Removes an agent's cell, which has ended. From then on, settling a call that the cell left
    /// pending has no effect.
    fn end_cell(&mut self, agent: AgentId) -> Option<RunningCell> {
        self.waiting.remove(&agent);
        let cell = self.agents.get_mut(&agent)?.cell.take()?;
        for call in &cell.pending {
            // A call of another agent continues.
            if self.calls.get(call) == Some(&agent) {
                self.calls.remove(call);
                self.no_longer_pending(agent, *call);
            }
        }
        Some(cell)
    }

    /// Removes a finished call from the cells that wait for it: the cell that made it and its
    /// followers.
    fn no_longer_pending(&mut self, agent: AgentId, call: CallId) {
        let followers = self.followers.remove(&call).unwrap_or_default();
        for agent in followers.into_iter().chain([agent]) {
            let Some(cell) = self.running(agent) else {
                continue;
            };
            if cell.pending.remove(&call) && cell.pending.is_empty() {
                self.waiting.entry(agent).or_insert_with(Instant::now);
            }
        }
    }

    fn running(&mut self, agent: AgentId) -> Option<&mut RunningCell> {
        self.agents.get_mut(&agent)?.cell.as_mut()
    }
}

/// Returns the remedy to add to an error of `QuickJS`: in regular expressions with the flag `v`, it
/// rejects outside of classes what is invalid only inside.
fn remedy(message: &str) -> &'static str {
    if message.starts_with("invalid character in class in regular expression") {
        "; with the flag v, write \\x2d for -, and \\ before brackets, / and |, or use the flag u"
    } else if message.starts_with("invalid class set operation in regular expression") {
        "; with the flag v, write one of two equal signs by code (\\x3d for =), or use the flag u"
    } else {
        ""
    }
}
