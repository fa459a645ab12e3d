//! One JavaScript isolate that runs in turns: each calls a function of the library, then runs all
//! microtasks.
//!
//! Each turn is charged to the execution clock of one agent. Turns also settle calls and timers,
//! instead of a separate event loop, so the isolate always knows whose code runs.
//!
//! User values never reach the error conversion of `deno_core`, which panics on some of them;
//! `agents.js` converts them to text.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use deno_core::v8;

use crate::boot::{LibraryFunctions, boot};
use crate::clock::Clock;
use crate::cpu_clock::CpuClock;
use crate::engine::{Engine, in_context};
use crate::expression::{line_of_expression, value_of, value_of_cell};
use crate::heap::Heap;
use crate::host_state::{Host, HostState};
use crate::jobs::{self, RunningCode};
use crate::message::{AgentId, CallId, SessionStart};
use crate::randomness;
use crate::rejections;
use crate::session::{Config, StartError};
use crate::snapshot::snapshot;
use crate::stack_hook;
use crate::text_cache::TextCache;
use crate::watchdog::{OnStuck, Watch};

/// Maximum number of expressions evaluated after a termination before the isolate counts as broken.
const FLUSH_TRIES: u32 = 10;
/// CPU time limit of one evaluation in [`Isolate::flush`].
const FLUSH_TIME: Duration = Duration::from_millis(200);

pub(crate) struct Isolate {
    // Dropped in this order: handles of the engine, the engine, and state that it points to.
    compiled: TextCache<(String, u32), v8::Global<v8::Value>>,
    functions: LibraryFunctions,
    engine: Engine,
    heap: Heap,
    handle: v8::IsolateHandle,
    clock: CpuClock,
    host: Host,
    on_stuck: OnStuck,
}

/// Work to perform in a turn.
pub(crate) enum Action<'a> {
    Open {
        agent: AgentId,
        parent: Option<AgentId>,
        info: &'a str,
        context: ContextSource<'a>,
        /// Names of the agent's host functions, as JSON.
        functions: &'a str,
    },
    Run {
        agent: AgentId,
        cell: u32,
        iteration: u32,
        script: &'a str,
        /// Names that the cell declares, as JSON.
        declared: &'a str,
        /// Whether to cache the compiled function for other cells with the same script.
        keep: bool,
    },
    Settle {
        call: CallId,
        result: &'a Result<String, String>,
    },
    FireTimer {
        agent: AgentId,
        timer: u32,
    },
    SetName {
        agent: AgentId,
        name: &'a str,
        json: &'a str,
    },
    Abort {
        agent: AgentId,
    },
    /// Only runs pending jobs.
    Jobs,
    Forget {
        agent: AgentId,
        names: &'a str,
    },
    Close {
        agent: AgentId,
        returned: bool,
    },
    CallContext {
        call: CallId,
    },
    Variables {
        agent: AgentId,
    },
}

impl Action<'_> {
    /// Whether the turn only ends a cell. Such a turn is not charged for the jobs of other owners,
    /// which remain queued.
    fn only_ends(&self) -> bool {
        matches!(self, Self::Abort { .. } | Self::Forget { .. })
    }
}

/// Form in which an agent's context is passed to the isolate.
#[derive(Clone, Copy)]
pub(crate) enum ContextSource<'a> {
    Text(&'a str),
    OfCall(CallId),
    /// A text that arrives in the given number of pieces through the host state.
    Pieces(u32),
}

/// Result of a turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub end: TurnEnd,
    /// CPU time that the turn used.
    pub executed: Duration,
    /// Owner of the code that was stopped, if any: the owner of the turn, or of a job that ran in
    /// it.
    pub stopped: Option<u32>,
    /// Place where the code was stopped, if the engine reports it: functions and lines, innermost
    /// first.
    pub place: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TurnEnd {
    /// All code ran. Contains the text that the called function returned, if any.
    Completed(Option<String>),
    /// Compiling the script failed, or the called function threw.
    Threw {
        message: String,
        line: Option<usize>,
    },
    /// Execution was stopped because the time budget ran out.
    Terminated,
    /// Execution was stopped because the heap exceeded its limit.
    OutOfMemory,
    /// As [`TurnEnd::OutOfMemory`], but an endless chain of jobs filled the heap. At least this
    /// number of jobs are waiting.
    EndlessJobs(u64),
    /// Execution was stopped and the isolate is unusable.
    Broken,
}

