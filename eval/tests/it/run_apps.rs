//! How the check of `webapp` judges apps that are in its way: with dialogs, or with an outcome of their own.

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::finish;
use crate::run_benchmarks::has_chromium;

/// An app for the task `webapp-counter`. Its policy forbids `eval`.
const COUNTER: &str = "<!DOCTYPE html><meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline'\"><title>C</title>\
    <p id=count>0</p><button id=increment onclick='CLICK'>+</button>\
    <script>const add = () => { count.textContent = Number(count.textContent) + 1 }; LOAD</script>";

/// What an app does on load and on a click; its score.
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

#[test]
fn apps_are_judged_by_what_they_show() {
    if !has_chromium() {
        assert!(std::env::var_os("CI").is_none(), "CI has no Chromium");
        eprintln!("skipped: there is no Chromium");
        return;
    }
    for (name, load, click, score) in ROWS {
        let app = COUNTER.replace("CLICK", click).replace("LOAD", load);
        let reply = json!({ "action": "launch_app", "app": app }).to_string();
        let model = json!({ "description": name, "rules": [{ "when": {}, "reply": reply }] });
        let binary = Binary::new().file("model.yaml", model.to_string());
        let model = format!("scripted:{}", binary.path().join("model.yaml").display());
        let run = finish(
            &binary,
            &[
                "run",
                "--benchmark",
                "webapp",
                "--protocol",
                "json-action",
                "--selected-problems",
                "webapp-counter",
                "--model",
                &model,
            ],
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
