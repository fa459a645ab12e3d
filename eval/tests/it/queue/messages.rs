//! Counts the queue messages that an attempt uses.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread;

use nats_fixture::NatsServer;

use super::{binary_with_queue, worker};

struct ReceivedMessage {
    subject: String,
    reply: String,
}

/// Subject of the message after which counting stops.
const END: &str = "end";

/// Subscribes to all messages of a server. Returns the connection and a receiver of the messages.
fn subscribe(server: &NatsServer) -> (TcpStream, mpsc::Receiver<ReceivedMessage>) {
    let mut line = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    let own = line.try_clone().unwrap();
    let options = r#"{"verbose":false,"pedantic":false,"headers":true}"#;
    let request = format!("CONNECT {options}\r\nSUB > 1\r\nPING\r\n");
    line.write_all(request.as_bytes()).unwrap();
    let mut reader = BufReader::new(line.try_clone().unwrap());
    let mut next = String::new();
    while next != "PONG\r\n" {
        next.clear();
        assert!(reader.read_line(&mut next).unwrap() > 0);
    }
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        loop {
            next.clear();
            if reader.read_line(&mut next).unwrap_or(0) == 0 {
                return;
            }
            // MSG subject id [reply] size, or HMSG subject id [reply] header-size size.
            let parts: Vec<&str> = next.split_whitespace().collect();
            let sizes = match parts[0] {
                "PING" => {
                    let _ = line.write_all(b"PONG\r\n");
                    continue;
                }
                "MSG" => 1,
                "HMSG" => 2,
                _ => continue,
            };
            let size: usize = parts.last().unwrap().parse().unwrap();
            let has_reply = parts.len() == 4 + sizes;
            let passed = ReceivedMessage {
                subject: parts[1].to_owned(),
                reply: parts
                    .get(3)
                    .filter(|_| has_reply)
                    .map_or_else(String::new, |&reply| reply.to_owned()),
            };
            let mut body = vec![0; size + 2];
            if reader.read_exact(&mut body).is_err() || sender.send(passed).is_err() {
                return;
            }
        }
    });
    (own, receiver)
}

/// Returns the kind of a message that belongs to one attempt, or `None` for heartbeats, requests
/// and messages that belong to the whole run.
fn kind(passed: &ReceivedMessage) -> Option<&str> {
    let kinds = [".work.", ".data."];
    let (_, rest) = kinds
        .iter()
        .find_map(|kind| passed.subject.split_once(kind))?;
    if !passed.subject.starts_with("eval.") {
        return None;
    }
    let is_data = passed.subject.contains(".data.");
    let delivers = passed.reply.starts_with("$JS.ACK.");
    match (
        is_data.then(|| rest.split('.').next().unwrap_or_default()),
        delivers,
    ) {
        (None, false) => Some("submission"),
        (None, true) => Some("delivery"),
        (Some("rec"), false) => Some("record"),
        (Some("rec"), true) => Some("record to the submitter"),
        (Some("jrn"), false) => Some("journal"),
        (Some("jrn"), true) => Some("journal to the submitter"),
        (Some(_), _) => Some("other"),
    }
}

/// Each attempt uses one submission, one request and one delivery, plus its record and one journal
/// message with its only response. Requests are not counted here, because idle workers repeat them.
#[test]
fn attempt_uses_only_necessary_messages() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let (mut line, passed) = subscribe(&server);
    let binary = binary_with_queue(server.url()).file(
        "m.yaml",
        "description: Says yes.\nrules:\n  - reply: \"yes\"\n",
    );
    let _workers = ["a", "b"].map(|name| worker(&binary, server.url(), name, &[]));
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend(["--samples-per-length", "40", "--model", "scripted:m.yaml"]);
    args.extend(["--protocol", "direct", "--queue", server.url()]);
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    write!(line, "PUB {END} 0\r\n\r\n").unwrap();
    let mut counts = BTreeMap::new();
    for passed in passed.iter().take_while(|passed| passed.subject != END) {
        if let Some(kind) = kind(&passed) {
            *counts.entry(kind.to_owned()).or_insert(0) += 1;
        }
    }
    let wanted = [
        "delivery",
        "journal",
        "record",
        "record to the submitter",
        "submission",
    ];
    let wanted = wanted.map(|kind| (kind.to_owned(), 40));
    assert_eq!(counts, BTreeMap::from(wanted));
}
