//! A small cache of results computed from texts.

use std::collections::HashMap;
use std::hash::Hash;

/// Maximum total bytes of the cached texts. A text that exceeds the remaining space evicts all
/// others; a text that exceeds the maximum is not cached.
const BYTES: usize = 1 << 20;

/// Results, keyed by the texts from which they were computed.
#[derive(Debug)]
pub(crate) struct TextCache<K, V> {
    results: HashMap<K, V>,
    bytes: usize,
}

impl<K, V> Default for TextCache<K, V> {
    fn default() -> Self {
        Self {
            results: HashMap::new(),
            bytes: 0,
        }
    }
}

impl<K: Eq + Hash, V: Clone> TextCache<K, V> {
    /// Returns the cached result for this key or computes it. Errors are not cached. `bytes` is the
    /// length of the key's text.
    pub fn of<E>(
        &mut self,
        key: K,
        bytes: usize,
        make: impl FnOnce(&K) -> Result<V, E>,
    ) -> Result<V, E> {
        if let Some(kept) = self.results.get(&key) {
            return Ok(kept.clone());
        }
        let made = make(&key)?;
        if bytes <= BYTES {
            if self.bytes + bytes > BYTES {
                self.results.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            self.results.insert(key, made.clone());
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, TextCache};

    #[test]
    fn computes_once_per_text_while_cached() {
        let mut made = Vec::new();
        let mut kept = TextCache::default();
        let half = BYTES / 2;
        for (key, bytes) in [
            ("a", half),
            ("b", half),
            ("a", half),
            ("c", 1),
            ("a", half),
            ("a", half),
            ("too long", BYTES + 1),
            ("too long", BYTES + 1),
            ("wrong", 1),
            ("wrong", 1),
            ("a", half),
        ] {
            let result = kept.of(key, bytes, |key| {
                made.push(*key);
                if *key == "wrong" {
                    Err(())
                } else {
                    Ok(key.len())
                }
            });
            assert_eq!(
                result,
                if key == "wrong" {
                    Err(())
                } else {
                    Ok(key.len())
                }
            );
        }
        let expected = ["a", "b", "c", "a", "too long", "too long", "wrong", "wrong"];
        assert_eq!(made, expected);
    }
}
