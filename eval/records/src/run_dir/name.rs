//! Names of runs and files, safe to be parts of a path whatever the text they are made from.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

/// Longest safe name, in bytes. File systems allow 255, and an attempt's number and an ending follow.
const LONGEST: usize = 160;

/// Characters of the hash that stands for what was cut from a long name.
const HASH_CHARS: usize = 16;

/// A new run's name: `<benchmark>-<mode or protocol>-<yyyymmdd-hhmmss>-<4 hex>`, the time in UTC, the hex at random.
pub(super) fn run_id(benchmark: &str, mode: &str, started: Timestamp) -> String {
    let time = started.strftime("%Y%m%d-%H%M%S");
    // The standard library's only source of randomness: each state has keys of its own.
    let random = RandomState::new().build_hasher().finish() & 0xffff;
    safe(&format!("{benchmark}-{mode}-{time}-{random:04x}"))
}

/// An id for a new sweep: its folder's name and 8 hex at random, so that the runs of two sweeps never share an id.
pub fn sweep_id(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let random = RandomState::new().build_hasher().finish() & 0xffff_ffff;
    safe(&format!("{name}-{random:08x}"))
}

/// The trajectory's file name: `<sample>.<attempt>.jsonl`.
pub(super) fn trajectory(sample: &str, attempt: u32) -> String {
    format!("{}.{attempt}.jsonl", safe(sample))
}

/// The name of the file of a long answer: `<sample>.<attempt>.txt`.
pub(super) fn answer(sample: &str, attempt: u32) -> String {
    format!("{}.{attempt}.txt", safe(sample))
}

/// The trajectory's path in a folder: under the name that an earlier version gave it, if only that is there.
pub(super) fn trajectory_in(folder: &Path, sample: &str, attempt: u32) -> PathBuf {
    let path = folder.join(trajectory(sample, attempt));
    let earlier = earlier_trajectory(sample, attempt).map(|name| folder.join(name));
    match earlier {
        Some(earlier) if !path.exists() && earlier.exists() => earlier,
        _ => path,
    }
}

/// The name that a trajectory's file has now, by the name that any version gave it.
pub(super) fn current(file: &str) -> String {
    let Some((sample, rest)) = file
        .strip_suffix(".jsonl")
        .filter(|_| file.starts_with('.'))
        .and_then(|stem| stem.rsplit_once('.'))
    else {
        return file.to_owned();
    };
    match sample.strip_prefix('.') {
        Some(after) => format!("%2E{after}.{rest}.jsonl"),
        None => format!("%.{rest}.jsonl"),
    }
}

/// The name that earlier versions gave the same file, where it was another: a hidden one.
pub(super) fn earlier_trajectory(sample: &str, attempt: u32) -> Option<String> {
    (sample.is_empty() || sample.starts_with('.'))
        .then(|| format!("{}.{attempt}.jsonl", encoded(sample)))
}

/// A text as the beginning of a file name, which is never hidden: as [`encoded`], but `%2E` for a point at its beginning,
/// and `%` for no text at all.
fn safe(text: &str) -> String {
    match text.strip_prefix('.') {
        _ if text.is_empty() => "%".to_owned(),
        None => encoded(text),
        // The first byte is the point; of a text that is cut, the hash is that of the whole.
        Some(_) => format!("%2E{}", &encoded(text)[1..]),
    }
}

/// A text as part of a file name: `A-Z a-z 0-9 . _ -` stand for themselves, every other byte of its UTF-8 is
/// percent-encoded. Different texts get different names.
///
/// A name that would be longer than [`LONGEST`] is cut, and ends in `~` and the text's hash.
fn encoded(text: &str) -> String {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');
    let mut name = utf8_percent_encode(text, PLAIN).to_string();
    if name.len() > LONGEST {
        // Not within the three characters of an encoded byte.
        let end = LONGEST - HASH_CHARS - 1;
        name.truncate(
            name[..end]
                .rfind('%')
                .filter(|at| at + 3 > end)
                .unwrap_or(end),
        );
        let hash = hex::encode(Sha256::digest(text));
        name = format!("{name}~{}", &hash[..HASH_CHARS]);
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
            ("", 1, "%.1.jsonl".to_owned()),
            (".env", 1, "%2Eenv.1.jsonl".to_owned()),
            ("..", 1, "%2E..1.jsonl".to_owned()),
            (
                "../../etc/passwd",
                1,
                "%2E.%2F..%2Fetc%2Fpasswd.1.jsonl".to_owned(),
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
            assert!(name.len() < 200, "{id:?}");
        }
    }

    #[test]
    fn names_that_were_hidden_are_known() {
        let rows = [
            ("a.b", None),
            ("", Some(".2.jsonl")),
            (".", Some("..2.jsonl")),
            ("..", Some("...2.jsonl")),
            (".env", Some(".env.2.jsonl")),
            ("../x", Some("..%2Fx.2.jsonl")),
        ];
        for (id, name) in rows {
            assert_eq!(earlier_trajectory(id, 2).as_deref(), name, "{id:?}");
            let now = trajectory(id, 2);
            assert_eq!(current(name.unwrap_or(&now)), now, "{id:?}");
            assert_eq!(current(&now), now, "{id:?}");
        }
    }

    #[test]
    fn long_hidden_ids_get_different_names() {
        let ids = [157, 158, 159, 160, 161, 300].map(|length| format!(".{}", "x".repeat(length)));
        let mut names: Vec<String> = ids.iter().map(|id| safe(id)).collect();
        assert!(
            names
                .iter()
                .all(|name| name.starts_with("%2Ex") && name.len() <= LONGEST + 2)
        );
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ids.len());
    }

    fn hash(text: &str) -> String {
        hex::encode(Sha256::digest(text))[..16].to_owned()
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
