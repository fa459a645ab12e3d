//! Requests of both interfaces: what the agent is asked, and the bytes of the response.

use http_fixture::Event;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::agents::to_json;
use crate::server::{Served, settings};

/// One row of `requests.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Method and target.
    request: String,
    #[serde(default)]
    headers: Vec<String>,
    /// Body of the request: JSON, or text that is not JSON.
    #[serde(default)]
    body: Value,
    /// Question for the agent; null if no agent begins.
    #[serde(default)]
    question: Value,
    status: u16,
    /// Header lines of the response.
    #[serde(default)]
    head: Vec<String>,
    /// Texts that the response contains.
    contains: Vec<String>,
    /// Name of the snapshot with the whole response.
    snapshot: Option<String>,
}

#[test]
fn answers_or_refuses_requests() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("requests.json")).unwrap();
    let mut settings = settings();
    settings.long_text = 100;
    settings.max_request_bytes = 1000;
    let server = Served::of(settings);
    for row in rows {
        let headers: Vec<&str> = row.headers.iter().map(String::as_str).collect();
        let body = match &row.body {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            body => body.to_string(),
        };
        let answer = server.ask(&row.request, &headers, &body);
        let sent = format!("{} {body}", row.request);
        assert_eq!(answer.status, row.status, "{sent}: {answer:?}");
        for line in &row.head {
            let mut lines = answer.head.lines();
            assert!(
                lines.any(|one| one == line),
                "{sent}: no `{line}` in {answer:?}"
            );
        }
        for part in &row.contains {
            let found = answer.body.contains(part);
            assert!(found, "{sent}: no `{part}` in {}", answer.body);
        }
        let mut questions = server.events.rest().into_iter().map(|event| match event {
            Event::Began(agent) => to_json(&agent.question),
            Event::Stopped => json!("stopped"),
        });
        assert_eq!(questions.next().unwrap_or_default(), row.question, "{sent}");
        assert_eq!(questions.next(), None, "{sent}");
        if let Some(name) = row.snapshot {
            // The body of a stream is not JSON.
            let shown = serde_json::from_str::<Value>(&answer.body);
            let shown = shown.map_or(answer.body, |body| format!("{body:#}"));
            let created = r#""(created|created_at)":( ?)\d{2,}"#;
            let filters = [(r"[0-9a-f]{32}", "ID"), (created, r#""$1":$2"TIME""#)];
            insta::with_settings!({filters => filters, omit_expression => true}, {
                insta::assert_snapshot!(name, shown);
            });
        }
    }
}
