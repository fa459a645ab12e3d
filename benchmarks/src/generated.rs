//! Datasets that are generated from a seed: ids and lengths are known, and each sample is made when it is asked for.

use std::sync::Arc;

use serde_json::json;

use crate::dataset::{Facts, facts};
use crate::s_niah::tasks;
use crate::{Dataset, DatasetError, OpenError, Options, Sample, Scorer};

/// What makes the samples of a generated benchmark.
pub(crate) trait Generator: Send + Sync + 'static {
    /// The benchmark's name.
    fn name(&self) -> &'static str;

    /// Lower-case hex SHA-256 over the seed and all else that can change a sample, lengths and number of tasks left out: the id
    /// names them, and a longer run has the same samples and more.
    fn digest(&self, seed: u64) -> String;

    /// Makes the sample of this id, whose context is about so many characters long. Its metadata come on top of `known`.
    fn sample(&self, seed: u64, id: &str, length: usize, known: Facts) -> Sample;

    /// The scorer.
    fn scorer(&self) -> Arc<dyn Scorer>;
}

struct Generated<G> {
    generator: G,
    seed: u64,
    /// One per id.
    lengths: Vec<usize>,
    ids: Vec<String>,
    digest: String,
}

/// Opens a generated benchmark.
///
/// # Errors
///
/// A context length is out of bounds or given twice, or the number of tasks is out of bounds.
pub(crate) fn open(
    generator: impl Generator,
    options: &Options,
) -> Result<Box<dyn Dataset>, OpenError> {
    let (lengths, ids) = tasks(generator.name(), options)?;
    Ok(Box::new(Generated {
        digest: generator.digest(options.seed),
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

    fn facts(&self, index: usize) -> Facts {
        let length = self.lengths.get(index);
        facts(length.map(|length| ("context_length", json!(length))))
    }

    fn sample(&self, index: usize) -> Result<Sample, DatasetError> {
        let (Some(id), Some(&length)) = (self.ids.get(index), self.lengths.get(index)) else {
            return Err(DatasetError::Index {
                index,
                len: self.ids.len(),
            });
        };
        let known = self.facts(index);
        Ok(self.generator.sample(self.seed, id, length, known))
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        self.generator.scorer()
    }
}
