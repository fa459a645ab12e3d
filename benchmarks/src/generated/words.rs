//! The grammar in `words.txt`: sections of entries with `{slots}` that are filled at random.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rand::Rng;

pub const SOURCE: &str = include_str!("words.txt");

pub static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| Grammar::parse(SOURCE));

/// Sections by number. Slots refer to sections by number instead of name, because generating a
/// megabyte of text takes 10^5 lookups.
pub struct Grammar {
    sections: Vec<Vec<Entry>>,
    numbers: BTreeMap<&'static str, usize>,
}

type Entry = Vec<Piece>;

enum Piece {
    Text(&'static str),
    Slot(usize),
}

impl Grammar {
    /// Returns the number of the section `name`, which `words.txt` must define.
    pub fn section(&self, name: &str) -> usize {
        self.numbers[name]
    }

    /// Returns the number of entries in a section.
    pub fn len(&self, section: usize) -> usize {
        self.sections[section].len()
    }

    /// Appends an entry to `out`, with its slots filled with random entries of their sections.
    pub fn write(&self, section: usize, entry: usize, rng: &mut impl Rng, out: &mut String) {
        for piece in &self.sections[section][entry] {
            match *piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Slot(slot) => {
                    let entry = below(self.len(slot), rng);
                    self.write(slot, entry, rng, out);
                }
            }
        }
    }

    /// Returns a random entry of a section without slots.
    pub fn pick(&self, section: usize, rng: &mut impl Rng) -> &'static str {
        match self.sections[section][below(self.len(section), rng)][..] {
            [Piece::Text(text)] => text,
            _ => "",
        }
    }

    fn parse(source: &'static str) -> Self {
        let lines = || {
            source
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
        };
        let heading = |line: &'static str| line.strip_prefix('[')?.strip_suffix(']');
        let numbers = lines()
            .filter_map(heading)
            .zip(0..)
            .collect::<BTreeMap<_, _>>();
        let mut sections = Vec::<Vec<Entry>>::new();
        for line in lines() {
            match (heading(line), sections.last_mut()) {
                (None, Some(section)) => section.push(pieces(line, &numbers)),
                _ => sections.push(Vec::new()),
            }
        }
        Self { sections, numbers }
    }
}

fn pieces(line: &'static str, numbers: &BTreeMap<&str, usize>) -> Entry {
    let mut pieces = Vec::new();
    for part in line.split_inclusive('}') {
        let (text, slot) = match part.strip_suffix('}').and_then(|part| part.split_once('{')) {
            Some((text, name)) => (text, Some(numbers[name])),
            None => (part, None),
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces.extend(slot.map(Piece::Slot));
    }
    pieces
}

/// Returns a random number below `n`, computed by multiplication
/// (<https://arxiv.org/abs/1805.10941>). Without rejection, its bias is at most n/2^32. The ranges
/// of `rand` are not used, because their results may change between releases.
pub fn below(n: usize, rng: &mut impl Rng) -> usize {
    ((u64::from(rng.next_u32()) * n as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A section that contains itself would overflow the stack.
    #[test]
    fn word_file_is_valid() {
        fn visit(section: usize, path: &mut Vec<usize>) {
            assert!(
                !path.contains(&section),
                "section {section} contains itself through {path:?}"
            );
            path.push(section);
            for piece in GRAMMAR.sections[section].iter().flatten() {
                if let Piece::Slot(slot) = piece {
                    visit(*slot, path);
                }
            }
            path.pop();
        }
        assert!(SOURCE.is_ascii(), "lengths are counted in bytes");
        assert_eq!(
            GRAMMAR.numbers.len(),
            GRAMMAR.sections.len(),
            "duplicate section"
        );
        for (name, &section) in &GRAMMAR.numbers {
            assert!(GRAMMAR.len(section) > 2, "[{name}] is short");
            visit(section, &mut Vec::new());
        }
    }

    #[test]
    fn filler_contains_no_word_of_a_key() {
        let words = |section: &str| {
            let texts = GRAMMAR.sections[GRAMMAR.section(section)].iter().flatten();
            let texts = texts.filter_map(|piece| {
                if let Piece::Text(text) = piece {
                    Some(*text)
                } else {
                    None
                }
            });
            texts
                .flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphabetic()))
                .map(str::to_lowercase)
                .collect::<BTreeSet<_>>()
        };
        let is_key = |name: &&&str| name.starts_with("key-");
        let keys = GRAMMAR
            .numbers
            .keys()
            .filter(is_key)
            .flat_map(|name| words(name))
            .collect::<BTreeSet<_>>();
        for name in GRAMMAR.numbers.keys().filter(|name| !is_key(name)) {
            let shared = words(name).intersection(&keys).cloned().collect::<Vec<_>>();
            assert_eq!(
                shared,
                Vec::<String>::new(),
                "words of [{name}] that are also words of keys"
            );
        }
    }
}
