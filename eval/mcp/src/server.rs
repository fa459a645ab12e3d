//! Runs an MCP server process on a separate thread and calls its tools.

use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::mpsc as blocking;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::LocalSet;

use super::interface::{Listing, ServerError, Spawn};
use super::server_process::ServerProcess;

/// A running MCP server with tools for agents. Dropping this value ends the process.
pub struct Server {
    /// Tools and version that the server reported at its start.
    pub listing: Listing,
    calls: Option<mpsc::UnboundedSender<Call>>,
    thread: Option<JoinHandle<()>>,
}

/// A call that is waiting for its result.
struct Call {
    tool: String,
    arguments: Map<String, Value>,
    result: oneshot::Sender<Result<Value, ServerError>>,
}

impl Server {
    /// Starts a server and lists its tools. Blocks until the server has answered or `start_timeout`
    /// has passed.
    ///
    /// # Errors
    /// Returns [`ServerError::NotStarted`] if the server does not start or does not answer in time.
    pub fn start(
        spawn: Spawn,
        start_timeout: Duration,
        call_timeout: Duration,
    ) -> Result<Self, ServerError> {
        let (calls, inbox) = mpsc::unbounded_channel();
        let (started, wait) = blocking::channel();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            let runtime = match runtime {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = started.send(Err(ServerError::NotStarted(error.to_string())));
                    return;
                }
            };
            let connection = Connection {
                spawn,
                start_timeout,
                call_timeout,
            };
            LocalSet::new().block_on(&runtime, connection.serve(inbox, &started));
        };
        let thread = std::thread::Builder::new()
            .name("mcp-server".to_owned())
            .spawn(work)
            .map_err(|error| ServerError::NotStarted(error.to_string()))?;
        let gone = || ServerError::NotStarted("its thread ended".to_owned());
        Ok(Self {
            listing: wait.recv().map_err(|_| gone())??,
            calls: Some(calls),
            thread: Some(thread),
        })
    }

    /// Calls a tool and returns its MCP result: `{content, structuredContent, isError}`. Dropping
    /// the future cancels the call.
    ///
    /// # Errors
    /// Returns [`ServerError`] if the server does not return a result. A failure of the tool is a
    /// result with `isError`.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, ServerError> {
        let (result, wait) = oneshot::channel();
        let call = Call {
            tool: tool.to_owned(),
            arguments,
            result,
        };
        let gone = || ServerError::Refused("the server was stopped".to_owned());
        let calls = self.calls.as_ref().ok_or_else(gone)?;
        calls.send(call).map_err(|_| gone())?;
        wait.await.map_err(|_| gone())?
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.calls.take());
        if let Some(thread) = self.thread.take() {
            // The thread ends soon, because all of its remaining work has a timeout. If it
            // panicked, the message has already been printed.
            let _ = thread.join();
        }
    }
}

/// How to start and call a server.
struct Connection {
    spawn: Spawn,
    start_timeout: Duration,
    call_timeout: Duration,
}

impl Connection {
    /// Starts the server, reports its tools, and forwards calls until all senders are dropped.
    async fn serve(
        self,
        mut inbox: mpsc::UnboundedReceiver<Call>,
        started: &blocking::Sender<Result<Listing, ServerError>>,
    ) {
        let process = match self.start().await {
            Ok(process) => process,
            Err(error) => {
                let _ = started.send(Err(error));
                return;
            }
        };
        let _ = started.send(Ok(process.listing.clone()));
        let this = Rc::new(self);
        let process = Rc::new(Mutex::new(Rc::new(process)));
        let is_restarted = Rc::new(Cell::new(false));
        while let Some(mut call) = inbox.recv().await {
            let (this, process, is_restarted) = (
                Rc::clone(&this),
                Rc::clone(&process),
                Rc::clone(&is_restarted),
            );
            tokio::task::spawn_local(async move {
                let work = this.call(&process, &is_restarted, &call.tool, call.arguments);
                tokio::select! {
                    result = work => drop(call.result.send(result)),
                    // The caller stopped waiting; dropping the work cancels the call at the server.
                    () = call.result.closed() => {}
                }
            });
        }
        let process = Rc::clone(&*process.lock().await);
        process.end().await;
    }

    async fn start(&self) -> Result<ServerProcess, ServerError> {
        let failed = |error: io::Error| ServerError::NotStarted(error.to_string());
        let spawned = (self.spawn)().map_err(failed)?;
        ServerProcess::start(spawned, self.start_timeout).await
    }

    async fn call(
        &self,
        process: &Mutex<Rc<ServerProcess>>,
        is_restarted: &Cell<bool>,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, ServerError> {
        let running = {
            let mut running = process.lock().await;
            if running.has_ended() && !running.is_stopped() {
                if is_restarted.replace(true) {
                    return Err(ServerError::EndedAgain(running.stderr_tail().await));
                }
                let fresh = self.start().await?;
                let is_same = fresh.listing.tools == running.listing.tools;
                *running = Rc::new(fresh);
                if !is_same {
                    running.end().await;
                }
            }
            Rc::clone(&running)
        };
        let result = running.call(tool, arguments, self.call_timeout).await;
        match result {
            Err(ServerError::Ended(words)) if is_restarted.get() => {
                Err(ServerError::EndedAgain(words))
            }
            result => result,
        }
    }
}
