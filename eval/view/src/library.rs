//! The folder that is shown: which runs it holds, and what of them is kept in memory.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use super::error::ViewError;
use super::overview::Overview;
use super::run_file::{RunFile, Stamp};
use super::trajectory::{Index, Progress};

/// Runs whose records are kept in memory.
const RUNS_KEPT: usize = 8;

/// Trajectories whose index is kept in memory.
const INDICES_KEPT: usize = 16;

/// How long a request may index a trajectory before it answers with what there is so far.
const INDEXING: Duration = Duration::from_millis(120);

/// The folder that is shown. May be used from many threads.
#[derive(Debug)]
pub struct Library {
    /// Without symbolic links.
    root: PathBuf,
    /// The folder is a run itself, not a folder of runs.
    single: bool,
    runs: Mutex<Recent<Arc<RunFile>>>,
    overviews: Mutex<HashMap<PathBuf, (Stamp, Overview)>>,
    indices: Mutex<Recent<Arc<Mutex<Index>>>>,
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
        Ok(Self {
            single: is_run(&root),
            root,
            runs: Mutex::new(Recent::new(RUNS_KEPT)),
            overviews: Mutex::default(),
            indices: Mutex::new(Recent::new(INDICES_KEPT)),
        })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The ids of the runs, which are the names of their folders, with the folders; in no certain order.
    ///
    /// # Errors
    /// [`ViewError::Folder`] if the folder cannot be read any more.
    pub fn runs(&self) -> Result<Vec<(String, PathBuf)>, ViewError> {
        let name = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        if self.single {
            return Ok(vec![(name(&self.root), self.root.clone())]);
        }
        let folder = fs::read_dir(&self.root).map_err(|reason| ViewError::Folder {
            path: self.root.clone(),
            reason,
        })?;
        let paths = folder.flatten().map(|entry| entry.path());
        Ok(paths
            .filter(|path| is_run(path) && self.inside(path).is_ok())
            .map(|path| (name(&path), path))
            .collect())
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
        let run = Arc::new(RunFile::open(&path)?);
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
        let overview = Overview::read(id, path);
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
            return Ok(format!("{:016x}", hash(&stamp)));
        };
        let trajectory = self.run(id)?.trajectory(sample, attempt);
        let file = trajectory.and_then(|path| fs::metadata(path).ok());
        let recorded = self.run(id)?.place(sample, attempt).is_some();
        let look = file.map(|file| (file.len(), file.modified().ok()));
        Ok(format!("{:016x}", hash(&(look, recorded))))
    }

    /// The folder of a run, looked up among those that there are.
    fn path(&self, id: &str) -> Result<PathBuf, ViewError> {
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

fn is_run(path: &Path) -> bool {
    ["config.json", "lock.json", "samples.jsonl"]
        .iter()
        .all(|name| path.join(name).is_file())
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
