//! The `DevTools` connection to one browser: commands out, their answers and events in, tabs attached as they open.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chromiumoxide::cdp::browser_protocol::emulation::SetFocusEmulationEnabledParams;
use chromiumoxide::cdp::browser_protocol::target::{
    SessionId, SetAutoAttachParams, SetDiscoverTargetsParams,
};
use chromiumoxide::cdp::browser_protocol::{inspector, page};
use chromiumoxide::cdp::js_protocol::runtime::RunIfWaitingForDebuggerParams;
use chromiumoxide::types::{CallId, EventMessage, Message, MethodId, Response};
use chromiumoxide::{Command, Connection, Method};
use futures::StreamExt as _;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::{Error, Result};
use crate::tab::{Gone, State, Tab};

/// A handle on the connection; the connection closes with the last one, or by [`Wire::end`].
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    outbox: mpsc::UnboundedSender<Outgoing>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    tabs: Mutex<Vec<Arc<Tab>>>,
    /// Rises whenever a tab comes or goes.
    changes: watch::Sender<u64>,
    ended: watch::Sender<Option<Error>>,
}

#[derive(Debug)]
struct Outgoing {
    session: Option<String>,
    method: MethodId,
    params: Value,
    answer: Option<oneshot::Sender<Response>>,
}

/// Any event, whether or not this program's edition of the protocol knows it.
#[derive(Debug, Deserialize)]
struct Event {
    method: MethodId,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    params: Value,
}

impl Method for Event {
    fn identifier(&self) -> MethodId {
        self.method.clone()
    }
}

