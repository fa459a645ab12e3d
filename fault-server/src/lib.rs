//! A server of models that fails as it is told: one behaviour for each request, and a record of what came.
//!
//! It speaks chat completions, Responses and messages, streaming where a request asks for it, on plain sockets:
//! a web framework would not reset a connection or cut a body.

mod shapes;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Answers with this text.
    Text(String),
    /// Answers with this code as a call of the tool `execute_code`.
    Code(String),
    /// Answers with this text and these calls: name and arguments as JSON text.
    Calls(String, Vec<(&'static str, &'static str)>),
    /// Answers with this text after so many milliseconds.
    Late(u64, String),
    /// Answers with this text and counts no tokens.
    NoUsage(String),
    /// Answers with what fits, and says that the limit of output tokens cut it.
    Length(String),
    /// Says that the content filter withheld the answer.
    Filter,
    /// Answers with an empty list of choices.
    Empty,
    /// Answers with this status, these headers and this body.
    Status(u16, Vec<(String, String)>, String),
    /// Puts an error with this message into a 200.
    ErrorInOk(String),
    /// Closes the connection so that the client sees it reset.
    Reset,
    /// Sends nothing until the client gives up.
    Stall,
    /// Sends the head and the beginning of the body, then nothing.
    StallInBody(String),
    /// Ends the connection in the middle of the body.
    Cut(String),
    /// Sends a body that is complete, but half of the JSON that it should be.
    HalfJson(String),
    /// Sends a body that is no JSON.
    Garbage,
    /// Streams this text a few characters at a time with so many milliseconds between.
    Trickle(u64, String),
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Seen {
    /// 0-based: the how-manieth request of all.
    pub number: usize,
    /// `GET`, `POST`, ….
    pub method: String,
    /// From the first `/` on, with the query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Null if the body is no JSON.
    pub body: Value,
    /// The body byte for byte, as far as it is UTF-8.
    pub text: String,
}

impl Seen {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name)?;
        Some(&found.1)
    }
}

type Script = dyn Fn(&Seen) -> Behaviour + Send + Sync;

struct State {
    script: Box<Script>,
    seen: Mutex<Vec<Seen>>,
    numbers: AtomicUsize,
    stopped: AtomicBool,
}

/// The server; dropping it ends it.
pub struct FaultServer {
    address: SocketAddr,
    state: Arc<State>,
}

impl FaultServer {
    /// Starts a server that asks `script` what to do with each request.
    pub fn start(script: impl Fn(&Seen) -> Behaviour + Send + Sync + 'static) -> Self {
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

    /// A server that goes through a list, one behaviour for each request, and repeats the last.
    pub fn list(behaviours: Vec<Behaviour>) -> Self {
        Self::start(move |seen| behaviours[seen.number.min(behaviours.len() - 1)].clone())
    }

    /// `http://127.0.0.1:PORT`, without a path.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base URL for `--base-url` with the prefixes `openai/` and `openai-responses/`.
    pub fn openai(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The base URL for `--base-url` with the prefix `anthropic/`.
    pub fn anthropic(&self) -> String {
        self.origin()
    }

    /// What came so far.
    pub fn seen(&self) -> Vec<Seen> {
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
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

/// A base URL at which nobody listens.
pub fn refused() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("a listener has an address");
    format!("http://{address}/v1")
}

/// Serves one request of a connection; none when the connection is done for.
fn serve(mut stream: &TcpStream, state: &State) -> Option<()> {
    let request = read(stream, state)?;
    state.seen.lock().ok()?.push(request.clone());
    let behaviour = (state.script)(&request);
    if matches!(behaviour, Behaviour::Reset) {
        // The last byte of the request is still unread, so that closing resets.
        return None;
    }
    stream.read_exact(&mut [0]).ok()?;
    let streams = request.body["stream"] == json!(true);
    match behaviour {
        Behaviour::Stall => stall(stream, state),
        Behaviour::Status(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            send(stream, &format!("{head}\r\n{body}"))
        }
        Behaviour::Garbage => whole(stream, "text/html", "<html>502 Bad Gateway</html>"),
        Behaviour::Late(wait, text) => {
            std::thread::sleep(Duration::from_millis(wait));
            answer(stream, &request, &Behaviour::Text(text), streams)
        }
        Behaviour::ErrorInOk(message) => {
            let error = shapes::error(&request.path, &message);
            let body = if streams {
                format!("event: error\ndata: {error}\n\n")
            } else {
                error.to_string()
            };
            let kind = if streams { EVENTS } else { JSON };
            whole(stream, kind, &body)
        }
        Behaviour::HalfJson(text) => {
            let body = shapes::whole(&request, &Behaviour::Text(text)).to_string();
            whole(stream, JSON, &body[..body.len() / 2])
        }
        Behaviour::Cut(text) => {
            begin_body(stream, &request, text, streams)?;
            None
        }
        Behaviour::StallInBody(text) => {
            begin_body(stream, &request, text, streams)?;
            stall(stream, state)
        }
        Behaviour::Trickle(wait, text) => {
            send(stream, &head(EVENTS, None))?;
            for event in shapes::events(&request, &Behaviour::Text(text)) {
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

fn answer(stream: &TcpStream, request: &Seen, behaviour: &Behaviour, streams: bool) -> Option<()> {
    if streams {
        whole(stream, EVENTS, &shapes::events(request, behaviour).concat())
    } else {
        whole(stream, JSON, &shapes::whole(request, behaviour).to_string())
    }
}

/// The head and the first half of the body.
fn begin_body(stream: &TcpStream, request: &Seen, text: String, streams: bool) -> Option<()> {
    let behaviour = Behaviour::Text(text);
    if streams {
        let events = shapes::events(request, &behaviour);
        let half = events[..events.len() / 2].concat();
        send(stream, &head(EVENTS, None))?;
        chunk(stream, &half)
    } else {
        let body = shapes::whole(request, &behaviour).to_string();
        send(stream, &head(JSON, Some(body.len())))?;
        send(stream, &body[..body.len() / 2])
    }
}

fn whole(stream: &TcpStream, kind: &str, body: &str) -> Option<()> {
    send(stream, &(head(kind, Some(body.len())) + body))
}

/// Without a length, the body comes in chunks.
fn head(kind: &str, length: Option<usize>) -> String {
    let length = match length {
        Some(length) => format!("content-length: {length}"),
        None => "transfer-encoding: chunked".to_owned(),
    };
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n{length}\r\n\r\n")
}

/// One chunk; an empty one ends the body.
fn chunk(stream: &TcpStream, text: &str) -> Option<()> {
    send(stream, &format!("{:x}\r\n{text}\r\n", text.len()))
}

fn send(mut stream: &TcpStream, text: &str) -> Option<()> {
    stream.write_all(text.as_bytes()).ok()?;
    stream.flush().ok()
}

/// Waits until the client is gone or the server ends.
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

/// Reads a request but for its last byte.
fn read(mut stream: &TcpStream, state: &State) -> Option<Seen> {
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
    Some(Seen {
        number: state.numbers.fetch_add(1, Ordering::SeqCst),
        method,
        path,
        headers,
        body: serde_json::from_slice(&bytes[length..]).unwrap_or(Value::Null),
        text: String::from_utf8_lossy(&bytes[length..]).into_owned(),
    })
}
