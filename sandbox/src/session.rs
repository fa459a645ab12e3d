//! A session: one isolate, wherever it runs, and the REPLs of the agents that share it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::functions::HostFunctions;
use crate::limits::{Console, Limits};
use crate::message::{
    AgentId, AgentInfo, Beginning, Budget, Call, CallId, CellOutcome, Context, Course,
    FunctionCall, Listing, Request,
};
use crate::router::Router;

/// How a session behaves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// What a cell may use.
    pub limits: Limits,
    /// How values are printed.
    pub console: Console,
}

/// A session could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The operating system gave no thread.
    #[error("cannot start a thread for the sandbox: {0}")]
    Thread(std::io::Error),
    /// The operating system gave no process, or its socket failed.
    #[error("cannot start a worker process for the sandbox: {0}")]
    Process(std::io::Error),
    /// The engine did not load the sandbox's own library: a bug.
    #[error("the sandbox's library does not load at {file}")]
    Boot {
        /// Which file.
        file: String,
    },
    /// The worker process could not be confined, and the settings require it.
    #[error("the worker process cannot be confined: {0}")]
    Confine(String),
}

/// The isolate ended: nothing can run in it any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox is gone: {detail}")]
pub struct Lost {
    /// Whose doing it was.
    pub cause: LostCause,
    /// What happened, such as the signal or the limit.
    pub detail: String,
}

/// Whose doing the end of an isolate was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostCause {
    /// The code that ran in it.
    OwnCode,
    /// Somebody else: the worker process was killed from outside.
    Outside,
    /// What was to be done again could not be.
    Diverged,
}

impl Lost {
    pub(crate) fn own_code(detail: impl Into<String>) -> Self {
        Self {
            cause: LostCause::OwnCode,
            detail: detail.into(),
        }
    }

    pub(crate) fn diverged(detail: impl Into<String>) -> Self {
        Self {
            cause: LostCause::Diverged,
            detail: detail.into(),
        }
    }

    pub(crate) fn outside(detail: impl Into<String>) -> Self {
        Self {
            cause: LostCause::Outside,
            detail: detail.into(),
        }
    }

    pub(crate) fn unknown() -> Self {
        Self::own_code("its thread ended")
    }
}

/// One isolate. Dropping it, and every [`Repl`] of it, ends the isolate.
#[derive(Clone)]
pub struct Session {
    send: Arc<dyn Fn(Request) + Send + Sync>,
    router: Arc<Router>,
    next_agent: Arc<AtomicU32>,
}

/// What happens in an agent's REPL.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The running cell called `rlm()` or `llm()`.
    Called(Call),
    /// The running cell called a host function.
    Invoked(FunctionCall),
    /// The running cell asked how far one of its calls is; [`Repl::settle_function`] of the first tells.
    StatusAsked {
        /// The question.
        call: CallId,
        /// The call that it is about.
        of: CallId,
    },
    /// The running cell cancelled a call: its answer goes nowhere.
    Cancelled(CallId),
    /// The running cell ended.
    Finished(CellOutcome),
    /// The answer to [`Repl::ask_call_context`].
    CallContext {
        /// The call.
        call: CallId,
        /// The text of its context argument, or why there is none.
        text: Result<String, String>,
    },
}

impl Session {
    /// A session over whatever takes its requests, until it is dropped, and routes its replies.
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

    /// Opens an agent's REPL. The root has no parent; a child reads its parent's names.
    pub fn open(&self, parent: Option<&Repl>, context: Context, info: AgentInfo) -> Repl {
        self.open_with(parent, context, info, HostFunctions::default())
    }

    /// Like [`Session::open`], with host functions. The agent has these and none of its parent's.
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
            come: VecDeque::new(),
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

    /// Begins the session: its clock, its random numbers, and what is to be done again before anything else. To be called
    /// before the first agent is opened; without it, nothing of the session can be had again.
    pub fn begin(&self, beginning: Beginning) {
        (self.send)(Request::Begin(beginning));
    }

