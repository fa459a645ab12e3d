//! Search over the texts of trajectories: words by an index beside the runs, filters by the records of their attempts.

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
pub use snippet::Snippet;
use store::{Owner, Place, Store, file_of};
pub use texts::Kind;
use texts::{shown, words};

/// The folder of the index, beside the runs.
const FOLDER: &str = ".eval-index";

/// How long texts may be read again to see whether words that stand together do so there.
const VERIFYING: Duration = Duration::from_millis(150);

/// Texts that are counted at most.
const COUNTED: usize = 100_000;

/// The index of a folder of runs.
#[derive(Debug)]
pub struct TextIndex {
    file: PathBuf,
    builder: Builder,
}

/// What is searched for, and where.
#[derive(Debug)]
pub struct Asked<'a> {
    /// In lower case; one of several words has to stand as it is.
    pub words: &'a [String],
    /// Of which kinds; none for all.
    pub kinds: &'a [Kind],
    /// In which run; none for all.
    pub run: Option<&'a str>,
    /// Hits that were shown before.
    pub offset: usize,
    /// Hits at most.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Answer {
    /// A page of hits: the newest run first, in each the order of its files and their lines.
    pub hits: Vec<Hit>,
    /// Texts that were found.
    pub total: usize,
    /// Whether there may be more of them than `total`.
    pub more: bool,
}

/// A text that holds all words.
#[derive(Debug, Serialize)]
pub struct Hit {
    /// The run's id.
    pub run: String,
    /// The sample.
    pub sample: String,
    /// 1-based.
    pub attempt: u32,
    /// Who.
    pub agent: String,
    /// 0 before the first.
    pub iteration: u32,
    /// What kind of text.
    pub kind: Kind,
    /// Where the words stand.
    #[serde(flatten)]
    pub snippet: Snippet,
}

impl TextIndex {
    /// The index in a folder. Nothing is made yet.
    pub fn of(folder: &Path) -> Self {
        Self {
            file: folder.join(FOLDER).join("search.sqlite"),
            builder: Builder::default(),
        }
    }

    /// The file that it is in.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Begins to bring it up to these runs, and how far it is.
    pub fn refresh(&self, runs: Vec<(String, PathBuf)>) -> Status {
        self.builder.start(&self.file, runs);
        self.builder.status()
    }

    /// What is found in it. `passes` says of an attempt whether it is of interest, `open` opens its trajectory.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn search(
        &self,
        asked: &Asked<'_>,
        mut passes: impl FnMut(&Owner) -> bool,
        open: impl Fn(&Owner) -> Option<PathBuf>,
    ) -> rusqlite::Result<Answer> {
        let mut answer = Answer::default();
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
        // Words alone are surely there; whether several stand together, or with marks between, only the text says.
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
                    // The words do not stand there so.
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

/// The hit of a row, read from its trajectory; none if the words do not stand there so, or the line is gone.
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
        snippet: Snippet::of(&text, words),
    }))
}

fn read(path: &Path, place: &Place) -> io::Result<Option<(String, String)>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(place.offset))?;
    let mut line = vec![0; place.length];
    file.read_exact(&mut line)?;
    Ok(shown(&line, place.kind))
}

#[cfg(test)]
mod tests;
