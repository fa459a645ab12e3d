//! Reads the scores of a run from a CSV file.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use csv::{ErrorKind, StringRecord};
use model::{Status, excerpt};
use records::program_versions::ProgramVersions;
use records::run_dir::plain_text;

use super::error::{CompareError, CsvProblem};
use super::run_scores::{CONSTANT_COLUMNS, RunScores, ScoredAttempt};
use crate::differences::RunParts;
use crate::race_folder::race_of;

/// 0-based positions of the columns that are read, with the name if it is not fixed.
struct Columns {
    sample: (usize, &'static str),
    score: usize,
    attempt: Option<usize>,
    cluster: Option<usize>,
    status: Option<usize>,
    program: Option<usize>,
    refused: Option<usize>,
    facts: Vec<(usize, &'static str)>,
}

/// Reads a file with one row per attempt. The columns `id` (or `sample`) and `score` are required.
/// The columns `attempt`, `cluster`, `status`, `program`, `refused` and those in
/// [`CONSTANT_COLUMNS`] are optional; others are ignored.
pub(super) fn read(path: &Path) -> Result<RunScores, CompareError> {
    let bytes = fs::read(path).map_err(|reason| CompareError::Read {
        path: path.to_owned(),
        reason,
    })?;
    let lines = Lines::of(&bytes);
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let wrong = |line, problem| CompareError::Csv {
        path: path.to_owned(),
        line,
        problem: Box::new(problem),
    };
    let header = reader
        .headers()
        .map_err(|error| unreadable(path, &lines, error))?;
    let columns = Columns::find(header).map_err(|problem| wrong(1, problem))?;
    let mut rows = Rows::new(columns);
    let mut row = StringRecord::new();
    while reader
        .read_record(&mut row)
        .map_err(|error| unreadable(path, &lines, error))?
    {
        let line = lines.of_record(row.position());
        rows.add(&row, line)
            .map_err(|problem| wrong(line, problem))?;
    }
    if rows.attempts.is_empty() {
        return Err(wrong(1, CsvProblem::Empty));
    }
    let facts = rows.facts.into_iter();
    let facts = facts.map(|(name, (value, _))| (name.to_owned(), value));
    let facts: BTreeMap<_, _> = facts.filter(|(_, value)| !value.is_empty()).collect();
    let fact = |column: &str| facts.get(column).map(String::as_str);
    Ok(RunScores {
        started: None,
        path: path.to_owned(),
        is_csv: true,
        race: race_of(path),
        parts: RunParts::of_columns(fact, rows.program_versions),
        facts,
        attempts_total: rows.attempts.len() as u64,
        attempts: rows.attempts,
        truncated_record: None,
    })
}

impl Columns {
    fn find(header: &StringRecord) -> Result<Self, CsvProblem> {
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        if names.iter().all(|name| name.is_empty()) {
            return Err(CsvProblem::Empty);
        }
        let place = |wanted: &str| names.iter().position(|name| *name == wanted);
        let missing = |wanted| CsvProblem::MissingColumn {
            wanted,
            found: excerpt(&names.join(", "), 200),
        };
        let needed = |wanted: &'static str| place(wanted).ok_or_else(|| missing(wanted));
        let sample = match (place("id"), place("sample")) {
            (Some(column), _) => (column, "id"),
            (None, Some(column)) => (column, "sample"),
            (None, None) => return Err(missing("`id` or `sample`")),
        };
        let columns = Self {
            sample,
            score: needed("score")?,
            attempt: place("attempt"),
            cluster: place("cluster"),
            status: place("status"),
            program: place("program"),
            refused: place("refused"),
            facts: CONSTANT_COLUMNS
                .into_iter()
                .filter_map(|fact| Some((place(fact)?, fact)))
                .collect(),
        };
        let read = columns.facts.iter().map(|(column, _)| *column).chain(
            [
                columns.attempt,
                columns.cluster,
                columns.status,
                columns.program,
                columns.refused,
            ]
            .into_iter()
            .flatten()
            .chain([columns.sample.0, columns.score]),
        );
        // If two columns have the same name, the intended one is unclear.
        for column in read {
            let later = (column + 1..names.len()).find(|later| names[*later] == names[column]);
            if let Some(later) = later {
                return Err(CsvProblem::DuplicateColumn {
                    column: later + 1,
                    name: names[later].to_owned(),
                });
            }
        }
        Ok(columns)
    }
}

/// Attempts read so far, and the line of each value that later rows must not change.
struct Rows {
    columns: Columns,
    attempts: Vec<ScoredAttempt>,
    seen: HashMap<(String, u32), u64>,
    clusters: HashMap<String, (String, u64)>,
    facts: HashMap<&'static str, (String, u64)>,
    program_versions: ProgramVersions,
}

impl Rows {
    fn new(columns: Columns) -> Self {
        Self {
            columns,
            attempts: Vec::new(),
            seen: HashMap::new(),
            clusters: HashMap::new(),
            facts: HashMap::new(),
            program_versions: ProgramVersions::default(),
        }
    }

    fn add(&mut self, row: &StringRecord, line: u64) -> Result<(), CsvProblem> {
        let columns = &self.columns;
        let field = |column: usize| row.get(column).unwrap_or_default();
        let value = |column: usize, name, wanted| CsvProblem::Value {
            column: column + 1,
            name,
            found: excerpt(field(column), 40),
            wanted,
        };

        let sample = plain_text(field(columns.sample.0)).into_owned();
        if sample.trim().is_empty() {
            return Err(value(columns.sample.0, columns.sample.1, "a sample id"));
        }
        let attempt = match columns.attempt {
            None => 1,
            Some(column) => match field(column).trim().parse() {
                Ok(attempt) if attempt > 0 => attempt,
                _ => return Err(value(column, "attempt", "a whole number from 1")),
            },
        };
        let number = field(columns.score).trim();
        let score = match (number, number.parse::<f64>()) {
            ("", _) => None,
            (_, Ok(score)) if (0.0..=1.0).contains(&score) => Some(score),
            _ => return Err(value(columns.score, "score", "a number from 0 to 1")),
        };
        let status = match columns.status {
            Some(column) => status(field(column).trim())
                .ok_or_else(|| value(column, "status", "ok, limit, error or cancelled"))?,
            None if score.is_none() => Status::Error,
            None => Status::Ok,
        };
        let refused = match columns.refused {
            None => false,
            Some(column) => match field(column).trim() {
                "" | "0" => false,
                "1" => true,
                _ => return Err(value(column, "refused", "0 or 1")),
            },
        };
        let cluster = columns
            .cluster
            .map(|column| plain_text(field(column)).into_owned())
            .unwrap_or_default();

        match self.seen.entry((sample.clone(), attempt)) {
            Entry::Occupied(earlier) => {
                return Err(CsvProblem::DuplicateAttempt {
                    sample: excerpt(&sample, 40),
                    attempt,
                    line: *earlier.get(),
                    has_attempts: columns.attempt.is_some(),
                });
            }
            Entry::Vacant(place) => place.insert(line),
        };
        if let Some(column) = columns.cluster {
            unchanged(
                self.clusters.entry(sample.clone()),
                (column, "cluster"),
                (&cluster, line),
                "a sample belongs to one cluster",
            )?;
        }
        for &(column, fact) in &columns.facts {
            unchanged(
                self.facts.entry(fact),
                (column, fact),
                (&plain_text(field(column)), line),
                "a file contains one run",
            )?;
        }
        let program = columns.program.map(|column| field(column).to_owned());
        self.program_versions.add(program);
        self.attempts.push(ScoredAttempt {
            sample,
            attempt,
            cluster: (!cluster.is_empty()).then_some(cluster),
            status,
            // As in run directories, an attempt that ended in an error has no score, even if
            // another program wrote one.
            score: score.filter(|_| matches!(status, Status::Ok | Status::Limit)),
            refused,
            // CSV files do not contain this value.
            has_truncated_prompt: false,
        });
        Ok(())
    }
}

fn unchanged<K>(
    entry: Entry<'_, K, (String, u64)>,
    (column, name): (usize, &'static str),
    (found, line): (&str, u64),
    why: &'static str,
) -> Result<(), CsvProblem> {
    let (earlier, earlier_line) = &*entry.or_insert_with(|| (found.to_owned(), line));
    if earlier == found {
        return Ok(());
    }
    Err(CsvProblem::Changed {
        column: column + 1,
        name,
        found: excerpt(found, 40),
        earlier: excerpt(earlier, 40),
        line: *earlier_line,
        why,
    })
}

fn status(word: &str) -> Option<Status> {
    [Status::Ok, Status::Limit, Status::Error, Status::Cancelled]
        .into_iter()
        .find(|status| status.as_str() == word)
}

/// Computes line numbers as editors do. Those of the CSV reader can be too low, because it counts
/// blank lines and `\r` line ends only after passing them.
struct Lines<'a> {
    bytes: &'a [u8],
    /// Byte positions of the line ends.
    ends: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let is_end = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = (0..bytes.len()).filter(is_end).collect();
        Self { bytes, ends }
    }

    /// Returns the 1-based line number of the first record at or after `position`.
    fn of_record(&self, position: Option<&csv::Position>) -> u64 {
        let from = position.map_or(0, csv::Position::byte);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let rest = self.bytes.get(from..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| b"\r\n".contains(byte));
        let start = from.saturating_add(blank.count());
        self.ends.partition_point(|end| *end < start) as u64 + 1
    }
}

fn unreadable(path: &Path, lines: &Lines<'_>, error: csv::Error) -> CompareError {
    let line_of = |position: &Option<csv::Position>| lines.of_record(position.as_ref());
    let (line, problem) = match error.kind() {
        ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => (
            line_of(pos),
            CsvProblem::Fields {
                found: *len,
                wanted: *expected_len,
            },
        ),
        ErrorKind::Utf8 { pos, err } => (
            line_of(pos),
            CsvProblem::NotUtf8 {
                column: err.field() + 1,
            },
        ),
        _ => {
            return CompareError::Read {
                path: path.to_owned(),
                reason: error.into(),
            };
        }
    };
    CompareError::Csv {
        path: path.to_owned(),
        line,
        problem: Box::new(problem),
    }
}