    /// What is done in the session from now on, as it is reported. It keeps no isolate alive.
    pub fn recorder(&self) -> Recorder {
        self.router.keep_course();
        Recorder(Arc::clone(&self.router))
    }

    /// Whether its isolate is there, as far as is known.
    pub(crate) fn lives(&self) -> bool {
        self.router.lives()
    }

    /// Sets what `budget()` says, in the order of the other requests: before what is asked for next.
    pub fn set_budget(&self, budget: Budget) {
        (self.send)(Request::Budget(budget));
    }
}

/// What is done in a session that was [begun](Session::begin).
#[derive(Clone)]
pub struct Recorder(Arc<Router>);

impl Recorder {
    /// What was done since this was last asked: all that led to any event so far.
    pub fn take(&self) -> Course {
        self.0.take_course()
    }

    /// Waits until all that was to be done again is done, or the isolate is gone. Where nothing was, it never ends.
    pub async fn caught_up(&self) {
        self.0.caught_up().await;
    }
}

/// One agent's REPL. Dropping it closes it.
pub struct Repl {
    agent: AgentId,
    session: Session,
    events: mpsc::UnboundedReceiver<Vec<Event>>,
    /// Those of them that have come and are yet to be taken.
    come: VecDeque<Event>,
    returned: bool,
}

impl Repl {
    /// Starts a cell; its events come from [`Repl::next`], the last of them is [`Event::Finished`].
    pub fn run(&self, code: impl Into<String>, iteration: u32) {
        self.send(Request::Run {
            agent: self.agent,
            code: code.into(),
            iteration,
        });
    }

    /// The next event.
    ///
    /// # Errors
    /// [`Lost`] if the isolate is gone.
    pub async fn next(&mut self) -> Result<Event, Lost> {
        loop {
            if let Some(event) = self.come.pop_front() {
                return Ok(event);
            }
            match self.events.recv().await {
                Some(events) => self.come.extend(events),
                None => return Err(self.session.router.lost()),
            }
        }
    }

    /// Settles an `rlm()` or `llm()`: its `await` gives the text, or throws an error with the message.
    pub fn settle(&self, call: CallId, result: Result<String, String>) {
        self.send(Request::Settle { call, result });
    }

    /// Settles a host function's call: its `await` gives the value, or throws an error with the message.
    pub fn settle_function(&self, call: CallId, result: Result<serde_json::Value, String>) {
        let result = result.map(|value| value.to_string());
        self.send(Request::Settle { call, result });
    }

    /// Asks for the text of a call's context; [`Event::CallContext`] brings it.
    pub fn ask_call_context(&self, call: CallId) {
        self.send(Request::GetCallContext { call });
    }

    /// Sets a name that [`check_name`](crate::check_name) takes to a JSON value.
    pub fn set(&self, name: impl Into<String>, value: &serde_json::Value) {
        self.send(Request::Set {
            agent: self.agent,
            name: name.into(),
            json: value.to_string(),
        });
    }

    /// Lists the agent's variables whenever it is asked to, while nobody waits for the events of this REPL, too.
    pub fn lister(&self) -> Lister {
        Lister {
            agent: self.agent,
            session: self.session.clone(),
        }
    }

    /// Marks that the agent returned: when its REPL closes, what it made becomes readable in its parent.
    pub fn mark_returned(&mut self) {
        self.returned = true;
    }

    /// A request to a lost isolate goes nowhere; [`Repl::next`] says so.
    fn send(&self, request: Request) {
        (self.session.send)(request);
    }
}

/// Lists the variables of one agent. It keeps the isolate alive.
#[derive(Clone)]
pub struct Lister {
    agent: AgentId,
    session: Session,
}

impl Lister {
    /// The agent's variables, in order with what else is asked of its session. No code of the agent's runs.
    ///
    /// # Errors
    /// Why there is no list: the isolate is gone, or looking took too long.
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
