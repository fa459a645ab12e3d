//! Script hooks (changes, state and failures), and settings for recording and keeping reasoning.

use std::fs;
use std::path::Path;

use harness::hook::{HookEvent, HookRegistry, ScriptHook};
use harness::model::EventKind;
use harness::provider::Request;
use harness::settings::{Compact, CompactionSettings, CompactionSize, IterationSettings};
use harness::{AgentSettings, Compaction, Conduct, Engine, Protocol, Treatment};
use serde_json::json;

use crate::recorder::{Recorder, task};

/// Runs an agent of the `tools` protocol with a short context. Returns its result, requests and
/// events.
async fn run(
    rules: &str,
    agent: AgentSettings,
    hooks: &[&str],
) -> (Result<String, String>, Vec<Request>, Vec<EventKind>) {
    let treatment = Treatment {
        protocol: Protocol::Tools,
        root: agent,
        ..Treatment::default()
    };
    run_treatment(rules, treatment, hooks, "card 4111 1111 1111 1111").await
}

/// Runs an attempt of at most 3 iterations. Returns its result, requests and events.
async fn run_treatment(
    rules: &str,
    treatment: Treatment,
    hooks: &[&str],
    context: &str,
) -> (Result<String, String>, Vec<Request>, Vec<EventKind>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model.yaml");
    fs::write(&file, format!("description: d\nrules: {rules}")).unwrap();
    let recorder = Recorder::of(&file);
    let of_tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hooks");
    let registry = HookRegistry::bundled().with_dir(&of_tests).await.unwrap();
    let names: Vec<String> = hooks.iter().map(|name| (*name).to_owned()).collect();
    let treatment = Treatment {
        hooks: registry.resolve(&names).unwrap(),
        iterations: IterationSettings {
            max_iterations: 3,
            ..IterationSettings::default()
        },
        ..treatment
    };
    let engine = Engine::new(treatment, Conduct::default(), recorder.models(), |_| ()).unwrap();
    let task = task("the question", context);
    let (outcome, asked, events) = recorder.run(&engine, &task).await;
    let answer = outcome
        .answer
        .ok_or_else(|| outcome.error.unwrap_or_default());
    (
        answer,
        asked,
        events.into_iter().map(|event| event.kind).collect(),
    )
}

#[tokio::test]
async fn hooks_change_events_and_keep_state() {
    let rules = r#"[
        {when: {turn: 1}, tool_calls: [{name: find, arguments: {}}]},
        {compute: "return(context)"}]"#;
    let hooks = ["redact_credit_cards", "log_tool_calls", "shout"];
    let (answer, asked, events) = run(rules, AgentSettings::default(), &hooks).await;
    assert_eq!(answer.unwrap(), "ERROR: THERE IS NO TOOL `FIND`");
    let first = &asked[0].messages[0].content;
    assert!(first.contains("card [credit card]"), "{first}");
    let notes: Vec<String> = events
        .iter()
        .filter_map(|kind| match kind {
            EventKind::HookNote { hook, note } => Some(format!("{hook}: {note}")),
            _ => None,
        })
        .collect();
    assert_eq!(
        notes,
        [
            "shout: message 1 of the user",
            "shout: message 2 of the assistant",
            "log_tool_calls: find({}) failed with 30 characters",
            "shout: message 3 of the user",
            "shout: message 4 of the assistant",
        ]
    );
    // A prompt that lists hooks uses only the listed ones.
    let none = AgentSettings {
        hooks: Some(Vec::new()),
        ..AgentSettings::default()
    };
    let (_, asked, events) = run(rules, none, &hooks).await;
    assert!(asked[0].messages[0].content.contains("4111"));
    let noted = |kind: &EventKind| matches!(kind, EventKind::HookNote { .. });
    assert!(!events.iter().any(noted));
}

