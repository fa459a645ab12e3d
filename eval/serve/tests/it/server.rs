//! A server on a free port, and raw requests to it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use serve::{Clients, DEFAULT_LONG_TEXT, ServeError, Server, Settings};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::agents::{EchoAgents, Event, MODEL};

/// Time after which a test that waits is considered hung.
pub const HUNG: Duration = Duration::from_secs(60);

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

/// A server that runs until dropped.
pub struct Served {
    host: String,
    pub agents: Arc<EchoAgents>,
    events: Receiver<Event>,
    stop: Option<oneshot::Sender<()>>,
    stop_now: Option<oneshot::Sender<()>>,
    ended: Option<JoinHandle<Result<(), ServeError>>>,
    runtime: Option<Runtime>,
}

impl Served {
    pub fn of(settings: Settings) -> Self {
        let runtime = Runtime::new().unwrap();
        let (sender, events) = channel();
        let agents = Arc::new(EchoAgents::new(sender));
        let server = runtime.block_on(Server::bind(settings, Arc::clone(&agents) as _));
        let server = server.unwrap();
        let base = server.base_url();
        let host = base.strip_prefix("http://").unwrap();
        let host = host.strip_suffix("/v1").unwrap().to_owned();
        let (stop, stopped) = oneshot::channel();
        let (stop_now, stopped_now) = oneshot::channel();
        let stopped_now = async { drop(stopped_now.await) };
        let ended = runtime.spawn(server.serve(async { drop(stopped.await) }, stopped_now));
        Self {
            host,
            agents,
            events,
            stop: Some(stop),
            stop_now: Some(stop_now),
            ended: Some(ended),
            runtime: Some(runtime),
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(HUNG)).unwrap();
        stream
    }

    /// Returns the head of a request, with the correct `Host` unless the header lines have one.
    pub fn head(&self, request: &str, headers: &[&str], length: usize) -> String {
        let mut head = format!("{request} HTTP/1.1\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.host);
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        head + &format!("Connection: close\r\nContent-Length: {length}\r\n\r\n")
    }

    /// Sends a request without reading the response.
    pub fn send(&self, request: &str, headers: &[&str], body: &str) -> TcpStream {
        let mut stream = self.connect();
        let head = self.head(request, headers, body.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        stream
    }

    pub fn ask(&self, request: &str, headers: &[&str], body: &str) -> Answer {
        read(self.send(request, headers, body))
    }

    /// Sends a question to the chat interface and returns the answer.
    pub fn chat(&self, query: &str, headers: &[&str]) -> Answer {
        self.ask(CHAT, headers, &question(query).to_string())
    }

    /// Returns the next event of an agent.
    pub fn event(&self) -> Event {
        self.events.recv_timeout(HUNG).expect("an event")
    }

    /// Returns the query of the agent that begins next.
    pub fn begun(&self) -> String {
        match self.event() {
            Event::Began { question, .. } => question.query,
            Event::Stopped => panic!("an agent was stopped"),
        }
    }

    /// Returns the events that have not been returned yet.
    pub fn events(&self) -> Vec<Event> {
        self.events.try_iter().collect()
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

    /// Stops the server, and waits until it accepts no further connections.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        let began = Instant::now();
        loop {
            match TcpStream::connect(&self.host) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return,
                _ => assert!(began.elapsed() < HUNG, "the server accepts connections"),
            }
            std::thread::yield_now();
        }
    }

    /// Ends the shutdown timeout.
    pub fn stop_now(&mut self) {
        drop(self.stop_now.take());
    }

    /// Waits until the server has ended.
    pub fn end(&mut self) -> Result<(), ServeError> {
        let ended = self.ended.take().unwrap();
        let runtime = self.runtime.as_ref().unwrap();
        let ended = runtime.block_on(async { tokio::time::timeout(HUNG, ended).await });
        ended.expect("the server ends").unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Status line and headers in lowercase.
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the code of an error.
    pub fn code(&self) -> Value {
        self.json()["error"]["code"].clone()
    }
}

/// Reads a response to its end.
pub fn read(mut stream: TcpStream) -> Answer {
    let mut answer = Vec::new();
    // The server may close the connection before it has read the whole request.
    let ended = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).unwrap();
    let Some((head, body)) = answer.split_once("\r\n\r\n") else {
        panic!("{ended:?}: {answer}");
    };
    let head = head.to_lowercase();
    let is_chunked = head.contains("transfer-encoding: chunked");
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        body: if is_chunked {
            joined(body)
        } else {
            body.to_owned()
        },
        head,
    }
}

/// Joins the chunks of a chunked body, which must be complete.
fn joined(mut body: &str) -> String {
    let mut joined = String::new();
    loop {
        let (length, rest) = body.split_once("\r\n").expect("the length of a chunk");
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return joined;
        }
        joined += &rest[..length];
        body = rest[length..].strip_prefix("\r\n").unwrap();
    }
}
