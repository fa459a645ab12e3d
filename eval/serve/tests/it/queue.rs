//! Requests that wait for their turn, and clients that disconnect.

use http_fixture::Event;
use serve::Settings;

use crate::agents::MODEL;
use crate::server::{CHAT, Served, code, question, settings, stream};

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
    assert_eq!(server.next_query(), "wait");
    let second = server.send(CHAT, &[], &question("Say b").to_string());
    server.wait_for("rlm_eval_requests_waiting 1");
    let third = server.send(CHAT, &[], &stream("Say c").to_string());
    server.wait_for("rlm_eval_requests_waiting 2");
    let refused = server.chat("Say d", &[]);
    assert_eq!(refused.status, 429, "{refused:?}");
    assert_eq!(code(&refused), "rate_limit_exceeded");
    let message = "2 requests are already waiting (--max-concurrency, --max-queue)";
    assert!(refused.body.contains(message), "{refused:?}");
    assert!(refused.head.contains("retry-after: 5"), "{refused:?}");
    server.wait_for("rlm_eval_agents_working 1");
    assert_eq!(server.events.rest(), []);
    server.agents.gate.release();
    for (stream, said) in [(working, "wait"), (second, "Say b"), (third, "Say c")] {
        let answer = stream.read();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            answer.body.contains(&format!("asked: {said}")),
            "{answer:?}"
        );
    }
    assert_eq!(
        [server.next_query(), server.next_query()],
        ["Say b", "Say c"]
    );
    server.wait_for("rlm_eval_requests_waiting 0");
}

#[test]
fn disconnected_client_stops_its_agent() {
    let server = served(4, 4);
    for body in [question("wait"), stream("wait")] {
        let stream = server.send(CHAT, &[], &body.to_string());
        assert_eq!(server.next_query(), "wait");
        server.wait_for("rlm_eval_agents_working 1");
        drop(stream);
        assert_eq!(server.events.next(), Event::Stopped);
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
    assert_eq!(server.next_query(), "wait");
    for body in [question("Say b"), stream("Say b")] {
        let waiting = server.send(CHAT, &[], &body.to_string());
        server.wait_for("rlm_eval_requests_waiting 1");
        drop(waiting);
        server.wait_for("rlm_eval_requests_waiting 0");
    }
    server.agents.gate.release();
    assert_eq!(working.read().status, 200);
    assert_eq!(server.events.rest(), []);
}
