//! The displayed folder: the runs in it, and caches of their contents.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use records::run_dir::RunDir;

use super::error::ViewError;
use super::failures::{Failures, Traces, failures};
use super::find_runs::{FoundRuns, find};
use super::inputs::Inputs;
use super::overview::Overview;
use super::run_file::{Progress as RunProgress, ProgressInputs, RunFile, Stamp, modified};
use super::search::{SearchRequest, SearchResults, Status, TextIndex};
use super::trajectory::{Index, Progress};

/// Maximum number of runs with cached records.
const RUNS_KEPT: usize = 8;

/// Maximum number of trajectories with a cached index.
const INDICES_KEPT: usize = 16;

/// Maximum time that a request spends on indexing trajectories before it returns partial results.
const INDEXING: Duration = Duration::from_millis(120);

/// Files of a run that the viewer reads, and folders whose files it reads.
const READ: [&str; 11] = [
    "config.json",
    "lock.json",
    "samples.jsonl",
    "summary.json",
    "running.json",
    "trajectories",
    "abandoned",
    "superseded",
    "journal",
    "answers",
    "scores",
];

/// Folder of a run, and the scorer whose scores replace the run's own.
type ScoredRun = (PathBuf, Option<String>);

/// Value of the parameter `scores` that selects the run's own scores.
pub const RECORDED: &str = "recorded";

/// The displayed folder. Can be shared between threads.
#[derive(Debug)]
pub struct Library {
    /// Path of the folder, with symbolic links resolved.
    pub root: PathBuf,
    /// Whether the folder is itself a run instead of containing runs.
    single: bool,
    /// Source of samples' inputs.
    pub inputs: Option<Box<dyn Inputs>>,
    /// Scorer whose scores, added by `rlm-eval score`, replace the runs' own scores.
    pub scores: Option<String>,
    /// Folders of the runs found by the last listing, by id.
    places: Mutex<HashMap<String, PathBuf>>,
    /// Cached runs, by folder and by scorer of the displayed scores.
    runs: Mutex<LruCache<ScoredRun, Arc<RunFile>>>,
    overviews: Mutex<HashMap<PathBuf, (Stamp, Overview)>>,
    /// Values that determine the progress of the runs that have been read, by folder.
    progress_inputs: Mutex<HashMap<PathBuf, Arc<ProgressInputs>>>,
    indices: Mutex<LruCache<PathBuf, Arc<Mutex<Index>>>>,
    traces: Traces,
    texts: TextIndex,
}

impl Library {
    /// Opens a run directory, or a folder that contains runs.
    ///
    /// # Errors
    /// Returns [`ViewError::Folder`] if the folder does not exist.
    pub fn open(folder: &Path) -> Result<Self, ViewError> {
        let root = folder.canonicalize().map_err(ViewError::folder(folder))?;
        fs::read_dir(&root).map_err(ViewError::folder(folder))?;
        let single = RunDir::is_whole(&root);
        // The search index must not be stored inside a run directory.
        let beside = if single { root.parent() } else { None };
        Ok(Self {
            texts: TextIndex::of(beside.unwrap_or(&root)),
            single,
            root,
            inputs: None,
            scores: None,
            places: Mutex::default(),
            runs: Mutex::new(LruCache::new(RUNS_KEPT)),
            overviews: Mutex::default(),
            progress_inputs: Mutex::default(),
            indices: Mutex::new(LruCache::new(INDICES_KEPT)),
            traces: Traces::default(),
        })
    }

    /// Finds the runs in the folder. If the folder is itself a run, the run's id is the folder's
    /// name.
    ///
    /// # Errors
    /// Returns [`ViewError::Folder`] if the folder can no longer be read.
    pub fn found(&self) -> Result<FoundRuns, ViewError> {
        if self.single {
            let name = self.root.file_name().unwrap_or_default();
            return Ok(FoundRuns {
                runs: vec![(name.to_string_lossy().into_owned(), self.root.clone())],
                stopped: false,
            });
        }
        let found = find(&self.root, |path| self.inside(path).is_ok());
        let found = found.map_err(ViewError::folder(&self.root))?;
        *self.places.lock() = found.runs.iter().cloned().collect();
        Ok(found)
    }

    /// Returns the ids and folders of the runs, in unspecified order.
    ///
    /// # Errors
    /// Returns the same errors as [`found`](Self::found).
    pub fn runs(&self) -> Result<Vec<(String, PathBuf)>, ViewError> {
        Ok(self.found()?.runs)
    }

    /// Returns the current state of a run, with the scores selected when the viewer was started.
    ///
    /// # Errors
    /// Returns [`ViewError::NotFound`] for an unknown id, or the reason why the run cannot be read.
    pub fn run(&self, id: &str) -> Result<Arc<RunFile>, ViewError> {
        self.run_scored_by(id, None)
    }

