//! `s-niah`: a single needle in a haystack, generated from a seed.
//!
//! It follows the S-NIAH task of RULER (<https://arxiv.org/abs/2404.06654>), but adds distractors that
//! have the form of the needle.

mod haystack;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::dataset::sample_metadata;
use crate::entry::Entry;
use crate::generated::{self, Generator, stream};
use crate::{Dataset, Needle, OpenError, Options, Sample, Scorer};
use haystack::Haystack;

pub(crate) const ENTRY: Entry = Entry {
    name: "s-niah",
    summary: "single needle in a haystack: find one number in 8K to 1M characters of generated text",
    scorer: Needle::NAME,
    ..Entry::generated(open)
};

/// Version of the samples, as a part of every seed and of the digest. Increase it when a change to
/// the code or words alters a sample.
const GENERATOR: &str = "s-niah/1";

const QUERY: &str = include_str!("query.txt");

struct SNiah;

/// Opens `s-niah`, which uses all options except `data_dir`.
///
/// # Errors
///
/// If a context length is out of bounds or duplicated, or the number of samples per
/// length is out of bounds.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    generated::open(SNiah, options)
}

impl Generator for SNiah {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn format(&self, seed: u64) -> String {
        format!("{GENERATOR}\0{seed}\0{QUERY}\0")
    }

    fn sample(&self, seed: u64, id: &str, length: usize) -> Sample {
        let hay = Haystack::new(length, &mut stream(GENERATOR, seed, id));
        let metadata = sample_metadata([
            ("context_characters", json!(hay.text.len())),
            ("needle_position", json!(hay.position)),
            ("key", json!(hay.key)),
            ("distractors", json!(haystack::DISTRACTORS)),
        ]);
        Sample {
            query: QUERY
                .trim_end()
                .replace("<kind>", hay.kind)
                .replace("<key>", &hay.key),
            context: hay.text.into(),
            expected: Value::String(hay.value),
            metadata,
            ..Sample::default()
        }
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(Needle)
    }
}
