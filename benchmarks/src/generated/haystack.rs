//! Filler of a given length with sentences put in.

use std::collections::{BTreeSet, VecDeque};

use rand::Rng;

use super::words::{GRAMMAR, below};

/// Digits of a needle's number. The first is never 0, so that the number survives being read as one.
const DIGITS: usize = 10;

/// A sentence form does not come back within this many sentences.
const REST: usize = 24;

/// Filler with the pins put in, each at a random place; it has at most `length` characters, unless the pins alone have
/// more.
pub fn plant(pins: &[String], length: usize, rng: &mut impl Rng) -> String {
    let mut paragraphs = filler(room(pins, length), rng);
    for pin in pins {
        let paragraph = below(paragraphs.len(), rng);
        let place = below(paragraphs[paragraph].len() + 1, rng);
        paragraphs[paragraph].insert(place, pin.clone());
    }
    join(&paragraphs)
}

/// Like [`plant`], and the pins stay in their order.
pub fn plant_in_order(pins: &[String], length: usize, rng: &mut impl Rng) -> String {
    let mut paragraphs = filler(room(pins, length), rng);
    let sentences: usize = paragraphs.iter().map(Vec::len).sum();
    let mut places = pins
        .iter()
        .map(|_| below(sentences + 1, rng))
        .collect::<Vec<_>>();
    places.sort_unstable();
    // From the last on, so that a place is still counted in sentences of filler when its pin is put there.
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

/// Characters that the pins leave for filler.
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

/// So many different numbers; of the needle's, the first is its own and the others are those of the distractors.
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

/// Paragraphs of sentences, which joined have at most `room` characters.
fn filler(room: usize, rng: &mut impl Rng) -> Vec<Vec<String>> {
    let section = GRAMMAR.section("sentence");
    let mut recent = VecDeque::from([usize::MAX; REST]);
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
        recent[REST - 1] = entry;

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
