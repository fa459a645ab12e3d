//! Streamable HTTP: checks of requests, sessions of several clients, progress, clients that
//! disconnect, and shutdown.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use http_fixture::{Event, HUNG};
use mcp::{HttpServer, HttpSettings};
use serde_json::{Value, json};
use serve::{Client, Clients, KeyHash, ServeError};
use tokio::runtime::Runtime;

use crate::http_server::{DELETE, POST, Served, call, hello, settings};
use crate::toolbox::{CallStart, Rules};

const ONE: &str = "Authorization: Bearer key-one";
const TWO: &str = "Authorization: Bearer key-two";

fn with_keys() -> HttpSettings {
    let client = |name: &str| (KeyHash::of(&format!("key-{name}")), Client::new(name));
    HttpSettings {
        clients: Clients::with_keys([client("one"), client("two")]),
        ..settings()
    }
}

/// Returns what a client gets for a call of this tool. The progress has the call's id.
fn messages(id: u32, tool: &str) -> [Value; 3] {
    let progress = |number: f64, message: String| {
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
            "progressToken": id, "progress": number, "message": message,
        }})
    };
    let result = json!({"jsonrpc": "2.0", "id": id, "result": {
        "content": [{"type": "text", "text": "hi"}],
        "structuredContent": {"said": "hi"},
        "isError": false,
    }});
    [
        progress(1.0, format!("{tool}: begins")),
        progress(2.0, format!("{tool}: ends")),
        result,
    ]
}

#[test]
fn checks_requests_like_serve() {
    let server = Served::of(with_keys());
    let wrong = "Authorization: Bearer key-three";
    let (hello, call) = (hello().to_string(), call(2, "echo").to_string());
    for (headers, body, expected) in [
        (vec![ONE], hello.as_str(), 200),
        (vec![], &hello, 401),
        (vec![wrong], &hello, 401),
        (vec![ONE, "Host: evil.example"], &hello, 403),
        (vec![ONE, "Host: 127.0.0.1:1"], &hello, 403),
        (vec![ONE, "Origin: https://evil.example"], &hello, 403),
        (vec![ONE, "Sec-Fetch-Site: cross-site"], &hello, 403),
        (vec![ONE], &call, 400),
        (vec![ONE, "Mcp-Session-Id: made-up"], &call, 404),
        (vec![ONE], &format!("\"{}\"", "x".repeat(2_000_000)), 413),
        (vec![ONE], "not JSON", 415),
        (vec![ONE], "[]", 415),
    ] {
        let answer = server.ask(POST, &headers, body);
        let shown: String = body.chars().take(200).collect();
        assert_eq!(answer.status, expected, "{headers:?} {shown}: {answer:?}");
    }
    assert_eq!(server.events.rest(), []);
}

#[test]
fn session_belongs_to_client_that_opened_it() {
    let server = Served::of(with_keys());
    let (of_one, of_two) = (server.session(&[ONE]), server.session(&[TWO]));
    let answer = server.ask(POST, &[TWO, &of_one], &call(2, "echo").to_string());
    assert_eq!(answer.status, 404, "{answer:?}");
    let answer = server.ask(DELETE, &[TWO, &of_one], "");
    assert_eq!(answer.status, 202, "{answer:?}");
    for (key, session, client) in [(ONE, &of_one, "one"), (TWO, &of_two, "two")] {
        assert_eq!(server.call(&[key, session], 3, "echo"), messages(3, "echo"));
        assert_eq!(server.events.begun(), CallStart::of("echo", client));
    }
    let answer = server.ask(DELETE, &[ONE, &of_one], "");
    assert_eq!(answer.status, 202, "{answer:?}");
    let answer = server.ask(POST, &[ONE, &of_one], &call(2, "echo").to_string());
    assert_eq!(answer.status, 404, "{answer:?}");
    assert_eq!(server.events.rest(), []);
}

#[test]
fn disconnected_client_stops_its_call() {
    let server = Served::of(settings());
    let session = server.session(&[]);
    let mut stream = server.send(POST, &[&session], &call(2, "wait").to_string());
    assert_eq!(server.events.begun(), CallStart::of("wait", "anyone"));
    stream.read_until("wait: begins");
    drop(stream);
    assert_eq!(server.events.next(), Event::Stopped);
    // The session continues.
    assert_eq!(server.call(&[&session], 3, "echo"), messages(3, "echo"));
}

#[test]
fn shutdown_finishes_current_calls_and_refuses_new_ones() {
    let mut server = Served::of(settings());
    let session = server.session(&[]);
    let working = server.send(POST, &[&session], &call(2, "wait").to_string());
    assert_eq!(server.events.begun(), CallStart::of("wait", "anyone"));
    server.stop();
    let began = Instant::now();
    let mut ids = 3..;
    let refused = loop {
        let id = ids.next().unwrap();
        let mut messages = server.call(&[&session], id, "echo");
        let result = messages.pop().unwrap()["result"].clone();
        if result["isError"] == true {
            break result;
        }
        assert!(began.elapsed() < HUNG, "{result}");
    };
    assert_eq!(refused["content"][0]["text"], "the server is stopping");
    server.rules.gate.release();
    assert_eq!(working.read().event_data(), messages(2, "wait"));
    server.end().unwrap();
}

/// Calls in progress are stopped when the shutdown timeout expires, or when the caller no longer
/// waits.
#[test]
fn shutdown_stops_calls_that_take_too_long() {
    for has_timeout in [true, false] {
        let mut settings = settings();
        if has_timeout {
            settings.shutdown_timeout = Duration::ZERO;
        }
        let mut server = Served::of(settings);
        let session = server.session(&[]);
        let mut working = server.send(POST, &[&session], &call(2, "wait").to_string());
        assert_eq!(server.events.begun(), CallStart::of("wait", "anyone"));
        // The call begins before the head of its response is sent.
        working.read_until("wait: begins");
        server.stop();
        if !has_timeout {
            server.stop_now();
        }
        assert_eq!(server.events.next(), Event::Stopped);
        let messages = working.read().event_data();
        let has_result = messages.iter().any(|message| !message["result"].is_null());
        assert!(!has_result, "{messages:?}");
        server.end().unwrap();
    }
}

#[test]
fn other_machines_need_keys() {
    let runtime = Runtime::new().unwrap();
    let any = SocketAddr::from(([0, 0, 0, 0], 0));
    let bind = |settings: HttpSettings| {
        let settings = HttpSettings {
            address: any,
            ..settings
        };
        runtime
            .block_on(HttpServer::bind(settings, Rules::new().0))
            .err()
    };
    let refused = bind(settings()).unwrap();
    assert!(matches!(refused, ServeError::OpenToAll(address) if address == any));
    assert!(bind(with_keys()).is_none());
}
