//! Removes repeated words from a text. The index stores no word positions, so repetitions are
//! useless, and most words of code recur.

/// Number of remembered words. A word that another word has displaced may be indexed twice, which
/// is harmless.
const SEEN: usize = 1 << 13;

/// Odd number with well-mixed bits (derived from the golden ratio), for multiplicative hashing.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Set of the words in the current text.
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

    /// Appends the distinct words of a text to `words`, each preceded by a space. ASCII case is
    /// ignored.
    pub fn append(&mut self, text: &str, words: &mut String) {
        self.texts += 1;
        // Each text has its own seed, so hashes of earlier texts do not match and need not be
        // cleared.
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
    fn removes_repeated_words() {
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
