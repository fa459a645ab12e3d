//! The folder that is shown: which runs it holds, and what of them is kept in memory.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::error::ViewError;
use super::failures::{Failures, Traces, failures};
use super::find_runs::{Found, find, is_run};
use super::inputs::Inputs;
use super::overview::Overview;
use super::run_file::{RunFile, Stamp};
use super::search::{Answer, Asked, Status, TextIndex};
use super::trajectory::{Index, Progress};

/// Runs whose records are kept in memory.
const RUNS_KEPT: usize = 8;

/// Trajectories whose index is kept in memory.
const INDICES_KEPT: usize = 16;

/// How long a request may index a trajectory before it answers with what there is so far.
const INDEXING: Duration = Duration::from_millis(120);

/// What of a run is read: files, and folders whose files are.
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

/// The folder that is shown. May be used from many threads.
#[derive(Debug)]
pub struct Library {
    /// Without symbolic links.
    root: PathBuf,
    /// The folder is a run itself, not a folder of runs.
    single: bool,
    inputs: Option<Box<dyn Inputs>>,
    /// The folder of each run that was found when the runs were listed last, by its id.
    places: Mutex<HashMap<String, PathBuf>>,
    runs: Mutex<Recent<Arc<RunFile>>>,
    overviews: Mutex<HashMap<PathBuf, (Stamp, Overview)>>,
    indices: Mutex<Recent<Arc<Mutex<Index>>>>,
    traces: Traces,
    texts: TextIndex,
}

impl Library {
    /// The library of a run directory, or of a folder that holds some.
    ///
    /// # Errors
    /// [`ViewError::Folder`] if there is no such folder.
    pub fn open(folder: &Path) -> Result<Self, ViewError> {
        let error = |reason| ViewError::Folder {
            path: folder.to_owned(),
            reason,
        };
        let root = folder.canonicalize().map_err(error)?;
        fs::read_dir(&root).map_err(error)?;
        let single = is_run(&root);
        // Never in a run's own folder.
        let beside = if single { root.parent() } else { None };
        Ok(Self {
            texts: TextIndex::of(beside.unwrap_or(&root)),
            single,
            root,
            inputs: None,
            places: Mutex::default(),
            runs: Mutex::new(Recent::new(RUNS_KEPT)),
            overviews: Mutex::default(),
            indices: Mutex::new(Recent::new(INDICES_KEPT)),
            traces: Traces::default(),
        })
    }

    /// The same with a source of what samples were asked about.
    #[must_use]
    pub fn with_inputs(mut self, inputs: impl Inputs + 'static) -> Self {
        self.inputs = Some(Box::new(inputs));
        self
    }

