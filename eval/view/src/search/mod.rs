//! Full-text search over trajectories. An index next to the runs finds the texts that contain
//! words; callers can exclude attempts, for example by their records.

mod builder;
mod distinct;
mod snippet;
mod store;
mod texts;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use builder::Builder;
pub use builder::Status;
use snippet::snippet;
use store::{Owner, Store, TextLocation, file_of};
pub use texts::Kind;
use texts::{shown, words};

/// Name of the index's folder, next to the runs.
const FOLDER: &str = ".eval-index";

/// Maximum time for rereading texts to check whether the words of a phrase are adjacent.
const VERIFYING: Duration = Duration::from_millis(150);

/// Maximum number of matching texts to count.
const COUNTED: usize = 100_000;

/// Search index of a folder of runs.
#[derive(Debug)]
pub struct TextIndex {
    /// Path of the index file.
    pub file: PathBuf,
    builder: Builder,
}

/// A search request.
#[derive(Debug)]
pub struct SearchRequest<'a> {
    /// Lowercase words and phrases, all of which must occur. A phrase must occur exactly.
    pub words: &'a [String],
    /// Kinds of texts to search; empty for all.
    pub kinds: &'a [Kind],
    /// Run to search; `None` for all.
    pub run: Option<&'a str>,
    /// Number of hits to skip.
    pub offset: usize,
    /// Maximum number of hits.
    pub limit: usize,
}

/// Result of a search.
#[derive(Debug, Default)]
pub struct SearchResults {
    /// A page of hits: the newest run first, then in the order of the run's files and their lines.
    pub hits: Vec<Hit>,
    /// Number of matching texts found.
    pub total: usize,
    /// Whether more than `total` texts may match.
    pub more: bool,
}

/// A text that contains all words.
#[derive(Debug, Serialize)]
pub struct Hit {
    /// Id of the run.
    pub run: String,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Invocation id of the agent.
    pub agent: String,
    /// Number of the iteration; 0 before the first iteration.
    pub iteration: u32,
    /// Kind of text.
    pub kind: Kind,
    /// Excerpt of the text, as alternating parts: other text, a searched word, and so on.
    pub parts: Vec<String>,
}

impl TextIndex {
    /// Creates a handle for the index of a folder, without creating the index.
    pub fn of(folder: &Path) -> Self {
        Self {
            file: folder.join(FOLDER).join("search.sqlite"),
            builder: Builder::default(),
        }
    }

    /// Starts updating the index from the given runs, and returns its progress.
    pub fn refresh(&self, runs: Vec<(String, PathBuf)>) -> Status {
        self.builder.start(&self.file, runs);
        self.builder.status()
    }

    /// Searches the index. `passes` decides whether to include an attempt; `open` returns the path
    /// of its trajectory.
    pub fn search(
        &self,
        asked: &SearchRequest<'_>,
        mut passes: impl FnMut(&Owner) -> bool,
        open: impl Fn(&Owner) -> Option<PathBuf>,
    ) -> rusqlite::Result<SearchResults> {
        let mut answer = SearchResults::default();
        let groups: Vec<Vec<String>> = asked.words.iter().map(|word| words(word)).collect();
        let groups: Vec<Vec<String>> = groups.into_iter().filter(|one| !one.is_empty()).collect();
        let Some(store) = Store::open(&self.file)? else {
            return Ok(answer);
        };
        let run = match asked.run {
            None => None,
            Some(id) => match store.run_row(id)? {
                Some(row) => Some(row),
                None => return Ok(answer),
            },
        };
        if groups.is_empty() {
            return Ok(answer);
        }
        // The index is exact for single words; adjacency and punctuation are checked in the text.
        let verify: Vec<&String> = asked
            .words
            .iter()
            .filter(|word| !word.chars().all(char::is_alphanumeric))
            .collect();
        let until = Instant::now() + VERIFYING;
        let mut known: HashMap<i64, Option<Owner>> = HashMap::new();
        let mut problem = None;
        store.rows(&groups, asked.kinds, run, |row| {
            let file = file_of(row);
            let attempt = known.entry(file).or_insert_with(|| {
                let attempt = store.attempt(file).ok().flatten();
                attempt.filter(|attempt| passes(attempt))
            });
            let Some(attempt) = attempt else {
                return true;
            };
            let on_page = answer.total >= asked.offset && answer.hits.len() < asked.limit;
            if on_page || !verify.is_empty() {
                match hit(&store, row, attempt, asked.words, &verify, &open) {
                    Ok(Some(hit)) if on_page => answer.hits.push(hit),
                    Ok(Some(_)) => {}
                    // The text does not contain the phrase exactly.
                    Ok(None) if Instant::now() < until => return true,
                    Ok(None) => {
                        answer.more = true;
                        return false;
                    }
                    Err(error) => {
                        problem = Some(error);
                        return false;
                    }
                }
            }
            answer.total += 1;
            answer.more = answer.total >= COUNTED || !verify.is_empty() && Instant::now() >= until;
            !answer.more
        })?;
        match problem {
            Some(problem) => Err(problem),
            None => Ok(answer),
        }
    }
}

/// Reads the hit of a row from its trajectory. Returns `None` if the text does not contain the
/// phrases in `verify` exactly or if the line no longer exists.
fn hit(
    store: &Store,
    row: i64,
    attempt: &Owner,
    words: &[String],
    verify: &[&String],
    open: impl Fn(&Owner) -> Option<PathBuf>,
) -> rusqlite::Result<Option<Hit>> {
    let place = store.place(row)?;
    let Some((agent, text)) = open(attempt).and_then(|path| read(&path, &place).ok().flatten())
    else {
        return Ok(None);
    };
    let lower = text.to_lowercase();
    if !verify.iter().all(|word| lower.contains(word.as_str())) {
        return Ok(None);
    }
    Ok(Some(Hit {
        run: attempt.run.clone(),
        sample: attempt.sample.clone(),
        attempt: attempt.attempt,
        agent,
        iteration: place.iteration,
        kind: place.kind,
        parts: snippet(&text, words),
    }))
}

fn read(path: &Path, place: &TextLocation) -> io::Result<Option<(String, String)>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(place.offset))?;
    let mut line = vec![0; place.length];
    file.read_exact(&mut line)?;
    Ok(shown(&line, place.kind))
}

#[cfg(test)]
mod tests;
