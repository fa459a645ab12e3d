//! Which samples a run selects, how many attempts it makes, how it scores them, and the exit code.

use harness::model::{EventKind, Protocol, Role};
use serde_json::Value;

use crate::binary::Binary;
use crate::run::{finish, s_niah, tree};

/// Flags, exit code, and expected rows of `results.csv`: sample number and attempt number.
const CHOICES: &[(&[&str], i32, &[&str])] = &[
    (&[], 0, &["1.1", "2.1", "3.1"]),
    (
        &["--attempts", "3", "--max-samples", "2"],
        0,
        &["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"],
    ),
    (&["--max-samples", "1"], 0, &["1.1"]),
    (&["--max-samples", "100"], 0, &["1.1", "2.1", "3.1"]),
    (&["--sample-ids", "s-niah-8k-2"], 0, &["2.1"]),
    (&["--sample-ids", "8k-3"], 0, &["3.1"]),
    (
        &["--sample-ids", "8k-3,8k-1,s-niah-8k-3"],
        0,
        &["3.1", "1.1"],
    ),
    (
        &["--sample-ids", "8k-3,8k-1", "--max-samples", "1"],
        0,
        &["3.1"],
    ),
    (&["--min-score", "1"], 0, &["1.1", "2.1", "3.1"]),
    (
        &["--model", "scripted/s-niah-flawed", "--min-score", "0.6"],
        0,
        &["1.1", "2.1", "3.1"],
    ),
    (
        &["--model", "scripted/s-niah-flawed", "--min-score", "0.7"],
        100,
        &["1.1", "2.1", "3.1"],
    ),
    // The scorer fails for the wrong answer, so the run is incomplete.
    (
        &[
            "--model",
            "scripted/s-niah-flawed",
            "--scorer",
            "failing.js",
            "--min-score",
            "0.7",
        ],
        106,
        &["1.1", "2.1", "3.1"],
    ),
    // The computed mean of ten scores of 0.1 is 0.09999999999999999.
    (
        &[
            "--sample-ids",
            "8k-1",
            "--attempts",
            "10",
            "--scorer",
            "tenth.js",
            "--min-score",
            "0.1",
        ],
        0,
        &[
            "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10",
        ],
    ),
];

/// A scorer that fails for wrong answers.
const FAILING: &str = "function score(answer, expected) {
  if (!String(answer).includes(expected)) throw new Error('wrong');
  return 0.5;
}";

#[test]
fn selects_samples_and_attempts() {
    for (flags, code, chosen) in CHOICES {
        let binary = Binary::new()
            .file("tenth.js", "function score() { return 0.1; }")
            .file("failing.js", FAILING);
        let args = [&["--samples-per-length", "3"], *flags].concat();
        let run = finish(&binary, &s_niah(&args));
        assert_eq!(run.ran.code, Some(*code), "{flags:?}: {:?}", run.ran);
        let csv = run.read("results.csv");
        let rows: Vec<String> = csv::Reader::from_reader(csv.as_bytes())
            .records()
            .map(|row| row.unwrap())
            .map(|row| format!("{}.{}", row[8].replace("s-niah-8k-", ""), &row[9]))
            .collect();
        assert_eq!(rows, *chosen, "{flags:?}");
        assert_eq!(run.dir.records.len(), chosen.len(), "{flags:?}");
        assert_eq!(
            tree(&run.dir.path.join("trajectories")).len(),
            chosen.len(),
            "{flags:?}"
        );
        let summary: Value = serde_json::from_str(&run.read("summary.json")).unwrap();
        assert_eq!(summary["attempts_total"], chosen.len(), "{flags:?}");
        assert_eq!(
            run.ran
                .stderr
                .contains("is below the required --min-score 0.7"),
            [100, 106].contains(code),
            "{flags:?}"
        );
    }
}

#[test]
fn flawed_model_fails_only_second_samples() {
    for mode in ["solver", "coordinator"] {
        let binary = Binary::new();
        let args = [
            "--context-len",
            "8k,16k",
            "--samples-per-length",
            "3",
            "--model",
            "scripted/s-niah-flawed",
        ];
        let run = finish(
            &binary,
            &s_niah(&[&args[..], &["--prompt-mode", mode]].concat()),
        );
        assert_eq!(run.ran.code, Some(0), "{mode}");
        let scores: Vec<_> = run
            .records()
            .values()
            .map(|record| (record.id.clone(), record.score))
            .collect();
        let expected = [
            ("16k-1", 1.0),
            ("16k-2", 0.0),
            ("16k-3", 1.0),
            ("8k-1", 1.0),
            ("8k-2", 0.0),
            ("8k-3", 1.0),
        ];
        assert_eq!(
            scores,
            expected.map(|(id, score)| (format!("s-niah-{id}"), Some(score))),
            "{mode}"
        );
    }
}

#[test]
fn reports_empty_selection_and_leaves_nothing() {
    let recording = r#"{"benchmark": "x", "model": "m", "results": [{"taskId": "arc-1", "trace": [{"reasoning": "r"}]}]}"#;
    let binary = Binary::new().file("other.json", recording);
    let ran = binary.run(&s_niah(&["--model", "replay:other.json"]), "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), ""));
    assert!(
        ran.stderr
            .ends_with("note: no sample matches, so nothing was run\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(tree(binary.path()), ["other.json"]);
}

#[test]
fn prints_summary_as_json() {
    let binary = Binary::new();
    let run = finish(&binary, &s_niah(&["--json"]));
    assert_eq!(run.ran.code, Some(0));
    let mut printed: Value = serde_json::from_str(&run.ran.stdout).unwrap();
    let printed = printed.as_object_mut().unwrap();
    let identity = printed.remove("run").unwrap();
    assert_eq!(identity, serde_json::json!(run.dir.lock.run));
    let dir = printed.remove("dir").unwrap();
    assert!(run.dir.path.ends_with(dir.as_str().unwrap()), "{dir}");
    let stored: Value = serde_json::from_str(&run.read("summary.json")).unwrap();
    assert_eq!(Some(&*printed), stored.as_object());
}

#[test]
fn direct_protocol_is_one_call_with_whole_context() {
    let binary = Binary::new();
    let run = finish(&binary, &s_niah(&["--protocol", "direct"]));
    assert_eq!(run.ran.code, Some(0), "{:?}", run.ran);
    for record in &run.dir.records {
        let used = (record.score, record.agents, record.llm_calls);
        assert_eq!(used, (Some(1.0), Some(1), Some(1)), "{}", record.id);
        let events = run.events(&record.id, 1);
        let roles: Vec<Role> = events
            .iter()
            .filter_map(|event| match event.kind {
                EventKind::InvocationStart { role, .. } => Some(role),
                _ => None,
            })
            .collect();
        assert_eq!(roles, [Role::Root(Protocol::Direct)]);
        let sent: usize = events
            .iter()
            .filter_map(|event| match &event.kind {
                EventKind::LlmRequest { new_messages, .. } => Some(new_messages),
                _ => None,
            })
            .flatten()
            .map(|message| message.content.chars().count())
            .sum();
        let context = record.metadata["context_characters"].as_u64().unwrap();
        assert!(sent as u64 > context, "only {sent} characters were sent");
    }
}
