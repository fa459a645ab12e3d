//! Names of runs and files, safe to be parts of a path whatever the text they are made from.

use std::collections::hash_map::RandomState;
use std::fmt::Write;
use std::hash::{BuildHasher, Hasher};

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::fingerprint::hex;

/// Longest safe name, in bytes. File systems allow 255, and an attempt's number and an ending follow.
const LONGEST: usize = 160;

/// Characters of the hash that stands for what was cut from a long name.
const HASH_CHARS: usize = 16;

/// A new run's name: `<benchmark>-<mode>-<yyyymmdd-hhmmss>-<4 hex>`, the time in UTC, the hex at random.
pub(super) fn run_id(benchmark: &str, mode: &str, started: Timestamp) -> String {
    let time = started.strftime("%Y%m%d-%H%M%S");
    // The standard library's only source of randomness: each state has keys of its own.
    let random = RandomState::new().build_hasher().finish() & 0xffff;
    safe(&format!("{benchmark}-{mode}-{time}-{random:04x}"))
}

/// The trajectory's file name: `<sample>.<attempt>.jsonl`.
pub(super) fn trajectory(sample: &str, attempt: u32) -> String {
    format!("{}.{attempt}.jsonl", safe(sample))
}

/// A text as part of a file name: `A-Z a-z 0-9 . _ -` stand for themselves, every other byte of its UTF-8 is
/// percent-encoded. Different texts get different names.
///
/// A name that would be longer than [`LONGEST`] is cut, and ends in `~` and the text's hash. With an ending that
/// follows, neither `.` nor `..` is left of a hostile text.
fn safe(text: &str) -> String {
    let mut name = String::new();
    let mut cut = 0;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
            name.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
        if name.len() < LONGEST - HASH_CHARS {
            cut = name.len();
        }
        if name.len() > LONGEST {
            name.truncate(cut);
            let hash = hex(&Sha256::digest(text));
            return format!("{name}~{}", &hash[..HASH_CHARS]);
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_ids_become_safe_file_names() {
        let long = "x".repeat(161);
        let fits = "x".repeat(160);
        let wide = "ä".repeat(100);
        let rows = [
            ("s-niah-8k-1", 1, "s-niah-8k-1.1.jsonl".to_owned()),
            ("arc_A.b", 12, "arc_A.b.12.jsonl".to_owned()),
            ("", 1, ".1.jsonl".to_owned()),
            ("..", 1, "...1.jsonl".to_owned()),
            (
                "../../etc/passwd",
                1,
                "..%2F..%2Fetc%2Fpasswd.1.jsonl".to_owned(),
            ),
            ("a b\n\0", 1, "a%20b%0A%00.1.jsonl".to_owned()),
            ("a%20b", 1, "a%2520b.1.jsonl".to_owned()),
            ("ü~", 1, "%C3%BC%7E.1.jsonl".to_owned()),
            (r"C:\x", 1, "C%3A%5Cx.1.jsonl".to_owned()),
            (fits.as_str(), 1, format!("{fits}.1.jsonl")),
            (
                long.as_str(),
                1,
                format!("{}~{}.1.jsonl", &long[..143], hash(&long)),
            ),
            // 23 letters of 6 characters each fill 138 of 143; no escape is cut in two.
            (
                wide.as_str(),
                1,
                format!("{}%C3~{}.1.jsonl", "%C3%A4".repeat(23), hash(&wide)),
            ),
        ];
        for (id, attempt, name) in rows {
            assert_eq!(trajectory(id, attempt), name, "{id:?}");
        }
    }

    fn hash(text: &str) -> String {
        hex(&Sha256::digest(text))[..16].to_owned()
    }

    #[test]
    fn run_ids_say_what_when_and_differ() {
        let started = "2026-11-21T09:24:06.5Z".parse().unwrap();
        let id = run_id("s-niah", "solver", started);
        let (stem, hex) = id.rsplit_once('-').unwrap();
        assert_eq!(stem, "s-niah-solver-20261121-092406");
        assert!(
            hex.len() == 4 && hex.bytes().all(|b| b.is_ascii_hexdigit()),
            "{id}"
        );
        assert!((0..100).any(|_| run_id("s-niah", "solver", started) != id));
    }
}
