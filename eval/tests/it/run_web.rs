//! Web agents with custom actions on the pages of `webnav`.

use harness::model::{EventKind, WebEvent};

use crate::binary::Binary;
use crate::run::finish;
use crate::run_benchmarks::lacks_chromium;

const AGENT: &str = r#"
customActions:
  - name: leave
    description: Leaves.
    parameters: { type: object, properties: { x: {}, y: {} }, required: [x, y] }
    script: "() => { location.href = '/elsewhere'; return new Promise(() => {}) }"
  - name: ask
    description: Asks.
    parameters: { type: object }
    script: "() => confirm('Sure?')"
"#;

const MODEL: &str = r#"
description: Its own actions, with one after each.
rules:
  - when: { turn: 1 }
    tool_calls: [{ name: agent_turn, arguments: { memory: m, todos_remaining: [], actions: [{ tool: ask, args: {} }, { tool: border, args: { selector: body } }] } }]
  - when: { turn: 2 }
    tool_calls: [{ name: agent_turn, arguments: { memory: m, todos_remaining: [], actions: [{ tool: answer_dialog, args: { accept: true } }, { tool: leave, args: { x: 1, "y": 2 } }, { tool: border, args: { selector: body } }] } }]
  - when: { turn: 3 }
    tool_calls: [{ name: agent_turn, arguments: { memory: m, todos_remaining: [], actions: [] } }]
"#;

#[test]
fn skips_actions_after_navigation() {
    if lacks_chromium() {
        return;
    }
    let binary = Binary::new()
        .file("agent.yaml", AGENT)
        .file("model.yaml", MODEL);
    let path = |name: &str| binary.path().join(name).display().to_string();
    let model = format!("scripted:{}", path("model.yaml"));
    let agent = path("agent.yaml");
    let run = finish(
        &binary,
        &[
            "run",
            "--benchmark",
            "webnav",
            "--protocol",
            "agent-turn",
            "--sample-ids",
            "webnav-find-1",
            "--web-agent",
            &agent,
            "--model",
            &model,
        ],
    );
    let events = run.events("webnav-find-1", 1);
    let results = events.iter().filter_map(|event| match &event.kind {
        EventKind::Web {
            event: WebEvent::ActionResults { results },
        } => Some(results.as_slice()),
        _ => None,
    });
    let told: Vec<String> = results
        .flatten()
        .map(|result| {
            let how = serde_json::to_value(result.result).unwrap();
            format!("{} {}", result.action, how.as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            "ask done",
            "border skipped",
            "answer_dialog done",
            "leave done",
            "border skipped"
        ]
    );
}

/// Anthropic's API does not allow a forced tool call while the model reasons.
#[test]
fn announces_unsupported_forced_call() {
    let note = "note: anthropic/m: the API does not allow forcing a call of `agent_turn` while the model reasons; \
                a response without the call is requested again\n";
    for (flags, is_told) in [("", false), (" --reasoning-tokens 2048", true)] {
        let line = "run --benchmark webnav --protocol agent-turn --model anthropic/m --max-samples 1 --dry-run --trust-pages";
        let line = format!("{line}{flags}");
        let words: Vec<&str> = line.split(' ').collect();
        let binary = Binary::new().variable("ANTHROPIC_API_KEY", "k-0123456789");
        let ran = binary.run(&words, "");
        assert_eq!(ran.stderr.contains(note), is_told, "{}", ran.stderr);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
}
