//! The digest by which texts are compared.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// SHA-256 of a text's UTF-8 bytes, in lower-case hex.
pub fn sha256_hex(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}
