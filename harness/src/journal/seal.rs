//! Numbers and checksums of the lines of a journal.
//!
//! A line is `{"n":3,"sum":"…",` followed by the fields of its entry. The checksum also covers the
//! checksum of the line above, so that a line is valid in only one place.

use std::io;

use serde::Deserialize;

use super::entry::Entry;
use super::{JOURNAL_VERSION, JournalStore};
use crate::model::lenient_json;
use crate::text::sha256_hex;

/// Hexadecimal digits of a checksum.
const SUM_DIGITS: usize = 16;

/// Position in a journal after its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Chain {
    /// Lines without numbers and checksums, of version 1.
    Unsealed,
    /// Lines with numbers and checksums.
    Sealed {
        /// Number of the last line, 1-based.
        number: u64,
        /// Checksum of the last line.
        sum: String,
    },
}

impl Default for Chain {
    fn default() -> Self {
        Self::Sealed {
            number: 0,
            sum: String::new(),
        }
    }
}

impl Chain {
    /// Returns the next line, including its line break.
    ///
    /// # Errors
    /// Returns the error of the serializer.
    pub fn line(&mut self, entry: &Entry) -> serde_json::Result<String> {
        let body = serde_json::to_string(entry)?;
        let Self::Sealed { number, sum } = self else {
            return Ok(body + "\n");
        };
        *number += 1;
        *sum = checksum(sum, &body);
        Ok(format!(
            "{{\"n\":{number},\"sum\":\"{sum}\",{}\n",
            &body[1..]
        ))
    }

    /// Reads the next line.
    ///
    /// # Errors
    /// Returns a description of the problem.
    fn read(&mut self, line: &str) -> Result<Entry, String> {
        let body = match self {
            Self::Unsealed => line.to_owned(),
            Self::Sealed { number, sum } => {
                let (found, said, body) = unsealed(line)
                    .ok_or("the number and the checksum are missing: the line was edited")?;
                let expected = *number + 1;
                if found != expected {
                    return Err(format!(
                        "the number is {found} instead of {expected}: lines are missing or out of order"
                    ));
                }
                let next = checksum(sum, &body);
                if next != said {
                    return Err("the checksum does not match: the line was edited".to_owned());
                }
                (*number, *sum) = (found, next);
                body
            }
        };
        lenient_json::from_str(&body).map_err(|error| error.to_string())
    }
}

/// Splits a line into its number, its checksum and its entry.
fn unsealed(line: &str) -> Option<(u64, &str, String)> {
    let (number, rest) = line.strip_prefix("{\"n\":")?.split_once(",\"sum\":\"")?;
    let (sum, body) = rest.split_once("\",")?;
    (sum.len() == SUM_DIGITS).then_some(())?;
    Some((number.parse().ok()?, sum, format!("{{{body}")))
}

fn checksum(above: &str, body: &str) -> String {
    let mut sum = sha256_hex(&format!("{above}{body}"));
    sum.truncate(SUM_DIGITS);
    sum
}

/// Valid beginning of a journal.
pub(super) struct Sealed {
    /// Entries, oldest first.
    pub entries: Vec<Entry>,
    /// Position after the last entry.
    pub chain: Chain,
    /// 1-based number of the first invalid line, and what is wrong with it.
    pub invalid: Option<(usize, String)>,
}

/// Reads the lines of a journal up to the first invalid one.
pub(super) fn read(lines: &[String]) -> Sealed {
    let mut sealed = Sealed {
        entries: Vec::new(),
        chain: Chain::default(),
        invalid: None,
    };
    if lines.first().is_some_and(|first| is_of_version_1(first)) {
        sealed.chain = Chain::Unsealed;
    }
    for (place, line) in lines.iter().enumerate() {
        let entry = sealed.chain.read(line).and_then(|entry| match &entry {
            Entry::Attempt { .. } if place > 0 => {
                Err("the first line of a journal is repeated".to_owned())
            }
            Entry::Attempt { v, .. } if *v > JOURNAL_VERSION => Err(format!(
                "unsupported version {v}: expected at most {JOURNAL_VERSION}"
            )),
            Entry::Attempt { .. } => Ok(entry),
            _ if place == 0 => Err("the line that identifies the attempt is missing".to_owned()),
            _ => Ok(entry),
        });
        match entry {
            Ok(entry) => sealed.entries.push(entry),
            Err(what) => {
                sealed.invalid = Some((place + 1, what));
                break;
            }
        }
    }
    sealed
}

/// Reads the journal of an attempt and checks its lines. Returns the entries, and the position
/// after the last entry.
///
/// # Errors
/// Returns an error that names the file, the line, and what is wrong with it.
pub(super) fn read_checked(
    store: &dyn JournalStore,
    run_id: &str,
    sample: &str,
    attempt: u32,
) -> io::Result<(Vec<Entry>, Chain)> {
    let sealed = read(&store.read(sample, attempt)?);
    let wrong = |line: usize, what: &str| {
        let name = store.name(sample, attempt);
        let what = format!("{name}: line {line}: {what}");
        io::Error::new(io::ErrorKind::InvalidData, what)
    };
    if let Some((line, what)) = sealed.invalid {
        return Err(wrong(line, &what));
    }
    if let Some(Entry::Attempt {
        run,
        sample: of,
        attempt: number,
        ..
    }) = sealed.entries.first()
    {
        let run = run.as_deref().unwrap_or(run_id);
        if (run, of.as_str(), *number) != (run_id, sample, attempt) {
            let what = format!("the journal belongs to attempt {number} of {of} in the run {run}");
            return Err(wrong(1, &what));
        }
    }
    Ok((sealed.entries, sealed.chain))
}

fn is_of_version_1(first: &str) -> bool {
    #[derive(Deserialize)]
    struct First {
        attempt: Versioned,
    }
    #[derive(Deserialize)]
    struct Versioned {
        v: u32,
    }
    let is_plain = first.starts_with("{\"attempt\":");
    is_plain && serde_json::from_str::<First>(first).is_ok_and(|first| first.attempt.v == 1)
}
