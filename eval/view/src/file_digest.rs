//! Detects that a file, which is read piece by piece as it grows, was replaced by another file.

use std::io::{self, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

/// Maximum number of bytes to hash at the beginning of a file. They contain the time of the first
/// event, which usually differs between two tries of an attempt.
const FIRST: u64 = 4 << 10;

/// Maximum number of bytes to hash before an offset. They contain the times of several events,
/// except after a longer line.
const LAST: u64 = 64 << 10;

/// Returns a hash of the first bytes of a file and of the last bytes before `offset`, and leaves
/// the reader at `offset`. If a file has another hash than before, its previous bytes were
/// replaced.
pub fn digest_before<R: Read + Seek>(file: &mut R, offset: u64) -> io::Result<String> {
    let parts = [
        (0, offset.min(FIRST)),
        (offset.saturating_sub(LAST), offset),
    ];
    let mut bytes = Vec::new();
    for (from, to) in parts {
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(to - from).read_to_end(&mut bytes)?;
    }
    Ok(hex::encode(Sha256::digest(&bytes)))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::digest_before;

    #[test]
    fn notices_another_time_before_a_long_line() {
        for length in [1, 1_000, 100_000] {
            let digest = |at_ms: &str| {
                let bytes = format!("{{\"at_ms\":{at_ms}}}\n{}", "x".repeat(length));
                let end = bytes.len() as u64;
                let mut file = Cursor::new(bytes + "later");
                let digest = digest_before(&mut file, end).unwrap();
                assert_eq!(file.position(), end, "{length}");
                digest
            };
            assert_eq!(digest("1.0"), digest("1.0"), "{length}");
            assert_ne!(digest("1.0"), digest("2.0"), "{length}");
        }
    }
}
