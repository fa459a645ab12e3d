//! RULER's harder needle tasks, generated from a seed: many keys, many values, many queries, chains of variables.
//!
//! After the tasks `niah_multikey_2`, `niah_multivalue`, `niah_multiquery` and `vt` of RULER
//! (<https://arxiv.org/abs/2404.06654>, <https://github.com/NVIDIA/RULER>). The haystack is generated text instead of
//! essays, lengths are characters instead of tokens, and `vt` has chains that are not asked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::dataset::{Facts, facts};
use crate::generated::{self, Generator};
use crate::s_niah::haystack::{plant, plant_in_order, values};
use crate::s_niah::stream;
use crate::s_niah::words::{self, GRAMMAR, below};
use crate::{Dataset, OpenError, Options, Sample, Scorer, StringMatch};

/// Values of the one key of `ruler-multi-value`, and keys asked for in `ruler-multi-query`: RULER's number.
const ANSWERS: usize = 4;

/// Other keys of the same form: in `ruler-multi-value` and `ruler-multi-query`.
const DISTRACTORS: usize = 8;

/// Assignments that follow the first one of a chain: RULER's number.
const HOPS: usize = 4;

/// Chains of variables, of which one is asked for.
const CHAINS: usize = 3;

/// Letters of a variable's name: RULER's number.
const LETTERS: usize = 5;

/// Goes into every seed and the digest. To be raised with any change to the code or words that changes a sample.
const GENERATOR: &str = "ruler/1";

/// One of the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// A context of needles alone, one of which is asked for.
    MultiKey,
    /// One key with several values.
    MultiValue,
    /// Several keys with a value each.
    MultiQuery,
    /// The variables of one chain of assignments.
    VariableTracking,
}

impl Task {
    fn name(self) -> &'static str {
        match self {
            Self::MultiKey => MULTI_KEY,
            Self::MultiValue => MULTI_VALUE,
            Self::MultiQuery => MULTI_QUERY,
            Self::VariableTracking => VARIABLE_TRACKING,
        }
    }

    fn query(self) -> &'static str {
        match self {
            Self::MultiKey => include_str!("ruler/multi_key.txt"),
            Self::MultiValue => include_str!("ruler/multi_value.txt"),
            Self::MultiQuery => include_str!("ruler/multi_query.txt"),
            Self::VariableTracking => include_str!("ruler/variable_tracking.txt"),
        }
    }
}

/// The name of the benchmark whose context holds needles alone.
pub const MULTI_KEY: &str = "ruler-multi-key";
/// The name of the benchmark that asks for all values of one key.
pub const MULTI_VALUE: &str = "ruler-multi-value";
/// The name of the benchmark that asks for the values of several keys.
pub const MULTI_QUERY: &str = "ruler-multi-query";
/// The name of the benchmark that asks for the variables of a chain.
pub const VARIABLE_TRACKING: &str = "ruler-variable-tracking";

/// Opens `ruler-multi-key`; the options are those of `s-niah`.
///
/// # Errors
///
/// A context length is out of bounds or given twice, or the number of tasks is out of bounds.
pub fn multi_key(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    open(Task::MultiKey, options)
}

/// Opens `ruler-multi-value`; see [`multi_key`].
///
/// # Errors
///
/// Those of [`multi_key`].
pub fn multi_value(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    open(Task::MultiValue, options)
}

/// Opens `ruler-multi-query`; see [`multi_key`].
///
/// # Errors
///
/// Those of [`multi_key`].
pub fn multi_query(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    open(Task::MultiQuery, options)
}

/// Opens `ruler-variable-tracking`; see [`multi_key`].
///
/// # Errors
///
/// Those of [`multi_key`].
pub fn variable_tracking(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    open(Task::VariableTracking, options)
}

fn open(task: Task, options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    generated::open(task, options)
}

