//! A server on a free port, and raw requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use mcp::{HttpServer, HttpSettings};
use serde_json::{Value, json};
use serve::{Clients, ServeError};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::toolbox::{Events, HUNG, Rules};

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
    host: String,
    pub rules: Arc<Rules>,
    pub events: Events,
    stop: Option<oneshot::Sender<()>>,
    stop_now: Option<oneshot::Sender<()>>,
    ended: Option<JoinHandle<Result<(), ServeError>>>,
    runtime: Option<Runtime>,
}

impl Served {
    pub fn of(settings: HttpSettings) -> Self {
        let runtime = Runtime::new().unwrap();
        let (rules, events) = Rules::new();
        let server = runtime.block_on(HttpServer::bind(settings, Arc::clone(&rules) as _));
        let server = server.unwrap();
        let url = server.url();
        let host = url.strip_prefix("http://").unwrap();
        let host = host.strip_suffix("/mcp").unwrap().to_owned();
        let (stop, stopped) = oneshot::channel::<()>();
        let (stop_now, stopped_now) = oneshot::channel::<()>();
        let stopped_now = async { drop(stopped_now.await) };
        let ended = runtime.spawn(server.serve(async { drop(stopped.await) }, stopped_now));
        Self {
            host,
            rules,
            events,
            stop: Some(stop),
            stop_now: Some(stop_now),
            ended: Some(ended),
            runtime: Some(runtime),
        }
    }

    /// Sends a request without reading the response.
    pub fn send(&self, method: &str, headers: &[&str], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(HUNG)).unwrap();
        let mut head = format!("{method} /mcp HTTP/1.1\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.host);
        }
        for header in headers {
            head += &format!("{header}\r\n");
        }
        head += "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n";
        let length = body.len();
        head += &format!("Connection: close\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // The server may reject the request before it has read all of it.
        let _ = stream.write_all(body.as_bytes());
        stream
    }

    pub fn ask(&self, method: &str, headers: &[&str], body: &str) -> Answer {
        read(self.send(method, headers, body))
    }

    /// Initializes a session and returns its header.
    pub fn session(&self, headers: &[&str]) -> String {
        let answer = self.ask("POST", headers, &hello().to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut lines = answer.head.lines();
        let header = lines.find(|line| line.starts_with("mcp-session-id:"));
        header.unwrap().to_owned()
    }

    /// Calls a tool and returns the messages of the response.
    pub fn call(&self, headers: &[&str], id: u32, tool: &str) -> Vec<Value> {
        let answer = self.ask("POST", headers, &call(id, tool).to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.messages()
    }

    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Ends the shutdown timeout.
    pub fn stop_now(&mut self) {
        drop(self.stop_now.take());
    }

    /// Waits until the server has ended.
    pub fn end(&mut self) -> Result<(), ServeError> {
        let ended = self.ended.take().unwrap();
        let ended = async { timeout(HUNG, ended).await };
        let ended = self.runtime.as_ref().unwrap().block_on(ended);
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
    /// Status line and headers, with names in lowercase.
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Returns the messages of an event stream.
    pub fn messages(&self) -> Vec<Value> {
        let lines = self.body.lines();
        let messages = lines.filter_map(|line| line.strip_prefix("data: {"));
        let messages = messages.map(|rest| serde_json::from_str(&format!("{{{rest}")));
        messages.map(Result::unwrap).collect()
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
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head,
        body: body.to_owned(),
    }
}

/// Reads a response until it contains a text.
pub fn read_until(stream: &TcpStream, text: &str) {
    let mut lines = BufReader::new(stream).lines();
    assert!(lines.any(|line| line.unwrap().contains(text)), "no {text}");
}
