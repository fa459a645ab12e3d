//! Scores the answers in `scorers.json` and in the benchmarks' `cases.json`, and finds scorers by
//! name.

use benchmarks::{scorer, scorers};
use serde::Deserialize;
use serde_json::Value;

use crate::{cases, score};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    scorer: String,
    expected: Value,
    answers: Vec<(String, f64)>,
    /// Answers that the scorer cannot parse.
    #[serde(default)]
    unreadable: Vec<String>,
}

#[test]
fn answers_get_the_expected_scores() {
    let mut rows: Vec<Row> = serde_json::from_str(include_str!("scorers.json")).unwrap();
    for (entry, cases) in cases::all() {
        rows.extend(cases.scorer.into_iter().map(|worth| Row {
            scorer: entry.scorer.to_owned(),
            expected: worth.expected,
            answers: worth.answers,
            unreadable: Vec::new(),
        }));
    }
    let mut faults = Vec::new();
    for row in rows {
        let scorer = scorer(&row.scorer).unwrap();
        for answer in row.unreadable {
            let score = score(&*scorer, &answer, &row.expected);
            if !score.is_unreadable || score.value > 0.0 {
                faults.push(format!(
                    "{} expects {}, got {answer:?}: {score:?} and not unreadable",
                    row.scorer, row.expected
                ));
            }
        }
        for (answer, value) in row.answers {
            let score = score(&*scorer, &answer, &row.expected);
            if (score.value - value).abs() >= 1e-12 {
                faults.push(format!(
                    "{} expects {}, got {answer:?}: {score:?} and not {value}",
                    row.scorer, row.expected
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn finds_scorers_with_and_without_version() {
    for name in scorers().map(|scorer| scorer.name) {
        let full = scorer(name).unwrap().name().to_owned();
        assert_eq!(scorer(&full).unwrap().name(), full);
        assert_eq!(full.split('/').next(), Some(name));
    }
    assert!(scorer("exact/1").is_none() && scorer("").is_none());
}
