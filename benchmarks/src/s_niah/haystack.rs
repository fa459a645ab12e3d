//! One haystack: filler of a given length with the needle and its distractors inserted.

use rand::Rng;

use crate::generated::haystack::{plant, values};
use crate::generated::words::GRAMMAR;
use crate::ruler::Form;

/// Number of sentences that have the needle's form, but a different name and number.
pub const DISTRACTORS: usize = 8;

/// A haystack and the needle in it.
pub struct Haystack {
    /// The whole text in ASCII, so that bytes are characters.
    pub text: String,
    /// Start of the needle's sentence as a fraction of the text, rounded to four decimals.
    pub position: f64,
    /// Kind of the number, such as `registry number`.
    pub kind: &'static str,
    /// Owner of the requested number, such as `Amber Falcon`.
    pub key: String,
    /// Requested number.
    pub value: String,
}

impl Haystack {
    /// Generates a haystack of at most `length` characters, and of at least `length` minus one
    /// sentence.
    pub fn new(length: usize, rng: &mut impl Rng) -> Self {
        let form = Form::pick(rng);
        let keys = keys(rng);
        let values = values(1 + DISTRACTORS, rng);
        let sentences = keys.iter().zip(&values);
        let sentences = sentences.map(|(key, value)| form.sentence(key, value));
        let pins = sentences.collect::<Vec<_>>();
        let text = plant(&pins, length, rng);
        let position = text.find(&pins[0]).unwrap_or_default() as f64 / text.len() as f64;
        Self {
            text,
            position: (position * 1e4).round() / 1e4,
            kind: form.kind,
            key: keys[0].clone(),
            value: values[0].clone(),
        }
    }
}

/// Returns the key of the needle, then the keys of the distractors. Half of the distractors share a
/// word with the needle, so that searching for one word is not enough.
fn keys(rng: &mut impl Rng) -> Vec<String> {
    let [first, second] = ["key-first", "key-second"].map(|name| GRAMMAR.section(name));
    let needle = (GRAMMAR.pick(first, rng), GRAMMAR.pick(second, rng));
    let mut keys = vec![needle];
    while keys.len() <= DISTRACTORS {
        let other = (GRAMMAR.pick(first, rng), GRAMMAR.pick(second, rng));
        let key = match keys.len() {
            1 | 2 => (needle.0, other.1),
            3 | 4 => (other.0, needle.1),
            _ => other,
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.into_iter()
        .map(|(first, second)| format!("{first} {second}"))
        .collect()
}
