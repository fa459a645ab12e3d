//! Several scorers in one run: the first determines the score, and the results of the others are
//! only recorded.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{Finished, finish};

/// Rows for the answer `Ada.`: the first differs from it in case and punctuation, and the second
/// matches it exactly.
const ROWS: &str = r#"{"id": "a", "query": "Who?", "expected": "ada"}
{"id": "b", "query": "Who?", "expected": "Ada."}
"#;

const MODEL: &str = "{description: Says Ada., rules: [{reply: Ada.}]}";

const JUDGE: &str = "{description: d, rules: [{when: {roles: [judge]}, reply: '{\"reason\": \"because\", \"score\": 0.5}', \
                     cost_usd: 0.25}]}";

fn binary() -> Binary {
    Binary::new()
        .file("q.jsonl", ROWS)
        .file("m.yaml", MODEL)
        .file("j.yaml", JUDGE)
        .file("half.js", "const score = () => 0.5;")
        .file(
            "broken.js",
            "function score(answer, expected) {\n  if (expected === 'ada') throw new Error('no');\n  return 1;\n}",
        )
}

const RUN: [&str; 7] = [
    "run",
    "--benchmark",
    "q.jsonl",
    "--protocol",
    "direct",
    "--model",
    "scripted:m.yaml",
];

fn run(binary: &Binary, more: &[&str]) -> Finished {
    finish(binary, &[&RUN, more].concat())
}

/// Returns the name of a scorer without its version.
fn plain(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

#[test]
fn first_scorer_decides_and_others_are_recorded() {
    let alone = run(&binary(), &["--scorer", "exact"]);
    let scored = |score: f64, explanation: &str| json!([score, explanation, null]);
    let rows: [(&[&str], Value); 6] = [
        (&["--scorer", "exact"], json!({})),
        (
            &["--scorer", "exact, short-answer,"],
            json!({"short-answer": [[1.0, 1.0], 1.0]}),
        ),
        (
            &["--scorer", "exact", "--scorer", "short-answer"],
            json!({"short-answer": [[1.0, 1.0], 1.0]}),
        ),
        (
            &["--scorer", "exact,half.js,short-answer"],
            json!({"javascript": [[0.5, 0.5], 0.5], "short-answer": [[1.0, 1.0], 1.0]}),
        ),
        (
            &[
                "--scorer",
                "exact,judge",
                "--judge-model",
                "scripted:j.yaml",
            ],
            json!({"judge": [[0.5, 0.5], 0.5]}),
        ),
        // If an additional scorer fails, its score is missing, and the attempt does not end in an
        // error.
        (
            &["--scorer", "exact,broken.js"],
            json!({"javascript": [[null, 1.0], 1.0]}),
        ),
    ];
    for (more, wanted) in rows {
        let binary = binary();
        let run = run(&binary, more);
        assert_eq!(run.ran.code, Some(0), "{more:?}: {:?}", run.ran);
        assert_eq!(
            run.dir.lock.fingerprint, alone.dir.lock.fingerprint,
            "{more:?}"
        );
        assert_eq!(run.dir.lock.run.scorer, "exact/2");
        let records: Vec<_> = run.records().into_values().collect();
        let scores: Vec<_> = records.iter().map(|record| record.score).collect();
        assert_eq!(scores, [Some(0.0), Some(1.0)], "{more:?}");
        let summary: Value = serde_json::from_str(&run.read("summary.json")).unwrap();
        assert_eq!(summary["score"]["mean"], 0.5);
        // For each further scorer: the attempts' scores, and their mean.
        let names = records.iter().flat_map(|record| record.scores.keys());
        let found: BTreeMap<&str, Value> = names
            .map(|name| {
                let scores = records.iter().map(|record| record.scores[name].score);
                let scores: Vec<_> = scores.collect();
                let of_run = &summary["scores"][name];
                assert_eq!(of_run["scored"], json!(scores.iter().flatten().count()));
                (plain(name), json!([scores, of_run["score"]["mean"]]))
            })
            .collect();
        assert_eq!(json!(found), wanted, "{more:?}");
        for name in found.keys() {
            assert!(
                run.ran.stdout.contains(&format!("\n score, {name}/")),
                "{}",
                run.ran.stdout
            );
        }
        let config: Value = serde_json::from_str(&run.read("config.json")).unwrap();
        let further = config["scorer"]["further"].as_array().map_or(0, Vec::len);
        assert_eq!(further, found.len(), "{more:?}");
        // A resumed run uses the same scorers and has no work left.
        let dir = run.dir.path.display().to_string();
        let again = binary.run(&["run", "--resume", &dir], "");
        assert_eq!(again.code, Some(0), "{more:?}: {again:?}");
        assert_eq!(again.stdout, run.ran.stdout, "{more:?}");
        let report = binary.run(&["report", &dir, "--html", "r.html"], "");
        let page = std::fs::read_to_string(binary.path().join("r.html")).unwrap();
        for name in found.keys() {
            let row = format!("score, {name}/");
            assert!(
                report.stdout.contains(&row) && page.contains(&row),
                "{report:?}"
            );
        }
    }
    let judge = binary();
    let judged = run(
        &judge,
        &[
            "--scorer",
            "exact,judge",
            "--judge-model",
            "scripted:j.yaml",
        ],
    );
    let fails = binary();
    let broken = run(&fails, &["--scorer", "exact,broken.js"]);
    let further = |run: &Finished| -> Value {
        let records = run.records();
        let record = records[&("a".to_owned(), 1)];
        let score = record.scores.values().next().unwrap();
        assert_eq!(record.error, None);
        json!([score.score, score.explanation, score.error])
    };
    assert_eq!(further(&judged), scored(0.5, "because"));
    let why = "the scorer failed: broken.js:2: Error: no";
    assert_eq!(further(&broken), json!([null, null, why]));
    let summary: Value = serde_json::from_str(&judged.read("summary.json")).unwrap();
    assert_eq!(summary["judge"]["cost_usd"], 0.5);
}

#[test]
fn accepts_further_scorers_after_benchmark_scorer() {
    let args = [
        "run",
        "--benchmark",
        "s-niah",
        "--context-len",
        "2k",
        "--samples-per-length",
        "1",
        "--model",
        "scripted",
    ];
    let alone = finish(&Binary::new(), &args);
    let more = finish(
        &Binary::new(),
        &[&args[..], &["--scorer", "needle,string-match-part"]].concat(),
    );
    assert_eq!(alone.dir.lock.fingerprint, more.dir.lock.fingerprint);
    let scores = &more.dir.records[0].scores;
    let names: Vec<&str> = scores.keys().map(|name| plain(name)).collect();
    assert_eq!(names, ["string-match-part"]);
}

#[test]
fn explains_invalid_scorers() {
    let rows: [(&[&str], &str); 4] = [
        (
            &["--scorer", "exact,exact"],
            "error: --scorer: duplicate scorer exact\n",
        ),
        (
            &["--scorer", "exact,exat"],
            "error: --scorer: unknown scorer `exat`; did you mean `exact`?\n",
        ),
        (
            &["--scorer", "exact,judge"],
            "error: scorer `judge`: the model is missing\n",
        ),
        (
            &["--scorer", "exact,half.js", "--judge-model", "scripted"],
            "error: --judge-model: the scorer exact/2 does not use a model\n",
        ),
    ];
    for (more, message) in rows {
        let ran = binary().run(&[&RUN[..], more].concat(), "");
        assert_eq!(ran.code, Some(2), "{more:?}: {ran:?}");
        assert!(ran.stderr.starts_with(message), "{more:?}: {}", ran.stderr);
    }
}
