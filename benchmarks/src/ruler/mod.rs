//! RULER's needle tasks with multiple keys, values or queries, and its variable tracking, generated
//! from a seed.
//!
//! They follow the tasks `niah_multikey_2`, `niah_multivalue`, `niah_multiquery` and `vt` of RULER
//! (<https://arxiv.org/abs/2404.06654>, <https://github.com/NVIDIA/RULER>). Unlike in RULER, the
//! haystack is generated text instead of essays, lengths are in characters instead of tokens, and
//! `vt` has chains that are not part of the answer.

use std::sync::Arc;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::dataset::sample_metadata;
use crate::entry::{Entry, Open};
use crate::generated::words::GRAMMAR;
use crate::generated::{self, Generator, stream};
use crate::{Dataset, OpenError, Options, Sample, Scorer, StringMatch};

/// Number of values to find, all for one key or each for its own key, as in RULER.
pub(crate) const ANSWERS: usize = 4;

/// Number of keys of the same form that the query does not ask for.
pub(crate) const DISTRACTORS: usize = 8;

/// Version of the samples, as a part of every seed and of the digest. Increase it when a change to
/// the code or words alters a sample.
const GENERATOR: &str = "ruler/1";

/// Generator of the samples of one benchmark.
struct Task {
    name: &'static str,
    /// Query template with slots.
    query: &'static str,
    make: Make,
}

/// Generates the parts of a sample. The first argument is the approximate length of the context in
/// characters.
type Make = fn(usize, &mut ChaCha8Rng) -> Generated;

/// Catalog fields shared by the benchmarks.
pub(crate) const fn entry(open: Open) -> Entry {
    Entry {
        scorer: StringMatch::ALL,
        ..Entry::generated(open)
    }
}

/// Opens a RULER task as the benchmark `name`.
///
/// # Errors
///
/// If a context length is out of bounds or duplicated, or the number of samples per
/// length is out of bounds.
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

    fn format(&self, seed: u64) -> String {
        format!("{GENERATOR}\0{}\0{seed}\0{}\0", self.name, self.query)
    }

    fn sample(&self, seed: u64, id: &str, length: usize) -> Sample {
        let made = (self.make)(length, &mut stream(GENERATOR, seed, id));
        let mut query = self.query.trim_end().to_owned();
        for (slot, text) in &made.slots {
            query = query.replace(slot, text);
        }
        let metadata = sample_metadata([
            ("context_characters", json!(made.context.len())),
            ("answers", json!(made.answers.len())),
        ]);
        Sample {
            query,
            context: made.context.into(),
            expected: made.answers.into_iter().map(Value::String).collect(),
            metadata,
            ..Sample::default()
        }
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(StringMatch::All)
    }
}

/// Generated parts of a sample.
pub(crate) struct Generated {
    /// Context in ASCII, so that bytes are characters.
    pub context: String,
    /// Slots of the query template and their values.
    pub slots: Vec<(&'static str, String)>,
    pub answers: Vec<String>,
}

/// Sentence form of a sample's needles, and the kind of number in it.
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

/// Returns a random name of two words, for use as a key.
pub(crate) fn name(rng: &mut ChaCha8Rng) -> String {
    let [first, second] = ["key-first", "key-second"].map(|name| GRAMMAR.section(name));
    format!("{} {}", GRAMMAR.pick(first, rng), GRAMMAR.pick(second, rng))
}

/// Returns `count` different names, for use as keys.
pub(crate) fn names(count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    distinct(count, rng, name)
}

/// Returns `count` different strings.
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
