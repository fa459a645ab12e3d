//! Requests that wait for their turn, and clients that disconnect.

use serve::Settings;

use crate::agents::{Event, MODEL};
use crate::server::{CHAT, Served, question, read, settings, stream};

fn served(max_concurrency: usize, max_queue: usize) -> Served {
    Served::of(Settings {
        max_concurrency,
        max_queue,
        ..settings()
    })
}

#[test]
fn answers_waiting_requests_in_order_of_arrival() {
    let server = served(1, 2);
    let working = server.send(CHAT, &[], &question("wait").to_string());
    assert_eq!(server.begun(), "wait");
    let second = server.send(CHAT, &[], &question("Say b").to_string());
    server.wait_for("rlm_eval_requests_waiting 1");
    let third = server.send(CHAT, &[], &stream("Say c").to_string());
    server.wait_for("rlm_eval_requests_waiting 2");
    let refused = server.chat("Say d", &[]);
    assert_eq!(refused.status, 429, "{refused:?}");
    assert_eq!(refused.code(), "rate_limit_exceeded");
    let message = "2 requests are already waiting (--max-concurrency, --max-queue)";
    assert!(refused.body.contains(message), "{refused:?}");
    assert!(refused.head.contains("retry-after: 5"), "{refused:?}");
    server.wait_for("rlm_eval_agents_working 1");
    assert_eq!(server.events(), []);
    server.agents.release();
    for (stream, said) in [(working, "wait"), (second, "Say b"), (third, "Say c")] {
        let answer = read(stream);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            answer.body.contains(&format!("asked: {said}")),
            "{answer:?}"
        );
    }
    assert_eq!([server.begun(), server.begun()], ["Say b", "Say c"]);
    server.wait_for("rlm_eval_requests_waiting 0");
}

#[test]
fn disconnected_client_stops_its_agent() {
    let server = served(4, 4);
    for body in [question("wait"), stream("wait")] {
        let stream = server.send(CHAT, &[], &body.to_string());
        assert_eq!(server.begun(), "wait");
        server.wait_for("rlm_eval_agents_working 1");
        drop(stream);
        assert_eq!(server.event(), Event::Stopped);
        server.wait_for("rlm_eval_agents_working 0");
    }
    let labels = format!("model=\"{MODEL}\",client=\"anyone\"");
    for metric in [
        format!("requests_total{{{labels},status=\"499\"}} 2"),
        format!("tokens_total{{{labels},kind=\"input\"}} 200"),
        format!("tokens_total{{{labels},kind=\"output\"}} 40"),
        format!("cost_usd_total{{{labels}}} 0.002"),
    ] {
        server.wait_for(&format!("rlm_eval_{metric}"));
    }
}

#[test]
fn disconnected_client_leaves_queue() {
    let server = served(1, 1);
    let working = server.send(CHAT, &[], &question("wait").to_string());
    assert_eq!(server.begun(), "wait");
    for body in [question("Say b"), stream("Say b")] {
        let waiting = server.send(CHAT, &[], &body.to_string());
        server.wait_for("rlm_eval_requests_waiting 1");
        drop(waiting);
        server.wait_for("rlm_eval_requests_waiting 0");
    }
    server.agents.release();
    assert_eq!(read(working).status, 200);
    assert_eq!(server.events(), []);
}
