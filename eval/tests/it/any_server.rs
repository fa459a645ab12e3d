//! Requests to each kind of server, compared byte for byte: method, path with query, headers in
//! order, and body.

use std::collections::BTreeMap;

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use serde::Deserialize;
use serde_json::Value;

use crate::binary::Binary;
use crate::run::only;

/// A model server and how to reach it, as described in `docs/reference/models.md`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Name of the server.
    server: String,
    /// Path of the base URL.
    base: String,
    /// Variable that sets the base URL; `None` if `--base-url` sets it.
    #[serde(default)]
    base_url_variable: Option<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    args: Vec<String>,
    /// Expected request.
    request: String,
}

#[test]
fn every_server_gets_expected_request() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("any_server.yaml")).unwrap();
    let mut wrong = String::new();
    for row in rows {
        let server = FaultServer::list(vec![Behavior::Text("42".to_owned())]);
        let base_url = format!("{}{}", server.origin(), row.base);
        let mut binary = Binary::new();
        for (name, value) in &row.variables {
            binary = binary.variable(name, value);
        }
        let mut args: Vec<&str> = row.args.iter().map(String::as_str).collect();
        match &row.base_url_variable {
            Some(name) => binary = binary.variable(name, &base_url),
            None => args.extend(["--base-url", &base_url]),
        }
        if args[0] != "list" {
            args.extend(["--protocol", "direct", "--query", "What is 6 * 7?"]);
        }
        let ran = binary.run(&args, "");
        let seen = server.seen();
        assert!(!seen.is_empty(), "{}: {ran:?}", row.server);
        let sent: String = seen.iter().map(|seen| shown(seen, &server)).collect();
        if sent.trim_end() != row.request.trim_end() {
            wrong.push_str(&format!("{}:\n{sent}\n", row.server));
        }
    }
    assert!(
        wrong.is_empty(),
        "rows differ from the sent requests:\n{wrong}"
    );
}

/// Formats a request as text, with placeholders for the host, the prompt and a correct
/// `Content-Length`.
fn shown(seen: &ReceivedRequest, server: &FaultServer) -> String {
    let host = server.origin().replace("http://", "");
    let length = seen.text.len().to_string();
    let headers = seen.headers.iter().map(|(name, value)| match &**name {
        "host" if *value == host => format!("{name}: HOST\n"),
        "content-length" if *value == length => format!("{name}: LENGTH\n"),
        _ => format!("{name}: {value}\n"),
    });
    let headers: String = headers.collect();
    let prompts = ["/messages/0/content", "/system/0/text"];
    let prompts = prompts.map(|place| seen.body.pointer(place).filter(|text| text.is_string()));
    let prompt = prompts.into_iter().flatten().next();
    let prompt = prompt.map_or("no prompt".to_owned(), Value::to_string);
    let body = seen.text.replace(&prompt, "\"PROMPT\"");
    format!("{} {}\n{headers}\n{body}\n", seen.method, seen.path)
}

#[test]
fn records_secret_header_as_variable_reference() {
    let server = FaultServer::list(vec![Behavior::Text("42".to_owned())]);
    let questions = "{\"query\": \"What is 6 * 7?\", \"expected\": \"42\"}\n";
    let secret = "canary-of-a-gateway";
    let run = |headers: &[&str], name: &str, secret: &str| {
        let binary = Binary::new()
            .file("q.jsonl", questions)
            .variable("GATEWAY_KEY", secret)
            .variable("OTHER_KEY", secret);
        let base_url = server.openai();
        let mut args = vec!["run", "--benchmark", "q.jsonl", "--protocol", "direct"];
        args.extend([
            "--model",
            "openai/m",
            "--base-url",
            &base_url,
            "--log-dir",
            name,
        ]);
        for header in headers {
            args.extend(["--header", header]);
        }
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let read = |file: &str| {
            let run = only(&binary.path().join(name));
            let text = std::fs::read_to_string(run.join(file)).unwrap();
            assert!(!text.contains(secret), "{file}: {text}");
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let recorded = read("config.json")["engine"]["headers"].clone();
        (recorded, read("lock.json")["fingerprint"]["sha256"].clone())
    };
    let plain = run(&[], "plain", secret);
    assert_eq!(plain.0, serde_json::json!([]));
    let both = ["X-Gateway-Key=$GATEWAY_KEY", "x-team=blue"];
    let first = run(&both, "first", secret);
    assert_eq!(
        first.0,
        serde_json::json!(["x-gateway-key=env:GATEWAY_KEY", "x-team=blue"])
    );
    // The fingerprint covers each header's name and reference: a new value does not change it,
    // another variable does.
    let forms = ["x-team=blue", "x-gateway-key=env:GATEWAY_KEY"];
    assert_eq!(run(&forms, "again", "another-canary"), first);
    let other = ["x-team=blue", "x-gateway-key=env:OTHER_KEY"];
    let fingerprints = [plain.1, first.1, run(&other, "other", secret).1];
    assert!(fingerprints.iter().all(Value::is_string));
    assert!(fingerprints[0] != fingerprints[1] && fingerprints[1] != fingerprints[2]);
    let sent: Vec<Option<String>> = server
        .seen()
        .iter()
        .map(|seen| seen.header("x-gateway-key").map(str::to_owned))
        .collect();
    let expected = [None, Some(secret), Some("another-canary"), Some(secret)];
    assert_eq!(sent, expected.map(|value| value.map(str::to_owned)));
}
