//! Words for the sites' data, and random selection from them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rand_chacha::ChaCha8Rng;
use serde::de::DeserializeOwned;

use crate::generated::words::below;

/// Text of the word file, for the digest.
pub(super) const SOURCE: &str = include_str!("words.yaml");

static WORDS: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| parsed(SOURCE));

/// Parses a bundled YAML file.
pub(super) fn parsed<T: DeserializeOwned + Default>(source: &str) -> T {
    // A test parses each bundled file, so this cannot fail.
    serde_saphyr::from_str(source).unwrap_or_default()
}

/// Returns all words of a list in random order.
pub(super) fn shuffled(list: &str, rng: &mut ChaCha8Rng) -> Vec<&'static str> {
    let mut words = all(list);
    shuffle(&mut words, rng);
    words
}

/// Returns all words of a list in file order.
pub(super) fn all(list: &str) -> Vec<&'static str> {
    WORDS
        .get(list)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect()
}

/// Fisher–Yates shuffle. Implemented here so that library updates cannot change samples.
pub(super) fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, below(at + 1, rng));
    }
}

/// Returns a random integer from `least` to `most`, inclusive.
pub(super) fn number(least: usize, most: usize, rng: &mut ChaCha8Rng) -> usize {
    least + below(most + 1 - least, rng)
}

/// Returns `count` distinct full names of people.
pub(super) fn names(count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    pairs("first", "last", count, rng)
}

/// Returns `count` distinct pairs of a word from each list, in random order.
pub(super) fn pairs(first: &str, second: &str, count: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    let (firsts, seconds) = (all(first), all(second));
    let mut pairs: Vec<String> = firsts
        .iter()
        .flat_map(|a| seconds.iter().map(move |b| format!("{a} {b}")))
        .collect();
    shuffle(&mut pairs, rng);
    pairs.truncate(count);
    pairs
}
