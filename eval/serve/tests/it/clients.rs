//! Clients with keys: what each may use, and its limits.

use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroU32;
use std::sync::Arc;

use globset::{Glob, GlobSet};
use model::Budget;
use serde_json::json;
use serve::{Client, Clients, KeyHash, ServeError, Server, Settings};
use tokio::runtime::Runtime;

use crate::agents::EchoAgents;
use crate::server::{CHAT, Served, code, question, settings};

const ONE: &str = "Authorization: Bearer key-one";
const TWO: &str = "Authorization: Bearer key-two";
const THREE: &str = "Authorization: Bearer key-three";

const BUDGET: Budget = Budget {
    cost_usd: None,
    tokens: None,
    calls: Some(2),
    time: None,
};

/// Client `one` may use only one model and has a budget, client `two` may send one request per
/// minute, and client `three` only one at a time.
fn clients() -> Clients {
    // SHA-256 of `key-three`.
    let hash = "2f06bcf4e8d96d66f0b8d972e1d9351a255f82ff4cf1a12b63c8d3642206547e";
    let names = GlobSet::builder().add(Glob::new("rlm/*").unwrap()).build();
    let mut one = Client::new("one");
    one.offers = Some(names.unwrap());
    one.budget = BUDGET;
    Clients::with_keys([
        (KeyHash::of("key-one"), one),
        (
            KeyHash::of("key-two"),
            Client::new("two").per_minute(NonZeroU32::MIN),
        ),
        (
            KeyHash::from_hex(hash).unwrap(),
            Client::new("three").at_once(1),
        ),
    ])
}

fn served() -> Served {
    Served::of(Settings {
        clients: clients(),
        ..settings()
    })
}

#[test]
fn requires_known_keys() {
    let server = served();
    for (request, header, status) in [
        ("GET /v1/models", ONE, 200),
        ("GET /v1/models", "Authorization: bearer  key-one ", 200),
        ("GET /v1/models", THREE, 200),
        ("GET /v1/models", "Accept: */*", 401),
        ("GET /v1/models", "Authorization: Bearer key-on", 401),
        ("GET /v1/models", "Authorization: Bearer", 401),
        ("GET /v1/models", "Authorization: Basic key-one", 401),
        ("GET /v1/models/rlm/scripted:echo", ONE, 200),
        ("GET /v1/models/rlm/scripted:echo", "Accept: */*", 401),
        ("POST /v1/chat/completions", "Accept: */*", 401),
        ("POST /v1/responses", "Accept: */*", 401),
        ("GET /metrics", ONE, 200),
        ("GET /metrics", "Accept: */*", 401),
        ("GET /health", "Accept: */*", 200),
    ] {
        let answer = server.ask(request, &[header], "");
        assert_eq!(answer.status, status, "{request} {header}: {answer:?}");
        if status == 401 {
            assert_eq!(code(&answer), "invalid_api_key");
            let challenge = "www-authenticate: bearer";
            assert!(answer.head.contains(challenge), "{answer:?}");
        }
    }
    assert_eq!(server.events.rest(), []);
}

#[test]
fn separates_clients_and_their_limits() {
    let server = served();
    for _ in 0..2 {
        let answer = server.chat("Say a", &[ONE]);
        assert_eq!(answer.status, 200, "{answer:?}");
        let begun = server.events.begun();
        assert_eq!((begun.client.as_str(), begun.budget), ("one", BUDGET));
    }
    let answer = server.chat("Say a", &[TWO]);
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer = server.chat("Say a", &[TWO]);
    assert_eq!(
        (answer.status, code(&answer)),
        (429, json!("rate_limit_exceeded"))
    );
    assert!(
        answer.body.contains("at most 1 requests per minute"),
        "{answer:?}"
    );
    let mut lines = answer.head.lines();
    let wait = lines.find_map(|line| line.strip_prefix("retry-after: "));
    let wait: u64 = wait.unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{answer:?}");
    assert!(answer.head.contains("x-should-retry: true"), "{answer:?}");
    // The limit of one client does not concern another.
    assert_eq!(server.chat("Say a", &[ONE]).status, 200);
    let metrics = server.ask("GET /metrics", &[ONE], "").body;
    for (client, count) in [("one", 3), ("two", 1)] {
        let labels = format!("model=\"rlm/scripted:echo\",client=\"{client}\",status=\"200\"");
        let line = format!("rlm_eval_requests_total{{{labels}}} {count}\n");
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }
}

#[test]
fn limits_models_of_client() {
    let server = served();
    let coordinator = json!({"model": "rlm-coordinator/echo", "input": "x"}).to_string();
    for (key, status) in [(ONE, 404), (TWO, 200)] {
        let is_listed = status == 200;
        let listed = server.ask("GET /v1/models", &[key], "").body;
        assert!(listed.contains("\"rlm/scripted:echo\""), "{listed}");
        assert_eq!(listed.contains("rlm-coordinator"), is_listed, "{listed}");
        let answer = server.ask("GET /v1/models/rlm-coordinator/echo", &[key], "");
        assert_eq!(answer.status, status, "{answer:?}");
        let answer = server.ask("POST /v1/responses", &[key], &coordinator);
        assert_eq!(answer.status, status, "{answer:?}");
        if !is_listed {
            let message = "this server offers rlm/scripted:echo\"";
            assert!(answer.body.contains(message), "{answer:?}");
            continue;
        }
        assert_eq!(server.events.begun().offer, "rlm-coordinator/echo");
    }
}

#[test]
fn limits_concurrent_requests_of_client() {
    let server = served();
    let waiting = server.send(CHAT, &[THREE], &question("wait").to_string());
    assert_eq!(server.next_query(), "wait");
    let answer = server.chat("Say a", &[THREE]);
    assert_eq!(
        (answer.status, code(&answer)),
        (429, json!("rate_limit_exceeded"))
    );
    assert!(
        answer.body.contains("at most 1 concurrent requests"),
        "{answer:?}"
    );
    assert!(answer.head.contains("retry-after: 1"), "{answer:?}");
    assert_eq!(server.chat("Say a", &[ONE]).status, 200);
    server.agents.gate.release();
    assert_eq!(waiting.read().status, 200);
    assert_eq!(server.chat("Say a", &[THREE]).status, 200);
}

#[test]
fn binds_only_to_free_addresses_that_need_keys() {
    let runtime = Runtime::new().unwrap();
    let bind = |address: SocketAddr, clients| {
        let agents = Arc::new(EchoAgents::new().0);
        let settings = Settings {
            address,
            clients,
            ..settings()
        };
        runtime.block_on(Server::bind(settings, agents)).err()
    };
    let any = SocketAddr::from(([0, 0, 0, 0], 0));
    let refused = bind(any, Clients::anybody()).unwrap();
    assert!(matches!(refused, ServeError::OpenToAll(address) if address == any));
    let message = "other machines can reach 0.0.0.0:0, but clients do not need a key";
    assert_eq!(refused.to_string(), message);
    assert!(bind(any, clients()).is_none());
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let used = other.local_addr().unwrap();
    let refused = bind(used, Clients::anybody()).unwrap();
    assert!(matches!(refused, ServeError::Listen { address, .. } if address == used));
}