impl Isolate {
    /// Creates an isolate, which must remain on the calling thread. Calls `on_stuck` from another
    /// thread if code keeps running after it was terminated.
    pub fn new(config: &Config, on_stuck: OnStuck) -> Result<Self, StartError> {
        let host = Host::default();
        let (mut engine, functions) = boot(snapshot()?, config, Rc::clone(&host))?;
        rejections::track(&mut engine.isolate);
        stack_hook::install(
            &mut engine.isolate,
            stack_hook::Functions {
                stack_of: functions.stack_of.clone(),
                place_of: functions.place_of.clone(),
                nothing: functions.nothing.clone(),
            },
        );
        let handle = engine.isolate.thread_safe_handle();
        let owned = {
            in_context!(scope, engine);
            jobs::take_over(scope, handle.clone())
        };
        if !owned {
            return Err(StartError::Boot("the queue of jobs".to_owned()));
        }
        let mut heap = Heap::new(config.limits.heap_bytes, handle.clone());
        heap.arm_above_use(&mut engine.isolate);
        Ok(Self {
            compiled: TextCache::default(),
            functions,
            engine,
            heap,
            handle,
            clock: CpuClock::of_this_thread(),
            host,
            on_stuck,
        })
    }

    /// Adapts the isolate to a copy of the process that created it: switches to the calling
    /// thread's CPU clock and seeds random numbers.
    pub fn begin(&mut self) {
        self.clock = CpuClock::of_this_thread();
        randomness::begin();
    }

    /// Starts the clock that cells read.
    pub fn start_clock(&mut self) {
        self.host(|host| host.clock = Clock::default());
    }

    /// Starts the session with the clock and random numbers that `beginning` determines.
    pub fn begin_as(&mut self, beginning: &mut SessionStart) {
        self.host(|host| host.clock = Clock::of(beginning));
        randomness::begin_with(beginning.seed);
    }

    /// Raises the heap limit to make room for a context.
    pub fn allow(&mut self, bytes: usize) {
        self.heap.allow(bytes, &mut self.engine.isolate);
    }

    /// Lowers the heap limit by memory that a context needed only temporarily.
    pub fn take_back(&mut self, bytes: usize) {
        self.heap.take_back(bytes, &mut self.engine.isolate);
    }

    /// Frees memory after the heap exceeded its limit, and arms the limit again.
    pub fn recover_memory(&mut self) {
        self.engine.isolate.low_memory_notification();
        self.heap.arm_above_use(&mut self.engine.isolate);
    }

    /// Calls `look` with the state that the ops collected.
    pub fn host<R>(&self, look: impl FnOnce(&mut HostState) -> R) -> R {
        look(&mut self.host.borrow_mut())
    }

    /// Runs one turn with at most `budget` CPU time on behalf of `owner`. Once an owner is stopped,
    /// its later jobs do nothing; other pending jobs wait for the next turn.
    pub fn turn(&mut self, budget: Duration, owner: u32, action: &Action<'_>) -> Turn {
        let started = self.clock.now();
        let watch = self.watch(budget);
        jobs::begin(owner);
        let mut end = self.act(action);
        let running = if action.only_ends() && jobs::OWNED {
            None
        } else {
            self.run_jobs(&watch)
        };
        let fired = watch.end();
        let overflowed = self.heap.take_overflow(&mut self.engine.isolate);
        let mut stopped = None;
        if fired || overflowed {
            self.handle.cancel_terminate_execution();
            stopped = running.map(|running| running.owner).or(Some(owner));
            stopped.into_iter().for_each(jobs::stop);
            let chain = jobs::chain();
            end = match (self.flush(), overflowed) {
                (true, true) => chain.map_or(TurnEnd::OutOfMemory, TurnEnd::EndlessJobs),
                (true, false) => TurnEnd::Terminated,
                (false, _) => TurnEnd::Broken,
            };
        }
        Turn {
            end,
            executed: self.clock.now().saturating_sub(started),
            stopped,
            place: jobs::take_place(),
        }
    }

