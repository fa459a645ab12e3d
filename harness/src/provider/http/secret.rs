//! Keys that cannot be shown by accident.

use std::sync::Arc;

use parking_lot::RwLock;

/// A key. It has neither `Debug`, `Display` nor `Serialize`, so that nothing that holds one can print it without
/// saying so.
#[derive(Clone)]
pub struct Secret(Arc<str>);

/// Shorter keys are placeholders such as `none`; to strike them out of texts would only garble these.
const SHORTEST: usize = 8;

/// What stands in a text where a key was.
const STRUCK_OUT: &str = "[key]";

/// Every key of this process that is long enough to be one, the longest first: one may begin like another.
static KNOWN: RwLock<Vec<Arc<str>>> = RwLock::new(Vec::new());

impl Secret {
    /// Takes a key, without the white space around it. From now on [`strike_out`] knows it.
    pub fn new(key: &str) -> Self {
        let key: Arc<str> = key.trim().into();
        if key.len() >= SHORTEST {
            let mut known = KNOWN.write();
            if !known.contains(&key) {
                known.push(Arc::clone(&key));
                known.sort_by_key(|key| std::cmp::Reverse(key.len()));
            }
        }
        Self(key)
    }

    /// The key itself, for the one header that carries it.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

/// The text with all keys of this process struck out of it, whichever server they are for. Keys of fewer than 8
/// characters stay.
pub fn strike_out(mut text: String) -> String {
    let known = KNOWN.read();
    for key in known.iter() {
        if text.contains(&**key) {
            text = text.replace(&**key, STRUCK_OUT);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Secret, strike_out};

    #[test]
    fn every_key_is_struck_out_of_texts() {
        for key in [
            "sk-canary-1",
            " sk-canary-1-and-more\n",
            "other-canary",
            "none",
            "",
        ] {
            let _ = Secret::new(key);
        }
        let cases = [
            ("no key", "no key"),
            (
                "bad key sk-canary-1, (other-canary)",
                "bad key [key], ([key])",
            ),
            ("sk-canary-1-and-more", "[key]"),
            ("none of these", "none of these"),
        ];
        for (text, expected) in cases {
            assert_eq!(strike_out(text.to_owned()), expected);
        }
    }
}
