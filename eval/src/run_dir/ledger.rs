//! What a run has spent on attempts that count for nothing, and the events that show it.
//!
//! A trajectory without a record is what is left of an attempt that was stopped or killed. When the run goes on, it
//! moves to `abandoned/`. The trajectory of an attempt that is made again moves to `superseded/`; its record stays
//! where it is, and the later one counts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use harness::event::{Event, EventKind};

use super::{ABANDONED, RunDirError, SUPERSEDED, TRAJECTORIES, atomic, name};
use crate::record::AttemptRecord;
use crate::summary::{Spent, Wasted};

/// How many records an attempt's trajectory file has had, by its name.
type Finished = HashMap<String, usize>;

/// What was spent for nothing. `superseded` are the records that later ones have replaced, `all` these and those that
/// count. Trajectories of attempts under way are counted unless `running`.
pub(super) fn wasted(
    folder: &Path,
    all: &[AttemptRecord],
    superseded: &[AttemptRecord],
    running: bool,
) -> Result<Wasted, RunDirError> {
    let mut abandoned = Spent::default();
    for path in files(&folder.join(ABANDONED))? {
        abandoned += spent_in(&path)?;
    }
    if !running {
        for path in unfinished(folder, all)? {
            abandoned += spent_in(&path)?;
        }
    }
    Ok(Wasted {
        abandoned,
        superseded: superseded
            .iter()
            .map(Spent::of)
            .fold(Spent::default(), |mut sum, spent| {
                sum += spent;
                sum
            }),
    })
}

/// Moves the trajectories of unfinished attempts to `abandoned/`.
pub(super) fn abandon(folder: &Path, all: &[AttemptRecord]) -> Result<(), RunDirError> {
    set_aside(folder, ABANDONED, &unfinished(folder, all)?)
}

/// Moves the trajectories of finished attempts that are made again to `superseded/`.
pub(super) fn supersede<'a>(
    folder: &Path,
    again: impl IntoIterator<Item = &'a (String, u32)>,
) -> Result<(), RunDirError> {
    let trajectories = folder.join(TRAJECTORIES);
    let paths: Vec<_> = again
        .into_iter()
        .map(|(sample, attempt)| trajectories.join(name::trajectory(sample, *attempt)))
        .filter(|path| path.is_file())
        .collect();
    set_aside(folder, SUPERSEDED, &paths)
}

/// Copies what another run spent for nothing to `abandoned/`, where it counts as abandoned, whatever it was before: the
/// records that tell attempts made again from others stay with that run.
pub(super) fn adopt(folder: &Path, other: &Path, all: &[AttemptRecord]) -> Result<(), RunDirError> {
    let mut paths = files(&other.join(ABANDONED))?;
    let counting = still_counting(other, all)?;
    let superseded = files(&other.join(SUPERSEDED))?.into_iter();
    paths.extend(superseded.filter(|path| !counting.values().any(|other| other == path)));
    paths.extend(unfinished(other, all)?);
    if paths.is_empty() {
        return Ok(());
    }
    let to = folder.join(ABANDONED);
    let copied = fs::create_dir_all(&to).and_then(|()| {
        for path in &paths {
            fs::copy(path, free(&to, &PathBuf::from(original(path))))?;
        }
        atomic::sync_folder(&to)
    });
    copied.map_err(|reason| RunDirError::Write { path: to, reason })
}

/// Trajectories in `superseded/` of attempts that were to be made again and are not yet, so that their records still
/// count; by the file's name among the trajectories.
pub(super) fn still_counting(
    folder: &Path,
    all: &[AttemptRecord],
) -> Result<BTreeMap<String, PathBuf>, RunDirError> {
    let mut aside: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files(&folder.join(SUPERSEDED))? {
        aside.entry(original(&path)).or_default().push(path);
    }
    for paths in aside.values_mut() {
        // By the number at the end: ~9 before ~10.
        paths.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    }
    if aside.is_empty() {
        return Ok(BTreeMap::new());
    }
    // Each file belongs to a record; if no record is left over, the newest file is of the last one.
    let finished = finished(all);
    Ok(aside
        .into_iter()
        .filter(|(file, paths)| {
            finished
                .get(file)
                .is_some_and(|count| paths.len() >= *count)
        })
        .filter_map(|(file, mut paths)| Some((file, paths.pop()?)))
        .collect())
}

