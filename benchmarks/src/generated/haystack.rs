//! Generates filler text of a given length with sentences inserted at random positions.

use std::collections::{BTreeSet, VecDeque};

use rand::Rng;

use super::words::{GRAMMAR, below};

/// Number of digits in a needle's value. The first digit is never 0, so that parsing the value as a
/// number keeps all digits.
const DIGITS: usize = 10;

/// Minimum number of other sentences between two of the same form.
const MIN_SENTENCES_BETWEEN: usize = 24;

/// Returns filler with each of the sentences `pins` inserted at a random position. The text has at
/// most `length` characters, unless the pins alone are longer.
pub fn plant(pins: &[String], length: usize, rng: &mut impl Rng) -> String {
    let mut paragraphs = filler(room(pins, length), rng);
    for pin in pins {
        let paragraph = below(paragraphs.len(), rng);
        let place = below(paragraphs[paragraph].len() + 1, rng);
        paragraphs[paragraph].insert(place, pin.clone());
    }
    join(&paragraphs)
}

/// Returns the same as [`plant`], but with the pins in their given order.
pub fn plant_in_order(pins: &[String], length: usize, rng: &mut impl Rng) -> String {
    let mut paragraphs = filler(room(pins, length), rng);
    let sentences: usize = paragraphs.iter().map(Vec::len).sum();
    let mut places = pins
        .iter()
        .map(|_| below(sentences + 1, rng))
        .collect::<Vec<_>>();
    places.sort_unstable();
    // Insert the last pin first, so that no insertion shifts the positions of the remaining pins.
    for (pin, mut place) in pins.iter().zip(places).rev() {
        for paragraph in &mut paragraphs {
            if place <= paragraph.len() {
                paragraph.insert(place, pin.clone());
                break;
            }
            place -= paragraph.len();
        }
    }
    join(&paragraphs)
}

const PARAGRAPH_BREAK: &str = "\n\n";

/// Returns the number of characters left for filler. All texts are ASCII, so bytes are characters.
fn room(pins: &[String], length: usize) -> usize {
    length.saturating_sub(pins.iter().map(|pin| pin.len() + " ".len()).sum())
}

fn join(paragraphs: &[Vec<String>]) -> String {
    paragraphs
        .iter()
        .map(|sentences| sentences.join(" "))
        .collect::<Vec<_>>()
        .join(PARAGRAPH_BREAK)
}

/// Returns `count` different numbers with [`DIGITS`] digits each.
pub fn values(count: usize, rng: &mut impl Rng) -> Vec<String> {
    let mut values = Vec::new();
    let mut seen = BTreeSet::new();
    while values.len() < count {
        let mut value = (1 + below(9, rng)).to_string();
        while value.len() < DIGITS {
            value += &below(10, rng).to_string();
        }
        if seen.insert(value.clone()) {
            values.push(value);
        }
    }
    values
}

/// Returns paragraphs of sentences that have at most `room` characters when joined.
fn filler(room: usize, rng: &mut impl Rng) -> Vec<Vec<String>> {
    let section = GRAMMAR.section("sentence");
    let mut recent = VecDeque::from([usize::MAX; MIN_SENTENCES_BETWEEN]);
    let mut paragraphs = vec![Vec::new()];
    let mut sentences = 3 + below(6, rng);
    let mut used = 0;
    loop {
        if paragraphs
            .last()
            .is_some_and(|paragraph| paragraph.len() == sentences)
        {
            paragraphs.push(Vec::new());
            sentences = 3 + below(6, rng);
        }
        let mut entry = below(GRAMMAR.len(section), rng);
        while recent.contains(&entry) {
            entry = below(GRAMMAR.len(section), rng);
        }
        recent.rotate_left(1);
        recent[MIN_SENTENCES_BETWEEN - 1] = entry;

        let mut sentence = String::new();
        GRAMMAR.write(section, entry, rng, &mut sentence);
        let letter = sentence
            .find(|letter: char| letter.is_ascii_alphabetic())
            .unwrap_or_default();
        if let Some(letter) = sentence.get_mut(letter..=letter) {
            letter.make_ascii_uppercase();
        }

        let at_start = paragraphs.last().is_some_and(Vec::is_empty);
        used += sentence.len()
            + if at_start {
                PARAGRAPH_BREAK.len()
            } else {
                " ".len()
            };
        if used > room + PARAGRAPH_BREAK.len() {
            paragraphs.retain(|paragraph| !paragraph.is_empty());
            return paragraphs;
        }
        if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push(sentence);
        }
    }
}
