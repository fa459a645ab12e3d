//! A session: one isolate, in a thread or process, and the REPLs of the agents that share it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::functions::HostFunctions;
use crate::limits::{Console, Limits};
use crate::message::{
    AgentId, AgentInfo, Budget, CallId, CallKind, CellOutcome, Context, Event, Listing,
    RecordedSteps, Request, SessionStart,
};
use crate::router::Router;
use crate::session_lost::SessionLost;

/// Configuration of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Limits of the session.
    pub limits: Limits,
    /// Format in which values are printed.
    pub console: Console,
}

/// Reason why a session could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The operating system could not create a thread.
    #[error("cannot start a thread for the sandbox: {0}")]
    Thread(std::io::Error),
    /// The operating system could not start a process, or its socket failed.
    #[error("cannot start a worker process for the sandbox: {0}")]
    Process(std::io::Error),
    /// The engine did not load this file of the sandbox's own library, which indicates a bug.
    #[error("cannot load {0} of the sandbox's library")]
    Boot(String),
    /// The worker process could not be confined, and the settings require it.
    #[error("cannot confine the worker process: {0}")]
    Confine(String),
}

/// One isolate. Ends when this value and all its [`Repl`]s are dropped.
#[derive(Clone)]
pub struct Session {
    send: Arc<dyn Fn(Request) + Send + Sync>,
    router: Arc<Router>,
    next_agent: Arc<AtomicU32>,
}

impl Session {
    /// Creates a session that sends requests with `send`, which is dropped with the session, and
    /// receives replies from `router`.
    pub(crate) fn over(
        send: impl Fn(Request) + Send + Sync + 'static,
        router: Arc<Router>,
    ) -> Self {
        Self {
            send: Arc::new(send),
            router,
            next_agent: Arc::new(AtomicU32::new(0)),
        }
    }

    /// Opens an agent's REPL. The root has no parent; a child can read its parent's names.
    pub fn open(&self, parent: Option<&Repl>, context: Context, info: AgentInfo) -> Repl {
        self.open_with(parent, context, info, HostFunctions::default())
    }

    /// Opens an agent's REPL with host functions. The agent gets only these functions, not those of
    /// its parent.
    pub fn open_with(
        &self,
        parent: Option<&Repl>,
        context: Context,
        info: AgentInfo,
        functions: HostFunctions,
    ) -> Repl {
        let agent = AgentId(self.next_agent.fetch_add(1, Ordering::SeqCst) + 1);
        let events = self.router.add(agent);
        let repl = Repl {
            agent,
            session: self.clone(),
            events,
            pending_events: VecDeque::new(),
            returned: false,
        };
        repl.send(Request::Open {
            agent,
            parent: parent.map(|parent| parent.agent),
            context,
            info,
            functions,
        });
        repl
    }

    /// Begins the session with a clock, random numbers and recorded steps to repeat. Must be called
    /// before the first agent is opened. Sessions that are not begun cannot be repeated.
    pub fn begin(&self, beginning: SessionStart) {
        (self.send)(Request::Begin(beginning));
    }

    /// Starts recording the steps of the session. The recorder does not keep the isolate alive.
    pub fn recorder(&self) -> Recorder {
        self.router.start_recording();
        Recorder(Arc::clone(&self.router))
    }

    /// Whether the session's isolate still exists, as far as known.
    pub(crate) fn lives(&self) -> bool {
        self.router.lives()
    }

    /// Sets the value of `budget()`, in order with other requests.
    pub fn set_budget(&self, budget: Budget) {
        (self.send)(Request::Budget(budget));
    }
}

/// Recorder of a session that was [begun](Session::begin).
#[derive(Clone)]
pub struct Recorder(Arc<Router>);

impl Recorder {
    /// Returns the steps since the last call, including all that caused an event received so far.
    pub fn take(&self) -> RecordedSteps {
        self.0.take_recorded_steps()
    }

    /// Waits until all recorded steps have been repeated, or the isolate is lost. Never returns if
    /// there were no steps.
    pub async fn caught_up(&self) {
        self.0.caught_up().await;
    }
}

