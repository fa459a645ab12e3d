//! Requests during a shutdown.

use std::io::{Read, Write};
use std::time::Duration;

use http_fixture::{Event, PendingResponse};
use serve::Settings;

use crate::server::{CHAT, Served, code, question, settings, stream};

#[test]
fn shutdown_finishes_current_requests_and_refuses_new_ones() {
    let mut server = Served::of(settings());
    let working = server.send(CHAT, &[], &question("wait").to_string());
    assert_eq!(server.next_query(), "wait");
    // The server asks for the body of this request before it stops, and reads it afterwards.
    let mut late = server.connect();
    let body = question("Say late").to_string();
    let head = server.head(CHAT, &["Expect: 100-continue"], body.len());
    late.write_all(head.as_bytes()).unwrap();
    let wanted = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut begin = [0; 25];
    late.read_exact(&mut begin).unwrap();
    assert_eq!(&begin, wanted);
    server.stop();
    server.until_closed();
    late.write_all(body.as_bytes()).unwrap();
    let refused = PendingResponse::from(late).read();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(code(&refused), "server_stopping");
    assert!(refused.head.contains("retry-after: 5"), "{refused:?}");
    server.agents.gate.release();
    let answer = working.read();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("asked: wait"), "{answer:?}");
    server.end().unwrap();
    assert_eq!(server.events.rest(), []);
}

/// The current requests are stopped when the shutdown timeout expires, or when the caller no longer
/// waits.
#[test]
fn shutdown_stops_requests_that_take_too_long() {
    for has_timeout in [true, false] {
        let settings = settings();
        let mut server = Served::of(Settings {
            max_concurrency: 2,
            shutdown_timeout: if has_timeout {
                Duration::ZERO
            } else {
                settings.shutdown_timeout
            },
            ..settings
        });
        let whole = server.send(CHAT, &[], &question("wait").to_string());
        assert_eq!(server.next_query(), "wait");
        let streamed = server.send(CHAT, &[], &stream("wait").to_string());
        assert_eq!(server.next_query(), "wait");
        let queued = server.send(CHAT, &[], &question("Say b").to_string());
        server.wait_for("rlm_eval_requests_waiting 1");
        server.stop();
        server.until_closed();
        if !has_timeout {
            server.stop_now();
        }
        for stream in [whole, queued] {
            let answer = stream.read();
            assert_eq!(answer.status, 503, "{answer:?}");
            assert_eq!(code(&answer), "server_stopping");
        }
        let answer = streamed.read();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            answer.body.contains("\"code\":\"server_stopping\""),
            "{answer:?}"
        );
        assert!(answer.body.ends_with("data: [DONE]\n\n"), "{answer:?}");
        server.end().unwrap();
        assert_eq!(server.events.rest(), [Event::Stopped, Event::Stopped]);
    }
}
