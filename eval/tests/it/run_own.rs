//! Tests `rlm-eval run` with user-supplied rows: scoring, metadata, filtering, random selection,
//! and a warning about missing contexts.

use crate::binary::Binary;
use crate::run::{Finished, finish};

/// Returns nine questions about three words in three languages; the answers about `ox` are
/// deliberately wrong.
fn rows() -> String {
    let row = |(language, word, length): (&str, &str, usize)| {
        format!(
            r#"{{"id": "{language}/{word}", "query": "How long is {word}?", "context": "{word}", "expected": {length}, "language": "{language}"}}"#
        )
    };
    let words = [("bee", 3), ("ox", 3), ("lion", 4)];
    let all = ["de", "en", "fr"]
        .iter()
        .flat_map(|language| words.map(|(word, length)| (*language, word, length)));
    all.map(row).collect::<Vec<_>>().join("\n")
}

/// A model that returns the length of its context.
const MODEL: &str = r#"
description: Measures its context.
rules:
  - when: { roles: [direct] }
    reply: "I can not say"
  - reply: |
      ```javascript
      return("It is " + context.length);
      ```
"#;

fn run(more: &[&str]) -> Finished {
    let binary = Binary::new()
        .file("words.jsonl", rows())
        .file("m.yaml", MODEL);
    let args = [
        "run",
        "--benchmark",
        "words.jsonl",
        "--scorer",
        "numeric",
        "--model",
        "scripted:m.yaml",
    ];
    finish(&binary, &[&args, more].concat())
}

fn ids(run: &Finished) -> Vec<String> {
    let records = run.records();
    records.into_keys().map(|(id, _)| id).collect()
}

#[test]
fn runs_and_scores_rows_of_user_file() {
    let run = run(&[]);
    assert_eq!(run.ran.code, Some(0), "{:?}", run.ran);
    let identity = &run.dir.lock.run;
    assert_eq!(
        (identity.benchmark.as_str(), identity.scorer.as_str()),
        ("words", "numeric/4")
    );
    let scores: Vec<_> = run
        .records()
        .iter()
        .map(|((id, _), record)| (id.clone(), record.score))
        .collect();
    let wanted = ["de", "en", "fr"].map(|language| {
        [("bee", 1.0), ("lion", 1.0), ("ox", 0.0)]
            .map(|(word, score)| (format!("{language}/{word}"), Some(score)))
    });
    assert_eq!(scores, wanted.concat());
    let languages = run
        .records()
        .into_values()
        .map(|record| &record.metadata["language"]);
    assert!(languages.eq(["de", "de", "de", "en", "en", "en", "fr", "fr", "fr"]));
}

#[test]
fn filters_and_draws_samples() {
    let filtered = run(&["--filter", "language=de|fr", "--max-samples", "4"]);
    assert_eq!(ids(&filtered), ["de/bee", "de/lion", "de/ox", "fr/bee"]);
    let drawn = |most| ids(&run(&["--sample-seed", "5", "--max-samples", most]));
    let (three, five) = (drawn("3"), drawn("5"));
    assert_eq!((three.len(), five.len()), (3, 5));
    assert!(
        three.iter().all(|id| five.contains(id)),
        "{three:?} {five:?}"
    );
    assert_eq!(three, drawn("3"));
}

#[test]
fn warns_about_rows_without_context() {
    let rows = r#"{"query": "q", "expected": "1", "contexts": "c"}"#;
    let model = "description: d\nrules:\n- {when: {roles: [direct]}, reply: '1'}\n- reply: \"```js\\nreturn(1)\\n```\"\n";
    let binary = Binary::new()
        .file("q.jsonl", rows)
        .file("m.yaml", model)
        .file("c.jsonl", rows.replace("contexts", "context"));
    let warning = "warning: --protocol rlm is designed for a context, but no row of q has one";
    for (rows, protocol, warnings) in [
        ("q.jsonl", "rlm", 1),
        ("q.jsonl", "direct", 0),
        ("c.jsonl", "rlm", 0),
    ] {
        let args = ["--protocol", protocol, "--model", "scripted:m.yaml"];
        let ran = binary.run(&[&["run", "--benchmark", rows], &args[..]].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stderr.matches(warning).count(), warnings, "{ran:?}");
    }
    // A sweep prints the warning only once.
    let models = [
        "sweep",
        "--models",
        "scripted:m.yaml",
        "--prompt-modes",
        "solver,coordinator",
    ];
    let ran = binary.run(
        &[&models[..], &["--", "--benchmark", "q.jsonl"]].concat(),
        "",
    );
    assert_eq!(ran.stderr.matches(warning).count(), 1, "{ran:?}");
}