#[tokio::test]
async fn runs_hooks_in_specification_format() {
    let rules = r#"[
        {when: {turn: 1}, tool_calls: [{name: find, arguments: {}}]},
        {compute: "return(context)"}]"#;
    let hooks = ["newest_alone", "no_numbers"];
    let (answer, asked, events) = run(rules, AgentSettings::default(), &hooks).await;
    assert_eq!(answer.unwrap(), "error: there is no tool `find`");
    assert!(asked[0].messages[0].content.contains("card # # # #"));
    let counts: Vec<usize> = asked.iter().map(|one| one.messages.len()).collect();
    assert_eq!(counts, [1, 1]);
    let notes: Vec<&String> = events
        .iter()
        .filter_map(|kind| match kind {
            EventKind::HookNote { note, .. } => Some(note),
            _ => None,
        })
        .collect();
    assert_eq!(notes, ["1 messages", "3 messages"]);
}

/// Columns: protocol, how its conversation is shortened, and rules of the model.
#[tokio::test]
async fn hooks_change_messages_that_replace_others() {
    let cell = |code: &str| json!(format!("```javascript\n{code}\n```"));
    let fails = cell("console.log('x'.repeat(1500)); throw new Error('no 7')");
    let declares = cell("const declared = 'no 7'");
    let prints = cell("console.log('x')");
    let ends = cell("return('done')");
    let compaction = |compaction| Compaction {
        settings: CompactionSettings {
            compaction,
            compaction_at: Some(CompactionSize::Tokens(1)),
            compaction_keep: 1,
        },
        ..Compaction::default()
    };
    let rows = [
        (
            Protocol::Direct,
            Compaction::default(),
            "[{when: {over_chars: 9000}, error: {status: 413, message: too long}}, {reply: done}]"
                .to_owned(),
        ),
        (
            Protocol::Rlm,
            compaction(Compact::Outputs),
            format!("[{{when: {{turn: 3}}, reply: {ends}}}, {{reply: {fails}}}]"),
        ),
        (
            Protocol::Rlm,
            compaction(Compact::Summary),
            format!(
                "[{{when: {{roles: [compaction]}}, reply: no 7}}, {{when: {{turn: 1}}, reply: {declares}}}, \
                 {{when: {{turn: 2}}, reply: {prints}}}, {{reply: {ends}}}]"
            ),
        ),
    ];
    for (protocol, compaction, rules) in rows {
        let case = format!("{protocol:?} {compaction:?}");
        let treatment = Treatment {
            protocol,
            compaction,
            ..Treatment::default()
        };
        let context = "7".to_owned() + &"x".repeat(12_000);
        let (answer, asked, events) =
            run_treatment(&rules, treatment, &["no_numbers"], &context).await;
        assert_eq!(answer.as_deref(), Ok("done"), "{case}");
        let messages = asked.iter().flat_map(|request| &request.messages);
        let mut texts: Vec<String> = messages.map(|message| message.content.clone()).collect();
        let mut is_shortened = false;
        for event in events {
            match event {
                EventKind::ContextTrimmed { .. } => is_shortened = true,
                EventKind::ContextCompacted { summary, .. } => {
                    is_shortened = true;
                    texts.extend(summary.into_iter().flat_map(|one| [one.text, one.shown]));
                }
                _ => {}
            }
        }
        assert!(is_shortened, "{case}");
        for text in texts {
            assert!(
                !text.contains(|c: char| c.is_ascii_digit()),
                "{case}: {text}"
            );
        }
    }
}

#[tokio::test]
async fn failing_hook_ends_attempt() {
    let rules = "[{reply: I fail}]";
    let (answer, ..) = run(rules, AgentSettings::default(), &["shout"]).await;
    let error = answer.unwrap_err();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/hooks/shout.js");
    assert_eq!(
        error,
        format!(
            "hook `shout` failed at after_response: {}: line 13: Error: a model must not fail",
            file.display()
        )
    );
}