    /// Returns the current state of a run with the scores of `scorer`: [`RECORDED`] selects the
    /// run's own scores, and `None` those selected when the viewer was started.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run), and also an error if the scorer did not score
    /// the run.
    pub fn run_scored_by(&self, id: &str, scorer: Option<&str>) -> Result<Arc<RunFile>, ViewError> {
        let path = self.path(id)?;
        let scorer = match scorer {
            None => self.scores.clone(),
            Some(RECORDED) => None,
            Some(scorer) => Some(scorer.to_owned()),
        };
        let stamp = Stamp::of(&path);
        let key = (path, scorer);
        if let Some(run) = self.runs.lock().get(&key)
            && run.stamp == stamp
        {
            return Ok(run);
        }
        let run = Arc::new(self.read(&key.0, key.1.as_deref())?);
        self.runs.lock().put(key, Arc::clone(&run));
        Ok(run)
    }

    /// Returns the row of a run in the table of runs. Caches only the row, not the run's records.
    pub fn overview(&self, id: &str, path: &Path) -> Overview {
        let stamp = Stamp::of(path);
        let known = self.overviews.lock().get(path).cloned();
        if let Some((then, overview)) = known
            && then == stamp
            && (overview.progress.is_none() || overview.progress == self.progress(path))
        {
            return overview;
        }
        let file = self.read(path, self.scores.as_deref());
        let stamp = file.as_ref().map_or(stamp, |file| file.stamp);
        let overview = Overview::read(id, path, file.as_ref());
        self.overviews
            .lock()
            .insert(path.to_owned(), (stamp, overview.clone()));
        overview
    }

    /// Updates the index of an attempt's trajectory, as far as time allows, and calls `read_index`
    /// with the index.
    ///
    /// # Errors
    /// Returns [`ViewError::NotFound`] if the run does not have the attempt or the trajectory, or
    /// the reason why the trajectory cannot be read.
    pub fn trajectory<T>(
        &self,
        run: &RunFile,
        sample: &str,
        attempt: u32,
        read_index: impl FnOnce(&Index, &Path, Progress) -> std::io::Result<T>,
    ) -> Result<T, ViewError> {
        let missing = || ViewError::not_found("trajectory", format!("{sample}.{attempt}"));
        let path = run.trajectory(sample, attempt).ok_or_else(missing)?;
        if !path.is_file() {
            return Err(missing());
        }
        self.inside(&path)?;
        let known = self.indices.lock().get(&path);
        let index = known.unwrap_or_else(|| {
            let index = Arc::default();
            self.indices.lock().put(path.clone(), Arc::clone(&index));
            index
        });
        let mut index = index.lock();
        let result = index
            .advance(&path, Instant::now() + INDEXING)
            .and_then(|progress| read_index(&index, &path, progress));
        result.map_err(ViewError::folder(&path))
    }

    /// Starts updating the search index and returns its progress.
    ///
    /// # Errors
    /// Returns [`ViewError::Folder`] if the folder can no longer be read.
    pub fn refresh_texts(&self) -> Result<Status, ViewError> {
        let mut runs = self.runs()?;
        // The lock file is written at about the run's start.
        let started = |path: &Path| modified(&path.join("lock.json"));
        runs.sort_by_cached_key(|(id, path)| std::cmp::Reverse((started(path), id.clone())));
        Ok(self.texts.refresh(runs))
    }

    /// Searches the indexed texts of trajectories. `passes` decides whether to include an attempt,
    /// given its run, sample and number.
    ///
    /// # Errors
    /// Returns [`ViewError::Index`] if the index cannot be read.
    pub fn search(
        &self,
        asked: &SearchRequest<'_>,
        passes: impl FnMut(&str, &str, u32) -> bool,
    ) -> Result<SearchResults, ViewError> {
        let runs: HashMap<String, PathBuf> = self.runs()?.into_iter().collect();
        let mut passes = passes;
        let found = self.texts.search(
            asked,
            |one| runs.contains_key(&one.run) && passes(&one.run, &one.sample, one.attempt),
            |one| {
                let path = runs.get(&one.run)?.join("trajectories").join(&one.name);
                (path.is_file() && self.inside(&path).is_ok()).then_some(path)
            },
        );
        found.map_err(|reason| ViewError::Index {
            path: self.texts.file.clone(),
            reason: reason.to_string(),
        })
    }

    /// Returns the groups of failures in a run, based on the trajectories that could be read in
    /// time.
    pub fn failures(&self, run: &RunFile) -> Failures {
        failures(&self.traces, run, |path| self.inside(path), INDEXING)
    }

