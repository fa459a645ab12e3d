//! Detects that a file, which is read piece by piece as it grows, was replaced by another file.

use std::io::{self, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

/// Maximum number of bytes to hash. The times of the events in them differ between two tries of an
/// attempt.
const HASHED: u64 = 256;

/// Returns a hash of the last bytes before `offset`, and leaves the reader at `offset`. If a file
/// has another hash there than before, its previous bytes were replaced.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn digest_before<R: Read + Seek>(file: &mut R, offset: u64) -> io::Result<String> {
    let from = offset.saturating_sub(HASHED);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(offset - from).read_to_end(&mut bytes)?;
    Ok(hex::encode(Sha256::digest(&bytes)))
}