    /// Removes and returns the messages of promise rejections that a cell left unhandled. Discards
    /// those of other cells that no longer run.
    pub fn unhandled_rejections(
        &mut self,
        cell: u32,
        is_running: impl Fn(u32) -> bool,
    ) -> Vec<String> {
        let reasons = rejections::take(cell, is_running);
        if reasons.is_empty() {
            return Vec::new();
        }
        let function = self.functions.rejection_text.clone();
        let watch = self.watch(FLUSH_TIME);
        let texts = {
            in_context!(scope, self.engine);
            v8::tc_scope!(let scope, scope);
            let function = v8::Local::new(scope, function);
            let receiver = v8::undefined(scope).into();
            let mut texts = Vec::new();
            for reason in reasons {
                let reason = v8::Local::new(scope, reason);
                if let Some(text) = function.call(scope, receiver, &[reason]) {
                    texts.push(text.to_rust_string_lossy(scope));
                }
            }
            texts
        };
        if watch.end() {
            self.handle.cancel_terminate_execution();
            self.flush();
        }
        texts
    }

    fn watch(&self, budget: Duration) -> Watch {
        Watch::arm(
            self.handle.clone(),
            self.clock,
            budget,
            Arc::clone(&self.on_stuck),
            self.heap.overflow_flag(),
        )
    }

    fn act(&mut self, action: &Action<'_>) -> TurnEnd {
        let factory = match action {
            Action::Jobs => return TurnEnd::Completed(None),
            Action::Run {
                script,
                iteration,
                keep,
                ..
            } => match self.compiled(script, *iteration, *keep) {
                Ok(factory) => Some(factory),
                Err(end) => return end,
            },
            _ => None,
        };
        let functions = &self.functions;
        in_context!(scope, self.engine);
        v8::tc_scope!(let scope, scope);
        let number = |n: u32| v8::Integer::new_from_unsigned(scope, n).into();
        let string = |text: &str| v8::String::new(scope, text).map(Into::into);
        let undefined: v8::Local<v8::Value> = v8::undefined(scope).into();
        let call: Option<(&v8::Global<v8::Function>, Vec<v8::Local<v8::Value>>)> = match action {
            Action::Open {
                agent,
                parent,
                info,
                context,
                functions: names,
            } => (|| {
                let (context, call) = match context {
                    ContextSource::Text(text) => (string(text)?, 0),
                    ContextSource::OfCall(call) => (undefined, call.0),
                    ContextSource::Pieces(pieces) => (number(*pieces), 0),
                };
                let arguments = vec![
                    number(agent.0),
                    number(parent.map_or(0, |parent| parent.0)),
                    string(info)?,
                    context,
                    number(call),
                    string(names)?,
                ];
                Some((&functions.open_agent, arguments))
            })(),
            Action::Run {
                agent,
                cell,
                iteration,
                declared,
                ..
            } => (|| {
                let arguments = vec![
                    number(agent.0),
                    number(*cell),
                    number(*iteration),
                    v8::Local::new(scope, factory.as_ref()?),
                    string(declared)?,
                ];
                Some((&functions.run_cell, arguments))
            })(),
            Action::Settle { call, result } => {
                let (ok, text) = match result {
                    Ok(text) => (true, text),
                    Err(text) => (false, text),
                };
                let ok = v8::Boolean::new(scope, ok).into();
                string(text).map(|text| (&functions.settle_call, vec![number(call.0), ok, text]))
            }
            Action::FireTimer { agent, timer } => {
                Some((&functions.fire_timer, vec![number(agent.0), number(*timer)]))
            }
            Action::SetName { agent, name, json } => (|| {
                Some((
                    &functions.set_name,
                    vec![number(agent.0), string(name)?, string(json)?],
                ))
            })(),
            Action::Forget { agent, names } => {
                string(names).map(|names| (&functions.forget, vec![number(agent.0), names]))
            }
            Action::Abort { agent } => Some((&functions.abort_cell, vec![number(agent.0)])),
            Action::Close { agent, returned } => {
                let returned = v8::Boolean::new(scope, *returned).into();
                Some((&functions.close_agent, vec![number(agent.0), returned]))
            }
            Action::CallContext { call } => Some((&functions.call_context, vec![number(call.0)])),
            Action::Variables { agent } => Some((&functions.variables, vec![number(agent.0)])),
            Action::Jobs => None,
        };
        let Some((function, arguments)) = call else {
            return TurnEnd::Threw {
                message: "the text is too large for the engine".to_owned(),
                line: None,
            };
        };
        let function = v8::Local::new(scope, function);
        let result = function.call(scope, undefined, &arguments);
        match result {
            Some(value) if value.is_string() => {
                TurnEnd::Completed(Some(value.to_rust_string_lossy(scope)))
            }
            Some(_) => TurnEnd::Completed(None),
            None => exception(scope),
        }
    }