    /// Returns a stamp of the folder, or of a run or an attempt in it. The stamp changes when files
    /// are written and when a run stops.
    ///
    /// # Errors
    /// Returns [`ViewError::NotFound`] for an unknown id.
    pub fn stamp(
        &self,
        run: Option<&str>,
        attempt: Option<(&str, u32)>,
    ) -> Result<String, ViewError> {
        let Some(id) = run else {
            let mut runs = self.runs()?;
            runs.sort();
            let states = runs.iter();
            let states: Vec<(Stamp, Option<RunProgress>)> = states
                .map(|(_, path)| (Stamp::of(path), self.progress(path)))
                .collect();
            return Ok(format!("{:016x}", hash(&(runs, states))));
        };
        let path = self.path(id)?;
        let stamp = Stamp::of(&path);
        let Some((sample, attempt)) = attempt else {
            // Workers' activity changes the page, but not the files that [`Stamp`] covers.
            let workers = modified(&path.join("workers.json"));
            let read = || self.run(id).ok().map(|run| run.progress_inputs.progress());
            let progress = self.progress(&path).or_else(read);
            return Ok(format!("{:016x}", hash(&(stamp, workers, progress))));
        };
        let trajectory = self.run(id)?.trajectory(sample, attempt);
        let file = trajectory.and_then(|path| fs::metadata(path).ok());
        let recorded = self.run(id)?.place(sample, attempt).is_some();
        // An attempt without a record is running or stopped, as its run is.
        let progress = self.progress(&path).filter(|_| !recorded);
        let look = file.map(|file| (file.len(), file.modified().ok()));
        Ok(format!("{:016x}", hash(&(look, recorded, progress))))
    }

    /// Returns the current progress of a run that has been read before. Does not read it again,
    /// because open pages request the progress each second.
    fn progress(&self, path: &Path) -> Option<RunProgress> {
        let inputs = self.progress_inputs.lock().get(path).cloned()?;
        Some(inputs.progress())
    }

    /// Reads a run after checking that all its files are inside the folder.
    fn read(&self, run: &Path, scorer: Option<&str>) -> Result<RunFile, ViewError> {
        self.all_inside(run)?;
        let file = RunFile::open(run, scorer)?;
        let inputs = Arc::clone(&file.progress_inputs);
        self.progress_inputs.lock().insert(run.to_owned(), inputs);
        Ok(file)
    }

    /// Checks that no file or folder in [`READ`], and no entry of these folders, is a symbolic link
    /// to a place outside the displayed folder.
    fn all_inside(&self, run: &Path) -> Result<(), ViewError> {
        self.inside(run)?;
        for name in READ {
            let path = run.join(name);
            let Ok(file) = fs::symlink_metadata(&path) else {
                // Missing files are normal: few runs have all of them.
                continue;
            };
            if file.is_symlink() {
                self.inside(&path)?;
            }
            if !path.is_dir() {
                continue;
            }
            let entries = fs::read_dir(&path).map_err(ViewError::folder(&path))?;
            let links = entries.flatten().filter(|entry| {
                let kind = entry.file_type();
                kind.is_ok_and(|kind| kind.is_symlink())
            });
            for link in links {
                // Broken links are not read.
                if link.path().exists() {
                    self.inside(&link.path())?;
                }
            }
        }
        Ok(())
    }

    /// Returns the folder of a run, looked up among the existing runs.
    fn path(&self, id: &str) -> Result<PathBuf, ViewError> {
        let known = self.places.lock().get(id).cloned();
        if let Some(path) = known.filter(|path| RunDir::is_whole(path) && self.inside(path).is_ok())
        {
            return Ok(path);
        }
        let runs = self.runs()?;
        let found = runs.into_iter().find(|(name, _)| name == id);
        found
            .map(|(_, path)| path)
            .ok_or_else(|| ViewError::not_found("run", id))
    }

    /// Checks that an existing file or folder is inside the displayed folder after symbolic links
    /// are resolved.
    fn inside(&self, path: &Path) -> Result<(), ViewError> {
        let real = path.canonicalize().map_err(ViewError::folder(path))?;
        if real.starts_with(&self.root) {
            return Ok(());
        }
        let path = path.to_owned();
        Err(ViewError::Outside { path })
    }
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Cache of the `most` most recently used values.
#[derive(Debug)]
struct LruCache<K, T> {
    most: usize,
    /// Cached values in order of use, the most recent last.
    values: Vec<(K, T)>,
}

impl<K: PartialEq, T: Clone> LruCache<K, T> {
    fn new(most: usize) -> Self {
        let values = Vec::new();
        Self { most, values }
    }

    fn get(&mut self, key: &K) -> Option<T> {
        let place = self.values.iter().position(|(known, _)| known == key)?;
        let found = self.values.remove(place);
        let value = found.1.clone();
        self.values.push(found);
        Some(value)
    }

    fn put(&mut self, key: K, value: T) {
        self.values.retain(|(known, _)| *known != key);
        self.values.push((key, value));
        if self.values.len() > self.most {
            self.values.remove(0);
        }
    }
}
