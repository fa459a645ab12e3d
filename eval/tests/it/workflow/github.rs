//! The subset of GitHub's API that the workflow uses, served on a free port.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// Token that requests must present: `github.token` of the simulated jobs.
pub const TOKEN: &str = "job-token";

/// A server with fixed responses, which rejects requests without the token.
pub struct Github {
    pub origin: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Github {
    /// Starts a server that answers each path with its JSON. A number is returned as the status
    /// instead, and other paths get 404.
    pub fn start(answers: BTreeMap<String, Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(&stream, &answers, &log).unwrap();
            }
        });
        Self { origin, seen }
    }

    /// Returns the paths requested so far.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn answer(
    mut stream: &TcpStream,
    answers: &BTreeMap<String, Value>,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().unwrap()?;
    let path = request.split(' ').nth(1).unwrap().to_owned();
    let mut authorized = false;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        authorized |= line == format!("Authorization: Bearer {TOKEN}");
    }
    let (status, body) = match answers.get(&path) {
        _ if !authorized => (401, Value::Null),
        Some(Value::Number(status)) => (status.as_u64().unwrap(), Value::Null),
        Some(body) => (200, body.clone()),
        None => (404, Value::Null),
    };
    seen.lock().unwrap().push(path);
    let body = body.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} -\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
