//! Requests during a shutdown.

use std::io::{Read, Write};
use std::time::Duration;

use serve::Settings;

use crate::agents::Event;
use crate::server::{CHAT, Served, question, read, settings, stream};

#[test]
fn shutdown_finishes_current_requests_and_refuses_new_ones() {
    let mut server = Served::of(settings());
    let working = server.send(CHAT, &[], &question("wait").to_string());
    assert_eq!(server.begun(), "wait");
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
    late.write_all(body.as_bytes()).unwrap();
    let refused = read(late);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.code(), "server_stopping");
    assert!(refused.head.contains("retry-after: 5"), "{refused:?}");
    server.agents.release();
    let answer = read(working);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("asked: wait"), "{answer:?}");
    server.end().unwrap();
    assert_eq!(server.events(), []);
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
        assert_eq!(server.begun(), "wait");
        let streamed = server.send(CHAT, &[], &stream("wait").to_string());
        assert_eq!(server.begun(), "wait");
        let queued = server.send(CHAT, &[], &question("Say b").to_string());
        server.wait_for("rlm_eval_requests_waiting 1");
        server.stop();
        if !has_timeout {
            server.stop_now();
        }
        for stream in [whole, queued] {
            let answer = read(stream);
            assert_eq!(answer.status, 503, "{answer:?}");
            assert_eq!(answer.code(), "server_stopping");
        }
        let answer = read(streamed);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            answer.body.contains("\"code\":\"server_stopping\""),
            "{answer:?}"
        );
        assert!(answer.body.ends_with("data: [DONE]\n\n"), "{answer:?}");
        server.end().unwrap();
        assert_eq!(server.events(), [Event::Stopped, Event::Stopped]);
    }
}