impl Generator for Task {
    fn name(&self) -> &'static str {
        (*self).name()
    }

    fn digest(&self, seed: u64) -> String {
        let (name, query) = ((*self).name(), self.query());
        let parts = format!("{GENERATOR}\0{name}\0{seed}\0{query}\0");
        let digest = Sha256::new()
            .chain_update(parts)
            .chain_update(words::SOURCE)
            .finalize();
        crate::dataset::hex(&digest)
    }

    fn sample(&self, seed: u64, id: &str, length: usize, known: Facts) -> Sample {
        let mut rng = stream(GENERATOR, seed, id);
        let made = match self {
            Self::MultiKey => needles_alone(length, &mut rng),
            Self::MultiValue => values_of_one_key(length, &mut rng),
            Self::MultiQuery => values_of_keys(length, &mut rng),
            Self::VariableTracking => chain(length, &mut rng),
        };
        let mut query = self.query().trim_end().to_owned();
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
struct Made {
    /// ASCII, so that bytes are characters.
    context: String,
    /// What the query's slots are filled with.
    slots: Vec<(&'static str, String)>,
    answers: Vec<String>,
}

fn needles_alone(length: usize, rng: &mut ChaCha8Rng) -> Made {
    let form = Form::pick(rng);
    let longest = form.sentence("", "").len() + 40;
    let mut sentences = Vec::new();
    let mut used = 0;
    let mut seen = BTreeSet::new();
    while used + longest <= length {
        // A number makes the key unique, for a long context has more needles than there are names.
        let key = loop {
            let key = format!("{} {}", name(rng), 1_000 + below(9_000, rng));
            if seen.insert(key.clone()) {
                break key;
            }
        };
        let value = values(1, rng).concat();
        let sentence = form.sentence(&key, &value);
        used += sentence.len() + 1;
        sentences.push((key, value, sentence));
    }
    let asked = below(sentences.len(), rng);
    let (key, value, _) = sentences[asked].clone();
    let lines: Vec<_> = sentences
        .into_iter()
        .map(|(_, _, sentence)| sentence)
        .collect();
    Made {
        context: lines.join("\n"),
        slots: vec![("<kind>", form.kind.to_owned()), ("<key>", key)],
        answers: vec![value],
    }
}

fn values_of_one_key(length: usize, rng: &mut ChaCha8Rng) -> Made {
    let form = Form::pick(rng);
    let keys = names(1 + DISTRACTORS, rng);
    let values = values(ANSWERS + DISTRACTORS, rng);
    let asked = std::iter::repeat_n(&keys[0], ANSWERS);
    let pins: Vec<_> = asked
        .chain(&keys[1..])
        .zip(&values)
        .map(|(key, value)| form.sentence(key, value))
        .collect();
    Made {
        context: plant(&pins, length, rng),
        slots: vec![
            ("<kind>", form.kind.to_owned()),
            ("<key>", keys[0].clone()),
            ("<count>", ANSWERS.to_string()),
        ],
        answers: values[..ANSWERS].to_vec(),
    }
}

fn values_of_keys(length: usize, rng: &mut ChaCha8Rng) -> Made {
    let form = Form::pick(rng);
    let keys = names(ANSWERS + DISTRACTORS, rng);
    let values = values(keys.len(), rng);
    let pins: Vec<_> = keys
        .iter()
        .zip(&values)
        .map(|(key, value)| form.sentence(key, value))
        .collect();
    let (last, first) = (&keys[ANSWERS - 1], &keys[..ANSWERS - 1]);
    Made {
        context: plant(&pins, length, rng),
        slots: vec![
            ("<kind>", form.kind.to_owned()),
            ("<keys>", format!("{}, and {last}", first.join(", "))),
            ("<count>", ANSWERS.to_string()),
        ],
        answers: values[..ANSWERS].to_vec(),
    }
}

fn chain(length: usize, rng: &mut ChaCha8Rng) -> Made {
    let variables = distinct(CHAINS * (HOPS + 1), rng, |rng| {
        (0..LETTERS)
            .map(|_| char::from(b'A' + u8::try_from(below(26, rng)).unwrap_or(0)))
            .collect()
    });
    let numbers = distinct(CHAINS, rng, |rng| (10_000 + below(90_000, rng)).to_string());
    let chains: Vec<_> = variables.chunks(HOPS + 1).zip(&numbers).collect();
    // One step of each chain after the other, so that they cross; a chain's own order stays.
    let pins: Vec<_> = (0..=HOPS)
        .flat_map(|hop| {
            chains.iter().map(move |(names, number)| match hop {
                0 => format!("VAR {} = {number}.", names[0]),
                _ => format!("VAR {} = VAR {}.", names[hop], names[hop - 1]),
            })
        })
        .collect();
    let (names, number) = chains[below(CHAINS, rng)];
    Made {
        context: plant_in_order(&pins, length, rng),
        slots: vec![
            ("<value>", number.clone()),
            ("<count>", names.len().to_string()),
        ],
        answers: names.to_vec(),
    }
}

/// What the needles of a sample look like.
struct Form {
    text: &'static str,
    kind: &'static str,
}

impl Form {
    fn pick(rng: &mut impl Rng) -> Self {
        Self {
            text: GRAMMAR.pick(GRAMMAR.section("needle"), rng),
            kind: GRAMMAR.pick(GRAMMAR.section("kind"), rng),
        }
    }

    fn sentence(&self, key: &str, value: &str) -> String {
        self.text
            .replace("<kind>", self.kind)
            .replace("<key>", key)
            .replace("<value>", value)
    }
}

fn name(rng: &mut ChaCha8Rng) -> String {
    let [first, second] = ["key-first", "key-second"].map(|name| GRAMMAR.section(name));
    format!("{} {}", GRAMMAR.pick(first, rng), GRAMMAR.pick(second, rng))
}

fn names(count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    distinct(count, rng, name)
}

/// So many different texts.
fn distinct(
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
