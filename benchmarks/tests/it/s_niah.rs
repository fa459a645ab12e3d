//! The generated haystacks: their bytes, their length, and the uniqueness of the needle.

use std::collections::BTreeSet;
use std::fmt::Write;

use benchmarks::{CONTEXT_LENGTHS, Dataset, Options, Sample, TASKS_PER_LENGTH};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::cpu_time::cpu_time;
use crate::open;

fn dataset(seed: u64, lengths: &[usize]) -> Box<dyn Dataset> {
    open(
        "s-niah",
        &Options {
            seed,
            context_lengths: lengths.into(),
            ..Options::default()
        },
    )
    .unwrap()
}

fn samples(dataset: &dyn Dataset) -> Vec<Sample> {
    (0..dataset.ids().len())
        .map(|index| dataset.sample(index).unwrap())
        .collect()
}

/// Returns the runs of ten or more digits in a text.
fn numbers(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .filter(|number| number.len() >= 10)
        .collect()
}

/// If this fails, recorded runs no longer match their samples: increase the version in `GENERATOR`,
/// and only then change these values.
#[test]
fn generated_bytes_never_change() {
    let dataset = dataset(7, &[8_000, 1_000_000]);
    let all = samples(&*dataset);
    let mut hashes = String::new();
    for sample in [&all[0], &all[3]] {
        let mut hash = Sha256::new();
        for part in [
            &sample.id,
            &sample.query,
            &*sample.context,
            &sample.expected.to_string(),
        ] {
            hash.update(part);
        }
        let hex = hash.finalize().iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        });
        writeln!(hashes, "{} {hex}", sample.id).unwrap();
    }
    insta::assert_snapshot!(format!("dataset {}\n{hashes}", dataset.digest()), @r"
    dataset 035c9a37d7f9f74fa9013fcbf2050fc1f48edde13c1320a860d6de59adac5b53
    s-niah-8k-1 632ad662895c02f5f91f3c00417c1b1eb747ba9d0f44acd98be87ecd00a687f5
    s-niah-1m-2 a2aff0d15c8da1187165d0977b0b4573020f90ebc1d0d6854cbc26f3c5a45e2c
    ");
}

#[test]
fn snapshot_of_a_short_sample() {
    let sample = dataset(7, &[2_000]).sample(0).unwrap();
    let metadata = json!({ "expected": sample.expected, "metadata": sample.metadata });
    insta::assert_snapshot!(format!(
        "{}\n\n{}\n\n{metadata:#}\n\n{}",
        sample.id, sample.query, sample.context
    ));
}

#[test]
fn ids_contain_length_and_number() {
    let rows: [(&[usize], &[&str]); 2] = [
        (
            &[1_000_000, 8_000, 8_192, 1_500_000, 2_000_000],
            &[
                "s-niah-1m-1",
                "s-niah-8k-1",
                "s-niah-8192-1",
                "s-niah-1500k-1",
                "s-niah-2m-1",
            ],
        ),
        (
            &[],
            &[
                "s-niah-8k-1",
                "s-niah-16k-1",
                "s-niah-32k-1",
                "s-niah-64k-1",
                "s-niah-128k-1",
                "s-niah-256k-1",
                "s-niah-512k-1",
                "s-niah-1m-1",
            ],
        ),
    ];
    for (lengths, ids) in rows {
        let options = Options {
            context_lengths: lengths.into(),
            tasks_per_length: 1,
            ..Options::default()
        };
        assert_eq!(open("s-niah", &options).unwrap().ids(), ids);
    }
    assert_eq!(
        dataset(0, &[]).ids().len(),
        CONTEXT_LENGTHS.len() * TASKS_PER_LENGTH
    );
}