    /// Where inputs of samples come from, if anything is known of them.
    pub fn inputs(&self) -> Option<&dyn Inputs> {
        self.inputs.as_deref()
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The runs of the folder. The id of a run that the folder itself is, is the folder's name.
    ///
    /// # Errors
    /// [`ViewError::Folder`] if the folder cannot be read any more.
    pub fn found(&self) -> Result<Found, ViewError> {
        if self.single {
            let name = self.root.file_name().unwrap_or_default();
            return Ok(Found {
                runs: vec![(name.to_string_lossy().into_owned(), self.root.clone())],
                stopped: false,
            });
        }
        let found = find(&self.root, |path| self.inside(path).is_ok());
        let found = found.map_err(|reason| ViewError::Folder {
            path: self.root.clone(),
            reason,
        })?;
        *self.places.lock() = found.runs.iter().cloned().collect();
        Ok(found)
    }

    /// The ids of the runs with their folders, in no certain order.
    ///
    /// # Errors
    /// As [`found`](Self::found).
    pub fn runs(&self) -> Result<Vec<(String, PathBuf)>, ViewError> {
        Ok(self.found()?.runs)
    }

    /// A run, as its files are now.
    ///
    /// # Errors
    /// [`ViewError::NotFound`] for an id that no run has, or why the run cannot be read.
    pub fn run(&self, id: &str) -> Result<Arc<RunFile>, ViewError> {
        let path = self.path(id)?;
        let stamp = Stamp::of(&path);
        if let Some(run) = lock(&self.runs).get(&path)
            && run.stamp == stamp
        {
            return Ok(run);
        }
        let run = Arc::new(self.read(&path)?);
        lock(&self.runs).put(path, Arc::clone(&run));
        Ok(run)
    }

    /// The row of a run in the table of runs. Its records are not kept.
    pub fn overview(&self, id: &str, path: &Path) -> Overview {
        let stamp = Stamp::of(path);
        let known = lock(&self.overviews).get(path).cloned();
        if let Some((then, overview)) = known
            && then == stamp
            && !overview.is_running()
        {
            return overview;
        }
        let overview = Overview::read(id, path, || self.read(path));
        lock(&self.overviews).insert(path.to_owned(), (stamp, overview.clone()));
        overview
    }

    /// Uses the index of an attempt's trajectory, which is first brought up to the file or as far as time allows.
    ///
    /// # Errors
    /// [`ViewError::NotFound`] for an attempt that the run has not or that left no trajectory, or why it cannot be read.
    pub fn trajectory<T>(
        &self,
        run: &RunFile,
        sample: &str,
        attempt: u32,
        use_it: impl FnOnce(&Index, &Path, Progress) -> std::io::Result<T>,
    ) -> Result<T, ViewError> {
        let missing = || ViewError::not_found("trajectory", format!("{sample}.{attempt}"));
        let path = run.trajectory(sample, attempt).ok_or_else(missing)?;
        if !path.is_file() {
            return Err(missing());
        }
        self.inside(&path)?;
        let known = lock(&self.indices).get(&path);
        let index = known.unwrap_or_else(|| {
            let index = Arc::default();
            lock(&self.indices).put(path.clone(), Arc::clone(&index));
            index
        });
        let mut index = lock(&index);
        let result = index
            .advance(&path, Instant::now() + INDEXING)
            .and_then(|progress| use_it(&index, &path, progress));
        result.map_err(|reason| ViewError::Folder { path, reason })
    }

    /// Begins to bring the index of searched texts up to the runs, and how far it is.
    ///
    /// # Errors
    /// [`ViewError::Folder`] if the folder cannot be read any more.
    pub fn refresh_texts(&self) -> Result<Status, ViewError> {
        let mut runs = self.runs()?;
        runs.sort_by_cached_key(|(id, path)| std::cmp::Reverse((began(path), id.clone())));
        Ok(self.texts.refresh(runs))
    }

    /// What is found in the texts of trajectories, as far as they are indexed. `passes` says of an attempt (run, sample, number)
    /// whether it is of interest.
    ///
    /// # Errors
    /// [`ViewError::Index`] if the index cannot be read.
    pub fn search(
        &self,
        asked: &Asked<'_>,
        passes: impl FnMut(&str, &str, u32) -> bool,
    ) -> Result<Answer, ViewError> {
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
            path: self.texts.file().to_owned(),
            reason: reason.to_string(),
        })
    }

    /// Why attempts of a run failed, as far as its trajectories could be read until now.
    pub fn failures(&self, run: &RunFile) -> Failures {
        let until = Instant::now() + INDEXING;
        failures(&self.traces, run, |path| self.inside(path), until)
    }

    /// Whether anything of a run or an attempt has changed: equal as long as nothing has.
    ///
    /// # Errors
    /// [`ViewError::NotFound`] for an id that no run has.
    pub fn stamp(
        &self,
        run: Option<&str>,
        attempt: Option<(&str, u32)>,
    ) -> Result<String, ViewError> {
        let Some(id) = run else {
            let mut runs = self.runs()?;
            runs.sort();
            let stamps: Vec<Stamp> = runs.iter().map(|(_, path)| Stamp::of(path)).collect();
            return Ok(format!("{:016x}", hash(&(runs, stamps))));
        };
        let stamp = Stamp::of(&self.path(id)?);
        let Some((sample, attempt)) = attempt else {
            // What workers do changes the page, and nothing that is read of the run.
            let workers = fs::metadata(self.path(id)?.join("workers.json"));
            let workers = workers.and_then(|file| file.modified()).ok();
            return Ok(format!("{:016x}", hash(&(stamp, workers))));
        };
        let trajectory = self.run(id)?.trajectory(sample, attempt);
        let file = trajectory.and_then(|path| fs::metadata(path).ok());
        let recorded = self.run(id)?.place(sample, attempt).is_some();
        let look = file.map(|file| (file.len(), file.modified().ok()));
        Ok(format!("{:016x}", hash(&(look, recorded))))
    }

    /// Reads a run of which no file lies outside of the folder that is shown.
    fn read(&self, run: &Path) -> Result<RunFile, ViewError> {
        self.all_inside(run)?;
        Ok(RunFile::open(run)?)
    }

    /// Checks the files of a run that are read, listed or summed up: none may be a link that leads out of the folder.
    fn all_inside(&self, run: &Path) -> Result<(), ViewError> {
        self.inside(run)?;
        for name in READ {
            let path = run.join(name);
            let Ok(file) = fs::symlink_metadata(&path) else {
                // Many runs have only some of these.
                continue;
            };
            if file.is_symlink() {
                self.inside(&path)?;
            }
            if !path.is_dir() {
                continue;
            }
            let entries = fs::read_dir(&path).map_err(|reason| ViewError::Folder {
                path: path.clone(),
                reason,
            })?;
            let links = entries.flatten().filter(|entry| {
                let kind = entry.file_type();
                kind.is_ok_and(|kind| kind.is_symlink())
            });
            for link in links {
                // A link that leads nowhere is no file, and nothing reads it.
                if link.path().exists() {
                    self.inside(&link.path())?;
                }
            }
        }
        Ok(())
    }

    /// The folder of a run, looked up among those that there are.
    fn path(&self, id: &str) -> Result<PathBuf, ViewError> {
        let known = self.places.lock().get(id).cloned();
        if let Some(path) = known.filter(|path| is_run(path) && self.inside(path).is_ok()) {
            return Ok(path);
        }
        let runs = self.runs()?;
        let found = runs.into_iter().find(|(name, _)| name == id);
        found
            .map(|(_, path)| path)
            .ok_or_else(|| ViewError::not_found("run", id))
    }

    /// An existing file or folder, if it lies in the folder that is shown and not behind a link that leads out of it.
    fn inside(&self, path: &Path) -> Result<(), ViewError> {
        let real = path.canonicalize().map_err(|reason| ViewError::Folder {
            path: path.to_owned(),
            reason,
        })?;
        if real.starts_with(&self.root) {
            return Ok(());
        }
        let path = path.to_owned();
        Err(ViewError::Outside { path })
    }
}

/// When a run began, as its lock says.
fn began(path: &Path) -> Option<std::time::SystemTime> {
    let lock = fs::metadata(path.join("lock.json")).ok()?;
    lock.modified().ok()
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What is kept is whole at any time, so a panic of another thread does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// The values that were used last, by path.
#[derive(Debug)]
struct Recent<T> {
    most: usize,
    /// The last used last.
    values: Vec<(PathBuf, T)>,
}

impl<T: Clone> Recent<T> {
    fn new(most: usize) -> Self {
        let values = Vec::new();
        Self { most, values }
    }

    fn get(&mut self, path: &Path) -> Option<T> {
        let place = self.values.iter().position(|(known, _)| known == path)?;
        let found = self.values.remove(place);
        let value = found.1.clone();
        self.values.push(found);
        Some(value)
    }

    fn put(&mut self, path: PathBuf, value: T) {
        self.values.retain(|(known, _)| *known != path);
        self.values.push((path, value));
        if self.values.len() > self.most {
            self.values.remove(0);
        }
    }
}
