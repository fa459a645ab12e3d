//! A model server for tests that fails on demand: a script chooses the behavior for each request,
//! and all requests are recorded.
//!
//! It supports the APIs Chat Completions, Responses and Messages, and streams if the request asks
//! for it. It uses plain sockets, because a web framework would not reset a connection or cut a
//! body.

mod exchange;
mod shapes;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

pub use exchange::{Behavior, ReceivedRequest};

type Script = dyn Fn(&ReceivedRequest) -> Behavior + Send + Sync;

struct State {
    script: Box<Script>,
    seen: Mutex<Vec<ReceivedRequest>>,
    numbers: AtomicUsize,
    stopped: AtomicBool,
}

/// The server, which stops when dropped.
pub struct FaultServer {
    address: SocketAddr,
    state: Arc<State>,
}

impl FaultServer {
    /// Starts a server that calls `script` to choose the behavior for each request.
    pub fn start(script: impl Fn(&ReceivedRequest) -> Behavior + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let state = Arc::new(State {
            script: Box::new(script),
            seen: Mutex::default(),
            numbers: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let state = Arc::clone(&shared);
                std::thread::spawn(move || while serve(&stream, &state).is_some() {});
            }
        });
        Self { address, state }
    }

    /// Starts a server that uses the listed behaviors in order, one for each request, and repeats
    /// the last.
    pub fn list(behaviors: Vec<Behavior>) -> Self {
        Self::start(move |seen| behaviors[seen.number.min(behaviors.len() - 1)].clone())
    }

    /// Returns `http://127.0.0.1:PORT`, without a path.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the `--base-url` for models with the prefix `openai/` or `openai-responses/`.
    pub fn openai(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the `--base-url` for models with the prefix `anthropic/`.
    pub fn anthropic(&self) -> String {
        self.origin()
    }

    /// Returns the requests received so far.
    pub fn seen(&self) -> Vec<ReceivedRequest> {
        self.state
            .seen
            .lock()
            .expect("no server thread panics")
            .clone()
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections.
        drop(TcpStream::connect(self.address));
    }
}

/// Returns a base URL at which no server listens, so that connections are refused.
pub fn refused() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("a listener has an address");
    format!("http://{address}/v1")
}

/// Serves one request of a connection. Returns `None` if the connection must be closed.
fn serve(mut stream: &TcpStream, state: &State) -> Option<()> {
    let request = read(stream, state)?;
    state.seen.lock().ok()?.push(request.clone());
    let behavior = (state.script)(&request);
    if matches!(behavior, Behavior::Reset) {
        // The last byte of the request is still unread, so closing resets the connection.
        return None;
    }
    stream.read_exact(&mut [0]).ok()?;
    let streams = request.body["stream"] == json!(true);
    match behavior {
        Behavior::Stall => stall(stream, state),
        Behavior::Status(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            send(stream, &format!("{head}\r\n{body}"))
        }
        Behavior::Garbage => whole(stream, "text/html", "<html>502 Bad Gateway</html>"),
        Behavior::Late(wait, text) => {
            std::thread::sleep(Duration::from_millis(wait));
            answer(stream, &request, &Behavior::Text(text), streams)
        }
        Behavior::ErrorInOk(message) => {
            let error = shapes::error(&request.path, &message);
            let body = if streams {
                format!("event: error\ndata: {error}\n\n")
            } else {
                error.to_string()
            };
            let kind = if streams { EVENTS } else { JSON };
            whole(stream, kind, &body)
        }
        Behavior::HalfJson(text) => {
            let body = shapes::whole(&request, &Behavior::Text(text)).to_string();
            whole(stream, JSON, &body[..body.len() / 2])
        }
        Behavior::Cut(text) => {
            begin_body(stream, &request, text, streams)?;
            None
        }
        Behavior::StallInBody(text) => {
            begin_body(stream, &request, text, streams)?;
            stall(stream, state)
        }
        Behavior::Trickle(wait, text) => {
            send(stream, &head(EVENTS, None))?;
            for event in shapes::events(&request, &Behavior::Text(text)) {
                chunk(stream, &event)?;
                std::thread::sleep(Duration::from_millis(wait));
            }
            chunk(stream, "")
        }
        other => answer(stream, &request, &other, streams),
    }
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

fn answer(
    stream: &TcpStream,
    request: &ReceivedRequest,
    behavior: &Behavior,
    streams: bool,
) -> Option<()> {
    if streams {
        whole(stream, EVENTS, &shapes::events(request, behavior).concat())
    } else {
        whole(stream, JSON, &shapes::whole(request, behavior).to_string())
    }
}

/// Sends the headers and the first half of the body.
fn begin_body(
    stream: &TcpStream,
    request: &ReceivedRequest,
    text: String,
    streams: bool,
) -> Option<()> {
    let behavior = Behavior::Text(text);
    if streams {
        let events = shapes::events(request, &behavior);
        let half = events[..events.len() / 2].concat();
        send(stream, &head(EVENTS, None))?;
        chunk(stream, &half)
    } else {
        let body = shapes::whole(request, &behavior).to_string();
        send(stream, &head(JSON, Some(body.len())))?;
        send(stream, &body[..body.len() / 2])
    }
}

fn whole(stream: &TcpStream, kind: &str, body: &str) -> Option<()> {
    send(stream, &(head(kind, Some(body.len())) + body))
}

/// Returns the status line and the headers. Without a length, the body must be sent in chunks.
fn head(kind: &str, length: Option<usize>) -> String {
    let length = match length {
        Some(length) => format!("content-length: {length}"),
        None => "transfer-encoding: chunked".to_owned(),
    };
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{length}\r\n\r\n")
}

/// Sends one chunk; an empty one ends the body.
fn chunk(stream: &TcpStream, text: &str) -> Option<()> {
    send(stream, &format!("{:x}\r\n{text}\r\n", text.len()))
}

fn send(mut stream: &TcpStream, text: &str) -> Option<()> {
    stream.write_all(text.as_bytes()).ok()?;
    stream.flush().ok()
}

/// Waits until the client disconnects or the server stops.
fn stall(mut stream: &TcpStream, state: &State) -> Option<()> {
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .ok()?;
    while !state.stopped.load(Ordering::SeqCst) {
        match stream.read(&mut [0; 64]) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) => {}
            Err(_) => return None,
        }
    }
    None
}

/// Reads a request, but leaves its last byte unread, so that closing the connection resets it.
fn read(mut stream: &TcpStream, state: &State) -> Option<ReceivedRequest> {
    let mut peeked = vec![0; 64 << 10];
    let length = loop {
        let available = stream.peek(&mut peeked).ok().filter(|length| *length > 0)?;
        let ends = |window: &[u8]| window == b"\r\n\r\n";
        match peeked[..available].windows(4).position(ends) {
            Some(at) => break at + 4,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let head = String::from_utf8_lossy(&peeked[..length]).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let size = headers.iter().find(|(name, _)| name == "content-length");
    let size: usize = size.map_or(Some(0), |(_, value)| value.parse().ok())?;
    let mut bytes = vec![0; length + size - 1];
    stream.read_exact(&mut bytes).ok()?;
    let mut last = [0];
    stream.peek(&mut last).ok().filter(|length| *length == 1)?;
    bytes.push(last[0]);
    Some(ReceivedRequest {
        number: state.numbers.fetch_add(1, Ordering::SeqCst),
        method,
        path,
        headers,
        body: serde_json::from_slice(&bytes[length..]).unwrap_or(Value::Null),
        text: String::from_utf8_lossy(&bytes[length..]).into_owned(),
    })
}
