//! The `DevTools` connection to one browser: sends commands, receives responses and events, and
//! attaches to new tabs.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};

use crate::devtools::{
    Command, EnableInspector, EnableNetwork, EnablePage, Pipe, Received, RunIfWaitingForDebugger,
    SetAutoAttach, SetDiscoverTargets, SetFocusEmulation,
};
use crate::error::{Error, Result};
use crate::gate::Rules;
use crate::tab::{State, Tab, TabEnd};

/// Makes new tabs, frames and workers wait until this crate is attached, so that it sees all their
/// dialogs and requests.
const ATTACH: SetAutoAttach = SetAutoAttach {
    auto_attach: true,
    wait_for_debugger_on_start: true,
    flatten: true,
};

/// A handle to the connection. Dropping the last handle or calling [`Wire::end`] closes it.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    outbox: mpsc::UnboundedSender<Outgoing>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tabs: Mutex<Vec<Arc<Tab>>>,
    /// Sessions of frames that have their own process, by frame id.
    frames: Mutex<HashMap<String, String>>,
    /// Incremented whenever a tab opens or closes.
    changes: watch::Sender<u64>,
    rules: Arc<Rules>,
    ended: watch::Sender<Option<Error>>,
}

#[derive(Debug)]
struct Outgoing {
    session: Option<String>,
    method: &'static str,
    params: Value,
    answer: oneshot::Sender<Received>,
}

impl Wire {
    pub(crate) async fn connect(pipe: BrowserPipe, rules: Arc<Rules>) -> Result<Self> {
        let (outbox, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            tabs: Mutex::default(),
            frames: Mutex::default(),
            changes: watch::Sender::default(),
            rules,
            ended: watch::Sender::default(),
        });
        let pump = PipeTask {
            pipe,
            pending: HashMap::new(),
            shared: Arc::clone(&shared),
        };
        tokio::spawn(pump.run(inbox));
        let wire = Self { outbox, shared };
        wire.command(None, SetDiscoverTargets { discover: true })
            .await?;
        wire.command(None, ATTACH).await?;
        Ok(wire)
    }

    /// Sends a command and waits for its response, without a time limit. Fails if the browser ends.
    pub(crate) async fn command<C: Command>(
        &self,
        session: Option<&str>,
        command: C,
    ) -> Result<C::Answer> {
        let method = C::METHOD;
        let params = params(&command).map_err(|error| protocol(method, error.to_string()))?;
        let (sender, receiver) = oneshot::channel();
        let outgoing = Outgoing {
            session: session.map(str::to_owned),
            method,
            params,
            answer: sender,
        };
        self.outbox.send(outgoing).map_err(|_| self.why_ended())?;
        let mut ended = self.shared.ended.subscribe();
        let answer = tokio::select! {
            answer = receiver => answer.map_err(|_| self.why_ended())?,
            _ = ended.wait_for(Option::is_some) => return Err(self.why_ended()),
        };
        if let Some(error) = answer.error {
            return Err(protocol(method, error.message));
        }
        serde_json::from_value(answer.result).map_err(|error| protocol(method, error.to_string()))
    }

    /// Closes the connection. Every pending command fails with `reason`.
    pub(crate) fn end(&self, reason: Error) {
        end(&self.shared, reason);
    }

    /// Returns the reason why the connection ended, or `None` while it is open.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.shared.ended.borrow().clone()
    }

    /// Waits until the connection has ended, and returns the reason.
    pub(crate) async fn until_ended(&self) -> Error {
        let mut ended = self.shared.ended.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        drop(ended.wait_for(Option::is_some).await);
        self.why_ended()
    }

    fn why_ended(&self) -> Error {
        self.ended()
            .unwrap_or_else(|| Error::BrowserEnded("the connection was closed".to_owned()))
    }

    /// Returns the tabs of a profile, oldest first.
    pub(crate) fn tabs(&self, context: &str) -> Vec<Arc<Tab>> {
        let tabs = self.shared.tabs.lock();
        tabs.iter()
            .filter(|tab| tab.context == context)
            .cloned()
            .collect()
    }

    /// Returns the session of a frame, or `None` if the frame does not have its own process.
    pub(crate) fn frame_session(&self, frame: &str) -> Option<String> {
        self.shared.frames.lock().get(frame).cloned()
    }

    /// Whether any frame in the browser has its own process.
    pub(crate) fn has_frames(&self) -> bool {
        !self.shared.frames.lock().is_empty()
    }

    /// Waits until the tab of a target is attached.
    pub(crate) async fn tab(&self, target: &str) -> Result<Arc<Tab>> {
        let mut changes = self.shared.changes.subscribe();
        let mut ended = self.shared.ended.subscribe();
        loop {
            let found = {
                let tabs = self.shared.tabs.lock();
                tabs.iter().find(|tab| tab.target == target).cloned()
            };
            if let Some(tab) = found {
                return Ok(tab);
            }
            tokio::select! {
                _ = changes.changed() => {}
                _ = ended.wait_for(Option::is_some) => return Err(self.why_ended()),
            }
        }
    }
}

fn protocol(method: &str, message: impl Into<String>) -> Error {
    Error::Protocol {
        method: method.to_owned(),
        message: message.into(),
    }
}

