//! A run in memory: its records and summary, which are reread when its files change.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use model::Event;
use records::AttemptRecord;
use records::run_dir::{RunDir, RunDirError};
use serde::Serialize;
use serde_json::Value;

use report::summary::Summary;

/// Time without writes after which a run is considered stopped.
const QUIET: Duration = Duration::from_secs(120);

/// Maximum number of attempts in progress to list.
const UNDER_WAY: usize = 1000;

/// A run with its summary and its attempts in progress.
#[derive(Debug)]
pub struct RunFile {
    /// The run as it was when its files were in the state `stamp`.
    pub run: RunDir,
    /// Summary of the run's records.
    pub summary: Summary,
    /// Attempts with events but without a record.
    pub under_way: Vec<AttemptInProgress>,
    /// Values that determine the run's progress.
    pub progress_inputs: Arc<ProgressInputs>,
    /// State of the run's files.
    pub stamp: Stamp,
    /// Scorers whose scores can be shown.
    pub scorers: Scorers,
    places: HashMap<(String, u32), usize>,
}

/// Scorers whose scores can be shown for a run or a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scorers {
    /// Scorer of the run itself, or the common scorer of all compared runs; `None` if the compared
    /// runs have different scorers.
    pub own: Option<String>,
    /// Scorers that were applied later, or that are the own scorer of only some of the compared
    /// runs.
    pub later: Vec<String>,
    /// Scorer in `later` whose scores are displayed, or `None` if each run's own scores are.
    pub shown: Option<String>,
}

impl Scorers {
    /// Returns the scorers of a comparison: those with scores for every run.
    pub fn of_all(runs: &[&RunFile]) -> Option<Self> {
        let (first, others) = runs.split_first()?;
        let mut all = first.scorers.clone();
        if others.iter().any(|run| run.scorers.own != all.own) {
            // The own scorer of one run may have been applied to the other runs later.
            all.later.extend(all.own.take());
        }
        let has = |run: &RunFile, name: &String| {
            run.scorers.own.as_ref() == Some(name) || run.scorers.later.contains(name)
        };
        all.later
            .retain(|name| others.iter().all(|run| has(run, name)));
        let shown = &first.run.lock.run.scorer;
        let is_shown = others.iter().all(|run| run.run.lock.run.scorer == *shown);
        let is_later = runs.iter().any(|run| run.scorers.shown.is_some());
        all.shown = (is_shown && is_later).then(|| shown.clone());
        Some(all)
    }
}

/// An attempt that has begun but not ended: it is in progress, or its run was stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttemptInProgress {
    /// Id of the sample.
    pub id: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
}

/// Progress of a run, derived from its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Every attempt has a record.
    Complete,
    /// The run is incomplete, and either a file was written in the last two minutes or the process
    /// still accepts requests.
    Running,
    /// The run was stopped before it was complete.
    Stopped,
}

impl Progress {
    /// Returns the name of the variant, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }
}

/// Values that determine the progress of a run while its [`Stamp`] does not change.
#[derive(Debug)]
pub struct ProgressInputs {
    /// Folder of the run.
    folder: PathBuf,
    /// Whether the number of attempts is not planned and a process was working on the run when it
    /// was read. Further attempts may follow while the process is working. A process that begins
    /// later changes the stamp.
    is_open: bool,
    /// Whether every planned attempt has a record.
    has_all_records: bool,
    /// Time at which the last record was written or the last trajectory was created.
    written: Option<SystemTime>,
    /// Trajectories of the attempts in progress.
    trajectories: Vec<PathBuf>,
}

impl ProgressInputs {
    /// Returns the current progress of the run.
    pub fn progress(&self) -> Progress {
        if self.is_open && RunDir::is_held(&self.folder) {
            return Progress::Running;
        }
        if self.has_all_records {
            return Progress::Complete;
        }
        let trajectories = self.trajectories.iter().filter_map(|path| modified(path));
        let mut times = self.written.into_iter().chain(trajectories).peekable();
        if times.peek().is_none() || times.any(is_recent) {
            Progress::Running
        } else {
            Progress::Stopped
        }
    }
}

/// Sizes and modification times of a run's files, for detecting changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Stamp {
    /// Size and modification time of `samples.jsonl`.
    samples: (u64, Option<SystemTime>),
    /// Modification time of the folder `trajectories`, which changes when a trajectory is created.
    trajectories: Option<SystemTime>,
    /// Modification time of the folder `scores`, which changes when `rlm-eval score` adds a file.
    scores: Option<SystemTime>,
    /// Modification time of `running.json`, which a process writes when it begins to work on the
    /// run and removes when it ends.
    holder: Option<SystemTime>,
}

impl Stamp {
    /// Reads the state of the files in a run's folder; files can be missing.
    pub fn of(run: &Path) -> Self {
        let samples = fs::metadata(run.join("samples.jsonl")).ok();
        Self {
            samples: samples
                .map_or_else(Default::default, |file| (file.len(), file.modified().ok())),
            trajectories: modified(&run.join("trajectories")),
            scores: modified(&run.join("scores")),
            holder: modified(&run.join("running.json")),
        }
    }
}

