//! A server whose agents answer by rule.

use std::net::SocketAddr;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Instant;

use http_fixture::{Events, HUNG, Response, RunningServer};
use serde_json::{Value, json};
use serve::{Clients, DEFAULT_LONG_TEXT, ServeError, Server, Settings};
use tokio::runtime::Runtime;

use crate::agents::{AgentStart, EchoAgents, MODEL};

pub const CHAT: &str = "POST /v1/chat/completions";

/// Settings of a server for clients without keys.
pub fn settings() -> Settings {
    Settings {
        address: SocketAddr::from(([127, 0, 0, 1], 0)),
        clients: Clients::anybody(),
        max_concurrency: 4,
        max_queue: 4,
        max_request_bytes: 1_000_000,
        long_text: DEFAULT_LONG_TEXT,
        shutdown_timeout: HUNG,
    }
}

pub fn question(query: &str) -> Value {
    json!({"model": MODEL, "messages": [{"role": "user", "content": query}]})
}

pub fn stream(query: &str) -> Value {
    let mut question = question(query);
    question["stream"] = json!(true);
    question
}

/// Returns the code of an error.
pub fn code(answer: &Response) -> Value {
    answer.json()["error"]["code"].clone()
}

/// A server that runs until dropped.
pub struct Served {
    http: RunningServer<ServeError>,
    pub agents: Arc<EchoAgents>,
    pub events: Events<AgentStart>,
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
    pub fn of(settings: Settings) -> Self {
        let runtime = Runtime::new().unwrap();
        let (agents, events) = EchoAgents::new();
        let agents = Arc::new(agents);
        let server = runtime.block_on(Server::bind(settings, Arc::clone(&agents) as _));
        let server = server.unwrap();
        let url = server.base_url();
        let serve = |stop, stop_now| server.serve(stop, stop_now);
        Self {
            http: RunningServer::run(runtime, &url, &[], serve),
            agents,
            events,
        }
    }

    /// Sends a question to the chat interface and returns the answer.
    pub fn chat(&self, query: &str, headers: &[&str]) -> Response {
        self.ask(CHAT, headers, &question(query).to_string())
    }

    /// Returns the query of the agent that begins next.
    pub fn next_query(&self) -> String {
        self.events.begun().question.query
    }

    /// Waits until the metrics contain this line.
    pub fn wait_for(&self, metric: &str) {
        let began = Instant::now();
        loop {
            let text = self.ask("GET /metrics", &[], "").body;
            if text.lines().any(|line| line == metric) {
                return;
            }
            assert!(began.elapsed() < HUNG, "{metric}: {text}");
            std::thread::yield_now();
        }
    }
}
