//! Checks before a run: the models of a server, whether it accepts the key, and the run's expected
//! cost.

use std::fs;

use serde_json::Value;

use crate::binary::Binary;
use crate::faults::{KEY, binary};
use fault_server::{Behavior, FaultServer};

fn models(status: u16, body: &str) -> FaultServer {
    FaultServer::list(vec![Behavior::Status(status, Vec::new(), body.to_owned())])
}

#[test]
fn lists_models_of_server() {
    let body = r#"{"data": [{"id": "b-large"}, {"id": "a\u001b[31msmall"}]}"#;
    for (provider, header, value) in [
        ("openai", "authorization", format!("Bearer {KEY}")),
        ("anthropic", "x-api-key", KEY.to_owned()),
    ] {
        let server = models(200, body);
        let url = if provider == "openai" {
            server.openai()
        } else {
            server.anthropic()
        };
        let args = ["list", "models", "--provider", provider, "--base-url", &url];
        let ran = binary().run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(
            ran.stdout.contains("b-large") && ran.stdout.contains("small"),
            "{ran:?}"
        );
        assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
        let seen = server.seen();
        assert_eq!((seen.len(), seen[0].method.as_str()), (1, "GET"));
        assert!(seen[0].path.starts_with("/v1/models"), "{}", seen[0].path);
        assert_eq!(seen[0].header(header), Some(value.as_str()));
    }
    let server = models(401, r#"{"error": {"message": "who are you?"}}"#);
    let args = ["list", "models", "--provider", "openai", "--base-url"];
    let ran = binary().run(&[&args[..], &[&server.openai()]].concat(), "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("who are you?") && !ran.stderr.contains(KEY),
        "{ran:?}"
    );
}

#[test]
fn dry_run_needs_key_only_to_check_it() {
    let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
    args.extend(["--dry-run", "--model", "openai/gpt-5"]);
    for base in [
        &[][..],
        &["--model-alias", "small=anthropic/claude-haiku-4-5"],
    ] {
        let ran = Binary::new().run(&[&args[..], base].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("at least 4 calls"), "{ran:?}");
    }
    args.push("--check-key");
    let ran = Binary::new().run(&args, "");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("OPENAI_API_KEY"), "{ran:?}");
}

/// Returns the upper bound in a dry run with these flags: calls, tokens, cost, and the flags that
/// determine it.
fn bound(more: &[&str]) -> [Value; 4] {
    let mut args = vec![
        "run",
        "--benchmark",
        "s-niah",
        "--context-len",
        "2k",
        "--json",
        "--dry-run",
    ];
    args.extend(["--model", "openai/gpt-4o"]);
    args.extend(more);
    let ran = Binary::new().run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
    ["calls", "tokens", "cost_usd", "by"].map(|name| shown["most"][name].clone())
}

#[test]
fn dry_run_bounds_children_by_flags() {
    let none = || Value::Null;
    let rows: [(&[&str], [Value; 2], &[&str]); 6] = [
        (&[], [150_030.into(), none()], &["--total-calls"]),
        (
            &["--attempt-max-llm-calls", "7"],
            [14.into(), none()],
            &["--attempt-max-llm-calls"],
        ),
        (
            &["--attempt-max-llm-calls", "7", "--max-llm-calls", "9"],
            [9.into(), none()],
            &["--attempt-max-llm-calls", "--max-llm-calls"],
        ),
        (
            &["--max-cost", "2"],
            [150_030.into(), 2.0.into()],
            &["--max-cost", "--total-calls"],
        ),
        (
            &["--attempt-max-cost", "2"],
            [150_030.into(), 4.0.into()],
            &["--attempt-max-cost", "--total-calls"],
        ),
        (&["--protocol", "direct"], [2.into(), none()], &[]),
    ];
    for (more, [calls, cost], by) in rows {
        let [got_calls, _, got_cost, got_by] = bound(more);
        assert_eq!((got_calls, got_by), (calls, by.into()), "{more:?}");
        if !cost.is_null() {
            assert_eq!(got_cost, cost, "{more:?}");
        }
    }
}

