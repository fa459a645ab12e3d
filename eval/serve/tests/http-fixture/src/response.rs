//! Responses, received over a socket.

use std::io::Read as _;
use std::net::TcpStream;

use serde_json::Value;

/// A response that is not read yet. Dropping it closes the connection.
pub struct PendingResponse {
    stream: TcpStream,
    received: Vec<u8>,
}

impl From<TcpStream> for PendingResponse {
    fn from(stream: TcpStream) -> Self {
        Self {
            stream,
            received: Vec::new(),
        }
    }
}

impl PendingResponse {
    /// Receives the response until it contains a text.
    pub fn read_until(&mut self, text: &str) {
        let mut part = [0; 4096];
        loop {
            let received = String::from_utf8_lossy(&self.received);
            if received.contains(text) {
                return;
            }
            let length = self.stream.read(&mut part).unwrap();
            assert!(length > 0, "no {text} in {received}");
            self.received.extend_from_slice(&part[..length]);
        }
    }

    /// Receives the response to its end.
    pub fn read(mut self) -> Response {
        // The server may close the connection before it has read the whole request.
        let ended = self.stream.read_to_end(&mut self.received);
        let received = String::from_utf8(self.received).unwrap();
        let Some((head, body)) = received.split_once("\r\n\r\n") else {
            panic!("{ended:?}: {received}");
        };
        let head = head.to_lowercase();
        let mut fields = head.lines();
        let length = fields.find_map(|field| field.strip_prefix("content-length: "));
        // A response to HEAD has no body.
        if let Some(length) = length.filter(|_| !body.is_empty()) {
            // The connection may be reset, but only after the whole response.
            assert_eq!(body.len().to_string(), length, "{ended:?}: {received}");
        }
        let is_chunked = head.contains("transfer-encoding: chunked");
        Response {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: if is_chunked {
                join_chunks(body)
            } else {
                body.to_owned()
            },
            head,
        }
    }
}

/// Joins the chunks of a chunked body, which must be complete.
fn join_chunks(mut body: &str) -> String {
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

/// A whole response.
#[derive(Debug)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Status line and headers in lowercase.
    pub head: String,
    /// Body, without the lengths of its chunks.
    pub body: String,
}

impl Response {
    /// Returns the body, which must be JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns the data of an event stream, which must be JSON. Events without data are omitted.
    pub fn event_data(&self) -> Vec<Value> {
        let lines = self.body.lines();
        let data = lines.filter_map(|line| line.strip_prefix("data:"));
        let data = data.map(str::trim).filter(|data| !data.is_empty());
        data.map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}
