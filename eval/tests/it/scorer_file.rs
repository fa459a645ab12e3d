//! JavaScript files as scorers: results and failures.

use std::collections::BTreeMap;
use std::time::Duration;

use benchmarks::Sample;
use eval::grader::{Grader as _, JavaScript, NoLog, ScorableAnswer};
use eval::settings::{GraderSettings, ScorerLimits};
use harness::model::Status;
use harness::sandbox::Isolation;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{Finished, finish};
use crate::run_benchmarks::folder;

/// A row of `scorer/files.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    file: String,
    /// Result of scoring the answer `Ada`.
    #[serde(default)]
    gives: Value,
    /// Reason why the file is rejected as a scorer.
    #[serde(default)]
    refused: Option<String>,
}

#[tokio::test]
async fn scorer_files_score_or_locate_error() {
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("scorer/files.json")).expect("the rows are JSON");
    let folder = tempfile::tempdir().expect("a folder can be created");
    let path = folder.path().join("score.js");
    let settings = GraderSettings {
        given: None,
        further: Vec::new(),
        judge: None,
        limits: ScorerLimits {
            time: Duration::from_secs(4),
            heap_bytes: 32 << 20,
        },
        isolation: Isolation::Thread,
    };
    let sample = Sample {
        id: "a".to_owned(),
        query: "Who?".to_owned(),
        expected: json!("Ada"),
        metadata: BTreeMap::from([("level".to_owned(), json!(2))]),
        ..Sample::default()
    };
    for case in cases {
        std::fs::write(&path, &case.file).expect("a file can be written");
        let scorer = JavaScript::read(&path, &settings).expect("the file can be read");
        let refused = scorer.check().await.err().map(|error| error.to_string());
        let wanted = case.refused.map(|reason| format!("scorer: {reason}"));
        assert_eq!(refused, wanted, "{}", case.file);
        if refused.is_some() {
            continue;
        }
        let answered = ScorableAnswer {
            sample: &sample,
            attempt: 1,
            answer: "Ada",
        };
        let grade = scorer.grade(&answered, &NoLog).await;
        let mut found = match grade.score {
            Ok(score) => json!({ "score": score.value, "explanation": score.explanation }),
            Err(problem) => json!({ "error": problem }),
        };
        if let Some(details) = grade.details {
            found["details"] = details;
        }
        let mut gives = case.gives.to_string();
        if cfg!(feature = "v8") {
            // See "What differs between the engines" in `sandbox/README.md`.
            gives = gives.replace("score.js:1: Error: llm()", "score.js: Error: llm()");
        }
        let gives: Value = serde_json::from_str(&gives).expect("the result is JSON");
        assert_eq!(found, gives, "{}", case.file);
    }
}

const ROWS: &str = r#"{"id": "a", "query": "Who?", "expected": "Ada", "level": 1}
{"id": "b", "query": "Who?", "expected": "Bob", "level": 2}
"#;

const MODEL: &str = "{description: Says Ada., rules: [{reply: Ada}]}";

/// Scores 1 for a right answer, otherwise a quarter of the sample's level.
const SCORER: &str = "\
function score(answer, expected, metadata) {
  if (answer === expected) return 1;
  return { score: metadata.level / 4, off: expected };
}";

const RUN: [&str; 7] = [
    "run",
    "--protocol",
    "direct",
    "--benchmark",
    "mine",
    "--model",
    "scripted:m.yaml",
];

fn binary(scorer: &str) -> Binary {
    Binary::new()
        .file("mine/benchmark.yaml", "scorer: lib/score.js\n")
        .file("mine/rows.jsonl", ROWS)
        .file("mine/lib/score.js", scorer)
        .file("exact.js", "const score = (a, b) => a === b ? 1 : 0;")
        .file("m.yaml", MODEL)
}

fn run(scorer: &str, more: &[&str]) -> Finished {
    finish(&binary(scorer), &[&RUN, more].concat())
}

/// Status, score, details and error.
type Row = (Status, Option<f64>, Option<Value>, Option<String>);

fn scored(run: &Finished) -> Vec<Row> {
    let records = run.records().into_values();
    records
        .map(|record| {
            let record = record.clone();
            (
                record.status,
                record.score,
                record.score_details,
                record.error,
            )
        })
        .collect()
}

#[test]
fn flag_overrides_scorer_file_of_description() {
    let right = (Status::Ok, Some(1.0), None, None);
    let own = run(SCORER, &[]);
    assert_eq!(own.ran.code, Some(0), "{:?}", own.ran);
    let off = Some(json!({ "off": "Bob" }));
    assert_eq!(
        scored(&own),
        [right.clone(), (Status::Ok, Some(0.5), off, None)]
    );
    let typed = run(SCORER, &["--scorer", "file:exact.js"]);
    assert_eq!(scored(&typed), [right, (Status::Ok, Some(0.0), None, None)]);
    let names = [&own, &typed].map(|run| run.dir.lock.run.scorer.clone());
    assert!(names.iter().all(|name| name.starts_with("javascript/")));
    assert_ne!(names[0], names[1]);
    let parts = own
        .dir
        .lock
        .fingerprint
        .differences(&typed.dir.lock.fingerprint);
    let parts: Vec<&str> = parts.iter().map(|part| part.part.as_str()).collect();
    assert_eq!(parts, ["scorer.javascript"]);
}

#[test]
fn failing_scorer_does_not_score_zero() {
    let broken = run(
        "function score(answer, expected) {\n  if (expected === 'Bob') throw new Error('no');\n  return 1;\n}",
        &[],
    );
    assert_eq!(broken.ran.code, Some(106), "{:?}", broken.ran);
    let why = "the scorer failed: score.js:2: Error: no".to_owned();
    assert_eq!(
        scored(&broken),
        [
            (Status::Ok, Some(1.0), None, None),
            (Status::Error, None, None, Some(why))
        ]
    );
    let none = binary("const score = 1;").run(&RUN, "");
    assert_eq!(none.code, Some(2));
    assert_eq!(
        none.stderr,
        "error: scorer: score.js: `score` is no function; the file must declare function score(answer, expected, metadata)\n"
    );
}

#[test]
fn errors_do_not_reveal_encrypted_answers() {
    let data = format!("{}/fixture", folder("browsecomp-plus"));
    for scorer in [
        "const score = (answer, expected) => { throw new Error(expected); };",
        "const score = (answer, expected) => expected;",
    ] {
        let binary = Binary::new().file("own.js", scorer).file("m.yaml", MODEL);
        let args = [
            "run",
            "--benchmark",
            "browsecomp-plus",
            "--data-dir",
            &data,
            "--sample-ids",
            "769",
            "--protocol",
            "direct",
            "--model",
            "scripted:m.yaml",
            "--scorer",
            "own.js",
        ];
        let run = finish(&binary, &args);
        let why = "the scorer failed: message withheld: the expected text stays encrypted";
        let error = (Status::Error, None, None, Some(why.to_owned()));
        assert_eq!(scored(&run), [error], "{:?}", run.ran);
        let dir = run.dir.path.display().to_string();
        let ran = binary.run(&["score", &dir, "--scorer", "own.js"], "");
        assert!(ran.stderr.contains(why), "{ran:?}");
        assert!(!ran.stderr.contains("Ira Quist"), "{ran:?}");
    }
}
