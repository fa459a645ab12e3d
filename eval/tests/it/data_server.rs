//! A file server that fails on demand: truncated, rejected, redirected or wrong responses.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Response to a request.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// The file, or the requested range.
    File,
    /// Half of the requested bytes, then the connection closes.
    Half,
    /// The whole file, even if a range was requested.
    FromTheBeginning,
    /// Wrong bytes.
    Wrong,
    /// A redirect to the same file at another URL of the server.
    Elsewhere,
    /// A status with `retry-after: 0`.
    Status(u16),
}

type Log = Arc<Mutex<Vec<String>>>;

/// A server on a free port, for the duration of a test.
pub struct DataServer {
    pub origin: String,
    seen: Log,
}

impl DataServer {
    /// Serves files by path. Requests for files get `answers` in order, and then the file; listings
    /// always succeed.
    pub fn start(files: BTreeMap<String, Vec<u8>>, answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen = Log::default();
        let log = Arc::clone(&seen);
        let mut answers: VecDeque<Answer> = answers.iter().copied().collect();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Some tests close the connection on purpose.
                let _ = serve(stream, &files, &mut answers, &log);
            }
        });
        Self { origin, seen }
    }

    /// Returns the requested paths with their ranges.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(
    stream: TcpStream,
    files: &BTreeMap<String, Vec<u8>>,
    answers: &mut VecDeque<Answer>,
    log: &Log,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut range = None;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some(from) = line.strip_prefix("range: bytes=") {
            range = from.trim_end_matches('-').parse::<usize>().ok();
        }
    }
    let from = range.unwrap_or(0);
    let shown = range.map_or(String::new(), |from| format!(" from {from}"));
    log.lock().unwrap().push(format!("{path}{shown}"));
    let answer = if path.starts_with("/api/") || path.starts_with("/elsewhere/") {
        Answer::File
    } else {
        answers.pop_front().unwrap_or(Answer::File)
    };
    let found = files.get(path.trim_start_matches("/elsewhere"));
    let mut stream = stream;
    let mut send = |head: &str, length: usize, body: &[u8]| {
        write!(
            stream,
            "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        )?;
        stream.write_all(body)
    };
    let Some(file) = found else {
        return send("404 Not Found", 0, b"");
    };
    let rest = file.get(from..).unwrap_or_default();
    let partial = format!(
        "206 Partial\r\ncontent-range: bytes {from}-{}/{}",
        file.len(),
        file.len()
    );
    let head = if range.is_some() {
        partial.as_str()
    } else {
        "200 OK"
    };
    match answer {
        Answer::File => send(head, rest.len(), rest),
        Answer::Half => send(head, rest.len(), &rest[..rest.len() / 2]),
        Answer::FromTheBeginning => send("200 OK", file.len(), file),
        Answer::Wrong => send(head, rest.len(), &vec![b'x'; rest.len()]),
        Answer::Elsewhere => send(&format!("302 Found\r\nlocation: /elsewhere{path}"), 0, b""),
        Answer::Status(status) => send(&format!("{status} X\r\nretry-after: 0"), 0, b""),
    }
}
