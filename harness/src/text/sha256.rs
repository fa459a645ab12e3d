//! The digest by which texts are compared.

use sha2::{Digest, Sha256};

/// SHA-256 of a text's UTF-8 bytes, in lower-case hex.
pub fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
