//! The words of a text, each once: an index without positions needs no more, and most words of code come again.

/// Words that are remembered. One that another has displaced comes twice, which does no harm.
const SEEN: usize = 1 << 13;

/// An odd number with well mixed bits (the golden ratio's), as hashes by multiplication take it.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Remembers words of the text that is read.
pub struct Distinct {
    seen: Vec<u64>,
    texts: u64,
}

impl Distinct {
    pub fn new() -> Self {
        Self {
            seen: vec![0; SEEN],
            texts: 0,
        }
    }

    /// Appends to `words` those of a text, ASCII letters of either case taken as equal, with a space before each.
    pub fn append(&mut self, text: &str, words: &mut String) {
        self.texts += 1;
        // Words of other texts have other hashes: nothing has to be forgotten.
        let seed = self.texts.wrapping_mul(MIX) | 1;
        let (mut start, mut hash) = (None, seed);
        for (at, byte) in text.bytes().enumerate() {
            if byte.is_ascii_alphanumeric() || !byte.is_ascii() {
                start.get_or_insert(at);
                let lower = u64::from(byte.to_ascii_lowercase());
                hash = (hash.rotate_left(5) ^ lower).wrapping_mul(MIX);
            } else if let Some(from) = start.take() {
                self.add(&text[from..at], hash, words);
                hash = seed;
            }
        }
        if let Some(from) = start {
            self.add(&text[from..], hash, words);
        }
    }

    fn add(&mut self, word: &str, hash: u64, words: &mut String) {
        let place = usize::try_from(hash >> 51).unwrap_or(0);
        let Some(seen) = self.seen.get_mut(place) else {
            return;
        };
        if *seen != hash {
            *seen = hash;
            words.push(' ');
            words.push_str(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Distinct;

    #[test]
    fn each_word_once_in_each_text() {
        let mut distinct = Distinct::new();
        for (text, wanted) in [
            ("a b A, c;a\nß-b ß", " a b c ß"),
            ("a b", " a b"),
            ("", ""),
            ("--", ""),
        ] {
            let mut words = String::new();
            distinct.append(text, &mut words);
            assert_eq!(words, wanted, "{text}");
        }
    }
}