impl EventMessage for Event {
    fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

impl Wire {
    pub(crate) async fn connect(address: &str) -> Result<Self> {
        let connection = Connection::<Event>::connect(address).await;
        let connection = connection.map_err(|error| Error::BrowserEnded(error.to_string()))?;
        let (outbox, inbox) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            tabs: Mutex::default(),
            changes: watch::Sender::default(),
            ended: watch::Sender::default(),
        });
        let pump = Pump {
            connection,
            pending: HashMap::new(),
            shared: Arc::clone(&shared),
        };
        tokio::spawn(pump.run(inbox));
        let wire = Self { outbox, shared };
        wire.command(None, SetDiscoverTargetsParams::new(true))
            .await?;
        // New tabs wait until they are watched, so that no dialog of theirs is missed.
        let attach = SetAutoAttachParams::builder()
            .auto_attach(true)
            .wait_for_debugger_on_start(true)
            .flatten(true)
            .build();
        wire.command(
            None,
            attach.map_err(|message| protocol("Target.setAutoAttach", message))?,
        )
        .await?;
        Ok(wire)
    }

    /// Sends a command and awaits its answer, for as long as the browser lives; limits of time are the caller's.
    pub(crate) async fn command<C: Command>(
        &self,
        session: Option<&str>,
        command: C,
    ) -> Result<C::Response> {
        let method = command.identifier();
        let params =
            serde_json::to_value(command).map_err(|error| protocol(&method, error.to_string()))?;
        let (sender, receiver) = oneshot::channel();
        let outgoing = Outgoing {
            session: session.map(str::to_owned),
            method: method.clone(),
            params,
            answer: Some(sender),
        };
        self.outbox.send(outgoing).map_err(|_| self.why_ended())?;
        let mut ended = self.shared.ended.subscribe();
        let response = tokio::select! {
            response = receiver => response.map_err(|_| self.why_ended())?,
            _ = ended.wait_for(Option::is_some) => return Err(self.why_ended()),
        };
        if let Some(error) = response.error {
            return Err(protocol(&method, error.message));
        }
        C::response_from_value(response.result.unwrap_or_default())
            .map_err(|error| protocol(&method, error.to_string()))
    }

    /// Closes the connection; everything that waits on it fails with this reason.
    pub(crate) fn end(&self, reason: Error) {
        end(&self.shared, reason);
    }

    /// Why the connection has ended, if it has.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.shared.ended.borrow().clone()
    }

    fn why_ended(&self) -> Error {
        self.ended()
            .unwrap_or_else(|| Error::BrowserEnded("its connection closed".to_owned()))
    }

    /// The tabs of a profile, oldest first.
    pub(crate) fn tabs(&self, context: &str) -> Vec<Arc<Tab>> {
        let tabs = self.shared.tabs.lock();
        tabs.iter()
            .filter(|tab| tab.context == context)
            .cloned()
            .collect()
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

fn end(shared: &Shared, reason: Error) {
    shared.ended.send_modify(|ended| {
        ended.get_or_insert(reason);
    });
}

/// The task that owns the socket.
struct Pump {
    connection: Connection<Event>,
    pending: HashMap<CallId, oneshot::Sender<Response>>,
    shared: Arc<Shared>,
}

impl Pump {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Outgoing>) {
        let mut ended = self.shared.ended.subscribe();
        let reason = loop {
            tokio::select! {
                _ = ended.wait_for(Option::is_some) => return,
                outgoing = inbox.recv() => match outgoing {
                    Some(outgoing) => self.submit(outgoing),
                    None => return,
                },
                message = self.connection.next() => match message {
                    Some(Ok(Message::Response(response))) => {
                        if let Some(answer) = self.pending.remove(&response.id) {
                            drop(answer.send(response));
                        }
                    }
                    Some(Ok(Message::Event(event))) => self.on_event(event),
                    Some(Err(chromiumoxide::error::CdpError::InvalidMessage(..))) => {}
                    Some(Err(error)) => break error.to_string(),
                    None => break "it closed its connection".to_owned(),
                },
            }
        };
        end(&self.shared, Error::BrowserEnded(reason));
    }

    fn submit(&mut self, outgoing: Outgoing) {
        let session = outgoing.session.map(SessionId::from);
        // Only serialization could fail, and the value is JSON already. The caller would notice the dropped sender.
        if let Ok(id) = self
            .connection
            .submit_command(outgoing.method, session, outgoing.params)
            && let Some(answer) = outgoing.answer
        {
            self.pending.insert(id, answer);
        }
    }

    fn send<C: Command>(&mut self, session: &str, command: C) {
        let method = command.identifier();
        if let Ok(params) = serde_json::to_value(command) {
            self.submit(Outgoing {
                session: Some(session.to_owned()),
                method,
                params,
                answer: None,
            });
        }
    }

    fn on_event(&mut self, event: Event) {
        match (event.method.as_ref(), event.session) {
            ("Target.attachedToTarget", _) => self.attach(&event.params),
            ("Target.detachedFromTarget", _) => {
                let session = event.params["sessionId"].as_str().unwrap_or_default();
                let mut tabs = self.shared.tabs.lock();
                tabs.retain(|tab| {
                    let stays = tab.session != session;
                    if !stays {
                        tab.end(Gone::Closed);
                    }
                    stays
                });
                self.shared.changes.send_modify(|changes| *changes += 1);
            }
            (method, Some(session)) => {
                let tabs = self.shared.tabs.lock();
                if let Some(tab) = tabs.iter().find(|tab| tab.session == session) {
                    tab.on_event(method, event.params);
                }
            }
            _ => {}
        }
    }

    fn attach(&mut self, params: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let session = text(&params["sessionId"]);
        let info = &params["targetInfo"];
        if info["type"] == "page" {
            self.send(&session, page::EnableParams::default());
            self.send(&session, inspector::EnableParams::default());
            // Every tab acts as the one in front, so that several can be used at once.
            self.send(&session, SetFocusEmulationEnabledParams::new(true));
            let tab = Tab {
                session: session.clone(),
                target: text(&info["targetId"]),
                context: text(&info["browserContextId"]),
                opener: info["openerId"].as_str().map(str::to_owned),
                state: watch::Sender::new(State::default()),
                shown_ids: Mutex::default(),
                hashes: AtomicBool::default(),
                hangs: AtomicBool::default(),
            };
            self.shared.tabs.lock().push(Arc::new(tab));
            self.shared.changes.send_modify(|changes| *changes += 1);
        }
        self.send(&session, RunIfWaitingForDebuggerParams::default());
    }
}
