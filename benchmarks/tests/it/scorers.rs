//! Scorers by name, on rows of expected value, answers and what each is worth.

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
}

#[test]
fn answers_are_worth_what_the_rules_say() {
    let mut rows: Vec<Row> = serde_json::from_str(include_str!("scorers.json")).unwrap();
    for (entry, cases) in cases::all() {
        rows.extend(cases.scorer.into_iter().map(|worth| Row {
            scorer: entry.scorer.to_owned(),
            expected: worth.expected,
            answers: worth.answers,
        }));
    }
    for row in rows {
        let scorer = scorer(&row.scorer).unwrap();
        for (answer, value) in row.answers {
            let score = score(&*scorer, &answer, &row.expected);
            assert!(
                (score.value - value).abs() < 1e-12,
                "{} expects {}, got {answer:?}: {score:?} and not {value}",
                row.scorer,
                row.expected
            );
        }
    }
}

#[test]
fn scorers_are_found_with_and_without_version() {
    for name in scorers().map(|scorer| scorer.name) {
        let full = scorer(name).unwrap().name().to_owned();
        assert_eq!(scorer(&full).unwrap().name(), full);
        assert_eq!(full.split('/').next(), Some(name));
    }
    assert!(scorer("exact/2").is_none() && scorer("").is_none());
}