    /// Runs jobs until none are left or one is stopped. Returns the owner of the stopped code, if
    /// any.
    fn run_jobs(&mut self, watch: &Watch) -> Option<RunningCode> {
        let overflowed = self.heap.overflow_flag();
        let handle = &self.handle;
        in_context!(scope, self.engine);
        jobs::run(scope, |running| {
            // Dropping a job frees memory but may first allocate some, so exceeding the limit must
            // not stop it.
            if running.dropped && overflowed.swap(false, Ordering::SeqCst) {
                handle.cancel_terminate_execution();
            }
            watch.fired() || overflowed.load(Ordering::SeqCst)
        })
    }

    /// Returns the stateless function that a cell's script evaluates to, compiled or from the
    /// cache.
    fn compiled(
        &mut self,
        script: &str,
        iteration: u32,
        keep: bool,
    ) -> Result<v8::Global<v8::Value>, TurnEnd> {
        if !keep {
            return self.compile(script, iteration);
        }
        let mut kept = std::mem::take(&mut self.compiled);
        let key = (script.to_owned(), iteration);
        let function = kept.of(key, script.len(), |_| self.compile(script, iteration));
        self.compiled = kept;
        function
    }

    fn compile(&mut self, script: &str, iteration: u32) -> Result<v8::Global<v8::Value>, TurnEnd> {
        in_context!(scope, self.engine);
        v8::tc_scope!(let scope, scope);
        match value_of_cell(scope, script, &format!("cell {iteration}")) {
            Some(value) => Ok(v8::Global::new(scope, value)),
            None => Err(match exception(scope) {
                TurnEnd::Threw { message, line } => TurnEnd::Threw {
                    message,
                    line: line.map(line_of_expression),
                },
                other => other,
            }),
        }
    }

    /// Clears the stale exception that a termination can leave behind, which would abort the next
    /// compilation, by evaluating expressions until one completes. Returns whether one did.
    fn flush(&mut self) -> bool {
        for _ in 0..FLUSH_TRIES {
            let watch = self.watch(FLUSH_TIME);
            let completed = {
                in_context!(scope, self.engine);
                v8::tc_scope!(let scope, scope);
                // V8 manages its own job queue, and may discard the terminated code's jobs only in
                // this call.
                jobs::run(scope, |_| true);
                value_of(scope, "0", "").is_some()
            };
            let fired = watch.end();
            self.handle.cancel_terminate_execution();
            if completed && !fired {
                return true;
            }
        }
        false
    }
}

/// Drops this thread's references to the isolate before the isolate itself.
impl Drop for Isolate {
    fn drop(&mut self) {
        jobs::release();
        stack_hook::remove(&mut self.engine.isolate);
        rejections::clear();
    }
}

fn exception(scope: &mut v8::PinnedRef<'_, v8::TryCatch<v8::HandleScope>>) -> TurnEnd {
    let Some(thrown) = scope.exception() else {
        return TurnEnd::Threw {
            message: "execution was stopped".to_owned(),
            line: None,
        };
    };
    let property = |name: &str| -> Option<String> {
        let object: v8::Local<v8::Object> = thrown.try_into().ok()?;
        let key = v8::String::new(scope, name)?;
        Some(object.get(scope, key.into())?.to_rust_string_lossy(scope))
    };
    let message = property("message").unwrap_or_else(|| "unknown error".to_owned());
    let line = property("stack").and_then(|stack| {
        let (_, place) = stack.split_once("cell ")?;
        place.split(':').nth(1)?.parse().ok()
    });
    // V8 does not create a stack frame for code that it cannot compile.
    let line = line.or_else(|| scope.message()?.get_line_number(scope));
    TurnEnd::Threw { message, line }
}