#[test]
fn only_the_needle_matches_the_query() {
    let dataset = dataset(1, &[2_000, 3_333, 8_000, 100_000, 1_000_000]);
    let scorer = dataset.scorer();
    for sample in samples(&*dataset) {
        let id = &sample.id;
        let length = usize::try_from(sample.metadata["context_length"].as_u64().unwrap()).unwrap();
        let context = &*sample.context;
        assert_eq!(
            json!(context.chars().count()),
            sample.metadata["context_characters"],
            "{id}"
        );
        assert!(
            context.len() <= length && context.len() + 500 > length,
            "{id} has {} characters",
            context.len()
        );

        let key = sample.metadata["key"].as_str().unwrap();
        let Value::String(value) = &sample.expected else {
            panic!("{id} expects {}", sample.expected)
        };
        assert_eq!(context.matches(key).count(), 1, "{id}: {key}");
        assert_eq!(
            context.to_lowercase().matches(&key.to_lowercase()).count(),
            1,
            "{id}: {key}"
        );
        assert_eq!(context.matches(value).count(), 1, "{id}: {value}");
        let sentence = context
            .split_inclusive(['.', '\n'])
            .find(|sentence| sentence.contains(key))
            .unwrap();
        assert!(sentence.contains(value), "{id}: {sentence}");

        let all = numbers(context);
        assert_eq!(
            all.len(),
            all.iter().collect::<BTreeSet<_>>().len(),
            "{id}: {all:?}"
        );
        assert_eq!(
            json!(all.len()),
            json!(1 + sample.metadata["distractors"].as_u64().unwrap()),
            "{id}"
        );
        for word in key.split(' ') {
            assert!(
                context.matches(word).count() > 1,
                "{id}: no distractor shares {word}"
            );
        }

        let position = sample.metadata["needle_position"].as_f64().unwrap();
        let before =
            context[..context.find(sentence.trim()).unwrap()].len() as f64 / context.len() as f64;
        assert!(
            (position - before).abs() < 1e-4,
            "{id}: {position} is not {before}"
        );

        assert!(
            sample.query.contains(key)
                && !sample.query.contains(value)
                && !sample.query.contains('<'),
            "{id}"
        );
        let worth = |answer: &str| scorer.score(answer, &sample).value > 0.0;
        assert_eq!(
            [
                worth(value),
                worth(context),
                worth(&all.join("\n")),
                worth("")
            ],
            [true, false, false, false],
            "{id}: the value, the context, all candidates, nothing"
        );
    }
}

#[test]
fn samples_depend_only_on_seed_and_id() {
    let all = samples(&*dataset(3, &[4_000, 8_000]));
    let others = samples(&*dataset(3, &[16_000, 8_000]));
    assert_eq!(all[2..], others[2..], "other lengths in the run");
    assert_eq!(
        all[3],
        dataset(3, &[4_000, 8_000]).sample(3).unwrap(),
        "generated without the other samples"
    );
    let seeded = samples(&*dataset(4, &[4_000, 8_000]));
    let everything = all.iter().chain(&seeded);
    let contexts = everything
        .clone()
        .map(|sample| sample.context.clone())
        .collect::<BTreeSet<_>>();
    let values = everything
        .map(|sample| sample.expected.to_string())
        .collect::<BTreeSet<_>>();
    assert_eq!(
        (contexts.len(), values.len()),
        (8, 8),
        "each seed and id has its own text and number"
    );
    assert_ne!(dataset(3, &[]).digest(), dataset(4, &[]).digest());
    assert_eq!(dataset(3, &[]).digest(), dataset(3, &[8_000]).digest());
}

/// Needles must be spread over the whole context, so that a model that reads only a part of it
/// fails on some samples.
#[test]
fn spreads_needles_evenly() {
    let options = Options {
        context_lengths: vec![20_000],
        tasks_per_length: 400,
        ..Options::default()
    };
    let mut tenths = [0_u32; 10];
    for sample in samples(&*open("s-niah", &options).unwrap()) {
        let position = sample.metadata["needle_position"].as_f64().unwrap();
        let tenth = (1..10)
            .filter(|tenth| position * 10.0 >= f64::from(*tenth))
            .count();
        tenths[tenth] += 1;
    }
    assert!(
        tenths.iter().all(|&count| (20..=65).contains(&count)),
        "{tenths:?}"
    );
}

/// With a repetitive filler, a model could skip most of the context.
#[test]
fn filler_does_not_repeat() {
    let sample = dataset(5, &[1_000_000]).sample(0).unwrap();
    let sentences = sample
        .context
        .split_inclusive(['.', '\n'])
        .map(str::trim)
        .filter(|text| text.len() > 20);
    let sentences = sentences.collect::<Vec<_>>();
    let different = sentences.iter().collect::<BTreeSet<_>>().len();
    assert!(
        different * 100 >= sentences.len() * 97,
        "{different} of {} sentences differ",
        sentences.len()
    );
}

#[test]
fn generates_a_megabyte_quickly() {
    let dataset = dataset(6, &[1_000_000]);
    dataset.sample(0).unwrap();
    let (_, took) = cpu_time(|| dataset.sample(1).unwrap());
    println!("1,000,000 characters in {took:?}");
    assert!(
        took.as_millis() < 2_000,
        "took {took:?}; unoptimized code takes a tenth of a second"
    );
}

#[test]
fn rejects_index_past_the_end() {
    let error = dataset(0, &[2_000]).sample(2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sample index 2 is out of range: the dataset has 2 samples"
    );
}
