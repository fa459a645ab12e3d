//! `s-niah`: a single needle in a haystack, generated from a seed.
//!
//! After the S-NIAH task of RULER (<https://arxiv.org/abs/2404.06654>), with distractors of the needle's own form.

pub(crate) mod haystack;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::dataset::{Facts, facts};
use crate::generated::{self, Generator};
use crate::{Dataset, Needle, OpenError, Options, Sample, Scorer};
use haystack::Haystack;

/// The benchmark's name.
pub const S_NIAH: &str = "s-niah";

/// Context lengths of a run that names none, in characters: 8K to 1M, where K is 1,000 and M is 1,000,000.
pub const CONTEXT_LENGTHS: [usize; 8] = [
    8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000,
];

/// Samples for each context length in a run that names no number.
pub const TASKS_PER_LENGTH: usize = 2;

/// The shortest context, in characters: below it there is little hay around needle and distractors.
pub const MIN_CONTEXT_LENGTH: usize = 2_000;

/// The longest context, in characters.
pub const MAX_CONTEXT_LENGTH: usize = 100_000_000;

const MAX_TASKS_PER_LENGTH: usize = 10_000;

/// Goes into every seed and the digest. To be raised with any change to the code or words that changes a sample.
const GENERATOR: &str = "s-niah/1";

const QUERY: &str = include_str!("s_niah/query.txt");

struct SNiah;

/// Opens `s-niah`; reads all options but `data_dir`.
///
/// # Errors
///
/// A context length is out of bounds or given twice, or the number of tasks is out of bounds.
pub fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    generated::open(SNiah, options)
}

impl Generator for SNiah {
    fn name(&self) -> &'static str {
        S_NIAH
    }

    fn digest(&self, seed: u64) -> String {
        let digest = Sha256::new()
            .chain_update(format!("{GENERATOR}\0{seed}\0{QUERY}\0"))
            .chain_update(words::SOURCE)
            .finalize();
        crate::dataset::hex(&digest)
    }

    fn sample(&self, seed: u64, id: &str, length: usize, known: Facts) -> Sample {
        let hay = Haystack::new(length, &mut stream(GENERATOR, seed, id));
        let mut metadata = known;
        metadata.extend(facts([
            ("context_characters", json!(hay.text.len())),
            ("needle_position", json!(hay.position)),
            ("key", json!(hay.key)),
            ("distractors", json!(haystack::DISTRACTORS)),
        ]));
        Sample {
            id: id.to_owned(),
            query: QUERY
                .trim_end()
                .replace("<kind>", hay.kind)
                .replace("<key>", &hay.key),
            context: hay.text.into(),
            images: Vec::new(),
            expected: Value::String(hay.value),
            metadata,
            cluster: None,
        }
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(Needle)
    }
}

/// The lengths and ids of the samples that the options ask for: `NAME-8k-1`.
///
/// # Errors
///
/// A context length is out of bounds or given twice, or the number of tasks is out of bounds.
pub(crate) fn tasks(
    benchmark: &'static str,
    options: &Options,
) -> Result<(Vec<usize>, Vec<String>), OpenError> {
    let lengths = match options.context_lengths.as_slice() {
        [] => &CONTEXT_LENGTHS,
        lengths => lengths,
    };
    check(benchmark, lengths, options.tasks_per_length)?;
    let tasks = lengths
        .iter()
        .flat_map(|&length| (1..=options.tasks_per_length).map(move |task| (length, task)));
    Ok(tasks
        .map(|(length, task)| (length, format!("{benchmark}-{}-{task}", label(length))))
        .unzip())
}

/// The random stream of one sample. It depends on seed and id alone, so that no sample moves another.
pub(crate) fn stream(generator: &str, seed: u64, id: &str) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(Sha256::digest(format!("{generator}\0{seed}\0{id}")).into())
}

/// `8k`, `1m`, or the plain number where it is not round; no two lengths share a label.
fn label(length: usize) -> String {
    match length {
        _ if length.is_multiple_of(1_000_000) => format!("{}m", length / 1_000_000),
        _ if length.is_multiple_of(1_000) => format!("{}k", length / 1_000),
        _ => length.to_string(),
    }
}

fn check(benchmark: &'static str, lengths: &[usize], tasks: usize) -> Result<(), OpenError> {
    let error = |option, value, wanted| {
        Err(OpenError::Option {
            benchmark,
            option,
            value,
            wanted,
        })
    };
    let mut seen = BTreeSet::new();
    for &length in lengths {
        if !(MIN_CONTEXT_LENGTH..=MAX_CONTEXT_LENGTH).contains(&length) {
            let wanted =
                format!("it must be from {MIN_CONTEXT_LENGTH} to {MAX_CONTEXT_LENGTH} characters");
            return error("context length", length, wanted);
        }
        if !seen.insert(length) {
            return error(
                "context length",
                length,
                "it must be given only once".to_owned(),
            );
        }
    }
    if !(1..=MAX_TASKS_PER_LENGTH).contains(&tasks) {
        return error(
            "tasks per length",
            tasks,
            format!("it must be from 1 to {MAX_TASKS_PER_LENGTH}"),
        );
    }
    Ok(())
}