/// REPL of one agent. Dropping this value closes the REPL.
pub struct Repl {
    agent: AgentId,
    session: Session,
    events: mpsc::UnboundedReceiver<Vec<Event>>,
    /// Events that were received but not returned yet.
    pending_events: VecDeque<Event>,
    returned: bool,
}

impl Repl {
    /// Starts a cell. [`Repl::next`] returns its events; the last one is [`Event::Finished`].
    pub fn run(&self, code: impl Into<String>, iteration: u32) {
        self.send(Request::Run {
            agent: self.agent,
            code: code.into(),
            iteration,
        });
    }

    /// Runs a cell to its end. Each call to a model fails with the message that `refuse` returns.
    ///
    /// # Errors
    /// [`SessionLost`] if the isolate is lost.
    pub async fn run_to_end(
        &mut self,
        code: impl Into<String>,
        iteration: u32,
        refuse: impl Fn(CallKind) -> String,
    ) -> Result<CellOutcome, SessionLost> {
        self.run(code, iteration);
        loop {
            match self.next().await? {
                Event::Finished(outcome) => return Ok(outcome),
                Event::Called(call) => self.settle(call.id, Err(refuse(call.kind))),
                Event::CallContext { .. }
                | Event::StatusRequested { .. }
                | Event::Cancelled(_)
                | Event::Invoked(_) => {}
            }
        }
    }

    /// Waits for the next event.
    ///
    /// # Errors
    /// [`SessionLost`] if the isolate is lost.
    pub async fn next(&mut self) -> Result<Event, SessionLost> {
        loop {
            if let Some(event) = self.pending_events.pop_front() {
                return Ok(event);
            }
            match self.events.recv().await {
                Some(events) => self.pending_events.extend(events),
                None => return Err(self.session.router.lost()),
            }
        }
    }

    /// Settles a call to `rlm()` or `llm()`: its `await` returns the text, or throws an error with
    /// the message.
    pub fn settle(&self, call: CallId, result: Result<String, String>) {
        self.send(Request::Settle { call, result });
    }

    /// Settles a call to a host function: its `await` returns the value, or throws an error with
    /// the message.
    pub fn settle_function(&self, call: CallId, result: Result<serde_json::Value, String>) {
        let result = result.map(|value| value.to_string());
        self.send(Request::Settle { call, result });
    }

    /// Requests the text of a call's context, which arrives as [`Event::CallContext`].
    pub fn request_call_context(&self, call: CallId) {
        self.send(Request::GetCallContext { call });
    }

    /// Sets a name that [`check_name`](crate::check_name) accepts to a JSON value.
    pub fn set(&self, name: impl Into<String>, value: &serde_json::Value) {
        self.send(Request::Set {
            agent: self.agent,
            name: name.into(),
            json: value.to_string(),
        });
    }

    /// Returns a handle that lists the agent's variables at any time, even while no caller waits
    /// for events of this REPL.
    pub fn lister(&self) -> Lister {
        Lister {
            agent: self.agent,
            session: self.session.clone(),
        }
    }

    /// Records that the agent returned: when its REPL closes, its parent can read the names that
    /// the agent created.
    pub fn mark_returned(&mut self) {
        self.returned = true;
    }

    /// Sends a request. If the isolate is lost, the request is dropped, and [`Repl::next`] returns
    /// an error.
    fn send(&self, request: Request) {
        (self.session.send)(request);
    }
}

/// Lists the variables of one agent. Keeps the isolate alive.
#[derive(Clone)]
pub struct Lister {
    agent: AgentId,
    session: Session,
}

impl Lister {
    /// Lists the agent's variables, in order with other requests to its session. Does not run the
    /// agent's code.
    ///
    /// # Errors
    /// Returns an error if the isolate is lost or the inspection took too long.
    pub async fn list(&self) -> Result<Listing, String> {
        let listing = self.session.router.expect_listing(self.agent);
        (self.session.send)(Request::ListVariables { agent: self.agent });
        match listing.await {
            Ok(listing) => listing,
            Err(_) => Err(self.session.router.lost().to_string()),
        }
    }
}

impl Drop for Repl {
    fn drop(&mut self) {
        self.session.router.remove(self.agent);
        self.send(Request::Close {
            agent: self.agent,
            returned: self.returned,
        });
    }
}
