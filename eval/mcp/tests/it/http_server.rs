//! A server of a toolbox over HTTP.

use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use http_fixture::{Events, HUNG, RunningServer};
use mcp::{HttpServer, HttpSettings};
use serde_json::{Value, json};
use serve::{Clients, ServeError};
use tokio::runtime::Runtime;

use crate::toolbox::{CallStart, Rules};

/// Method and target of messages.
pub const POST: &str = "POST /mcp";

/// Method and target of the request that ends a session.
pub const DELETE: &str = "DELETE /mcp";

/// Header lines that every request must have.
const HEADERS: &[&str] = &[
    "Accept: application/json, text/event-stream",
    "Content-Type: application/json",
];

/// Settings of a server for clients without keys.
pub fn settings() -> HttpSettings {
    HttpSettings {
        address: SocketAddr::from(([127, 0, 0, 1], 0)),
        clients: Clients::anybody(),
        max_message_bytes: 1_000_000,
        shutdown_timeout: HUNG,
    }
}

/// Message that initializes a session.
pub fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

/// Message that calls a tool and asks for progress. A session must not use an id twice.
pub fn call(id: u32, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool, "arguments": {"text": "hi"}, "_meta": {"progressToken": id},
    }})
}

/// A server that runs until dropped.
pub struct Served {
    http: RunningServer<ServeError>,
    pub rules: Arc<Rules>,
    pub events: Events<CallStart>,
}

impl Deref for Served {
    type Target = RunningServer<ServeError>;

    fn deref(&self) -> &Self::Target {
        &self.http
    }
}

impl DerefMut for Served {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.http
    }
}

impl Served {
    pub fn of(settings: HttpSettings) -> Self {
        let runtime = Runtime::new().unwrap();
        let (rules, events) = Rules::new();
        let server = runtime.block_on(HttpServer::bind(settings, Arc::clone(&rules) as _));
        let server = server.unwrap();
        let url = server.url();
        let serve = |stop, stop_now| server.serve(stop, stop_now);
        Self {
            http: RunningServer::run(runtime, &url, HEADERS, serve),
            rules,
            events,
        }
    }

    /// Initializes a session and returns its header.
    pub fn session(&self, headers: &[&str]) -> String {
        let answer = self.ask(POST, headers, &hello().to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut lines = answer.head.lines();
        let header = lines.find(|line| line.starts_with("mcp-session-id:"));
        header.unwrap().to_owned()
    }

    /// Calls a tool and returns the messages of the response.
    pub fn call(&self, headers: &[&str], id: u32, tool: &str) -> Vec<Value> {
        let answer = self.ask(POST, headers, &call(id, tool).to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.event_data()
    }
}
