//! A viewer that serves a folder, and raw requests to it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use tokio::runtime::Runtime;
use view::{Library, Server};

/// A viewer that serves until dropped.
pub struct Viewer {
    /// `http://127.0.0.1:PORT/?token=TOKEN`.
    address: String,
    runtime: Option<Runtime>,
}

impl Viewer {
    pub fn of(folder: &Path) -> Self {
        let library = Library::open(folder).unwrap();
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(Server::bind(library, 0, &[])).unwrap();
        let address = server.address();
        runtime.spawn(server.serve(std::future::pending()));
        Self {
            address,
            runtime: Some(runtime),
        }
    }

    /// Returns `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        let host = self.address.strip_prefix("http://").unwrap();
        host.split_once('/').unwrap().0
    }

    fn token(&self) -> &str {
        self.address.split_once("?token=").unwrap().1
    }

    /// Sends a request with the token and these header lines, in which `HOST` is replaced by the
    /// correct host; returns the response.
    pub fn ask(&self, request: &str, headers: &[&str]) -> Answer {
        let bearer = format!("Authorization: Bearer {}", self.token());
        self.ask_with(request, &[&[bearer.as_str()], headers].concat())
    }

    /// Sends a request with only these header lines, in which `TOKEN` is replaced by the token;
    /// returns the response.
    pub fn ask_with(&self, request: &str, headers: &[&str]) -> Answer {
        let request = request.replace("TOKEN", self.token());
        let mut stream = TcpStream::connect(self.host()).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let head: String = headers
            .iter()
            .map(|line| {
                line.replace("HOST", self.host())
                    .replace("TOKEN", self.token())
            })
            .map(|line| format!("{line}\r\n"))
            .collect();
        let request = format!("{request} HTTP/1.1\r\n{head}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }
}

impl Drop for Viewer {
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
