//! RULER's harder needle tasks, generated from a seed: many keys, many values, many queries, chains of variables.
//!
//! After the tasks `niah_multikey_2`, `niah_multivalue`, `niah_multiquery` and `vt` of RULER
//! (<https://arxiv.org/abs/2404.06654>, <https://github.com/NVIDIA/RULER>). The haystack is generated text instead of
//! essays, lengths are characters instead of tokens, and `vt` has chains that are not asked for.

use std::sync::Arc;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::catalog::{Entry, Open};
use crate::dataset::{SampleMetadata, facts};
use crate::generated::words::{self, GRAMMAR};
use crate::generated::{self, Generator, stream};
use crate::{Dataset, OpenError, Options, Sample, Scorer, StringMatch};

/// Values of one key, or keys, that are asked for: RULER's number.
pub(crate) const ANSWERS: usize = 4;

/// Other keys of the same form, which are not asked for.
pub(crate) const DISTRACTORS: usize = 8;

/// Goes into every seed and the digest. To be raised with any change to the code or words that changes a sample.
const GENERATOR: &str = "ruler/1";

/// One of the tasks, as a generator.
struct Task {
    /// The benchmark's name.
    name: &'static str,
    /// What is asked, with slots.
    query: &'static str,
    make: Make,
}

/// Makes a sample whose context is about so many characters long.
type Make = fn(usize, &mut ChaCha8Rng) -> Generated;

/// What the tasks have in common.
pub(crate) const fn entry(open: Open) -> Entry {
    Entry {
        scorer: StringMatch::ALL,
        ..Entry::generated(open)
    }
}

/// Opens one of the tasks as the benchmark of this name.
///
/// # Errors
///
/// A context length is out of bounds or given twice, or the number of tasks is out of bounds.
pub(crate) fn open(
    name: &'static str,
    query: &'static str,
    make: Make,
    options: &Options,
) -> Result<Box<dyn Dataset>, OpenError> {
    generated::open(Task { name, query, make }, options)
}

impl Generator for Task {
    fn name(&self) -> &'static str {
        self.name
    }

    fn digest(&self, seed: u64) -> String {
        let parts = format!("{GENERATOR}\0{}\0{seed}\0{}\0", self.name, self.query);
        let digest = Sha256::new()
            .chain_update(parts)
            .chain_update(words::SOURCE)
            .finalize();
        hex::encode(digest)
    }

    fn sample(&self, seed: u64, id: &str, length: usize, known: SampleMetadata) -> Sample {
        let made = (self.make)(length, &mut stream(GENERATOR, seed, id));
        let mut query = self.query.trim_end().to_owned();
        for (slot, text) in &made.slots {
            query = query.replace(slot, text);
        }
        let mut metadata = known;
        metadata.extend(facts([
            ("context_characters", json!(made.context.len())),
            ("answers", json!(made.answers.len())),
        ]));
        Sample {
            id: id.to_owned(),
            query,
            context: made.context.into(),
            follow_ups: Vec::new(),
            images: Vec::new(),
            expected: made.answers.into_iter().map(Value::String).collect(),
            metadata,
            cluster: None,
        }
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(StringMatch::All)
    }
}

/// A generated task.
pub(crate) struct Generated {
    /// ASCII, so that bytes are characters.
    pub context: String,
    /// What the query's slots are filled with.
    pub slots: Vec<(&'static str, String)>,
    pub answers: Vec<String>,
}

/// What the needles of a sample look like.
pub(crate) struct Form {
    text: &'static str,
    pub kind: &'static str,
}

impl Form {
    pub fn pick(rng: &mut impl Rng) -> Self {
        Self {
            text: GRAMMAR.pick(GRAMMAR.section("needle"), rng),
            kind: GRAMMAR.pick(GRAMMAR.section("kind"), rng),
        }
    }

    pub fn sentence(&self, key: &str, value: &str) -> String {
        self.text
            .replace("<kind>", self.kind)
            .replace("<key>", key)
            .replace("<value>", value)
    }
}

/// A name at random.
pub(crate) fn name(rng: &mut ChaCha8Rng) -> String {
    let [first, second] = ["key-first", "key-second"].map(|name| GRAMMAR.section(name));
    format!("{} {}", GRAMMAR.pick(first, rng), GRAMMAR.pick(second, rng))
}

/// So many different names.
pub(crate) fn names(count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    distinct(count, rng, name)
}

/// So many different texts.
pub(crate) fn distinct(
    count: usize,
    rng: &mut ChaCha8Rng,
    mut make: impl FnMut(&mut ChaCha8Rng) -> String,
) -> Vec<String> {
    let mut made = Vec::new();
    while made.len() < count {
        let text = make(rng);
        if !made.contains(&text) {
            made.push(text);
        }
    }
    made
}