fn finished(all: &[AttemptRecord]) -> Finished {
    let mut finished = Finished::new();
    for record in all {
        *finished
            .entry(name::trajectory(&record.id, record.attempt))
            .or_default() += 1;
    }
    finished
}

/// Trajectories that no record belongs to.
///
/// Every record has its trajectory here or in `superseded/`, so as soon as that holds as many of an attempt as it has
/// records, the one here is of an attempt that never finished.
fn unfinished(folder: &Path, all: &[AttemptRecord]) -> Result<Vec<PathBuf>, RunDirError> {
    let mut finished = finished(all);
    for path in files(&folder.join(SUPERSEDED))? {
        if let Some(count) = finished.get_mut(&original(&path)) {
            *count = count.saturating_sub(1);
        }
    }
    let mut paths = files(&folder.join(TRAJECTORIES))?;
    paths.retain(|path| {
        finished
            .get(&file_name(path))
            .is_none_or(|count| *count == 0)
    });
    Ok(paths)
}

/// Moves files to a folder of the run under names that are free there. Each move is atomic: a process that dies
/// between two of them leaves nothing twice and nothing lost.
fn set_aside(folder: &Path, to: &str, paths: &[PathBuf]) -> Result<(), RunDirError> {
    if paths.is_empty() {
        return Ok(());
    }
    let to = folder.join(to);
    let moved = fs::create_dir_all(&to).and_then(|()| {
        for path in paths {
            fs::rename(path, free(&to, path))?;
        }
        atomic::sync_folder(&to)?;
        atomic::sync_folder(&folder.join(TRAJECTORIES))
    });
    moved.map_err(|reason| RunDirError::Write { path: to, reason })
}

/// `s-1.2.jsonl` becomes `s-1.2~1.jsonl`, or a later number where there are earlier ones. No safe name ends so.
fn free(to: &Path, path: &Path) -> PathBuf {
    let name = file_name(path);
    let stem = name.strip_suffix(".jsonl").unwrap_or(&name);
    (1..u64::MAX)
        .map(|number| to.join(format!("{stem}~{number}.jsonl")))
        .find(|path| !path.exists())
        .unwrap_or_else(|| to.join(&name))
}

/// The name that a file had before [`set_aside`].
fn original(path: &Path) -> String {
    let name = file_name(path);
    let whole = name.strip_suffix(".jsonl").unwrap_or(&name);
    let stem = whole.rsplit_once('~').map_or(whole, |(stem, _)| stem);
    format!("{stem}.jsonl")
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The files of a folder by name; none of a folder that is not there.
fn files(folder: &Path) -> Result<Vec<PathBuf>, RunDirError> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<_>>>()
    });
    match listed {
        Ok(mut paths) => {
            paths.sort();
            Ok(paths)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(reason) => Err(RunDirError::Read {
            path: folder.to_owned(),
            reason,
        }),
    }
}

/// What the events of a trajectory say was spent. Lines that are no events (a torn last one) say nothing.
fn spent_in(path: &Path) -> Result<Spent, RunDirError> {
    let cannot = |reason| RunDirError::Read {
        path: path.to_owned(),
        reason,
    };
    let mut spent = Spent {
        attempts: 1,
        ..Spent::default()
    };
    let mut ended = 0;
    // Agents whose next response comes from a cache.
    let mut cached = HashSet::new();
    for line in BufReader::new(File::open(path).map_err(cannot)?).split(b'\n') {
        let line = line.map_err(cannot)?;
        let Ok(event) = serde_json::from_slice::<Event>(&line) else {
            continue;
        };
        match event.kind {
            // A conversation that was shortened was sent again.
            EventKind::LlmRequest { .. } | EventKind::ContextTrimmed { .. } => spent.llm_calls += 1,
            EventKind::LlmCached => {
                spent.llm_calls = spent.llm_calls.saturating_sub(1);
                cached.insert(event.invocation);
            }
            EventKind::LlmResponse { .. } if cached.remove(&event.invocation) => {}
            EventKind::LlmResponse {
                usage, cost_usd, ..
            } => {
                ended += 1;
                spent.usage += usage.unwrap_or_default();
                spent.add_cost(cost_usd);
                spent.unknown_calls += u64::from(cost_usd.is_none());
            }
            EventKind::LlmError { .. } => ended += 1,
            EventKind::LlmBilled { usage, cost_usd } => {
                spent.usage += usage;
                spent.add_cost(cost_usd);
            }
            _ => {}
        }
    }
    spent.unknown_calls += spent.llm_calls.saturating_sub(ended);
    Ok(spent)
}
