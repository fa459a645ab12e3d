//! SHA-256 digests of texts.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a text's UTF-8 bytes, in lowercase hex.
pub fn sha256_hex(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
