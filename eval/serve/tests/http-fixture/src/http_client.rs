//! Requests to a server.

use std::io::{ErrorKind, Write as _};
use std::net::TcpStream;
use std::time::Instant;

use crate::HUNG;
use crate::response::{PendingResponse, Response};

/// Sends requests to one server, each over its own connection.
pub struct HttpClient {
    host: String,
    /// Header lines of all requests.
    headers: &'static [&'static str],
}

impl HttpClient {
    /// Creates a client of the server with this URL. All requests will have these header lines.
    #[must_use]
    pub fn of(url: &str, headers: &'static [&'static str]) -> Self {
        let host = url.strip_prefix("http://").unwrap();
        let host = host.split('/').next().unwrap().to_owned();
        Self { host, headers }
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(HUNG)).unwrap();
        stream
    }

    /// Returns the head of a request, with the correct `Host` unless the header lines have one.
    /// `request` is the method and the target.
    pub fn head(&self, request: &str, headers: &[&str], length: usize) -> String {
        let mut head = format!("{request} HTTP/1.1\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head += &format!("Host: {}\r\n", self.host);
        }
        for header in headers.iter().chain(self.headers) {
            head += &format!("{header}\r\n");
        }
        head + &format!("Connection: close\r\nContent-Length: {length}\r\n\r\n")
    }

    /// Sends a request without reading the response.
    pub fn send(&self, request: &str, headers: &[&str], body: &str) -> PendingResponse {
        let mut stream = self.connect();
        let head = self.head(request, headers, body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // The server may reject the request before it has read all of it.
        let _ = stream.write_all(body.as_bytes());
        stream.into()
    }

    /// Sends a request and returns the response.
    pub fn ask(&self, request: &str, headers: &[&str], body: &str) -> Response {
        self.send(request, headers, body).read()
    }

    /// Waits until the server accepts no further connections.
    pub fn until_closed(&self) {
        let began = Instant::now();
        loop {
            match TcpStream::connect(&self.host) {
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => return,
                _ => assert!(began.elapsed() < HUNG, "the server accepts connections"),
            }
            std::thread::yield_now();
        }
    }
}