/// Serializes the parameters of a command, omitting null ones.
fn params(command: &impl Command) -> serde_json::Result<Value> {
    let mut params = serde_json::to_value(command)?;
    if let Some(fields) = params.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    Ok(params)
}

fn end(shared: &Shared, reason: Error) {
    shared.ended.send_modify(|ended| {
        ended.get_or_insert(reason);
    });
}

pub(crate) type BrowserPipe = Pipe<ChildStdin, ChildStdout>;

type WriteResult = io::Result<()>;

enum NextStep {
    Send(Option<Outgoing>),
    Received(Option<io::Result<Received>>),
}

/// The task that owns the pipe: writes commands, and forwards responses and events.
struct PipeTask {
    pipe: BrowserPipe,
    pending: HashMap<u64, oneshot::Sender<Received>>,
    shared: Arc<Shared>,
}

impl PipeTask {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Outgoing>) {
        let mut ended = self.shared.ended.subscribe();
        let reason = loop {
            let next = tokio::select! {
                _ = ended.wait_for(Option::is_some) => return,
                outgoing = inbox.recv() => NextStep::Send(outgoing),
                received = self.pipe.next() => NextStep::Received(received),
            };
            let sent = match next {
                NextStep::Send(Some(outgoing)) => self.submit(outgoing).await,
                NextStep::Send(None) => return,
                NextStep::Received(Some(Ok(received))) => self.on_message(received).await,
                NextStep::Received(Some(Err(error))) => Err(error),
                NextStep::Received(None) => break "the connection was closed".to_owned(),
            };
            if let Err(error) = sent {
                break error.to_string();
            }
        };
        end(&self.shared, Error::BrowserEnded(reason));
    }

    async fn on_message(&mut self, received: Received) -> WriteResult {
        match received.id {
            Some(id) => {
                if let Some(answer) = self.pending.remove(&id) {
                    drop(answer.send(received));
                }
                Ok(())
            }
            None => self.on_event(received).await,
        }
    }

    async fn submit(&mut self, outgoing: Outgoing) -> WriteResult {
        let session = outgoing.session.as_deref();
        let sending = self.pipe.send(session, outgoing.method, &outgoing.params);
        let id = sending.await?;
        self.pending.insert(id, outgoing.answer);
        Ok(())
    }

    async fn send<C: Command>(&mut self, session: &str, command: C) -> WriteResult {
        // Only serialization could fail, and these commands always serialize.
        let params = params(&command).unwrap_or_default();
        self.pipe
            .send(Some(session), C::METHOD, &params)
            .await
            .map(drop)
    }

    async fn on_event(&mut self, event: Received) -> WriteResult {
        match (event.method.as_str(), event.session) {
            ("Target.attachedToTarget", _) => self.attach(&event.params).await?,
            ("Target.detachedFromTarget", _) => {
                let session = event.params["sessionId"].as_str().unwrap_or_default();
                self.shared.frames.lock().retain(|_, of| of != session);
                let mut tabs = self.shared.tabs.lock();
                tabs.retain(|tab| {
                    let stays = tab.session != session;
                    if !stays {
                        tab.end(TabEnd::Closed);
                    }
                    stays
                });
                self.shared.changes.send_modify(|changes| *changes += 1);
            }
            ("Network.requestWillBeSent", Some(_)) => {
                let address = event.params["request"]["url"].as_str();
                self.shared.rules.on_request(address.unwrap_or_default());
            }
            ("Network.webSocketCreated", Some(_)) => {
                let address = event.params["url"].as_str();
                self.shared.rules.on_request(address.unwrap_or_default());
            }
            (method, Some(session)) => {
                let tabs = self.shared.tabs.lock();
                if let Some(tab) = tabs.iter().find(|tab| tab.session == session) {
                    tab.on_event(method, event.params);
                }
            }
            _ => {}
        }
        Ok(())
    }

    async fn attach(&mut self, params: &Value) -> WriteResult {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let session = text(&params["sessionId"]);
        let info = &params["targetInfo"];
        let kind = info["type"].as_str().unwrap_or_default();
        let network = EnableNetwork {
            max_total_buffer_size: 0,
            max_resource_buffer_size: 0,
        };
        self.send(&session, network).await?;
        if kind == "iframe" {
            let frame = text(&info["targetId"]);
            self.shared.frames.lock().insert(frame, session.clone());
        }
        if kind == "iframe" || kind == "page" {
            self.send(&session, ATTACH).await?;
        }
        if kind == "page" {
            self.send(&session, EnablePage {}).await?;
            self.send(&session, EnableInspector {}).await?;
            // Every tab behaves as if it had focus, so that several can be used concurrently.
            let focus = SetFocusEmulation { enabled: true };
            self.send(&session, focus).await?;
            let tab = Tab {
                session: session.clone(),
                target: text(&info["targetId"]),
                context: text(&info["browserContextId"]),
                opener: info["openerId"].as_str().map(str::to_owned),
                state: watch::Sender::new(State::default()),
                shown_ids: Mutex::default(),
                frames: Mutex::default(),
                hashes: AtomicBool::default(),
                hangs: AtomicBool::default(),
            };
            self.shared.tabs.lock().push(Arc::new(tab));
            self.shared.changes.send_modify(|changes| *changes += 1);
        }
        self.send(&session, RunIfWaitingForDebugger {}).await
    }
}
