//! RULER's variants: expected values are in the context but not in the query, and the same seed
//! generates the same samples.

use benchmarks::{Options, Sample};
use serde_json::Value;

use crate::open;

const NAMES: [&str; 4] = [
    "ruler-multi-key",
    "ruler-multi-query",
    "ruler-multi-value",
    "ruler-variable-tracking",
];

fn samples(name: &str, seed: u64, lengths: &[usize]) -> Vec<Sample> {
    let options = Options {
        seed,
        context_lengths: lengths.into(),
        ..Options::default()
    };
    let dataset = open(name, &options).unwrap();
    (0..dataset.ids().len())
        .map(|index| dataset.sample(index).unwrap())
        .collect()
}

#[test]
fn answers_are_only_in_the_context() {
    for name in NAMES {
        for sample in samples(name, 1, &[2_000, 8_000, 100_000]) {
            let id = &sample.id;
            let length = sample.metadata["context_length"].as_u64().unwrap();
            let context = &*sample.context;
            let used = context.len() as u64;
            assert!(used <= length && used + 500 > length, "{id}: {used}");
            assert!(!sample.query.contains('<'), "{id}: {}", sample.query);
            let answers: Vec<&str> = sample
                .expected
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let wanted = match name {
                "ruler-multi-key" => 1,
                "ruler-variable-tracking" => 5,
                _ => 4,
            };
            assert_eq!(answers.len(), wanted, "{id}");
            for answer in answers {
                assert!(!sample.query.contains(answer), "{id}: {answer}");
                let uses = context.matches(answer).count();
                let most = if name == "ruler-variable-tracking" {
                    2
                } else {
                    1
                };
                assert!((1..=most).contains(&uses), "{id}: {answer} {uses} times");
            }
        }
    }
}

#[test]
fn chains_lead_to_the_answer_in_order() {
    for sample in samples("ruler-variable-tracking", 2, &[8_000]) {
        let asked = sample.query.split("assigned the value ").nth(1).unwrap();
        let value = asked.split(',').next().unwrap();
        let mut known = Vec::new();
        let mut assignments = sample.context.split("VAR ").skip(1);
        while let Some(part) = assignments.next() {
            let (name, rest) = part.split_once(" = ").unwrap();
            // `VAR A = VAR B.` is split into two parts.
            let from = match rest {
                "" => assignments.next().unwrap(),
                rest => rest,
            };
            let from = from.split('.').next().unwrap();
            if from == value || known.iter().any(|known| known == from) {
                known.push(name.to_owned());
            }
        }
        assert_eq!(serde_json::json!(known), sample.expected, "{}", sample.id);
    }
}

#[test]
fn same_seed_generates_same_samples() {
    for name in NAMES {
        let [a, b, c] = [(3, [4_000]), (3, [4_000]), (4, [4_000])]
            .map(|(seed, lengths)| samples(name, seed, &lengths));
        assert_eq!(a, b, "{name}");
        assert_ne!(a, c, "{name}");
    }
}

#[test]
fn short_samples_match_snapshots() {
    for name in NAMES {
        let sample = samples(name, 0, &[2_000]).remove(0);
        let text = format!(
            "{}\n\n{}\n\n{}",
            sample.query, sample.expected, sample.context
        );
        insta::assert_snapshot!(name, text);
    }
}