#[test]
fn dry_run_assumes_longest_allowed_responses() {
    // Two samples of one call each; a million output tokens cost ten dollars.
    let cost =
        |most: &str| bound(&["--protocol", "direct", "--max-output-tokens", most])[2].clone();
    let [short, long] = ["100", "16000"].map(|most| cost(most).as_f64().unwrap());
    let difference = 2.0 * 15_900.0 * 10e-6;
    assert!((long - short - difference).abs() < 1e-9, "{short} {long}");
}

#[test]
fn dry_run_sends_only_requested_checks() {
    let rows: [(&[&str], usize); 2] = [(&[], 0), (&["--check-key"], 1)];
    for (more, requests) in rows {
        let server = FaultServer::list(vec![Behavior::Text("fine".to_owned()); 3]);
        let binary = binary();
        let url = server.openai();
        let mut args = vec![
            "run",
            "--benchmark",
            "s-niah",
            "--context-len",
            "2k",
            "--json",
        ];
        args.extend(["--attempts", "3", "--max-iterations", "4", "--dry-run"]);
        args.extend(["--model", "openai/gpt-4o", "--base-url", &url]);
        args.extend(more);
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(server.seen().len(), requests, "{more:?}");
        assert_eq!(fs::read_dir(binary.path()).unwrap().count(), 0, "{more:?}");
        let shown: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(shown["samples"].as_array().map(Vec::len), Some(2));
        // Two samples with three attempts each, of two to four calls each.
        let calls = ["least", "roots", "one_child_each", "most"].map(|name| &shown[name]["calls"]);
        // One child per iteration: four calls of the root and, for each of its four children, four
        // calls and four one-shot calls.
        let wanted: [Value; 4] = [
            12.into(),
            24.into(),
            (6 * (4 + 4 * (4 + 4))).into(),
            // Four calls of the root, plus four calls of each of 5,000 children.
            (6 * (4 + 5_000 * 4)).into(),
        ];
        assert_eq!(calls, wanted.each_ref(), "{shown}");
        assert!(shown["roots"]["cost_usd"].as_f64() > shown["least"]["cost_usd"].as_f64());
    }
}

#[test]
fn dry_run_reports_costs_outside_its_bound() {
    let again = "not included: requests that are retried";
    let short = "the budget is too small";
    let children = "callers choose the inputs of children";
    let rows: [(&[&str], &[&str], &[&str]); 6] = [
        (
            &[],
            &[
                "unlimited tokens, unlimited cost (by --total-calls)\n",
                children,
                again,
            ],
            &[short],
        ),
        (&["--max-cost", "100"], &[again, children], &[short]),
        (&["--max-tokens", "10"], &[short, children], &[]),
        (
            &["--max-llm-calls", "1"],
            &["at most 1 call, ", short, children],
            &[],
        ),
        (
            &["--attempt-max-llm-calls", "7"],
            &[
                "at most 14 calls, unlimited tokens, unlimited cost",
                children,
            ],
            &[short],
        ),
        (
            &["--protocol", "direct", "--samples-per-length", "1"],
            &["at least 1 call, ", "at most 1 call, ", again],
            &[short, children],
        ),
    ];
    for (more, has, lacks) in rows {
        let mut args = vec!["run", "--benchmark", "s-niah", "--context-len", "2k"];
        args.extend(["--dry-run", "--model", "openai/gpt-4o"]);
        args.extend(more);
        let ran = Binary::new().run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        for words in has {
            assert!(ran.stdout.contains(words), "{more:?}: {words}: {ran:?}");
        }
        for words in lacks {
            assert!(!ran.stdout.contains(words), "{more:?}: {words}: {ran:?}");
        }
    }
}
