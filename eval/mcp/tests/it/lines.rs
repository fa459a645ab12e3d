//! Messages over a socket, one per line: answers, hostile input, progress, cancellation and the end
//! of a session.

use std::future::pending;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use http_fixture::{Event, Events, HUNG};
use mcp::serve_lines;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, duplex};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::toolbox::{CallStart, Rules};

const MAX_MESSAGE_BYTES: usize = 1_000_000;

/// A client and its server. The server ends when this value is dropped.
struct Session {
    reader: BufReader<UnixStream>,
    rules: Arc<Rules>,
    events: Events<CallStart>,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<Result<(), String>>,
    runtime: Runtime,
}

impl Session {
    /// Starts a server and initializes a session.
    fn open() -> Self {
        let mut session = Self::silent();
        session.send(&hello("2025-06-18"));
        let answer = session.receive();
        let expected = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "rlm-eval", "version": env!("CARGO_PKG_VERSION")},
            "instructions": "Use echo.",
        });
        assert_eq!(answer["result"], expected);
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    /// Starts a server without initializing a session.
    fn silent() -> Self {
        let (client, server) = UnixStream::pair().unwrap();
        client.set_read_timeout(Some(HUNG)).unwrap();
        server.set_nonblocking(true).unwrap();
        let (rules, events) = Rules::new();
        let toolbox = Arc::clone(&rules);
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = Runtime::new().unwrap();
        let ended = runtime.spawn(async move {
            let server = tokio::net::UnixStream::from_std(server).unwrap();
            let (reader, writer) = server.into_split();
            let stop = async { drop(stopped.await) };
            serve_lines(toolbox, reader, writer, MAX_MESSAGE_BYTES, stop).await
        });
        Self {
            reader: BufReader::new(client),
            rules,
            events,
            stop: Some(stop),
            ended,
            runtime,
        }
    }

    fn write(&mut self, line: &[u8]) {
        let stream = self.reader.get_mut();
        stream.write_all(line).unwrap();
        stream.write_all(b"\n").unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.write(message.to_string().as_bytes());
    }

    /// Returns the server's next message. Every line must be a message.
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Calls a tool without waiting for its result. Its progress has the call's id.
    fn begin(&mut self, id: u32, tool: &str) {
        let arguments = json!({"text": "hi"});
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                "name": tool, "arguments": arguments, "_meta": {"progressToken": id},
            }}),
        );
        assert_eq!(self.events.begun(), CallStart::of(tool, "stdio"));
    }

    /// Waits until the server has ended, and returns the messages that it has sent.
    fn end(mut self) -> Vec<Value> {
        let ended = async { timeout(HUNG, self.ended).await };
        let ended = self.runtime.block_on(ended).expect("the server ends");
        assert_eq!(ended.unwrap(), Ok(()));
        let mut messages = Vec::new();
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).unwrap() == 0 {
                return messages;
            }
            messages.push(serde_json::from_str(&line).unwrap());
        }
    }

    /// Closes the server's input and waits until the server has ended.
    fn close(self) -> Vec<Value> {
        let stream = self.reader.get_ref();
        stream.shutdown(Shutdown::Write).unwrap();
        self.end()
    }
}

fn hello(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }})
}

/// Returns the notification of a call's progress.
fn progress(id: u32, number: f64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
        "progressToken": id, "progress": number, "message": message,
    }})
}

/// One row of `requests.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// A message, or a line that is not a message.
    send: Value,
    /// The answer; null if there must be none.
    answer: Value,
}

#[test]
fn messages_are_answered_or_refused() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("requests.json")).unwrap();
    let mut session = Session::open();
    for row in rows {
        let line = match &row.send {
            Value::String(line) => line.clone(),
            message => message.to_string(),
        };
        session.write(line.as_bytes());
        let after = json!({"jsonrpc": "2.0", "id": "after", "method": "ping"});
        if row.answer.is_null() {
            session.send(&after);
            assert_eq!(session.receive()["id"], "after", "{line}");
            continue;
        }
        assert_eq!(session.receive(), row.answer, "{line}");
    }
    assert_eq!(session.close(), [json!(null); 0]);
}

#[test]
fn hostile_lines_do_not_end_the_connection() {
    let mut session = Session::silent();
    // Notifications and responses before the first request are ignored.
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    session.write(b"\xff\xfe\x00");
    assert_eq!(session.receive()["error"]["code"], -32700);
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let refused = session.receive();
    assert!(
        refused["error"]["code"].is_i64(),
        "not initialized: {refused}"
    );
    session.send(&hello("1.0"));
    assert!(session.receive()["result"]["protocolVersion"].is_string());
    session.write(&vec![b'x'; 3_000_000]);
    let refused = session.receive();
    assert_eq!(refused["error"]["code"], -32600);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("1000000 bytes"), "{message}");
    session.write(&vec![b'['; 900_000]);
    assert_eq!(session.receive()["error"]["code"], -32700);
    session.begin(5, "echo");
    assert_eq!(session.receive(), progress(5, 1.0, "echo: begins"));
    assert_eq!(session.receive(), progress(5, 2.0, "echo: ends"));
    assert_eq!(session.receive()["result"]["content"][0]["text"], "hi");
    assert_eq!(session.close(), [json!(null); 0]);
}

#[test]
fn calls_run_concurrently_and_can_be_cancelled() {
    let mut session = Session::open();
    session.begin(1, "wait");
    assert_eq!(session.receive(), progress(1, 1.0, "wait: begins"));
    session.begin(2, "echo");
    assert_eq!(session.receive(), progress(2, 1.0, "echo: begins"));
    assert_eq!(session.receive(), progress(2, 2.0, "echo: ends"));
    assert_eq!(session.receive()["id"], 2);
    session.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {
            "requestId": 1, "reason": "enough",
        }}),
    );
    assert_eq!(session.events.next(), Event::Stopped);
    session.begin(3, "wait");
    assert_eq!(session.receive(), progress(3, 1.0, "wait: begins"));
    session.rules.gate.release();
    assert_eq!(session.receive(), progress(3, 2.0, "wait: ends"));
    assert_eq!(
        session.receive()["result"]["structuredContent"],
        json!({"said": "hi"})
    );
    assert_eq!(session.close(), [json!(null); 0]);
}

#[test]
fn calls_that_outlast_the_session_are_stopped() {
    let mut session = Session::open();
    session.begin(1, "wait");
    assert_eq!(session.receive(), progress(1, 1.0, "wait: begins"));
    drop(session.stop.take());
    assert_eq!(session.events.next(), Event::Stopped);
    for message in session.end() {
        assert!(message["result"].is_null(), "{message}");
    }
}

/// A client may disconnect without sending a message.
#[test]
fn silent_client_is_not_an_error() {
    assert_eq!(Session::silent().close(), [json!(null); 0]);
    let mut session = Session::silent();
    drop(session.stop.take());
    assert_eq!(session.end(), [json!(null); 0]);
}

/// On one thread, the server reads all of its input before it writes an answer.
#[test]
fn errors_are_written_before_the_session_ends() {
    let (mut client, server) = duplex(MAX_MESSAGE_BYTES);
    let (rules, _events) = Rules::new();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let served = serve_lines(rules, &b"x\ny\n"[..], server, MAX_MESSAGE_BYTES, pending());
    assert_eq!(runtime.block_on(served), Ok(()));
    drop(runtime);
    let mut answers = String::new();
    let read = client.read_to_string(&mut answers);
    Runtime::new().unwrap().block_on(read).unwrap();
    assert_eq!(answers.matches("-32700").count(), 2, "{answers}");
}