impl RunFile {
    /// Reads the run in a folder. If a scorer is given, its scores, added by `rlm-eval score`,
    /// replace the run's own.
    ///
    /// # Errors
    /// Returns the same errors as [`RunDir::open`] and [`RunDir::with_scores`].
    pub fn open(path: &Path, scores: Option<&str>) -> Result<Self, RunDirError> {
        let mut stamp = Stamp::of(path);
        let mut run = RunDir::open(path)?;
        let mut scorers = Scorers {
            own: Some(run.lock.run.scorer.clone()),
            // Damaged score files must not hide the run.
            later: run.later_scorers().unwrap_or_default(),
            shown: None,
        };
        if let Some(scorer) = scores {
            run = run.with_scores(scorer)?;
            let name = &run.lock.run.scorer;
            scorers.shown = scorers.later.contains(name).then(|| name.clone());
        }
        let planned = run.config.get("attempts_total").and_then(Value::as_u64);
        let total = planned.unwrap_or(run.records.len() as u64);
        let summary = Summary::new(&run.records, total).with_wasted(run.wasted);
        let records = run.records.iter().enumerate();
        let places = records
            .map(|(place, record)| ((record.id.clone(), record.attempt), place))
            .collect();
        let is_open = planned.is_none() && run.is_running();
        let has_all_records = summary.attempts >= total;
        let written = stamp.samples.1.max(stamp.trajectories);
        let under_way = if has_all_records && !is_open {
            Vec::new()
        } else {
            let (under_way, is_whole) = under_way(&run);
            if !is_whole {
                // The missing first event may appear without changing the stamp, so force another
                // read.
                stamp.trajectories = None;
            }
            under_way
        };
        let trajectories = under_way
            .iter()
            .map(|one| run.trajectory(&one.id, one.attempt))
            .collect();
        let progress_inputs = Arc::new(ProgressInputs {
            folder: path.to_owned(),
            is_open,
            has_all_records,
            written,
            trajectories,
        });
        Ok(Self {
            run,
            summary,
            under_way,
            progress_inputs,
            stamp,
            scorers,
            places,
        })
    }

    /// Returns the index of an attempt's record in `run.records`.
    pub fn place(&self, sample: &str, attempt: u32) -> Option<usize> {
        self.places.get(&(sample.to_owned(), attempt)).copied()
    }

    /// Returns the record of an attempt, or `None` while the attempt is in progress.
    pub fn record(&self, sample: &str, attempt: u32) -> Option<&AttemptRecord> {
        self.place(sample, attempt)
            .map(|place| &self.run.records[place])
    }

    /// Returns the path of an attempt's trajectory if the attempt has a record or events.
    pub fn trajectory(&self, sample: &str, attempt: u32) -> Option<PathBuf> {
        let under_way = || {
            let mut all = self.under_way.iter();
            all.any(|one| one.id == sample && one.attempt == attempt)
        };
        (self.place(sample, attempt).is_some() || under_way())
            .then(|| self.run.trajectory(sample, attempt))
    }
}

/// Returns the attempts without a record, identified by the first event of each trajectory.
///
/// The second value is `false` if a recently written file does not contain its first event yet.
fn under_way(run: &RunDir) -> (Vec<AttemptInProgress>, bool) {
    let mut is_whole = true;
    let records = run.records.iter();
    let known: HashSet<PathBuf> = records
        .map(|record| run.trajectory(&record.id, record.attempt))
        .collect();
    let Ok(files) = fs::read_dir(run.path.join("trajectories")) else {
        return (Vec::new(), true);
    };
    let unknown = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| !known.contains(path) && path.is_file());
    let mut found: Vec<AttemptInProgress> = unknown
        .filter_map(|path| {
            let Some(event) = first_event(&path) else {
                is_whole &= !modified(&path).is_some_and(is_recent);
                return None;
            };
            let (id, attempt) = (event.sample, event.attempt);
            // Ignore copies of trajectories under other names.
            (run.trajectory(&id, attempt) == path).then_some(AttemptInProgress { id, attempt })
        })
        .take(UNDER_WAY)
        .collect();
    found.sort_by(|a, b| (&a.id, a.attempt).cmp(&(&b.id, b.attempt)));
    (found, is_whole)
}

/// Returns the modification time of a file or folder, if it is known.
pub fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// Whether a time is less than two minutes ago. Clocks may differ, so future times are recent.
fn is_recent(time: SystemTime) -> bool {
    !time.elapsed().is_ok_and(|ago| ago > QUIET)
}

fn first_event(path: &Path) -> Option<Event> {
    /// Maximum bytes of the first event, which contains the query; longer events are not read.
    const LONGEST: u64 = 1 << 24;
    let mut line = Vec::new();
    let file = BufReader::new(File::open(path).ok()?);
    file.take(LONGEST).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(&line).ok()
}
