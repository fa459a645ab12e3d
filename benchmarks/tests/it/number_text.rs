//! Numbers must keep all their digits from a row to its score.

#![expect(clippy::float_cmp, reason = "scores are exactly 0 or 1")]

use std::fs;

use benchmarks::{Options, Sample, Scorer, scorer};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::open;

/// Returns the sample of a dataset with only this row.
fn only_sample(row: &str, scorer: &str) -> Sample {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.jsonl");
    fs::write(&path, row).unwrap();
    let options = Options {
        scorer: Some(scorer.to_owned()),
        ..Options::default()
    };
    let dataset = open(path.to_str().unwrap(), &options).unwrap();
    dataset.sample(0).unwrap()
}

/// Returns the sample after a round trip through a record's JSON.
fn recorded(sample: &Sample) -> Sample {
    let line = json!({"id": sample.id, "expected": sample.expected}).to_string();
    let line: Value = serde_json::from_str(&line).unwrap();
    Sample {
        id: line["id"].as_str().unwrap().to_owned(),
        expected: line["expected"].clone(),
        ..sample.clone()
    }
}

fn value(scorer: &dyn Scorer, answer: &str, sample: &Sample) -> f64 {
    scorer.score(answer, &recorded(sample)).value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn numbers_keep_their_digits(number in "-?[1-9][0-9]{0,40}(\\.[0-9]{0,30}[1-9])?") {
        let row = format!("{{\"query\": \"q\", \"id\": {number}, \"context\": {{\"n\": [{number}]}}, \"expected\": {number}}}");
        let numeric = scorer("numeric").unwrap();
        let sample = only_sample(&row, "numeric");
        prop_assert_eq!(&sample.id, &number);
        prop_assert_eq!(sample.context.replace(' ', ""), format!("{{\"n\":[{number}]}}"));
        prop_assert_eq!(value(&*numeric, &number, &sample), 1.0);
        let exact = scorer("exact").unwrap();
        prop_assert_eq!(value(&*exact, &number, &sample), 1.0);
    }

    #[test]
    fn numbers_with_different_last_digits_are_unequal(number in "[1-9][0-9]{0,40}[0-8]") {
        let (rest, last) = number.split_at(number.len() - 1);
        let other = format!("{rest}{}", last.parse::<u8>().unwrap() + 1);
        for (expected, answer) in [
            (number.clone(), other.clone()),
            (format!("\"{number}\""), other.clone()),
            (format!("{{\"a\": [{number}]}}"), format!("{{\"a\": [{other}]}}")),
        ] {
            let row = format!("{{\"query\": \"q\", \"expected\": {expected}}}");
            let name = if expected.contains('{') { "exact" } else { "numeric" };
            let sample = only_sample(&row, name);
            let scorer = scorer(name).unwrap();
            prop_assert_eq!(value(&*scorer, &answer, &sample), 0.0);
            let right = expected.trim_matches('"').replace(": ", " :\n");
            prop_assert_eq!(value(&*scorer, &right, &sample), 1.0);
        }
    }
}
