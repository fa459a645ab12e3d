//! API keys, and their redaction in texts.

use std::sync::Arc;

use parking_lot::RwLock;

/// An API key. Implements neither `Debug`, `Display` nor `Serialize`, so that the key cannot be
/// printed by accident.
#[derive(Clone)]
pub struct Secret(Arc<str>);

/// Minimum bytes of a key to redact. Shorter keys are placeholders such as `none`; redacting those
/// would corrupt other text.
const SHORTEST: usize = 8;

const REPLACEMENT: &str = "[key]";

/// All keys to redact in this process, longest first because one may be a prefix of another.
static KNOWN: RwLock<Vec<Arc<str>>> = RwLock::new(Vec::new());

impl Secret {
    /// Stores a key without surrounding white space and registers it for [`redact`].
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

    /// Returns the key in plain text, for a header.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

/// Redacts all keys of this process in a text, except those shorter than 8 bytes.
pub fn redact(mut text: String) -> String {
    let known = KNOWN.read();
    for key in known.iter() {
        if text.contains(&**key) {
            text = text.replace(&**key, REPLACEMENT);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Secret, redact};

    #[test]
    fn redacts_every_key() {
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
            assert_eq!(redact(text.to_owned()), expected);
        }
    }
}