#[tokio::test]
async fn rejects_invalid_hook_files() {
    let none = format!(
        "expected at least one of the functions {}",
        HookEvent::NAMES.join(", ")
    );
    let rows = [
        ("let a = 1;", none.as_str()),
        (
            "\nnothing();",
            "line 2: ReferenceError: nothing is not defined",
        ),
        ("for (;;) {}", "it ran for more than 5 s"),
        ("function (", "SyntaxError"),
        (
            "import { defineHook } from '@standardagents/spec';\nexport default defineHook({ hook: 'sometimes', id: 'a', execute() {} });",
            "TypeError: unknown `hook` \"sometimes\": expected one of before_message, before_request, after_response, after_tool_success, \
             after_tool_failure, before_tool_result, filter_messages, prefilter_llm_history, before_create_message, \
             before_store_tool_result, after_tool_call_success, after_tool_call_failure",
        ),
        (
            "export default defineHook({ hook: 'filter_messages', execute() {} });",
            "line 1: ReferenceError: defineHook is not defined",
        ),
        (
            "import { defineHook } from '@standardagents/spec';\nexport default defineHook({ hook: 'filter_messages', execute() {} });",
            "TypeError: invalid `id`: expected a name of at most 64 letters, digits, _ and -",
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.js");
    for (source, expected) in rows {
        fs::write(&file, source).unwrap();
        let error = ScriptHook::read(&file).await.unwrap_err().to_string();
        let reason = error.strip_prefix(&format!("{}: ", file.display()));
        let reason = reason.unwrap_or_else(|| panic!("{error}"));
        if expected.contains(' ') {
            assert_eq!(reason, expected, "{source}");
        } else {
            assert!(reason.contains(expected), "{source}: {reason}");
        }
    }
    let registry = HookRegistry::bundled();
    let error = registry.resolve(&["log_tool_cals".to_owned()]).map(|_| ());
    assert_eq!(
        error.unwrap_err().to_string(),
        "unknown hook `log_tool_cals`; did you mean `log_tool_calls`?"
    );
}

#[test]
fn hook_changes_only_returned_fields() {
    let moment = HookEvent::AfterResponse {
        text: "a".to_owned(),
        reasoning: None,
        tool_calls: Vec::new(),
    };
    let rows = [
        (json!({}), Ok("a")),
        (json!({"text": "b"}), Ok("b")),
        (
            json!({"txt": "b"}),
            Err("it returned an unknown field `txt`"),
        ),
        (
            json!({"text": 5}),
            Err("invalid type: integer `5`, expected a string"),
        ),
        (json!("b"), Err("it did not return an object")),
    ];
    for (changes, expected) in rows {
        let changed = moment.changed(changes.clone());
        let text = changed.as_ref().map(|moment| match moment {
            HookEvent::AfterResponse { text, .. } => text.as_str(),
            other => panic!("{other:?}"),
        });
        assert_eq!(text.map_err(String::as_str), expected, "{changes}");
    }
}

#[tokio::test]
async fn records_and_keeps_reasoning_as_configured() {
    // The first response is blank, so that the agent continues.
    let rules =
        r#"[{when: {turn: 1}, reply: " ", reasoning: "hm"}, {reply: an answer, reasoning: "hm"}]"#;
    for (exclude, include) in [(false, false), (false, true), (true, false), (true, true)] {
        let settings = AgentSettings {
            exclude_reasoning: exclude,
            include_reasoning: include,
            ..AgentSettings::default()
        };
        let (answer, asked, events) = run(rules, settings, &[]).await;
        assert_eq!(answer.as_deref(), Ok("an answer"));
        let recorded = events.iter().find_map(|kind| match kind {
            EventKind::LlmResponse { reasoning, .. } => Some(reasoning.is_some()),
            _ => None,
        });
        let kept = (
            asked[1].keep_reasoning,
            asked[1].messages[1].reasoning_signature.is_some(),
        );
        assert_eq!(
            (recorded, kept),
            (Some(!exclude), (include, include)),
            "exclude {exclude}, include {include}"
        );
    }
}
