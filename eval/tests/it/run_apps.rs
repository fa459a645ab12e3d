//! Apps in the benchmark `webapp`: the order of their inference calls, and checks of apps that show
//! dialogs or forge results.

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{Finished, finish};
use crate::run_benchmarks::lacks_chromium;

/// An app for the task `webapp-counter` with a policy that forbids `eval`.
const COUNTER: &str = "<!DOCTYPE html><meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\"><title>C</title>\
    <p id=count>0</p><button id=increment onclick='CLICK'>+</button>\
    <script>const add = () => { count.textContent = Number(count.textContent) + 1 }; LOAD</script>";

/// Description, code that an app runs on load and on click, and expected score.
const ROWS: [(&str, &str, &str, f64); 4] = [
    (
        "dialogs on load",
        "for (let i = 0; i < 15; i++) alert(i)",
        "add()",
        1.0,
    ),
    (
        "dialogs meanwhile",
        "",
        "if (confirm(1)) { alert(2); alert(3); add() }",
        1.0,
    ),
    (
        "a forged outcome",
        "Object.defineProperty(globalThis, 'outcomeOfTheCheck', { get: () => ({ done: true, check: ['0', '3'] }), set() {} }); \
         let read = 0; Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => (read++ ? '3' : '0') })",
        "0",
        0.0,
    ),
    ("another document", "", "location.reload()", 0.0),
];

/// Runs a sample of `webapp` with a scripted model that follows these rules.
fn run_sample(sample: &str, binary: &Binary, rules: &Value) -> Finished {
    let model = json!({ "description": "One app.", "rules": rules });
    let file = binary.path().join("model.yaml");
    std::fs::write(&file, model.to_string()).unwrap();
    let model = format!("scripted:{}", file.display());
    let arguments = "run --benchmark webapp --protocol json-action";
    let mut arguments: Vec<&str> = arguments.split(' ').collect();
    arguments.extend(["--sample-ids", sample, "--model", &model]);
    finish(binary, &arguments)
}

#[test]
fn serves_inference_in_call_order() {
    if lacks_chromium() {
        eprintln!("skipped: Chromium is not installed");
        return;
    }
    // The check waits until the app shows the number of its answered calls.
    let app = "<!DOCTYPE html><title>A</title><p id=answer></p><script>\
        const ask = (i) => fetch('wry://inference', { method: 'POST', body: 'call ' + i });\
        Promise.all([...Array(12).keys()].map(ask)).then((all) => { answer.textContent = all.length })</script>";
    let reply = json!({ "action": "launch_app", "app": app }).to_string();
    let rules = json!([
        { "when": { "roles": ["json_action"] }, "reply": reply },
        { "when": { "roles": ["app"] }, "reply": "an answer" },
    ]);
    let binary = Binary::new();
    let run = run_sample("webapp-words", &binary, &rules);
    let events = run.events("webapp-words", 1);
    let calls: Vec<String> = events
        .iter()
        .map(|event| json!(event))
        .filter(|event| event["kind"]["role"] == "app")
        .filter_map(|event| Some(event["kind"]["query"].as_str()?.to_owned()))
        .collect();
    let expected: Vec<String> = (0..12).map(|number| format!("call {number}")).collect();
    assert_eq!(calls, expected);
}

#[test]
fn check_ignores_dialogs_and_forged_results() {
    if lacks_chromium() {
        eprintln!("skipped: Chromium is not installed");
        return;
    }
    for (name, load, click, score) in ROWS {
        let app = COUNTER.replace("CLICK", click).replace("LOAD", load);
        let reply = json!({ "action": "launch_app", "app": app }).to_string();
        let binary = Binary::new();
        let run = run_sample(
            "webapp-counter",
            &binary,
            &json!([{ "when": {}, "reply": reply }]),
        );
        let scores: Vec<Option<f64>> = run
            .records()
            .into_values()
            .map(|record| record.score)
            .collect();
        let events = run.events("webapp-counter", 1);
        let told: Vec<Value> = events.iter().map(|event| json!(event)).collect();
        let state = told
            .iter()
            .find(|event| event.to_string().contains("\"check\""));
        assert_eq!(scores, [Some(score)], "{name}: {state:?}");
    }
}
