//! A session: one isolate on a thread of its own, and the REPLs of the agents that share it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::isolate::Isolate;
use crate::limits::{Console, Limits};
use crate::message::{AgentId, AgentInfo, Call, CallId, CellOutcome, Context, Reply, Request};
use crate::worker::Worker;

/// Native stack of an isolate's thread: JavaScript's own limit, and room for the parser of deeply nested code.
pub(crate) const THREAD_STACK: usize = 64 << 20;

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
    Thread(#[from] std::io::Error),
    /// The engine did not load the sandbox's own library: a bug.
    #[error("the sandbox's library does not load at {file}")]
    Boot {
        /// Which file.
        file: String,
    },
}

/// The isolate ended: its thread is gone, or nothing can run in it any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox was brought down by the agent's own code")]
pub struct Lost;

type Routes = Arc<Mutex<HashMap<AgentId, mpsc::UnboundedSender<Event>>>>;

/// One isolate. Dropping it, and every [`Repl`] of it, ends the isolate.
#[derive(Clone)]
pub struct Session {
    requests: mpsc::UnboundedSender<Request>,
    routes: Routes,
    next_agent: Arc<AtomicU32>,
}

/// What happens in an agent's REPL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The running cell called `rlm()` or `llm()`.
    Called(Call),
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
    /// Starts an isolate.
    ///
    /// # Errors
    /// If there is no thread for it, or the engine does not start.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        let (requests, inbox) = mpsc::unbounded_channel();
        let routes = Routes::default();
        let (ready, started) = oneshot::channel();
        let outgoing = Arc::clone(&routes);
        std::thread::Builder::new()
            .name("isolate".to_owned())
            .stack_size(THREAD_STACK)
            .spawn(move || {
                let isolate = match Isolate::new(config.console) {
                    Ok(isolate) => isolate,
                    Err(error) => {
                        let _ = ready.send(Err(error));
                        return;
                    }
                };
                let runtime = match tokio::runtime::Builder::new_current_thread()
                    .enable_time()
                    .build()
                {
                    Ok(runtime) => runtime,
                    Err(error) => {
                        let _ = ready.send(Err(error.into()));
                        return;
                    }
                };
                let _ = ready.send(Ok(()));
                let routes = Arc::clone(&outgoing);
                let worker = Worker::new(
                    isolate,
                    config.limits,
                    Box::new(move |reply| route(&routes, reply)),
                );
                runtime.block_on(worker.run(inbox));
                // Every REPL that still listens learns that nothing will come any more.
                outgoing
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clear();
            })?;
        started.await.unwrap_or_else(|_| {
            Err(StartError::Boot {
                file: "the engine".to_owned(),
            })
        })?;
        Ok(Self {
            requests,
            routes,
            next_agent: Arc::new(AtomicU32::new(0)),
        })
    }

    /// Opens an agent's REPL. The root has no parent; a child reads its parent's names.
    pub fn open(&self, parent: Option<&Repl>, context: Context, info: AgentInfo) -> Repl {
        let agent = AgentId(self.next_agent.fetch_add(1, Ordering::SeqCst) + 1);
        let (sender, events) = mpsc::unbounded_channel();
        self.routes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(agent, sender);
        let repl = Repl {
            agent,
            session: self.clone(),
            events,
            returned: false,
        };
        repl.send(Request::Open {
            agent,
            parent: parent.map(|parent| parent.agent),
            context,
            info,
        });
        repl
    }
}

fn route(routes: &Routes, reply: Reply) {
    let (agent, event) = match reply {
        Reply::Called { agent, call } => (agent, Event::Called(call)),
        Reply::Finished { agent, outcome } => (agent, Event::Finished(outcome)),
        Reply::CallContext { agent, call, text } => (agent, Event::CallContext { call, text }),
    };
    if let Some(sender) = routes
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&agent)
    {
        // A REPL that was dropped in the meantime misses nothing.
        let _ = sender.send(event);
    }
}

/// One agent's REPL. Dropping it closes it.
pub struct Repl {
    agent: AgentId,
    session: Session,
    events: mpsc::UnboundedReceiver<Event>,
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
        self.events.recv().await.ok_or(Lost)
    }

    /// Settles a call: its `await` gives the text, or throws an error with the message.
    pub fn settle(&self, call: CallId, result: Result<String, String>) {
        self.send(Request::Settle { call, result });
    }

    /// Asks for the text of a call's context; [`Event::CallContext`] brings it.
    pub fn ask_call_context(&self, call: CallId) {
        self.send(Request::GetCallContext { call });
    }

    /// Sets a name to a JSON value.
    pub fn set(&self, name: impl Into<String>, value: serde_json::Value) {
        self.send(Request::Set {
            agent: self.agent,
            name: name.into(),
            value,
        });
    }

    /// Closes the REPL of an agent that returned: what it made becomes readable in its parent.
    pub fn close_returned(mut self) {
        self.returned = true;
    }

    /// A request to a lost isolate goes nowhere; [`Repl::next`] says so.
    fn send(&self, request: Request) {
        let _ = self.session.requests.send(request);
    }
}

impl Drop for Repl {
    fn drop(&mut self) {
        self.session
            .routes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.agent);
        self.send(Request::Close {
            agent: self.agent,
            returned: self.returned,
        });
    }
}
