//! Names of runs and files, which are safe as path components whatever text they are created from.

use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::{Digest, Sha256};

/// Maximum bytes of a safe name. File systems allow 255, but a hash, an attempt number and an
/// extension may follow.
const LONGEST: usize = 160;

/// Number of hash characters at the end of a long name.
const HASH_CHARS: usize = 16;

/// Returns the name of a new run: `<benchmark>-<mode or protocol>-<yyyymmdd-hhmmss>-<4 hex>`, with
/// the time in UTC and random hex digits.
pub(super) fn run_id(benchmark: &str, mode: &str, started: Timestamp) -> String {
    let time = started.strftime("%Y%m%d-%H%M%S");
    // Each `RandomState` has random keys, the only source of randomness in the standard library.
    let random = RandomState::new().build_hasher().finish() & 0xffff;
    safe(&format!("{benchmark}-{mode}-{time}-{random:04x}"))
}

/// Returns an id for a new sweep: the name of its folder and 8 random hex digits, so that runs of
/// two sweeps never share an id.
pub fn sweep_id(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let random = RandomState::new().build_hasher().finish() & 0xffff_ffff;
    safe(&format!("{name}-{random:08x}"))
}

/// Returns the file name of a trajectory: `<sample>.<attempt>.jsonl`.
pub(super) fn trajectory(sample: &str, attempt: u32) -> String {
    format!("{}.{attempt}.jsonl", distinct(&safe(sample)))
}

/// Returns the file name of a long answer: `<sample>.<attempt>.txt`.
pub(super) fn answer(sample: &str, attempt: u32) -> String {
    format!("{}.{attempt}.txt", distinct(&safe(sample)))
}

/// Returns the path of a long answer in a folder. If only a file with a name from earlier versions
/// exists, returns its path.
pub(super) fn answer_in(folder: &Path, sample: &str, attempt: u32) -> PathBuf {
    let path = folder.join(answer(sample, attempt));
    let earlier = folder.join(format!("{}.{attempt}.txt", safe(sample)));
    if !path.exists() && earlier.exists() {
        return earlier;
    }
    path
}

/// Returns the path of a trajectory in a folder. If only a file with a name from earlier versions
/// exists, returns its path.
pub(super) fn trajectory_in(folder: &Path, sample: &str, attempt: u32) -> PathBuf {
    let path = folder.join(trajectory(sample, attempt));
    if path.exists() {
        return path;
    }
    let earlier = earlier_trajectories(sample, attempt);
    let mut earlier = earlier.into_iter().map(|name| folder.join(name));
    earlier.find(|earlier| earlier.exists()).unwrap_or(path)
}

/// Converts the file name of a trajectory from any version to the current one.
pub(super) fn current(file: &str) -> String {
    let Some((sample, rest)) = file
        .strip_suffix(".jsonl")
        .and_then(|stem| stem.rsplit_once('.'))
    else {
        return file.to_owned();
    };
    let sample = match sample.strip_prefix('.') {
        _ if sample.is_empty() => "%".to_owned(),
        Some(after) => format!("%2E{after}"),
        None => sample.to_owned(),
    };
    format!("{}.{rest}.jsonl", distinct(&sample))
}

/// Returns the file names of a trajectory in earlier versions, if they differ from the current one.
/// The earlier names contain upper-case letters or begin with a dot.
fn earlier_trajectories(sample: &str, attempt: u32) -> Vec<String> {
    let now = trajectory(sample, attempt);
    [safe(sample), encoded(sample)]
        .map(|name| format!("{name}.{attempt}.jsonl"))
        .into_iter()
        .filter(|name| *name != now)
        .collect()
}

/// Percent-encodes the upper-case letters of a safe name, so that different texts get different
/// names even on file systems that ignore case. A name that already ends in a hash is unchanged.
/// The function is idempotent.
fn distinct(name: &str) -> String {
    if name.contains('~') {
        return name.to_owned();
    }
    let mut out = String::with_capacity(name.len());
    // Number of characters left to copy of an escape such as `%2E`.
    let mut escape = 0_u8;
    for char in name.chars() {
        if char == '%' {
            escape = 3;
        }
        if escape == 0 && char.is_ascii_uppercase() {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{:02X}", u32::from(char));
        } else {
            out.push(char);
        }
        escape = escape.saturating_sub(1);
    }
    if out.len() > LONGEST {
        let hash = hex::encode(Sha256::digest(name));
        return format!("{name}~{}", &hash[..HASH_CHARS]);
    }
    out
}

/// Encodes a text like [`encoded`], but never as an empty name or the name of a hidden file: a
/// leading dot becomes `%2E`, and an empty text becomes `%`.
fn safe(text: &str) -> String {
    match text.strip_prefix('.') {
        _ if text.is_empty() => "%".to_owned(),
        None => encoded(text),
        // The first byte of the encoded text is the dot. The whole text is encoded, so that the
        // hash of a truncated name covers it.
        Some(_) => format!("%2E{}", &encoded(text)[1..]),
    }
}

/// Encodes a text as part of a file name: percent-encodes all UTF-8 bytes except ASCII letters,
/// digits, `.`, `_` and `-`. Different texts get different names.
///
/// A name longer than [`LONGEST`] is truncated and ends in `~` and the hash of the text.
fn encoded(text: &str) -> String {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'_').remove(b'-');
    let mut name = utf8_percent_encode(text, PLAIN).to_string();
    if name.len() > LONGEST {
        // Do not split the three characters of an encoded byte.
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
            ("arc_a.b", 12, "arc_a.b.12.jsonl".to_owned()),
            ("arc_A.b", 12, "arc_%41.b.12.jsonl".to_owned()),
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
            (r"C:\x", 1, "%43%3A%5Cx.1.jsonl".to_owned()),
            (fits.as_str(), 1, format!("{fits}.1.jsonl")),
            (
                long.as_str(),
                1,
                format!("{}~{}.1.jsonl", &long[..143], hash(&long)),
            ),
            // 23 letters of 6 characters each fill 138 of 143; no escape is split.
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
    fn finds_names_of_earlier_versions() {
        let rows = [
            ("a.b", vec![]),
            ("", vec![".2.jsonl"]),
            (".", vec!["..2.jsonl"]),
            ("..", vec!["...2.jsonl"]),
            (".env", vec![".env.2.jsonl"]),
            ("../x", vec!["..%2Fx.2.jsonl"]),
            ("Ab", vec!["Ab.2.jsonl", "Ab.2.jsonl"]),
            (".A", vec!["%2EA.2.jsonl", ".A.2.jsonl"]),
        ];
        for (id, names) in rows {
            assert_eq!(earlier_trajectories(id, 2), names, "{id:?}");
            let now = trajectory(id, 2);
            for name in names {
                assert_eq!(current(name), now, "{id:?}");
            }
            assert_eq!(current(&now), now, "{id:?}");
        }
    }

    #[test]
    fn long_hidden_ids_stay_distinct() {
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

    #[test]
    fn names_differ_when_case_is_ignored() {
        let long = "A".repeat(100);
        let mixed = format!("{}a", "A".repeat(99));
        let ids = ["a", "A", "%41", "%61", "ä", "Ä", &long, &mixed];
        let mut names = ids.map(|id| trajectory(id, 1).to_lowercase()).to_vec();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ids.len());
    }

    fn hash(text: &str) -> String {
        hex::encode(Sha256::digest(text))[..16].to_owned()
    }

    #[test]
    fn run_ids_are_readable_and_unique() {
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
