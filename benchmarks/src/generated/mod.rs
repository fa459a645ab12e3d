//! Datasets generated from a seed. Ids and lengths are known in advance, and each sample is
//! generated on demand.

pub(crate) mod haystack;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::dataset::{SampleMetadata, sample_metadata};
use crate::options::{OpenError, Options};
use crate::{Dataset, DatasetError, Sample, Scorer};

/// Default context lengths in characters: 8K to 1M, where K is 1,000 and M is 1,000,000.
pub const CONTEXT_LENGTHS: [usize; 8] = [
    8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000,
];

/// Minimum context length in characters. A shorter context would have little filler around the
/// needle and distractors.
pub const MIN_CONTEXT_LENGTH: usize = 2_000;

/// Maximum context length, in characters.
pub const MAX_CONTEXT_LENGTH: usize = 100_000_000;

const MAX_TASKS_PER_LENGTH: usize = 10_000;

/// Generator of a benchmark's samples.
pub(crate) trait Generator: Send + Sync + 'static {
    /// Returns the benchmark's name.
    fn name(&self) -> &'static str;

    /// Returns the seed and everything else that can change a sample, except for the words. It
    /// excludes the context lengths and the number of samples, so that a larger run contains all
    /// samples of a smaller one. A sample's length and number are in its id.
    fn format(&self, seed: u64) -> String;

    /// Generates the sample with this id, whose context is about `length` characters long, without
    /// its id and the metadata that is known before.
    fn sample(&self, seed: u64, id: &str, length: usize) -> Sample;

    fn scorer(&self) -> Arc<dyn Scorer>;
}

struct Generated<G> {
    generator: G,
    seed: u64,
    /// Context length of each sample, in the order of the ids.
    lengths: Vec<usize>,
    ids: Vec<String>,
    digest: String,
}

/// Opens a generated benchmark.
///
/// # Errors
///
/// If a context length is out of bounds or duplicated, or the number of samples per
/// length is out of bounds.
pub(crate) fn open(
    generator: impl Generator,
    options: &Options,
) -> Result<Box<dyn Dataset>, OpenError> {
    let (lengths, ids) = tasks(generator.name(), options)?;
    let digest = Sha256::new()
        .chain_update(generator.format(options.seed))
        .chain_update(words::SOURCE);
    Ok(Box::new(Generated {
        digest: hex::encode(digest.finalize()),
        generator,
        seed: options.seed,
        lengths,
        ids,
    }))
}

impl<G: Generator> Dataset for Generated<G> {
    fn name(&self) -> &str {
        self.generator.name()
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn ids(&self) -> &[String] {
        &self.ids
    }

    fn metadata(&self, index: usize) -> SampleMetadata {
        let length = self.lengths.get(index);
        sample_metadata(length.map(|length| ("context_length", json!(length))))
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        let (Some(id), Some(&length)) = (self.ids.get(index), self.lengths.get(index)) else {
            return Err(DatasetError::out_of_range(index, &self.ids));
        };
        let mut sample = self.generator.sample(self.seed, id, length);
        sample.id.clone_from(id);
        sample.metadata.extend(self.metadata(index));
        Ok(sample)
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        self.generator.scorer()
    }
}

/// Returns the context lengths and ids of the samples that the options select. An id is, for
/// example, `s-niah-8k-1`.
///
/// # Errors
///
/// If a context length is out of bounds or duplicated, or the number of samples per
/// length is out of bounds.
fn tasks(
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

/// Returns the random number generator of one sample. It depends only on the arguments, so samples
/// do not affect one another.
pub(crate) fn stream(generator: &str, seed: u64, id: &str) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(Sha256::digest(format!("{generator}\0{seed}\0{id}")).into())
}

/// Returns a unique label for a length, such as `8k` or `1m`, or the plain number if it is not
/// round.
fn label(length: usize) -> String {
    match length {
        _ if length.is_multiple_of(1_000_000) => format!("{}m", length / 1_000_000),
        _ if length.is_multiple_of(1_000) => format!("{}k", length / 1_000),
        _ => length.to_string(),
    }
}

fn check(benchmark: &'static str, lengths: &[usize], tasks: usize) -> Result<(), OpenError> {
    let error = |option: &str, value: usize, wanted: &str| {
        Err(OpenError::Invalid(format!(
            "benchmark `{benchmark}`: invalid {option} {value}: expected {wanted}"
        )))
    };
    let mut seen = BTreeSet::new();
    for &length in lengths {
        if !(MIN_CONTEXT_LENGTH..=MAX_CONTEXT_LENGTH).contains(&length) {
            let wanted = format!("{MIN_CONTEXT_LENGTH} to {MAX_CONTEXT_LENGTH} characters");
            return error("context length", length, &wanted);
        }
        if !seen.insert(length) {
            return error("context length", length, "each length only once");
        }
    }
    if !(1..=MAX_TASKS_PER_LENGTH).contains(&tasks) {
        let wanted = format!("1 to {MAX_TASKS_PER_LENGTH}");
        return error("samples per length", tasks, &wanted);
    }
    Ok(())
}
