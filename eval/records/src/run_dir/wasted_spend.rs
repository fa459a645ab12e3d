//! Computes a run's spending on attempts that do not count, and keeps the trajectories of these
//! attempts.
//!
//! A trajectory without a record belongs to an attempt that was stopped or killed. This trajectory
//! moves to `abandoned/` when the run resumes. When a finished attempt is rerun, its trajectory
//! moves to `superseded/`; the old record stays in `samples.jsonl`, but only the latest record
//! counts.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use model::Event;

use super::journal::{self, PaidResponse};
use super::lost_calls::{in_flight, reduce_to_lost_calls};
use super::samples::{Successor, successors};
use super::set_aside::{file_name, move_to_unused_names, original, unused_path};
use super::{
    ABANDONED, JOURNAL, Journal, RunDirError, SUPERSEDED, TRAJECTORIES, atomic, events, if_exists,
    name,
};
use crate::AttemptRecord;
use crate::trajectory::Fold;
use crate::{Spent, Wasted};

/// Number of records of each attempt, by the name of its trajectory file.
type Finished = HashMap<String, usize>;

/// Callers whose model calls are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callers {
    Agents,
    AgentsAndJudges,
}

/// Returns the spending of agents on attempts that do not count. `all` contains all records of the
/// run. Unfinished attempts are included unless the run is still `running`.
pub(super) fn wasted(
    folder: &Path,
    all: &[AttemptRecord],
    running: bool,
) -> Result<Wasted, RunDirError> {
    let under_way = if running {
        UnfinishedAttempts::default()
    } else {
        UnfinishedAttempts::of(folder, all)?
    };
    let records = all.iter().zip(successors(all));
    let superseded = records.filter(|(_, next)| *next == Some(Successor::Restarted));
    Ok(Wasted {
        abandoned: spent_without_record(folder, &under_way, Callers::Agents)?,
        superseded: superseded.map(|(record, _)| Spent::of_agents(record)).sum(),
    })
}

/// Returns the spending of agents and judges on attempts that have not finished.
pub(super) fn spent_unfinished(folder: &Path, all: &[AttemptRecord]) -> Result<Spent, RunDirError> {
    spent_without_record(
        folder,
        &UnfinishedAttempts::of(folder, all)?,
        Callers::AgentsAndJudges,
    )
}

/// Files of attempts that have not finished.
#[derive(Debug, Default)]
struct UnfinishedAttempts {
    /// Trajectories of attempts without responses in a journal, which restart from the beginning.
    trajectories: Vec<PathBuf>,
    /// Attempts that can resume with the responses in their journals.
    resumable: Vec<Resumable>,
}

/// An unfinished attempt with responses in its journal.
#[derive(Debug)]
struct Resumable {
    /// Name of the attempt's files.
    name: String,
    paid: Vec<PaidResponse>,
    trajectory: Option<PathBuf>,
}

impl Resumable {
    /// Returns the events of lost calls.
    fn lost(&self) -> Result<Vec<Event>, RunDirError> {
        let trajectory = self.trajectory.as_ref();
        trajectory.map_or(Ok(Vec::new()), |path| in_flight(path, &self.paid))
    }

    /// Returns events that show the attempt's spending.
    fn spending(&self) -> Result<Vec<Event>, RunDirError> {
        let stem = self.name.trim_end_matches(".jsonl");
        let (sample, attempt) = stem.rsplit_once('.').unwrap_or((stem, ""));
        let mut events = journal::as_events(&self.paid, sample, attempt.parse().unwrap_or(1));
        events.extend(self.lost()?);
        Ok(events)
    }
}

impl UnfinishedAttempts {
    fn of(folder: &Path, all: &[AttemptRecord]) -> Result<Self, RunDirError> {
        let mut trajectories = unfinished(folder, all)?;
        let open = open_attempts(folder, all)?;
        let mut resumable = Vec::new();
        for path in files(&folder.join(JOURNAL))? {
            let name = file_name(&path);
            // Compressed journals belong to attempts with a record.
            let is_plain = path.extension().is_some_and(|end| end == "jsonl");
            if !is_plain || !open(&name) {
                continue;
            }
            let paid = journal::paid_in(folder, &path)
                .map_err(|reason| RunDirError::Read { path, reason })?;
            if paid.is_empty() {
                continue;
            }
            let place = trajectories
                .iter()
                .position(|trajectory| file_name(trajectory) == name);
            let trajectory = place.map(|place| trajectories.remove(place));
            resumable.push(Resumable {
                name,
                paid,
                trajectory,
            });
        }
        Ok(Self {
            trajectories,
            resumable,
        })
    }
}

/// Sums the spending of the trajectories in `abandoned/` and of the attempts in `under_way`.
fn spent_without_record(
    folder: &Path,
    under_way: &UnfinishedAttempts,
    callers: Callers,
) -> Result<Spent, RunDirError> {
    let abandoned = files(&folder.join(ABANDONED))?;
    let paths = abandoned.iter().chain(&under_way.trajectories);
    let mut spent: Spent = paths
        .map(|path| spent_in(path, callers))
        .sum::<Result<_, _>>()?;
    for attempt in &under_way.resumable {
        spent += Spent {
            attempts: 1,
            ..journal::spent(&attempt.paid)
        };
        let mut lost = Fold::default();
        for event in attempt.lost()? {
            lost.take(&event);
        }
        spent += Spent {
            attempts: 0,
            ..spent_by(&lost, callers)
        };
    }
    Ok(spent)
}

/// Lengths of the longest responses so far, in output tokens as counted by servers. `None` means
/// that no server has counted tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongestResponses {
    /// Longest response of the agents' models.
    pub agents: Option<u64>,
    /// Longest response of the judge's model.
    pub judge: Option<u64>,
}

/// Returns the lengths of the longest responses in the trajectories of a run.
///
/// # Errors
/// Returns [`RunDirError::Read`] if a trajectory cannot be read.
pub fn longest_responses(folder: &Path) -> Result<LongestResponses, RunDirError> {
    let mut longest = LongestResponses::default();
    for part in [TRAJECTORIES, ABANDONED, SUPERSEDED] {
        for path in files(&folder.join(part))? {
            let fold = events::fold_leniently(&path)?;
            let agents = fold.agents.iter().map(|agent| &agent.calls);
            let agents = agents.filter_map(|calls| calls.longest_response);
            let judges = fold.judges.values();
            let judges = judges.filter_map(|calls| calls.longest_response);
            longest.agents = longest.agents.max(agents.max());
            longest.judge = longest.judge.max(judges.max());
        }
    }
    Ok(longest)
}

/// Moves the trajectories of unfinished attempts to `abandoned/`. For attempts that can resume,
/// keeps only the events of lost calls.
pub(super) fn abandon(folder: &Path, all: &[AttemptRecord]) -> Result<(), RunDirError> {
    let under_way = UnfinishedAttempts::of(folder, all)?;
    let mut aside = under_way.trajectories;
    for Resumable {
        paid, trajectory, ..
    } in under_way.resumable
    {
        let Some(trajectory) = trajectory else {
            continue;
        };
        // The spending in the reduced trajectory counts before and after the move, so the totals
        // stay correct if the process dies in between.
        if reduce_to_lost_calls(&trajectory, &paid)? {
            aside.push(trajectory);
        } else {
            fs::remove_file(&trajectory)
                .map_err(|reason| RunDirError::cannot_write(&trajectory, reason))?;
        }
    }
    move_to_unused_names(folder, ABANDONED, &aside)
}

/// Moves the trajectories of finished attempts that will be rerun to `superseded/`.
pub(super) fn supersede<'a>(
    folder: &Path,
    again: impl IntoIterator<Item = &'a (String, u32)>,
) -> Result<(), RunDirError> {
    let trajectories = folder.join(TRAJECTORIES);
    let paths: Vec<_> = again
        .into_iter()
        .map(|(sample, attempt)| name::trajectory_in(&trajectories, sample, *attempt))
        .filter(|path| path.is_file())
        .collect();
    move_to_unused_names(folder, SUPERSEDED, &paths)
}

/// Removes the journals of attempts that start from the beginning. The spending in those of
/// unfinished attempts moves to `abandoned/`; other journals contain only responses that a record
/// includes.
///
/// Must be called after [`abandon`] and before [`supersede`], which change what belongs to an
/// unfinished attempt.
pub(super) fn remove_journals<'a>(
    folder: &Path,
    all: &[AttemptRecord],
    afresh: impl IntoIterator<Item = &'a (String, u32)>,
) -> Result<(), RunDirError> {
    let is_open = open_attempts(folder, all)?;
    let journals = Journal::of(folder);
    for (sample, attempt) in afresh {
        let path = journal::path(folder, sample, *attempt);
        let removed = if is_open(&name::trajectory(sample, *attempt)) {
            journals.give_up(sample, *attempt)
        } else {
            fs::remove_file(&path)
        };
        if_exists(removed).map_err(|reason| RunDirError::Write { path, reason })?;
    }
    Ok(())
}

/// Copies the trajectories that show the wasted spending of another run to `abandoned/`, and writes
/// the spending that only the other run's journals contain there. Rerun attempts also count as
/// abandoned in this run, because their records stay in the other run. `unused` contains
/// trajectories of finished attempts of the other run that this run does not adopt.
pub(super) fn adopt(
    folder: &Path,
    other: &Path,
    all: &[AttemptRecord],
    unused: &[PathBuf],
) -> Result<(), RunDirError> {
    let mut paths = files(&other.join(ABANDONED))?;
    paths.extend(unused.iter().filter(|path| path.is_file()).cloned());
    let counting = counted_superseded(other, all)?;
    let superseded = files(&other.join(SUPERSEDED))?.into_iter();
    paths.extend(superseded.filter(|path| !counting.values().any(|other| other == path)));
    let under_way = UnfinishedAttempts::of(other, all)?;
    paths.extend(under_way.trajectories);
    let resumable = under_way.resumable.iter();
    let spending: Vec<(&str, Vec<Event>)> = resumable
        .map(|attempt| Ok((attempt.name.as_str(), attempt.spending()?)))
        .collect::<Result<_, RunDirError>>()?;
    if paths.is_empty() && spending.is_empty() {
        return Ok(());
    }
    let to = folder.join(ABANDONED);
    let copied = fs::create_dir_all(&to).and_then(|()| {
        for path in &paths {
            fs::copy(path, unused_path(&to, &PathBuf::from(original(path))))?;
        }
        for (name, events) in &spending {
            atomic::write_lines(&unused_path(&to, Path::new(name)), events)?;
        }
        atomic::sync_folder(&to)
    });
    copied.map_err(|reason| RunDirError::Write { path: to, reason })
}

/// Returns the trajectories in `superseded/` whose attempts have not been rerun yet, so that their
/// records still count. The keys are the original file names.
pub(super) fn counted_superseded(
    folder: &Path,
    all: &[AttemptRecord],
) -> Result<BTreeMap<String, PathBuf>, RunDirError> {
    let mut aside: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files(&folder.join(SUPERSEDED))? {
        aside.entry(original(&path)).or_default().push(path);
    }
    for paths in aside.values_mut() {
        // Sort by the number at the end: ~9 before ~10.
        paths.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    }
    if aside.is_empty() {
        return Ok(BTreeMap::new());
    }
    // Each file belongs to one record. If an attempt has as many files as records, the newest file
    // belongs to the last record, which still counts.
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

/// Returns the files in `trajectories/` that do not belong to a record.
///
/// The trajectory of each record is in `trajectories/` or `superseded/`. If an attempt has as many
/// files in `superseded/` as records, its file in `trajectories/` belongs to a rerun that has not
/// finished.
fn unfinished(folder: &Path, all: &[AttemptRecord]) -> Result<Vec<PathBuf>, RunDirError> {
    let is_open = open_attempts(folder, all)?;
    let mut paths = files(&folder.join(TRAJECTORIES))?;
    paths.retain(|path| is_open(&file_name(path)));
    Ok(paths)
}

/// Returns a predicate on the file names of trajectories: whether the attempt has not finished, or
/// must be rerun.
pub(super) fn open_attempts(
    folder: &Path,
    all: &[AttemptRecord],
) -> Result<impl Fn(&str) -> bool + use<>, RunDirError> {
    let mut finished = finished(all);
    for path in files(&folder.join(SUPERSEDED))? {
        if let Some(count) = finished.get_mut(&original(&path)) {
            *count = count.saturating_sub(1);
        }
    }
    Ok(move |name: &str| finished.get(name).is_none_or(|count| *count == 0))
}

/// Returns the files of a folder, sorted by name; empty if the folder is missing. Folders and
/// special files are skipped.
fn files(folder: &Path) -> Result<Vec<PathBuf>, RunDirError> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        entries
            .map(|entry| {
                let entry = entry?;
                let (kind, path) = (entry.file_type()?, entry.path());
                Ok((kind.is_file() || kind.is_symlink() && path.is_file()).then_some(path))
            })
            .collect::<io::Result<Vec<_>>>()
    });
    let listed = if_exists(listed).map_err(|reason| RunDirError::cannot_read(folder, reason))?;
    let mut paths: Vec<PathBuf> = listed.into_iter().flatten().flatten().collect();
    paths.sort();
    Ok(paths)
}

/// Returns the spending according to the events of a trajectory.
pub(super) fn spent_in(path: &Path, callers: Callers) -> Result<Spent, RunDirError> {
    let fold = events::fold_leniently(path)?;
    Ok(spent_by(&fold, callers))
}

/// Returns the spending of aggregated events. Events without the start of an attempt are the lost
/// calls of a resumed attempt, which do not count as another attempt.
fn spent_by(fold: &Fold, callers: Callers) -> Spent {
    let agents = fold.agents.iter().map(|agent| &agent.calls);
    let judges = fold
        .judges
        .values()
        .filter(|_| callers == Callers::AgentsAndJudges);
    let spent: Spent = agents.chain(judges).map(Spent::of_calls).sum();
    let is_lost_calls = !fold.has_begun && spent.llm_calls > 0;
    Spent {
        attempts: u64::from(!is_lost_calls),
        ..spent
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::{Callers, spent_in};

    fn usage(tokens: u64) -> Value {
        json!({"input_tokens": tokens, "cached_input_tokens": 0, "cache_write_tokens": 0, "output_tokens": 0,
            "reasoning_tokens": 0, "estimated": true})
    }

    /// Returns the event for a word: `ask` is a request of the root with an estimate of 100 tokens
    /// and a dollar, `bill` bills 10 tokens and half a dollar.
    fn event(word: &str) -> Value {
        let kind = match word {
            "ask" => json!({"type": "llm_request", "new_messages": [], "messages": 1,
                "estimate": {"usage": usage(100), "cost_usd": 1.0}}),
            "bill" => json!({"type": "llm_billed", "usage": usage(10), "cost_usd": 0.5}),
            "unpriced" => json!({"type": "llm_billed", "usage": usage(10), "cost_usd": null}),
            "retry" => json!({"type": "llm_retry", "error": "busy", "delay_ms": 1.0}),
            "error" => json!({"type": "llm_error", "error": "too long", "ms": 1.0}),
            "trim" => json!({"type": "context_trimmed", "messages": [0], "chars": 9}),
            "cached" => json!({"type": "llm_cached"}),
            "judge" => {
                json!({"type": "judge_request", "estimate": {"usage": usage(100), "cost_usd": 1.0}})
            }
            "judge-bill" => json!({"type": "judge_billed", "usage": usage(10), "cost_usd": 0.5}),
            "judge-error" => json!({"type": "judge_error", "error": "gone"}),
            "verdict" => json!({"type": "judge_response", "usage": usage(20), "cost_usd": 0.25}),
            _ => {
                json!({"type": "llm_response", "text": "Ada", "reasoning": null, "tool_calls": [], "code": null,
                "usage": usage(20), "cost_usd": 0.25, "served_model": null, "truncated": false, "ms": 1.0})
            }
        };
        let is_judge = word.starts_with("judge") || word == "verdict";
        let invocation = if is_judge { "judge" } else { "root" };
        json!({"v": 1, "run_id": "r", "sample": "s", "attempt": 1, "at_ms": 1.0, "invocation": invocation, "parent": null,
            "depth": 0, "kind": kind})
    }

    #[test]
    fn counts_spending_of_killed_process_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.1.jsonl");
        // Columns: events, then calls, tokens, dollars and calls of unknown cost.
        let rows = [
            ("ask", (1, 100, Some(1.0), 0)),
            ("ask answer", (1, 20, Some(0.25), 0)),
            ("ask bill", (1, 10, Some(0.5), 0)),
            ("ask bill retry", (1, 110, Some(1.5), 0)),
            ("ask bill retry bill retry", (1, 120, Some(2.0), 0)),
            ("ask bill retry answer", (1, 30, Some(0.75), 0)),
            ("ask retry", (1, 100, Some(1.0), 0)),
            ("ask error", (1, 0, None, 0)),
            ("ask error trim", (2, 100, Some(1.0), 0)),
            ("ask bill error trim", (2, 110, Some(1.5), 0)),
            ("ask error trim error", (2, 0, None, 0)),
            ("ask error trim answer", (2, 20, Some(0.25), 0)),
            ("ask error trim answer ask", (3, 120, Some(1.25), 0)),
            ("ask unpriced", (1, 10, None, 1)),
            ("ask unpriced retry", (1, 110, Some(1.0), 1)),
            ("ask cached answer", (0, 0, None, 0)),
            // A conversation may be shortened before it is first sent.
            ("trim ask answer", (1, 20, Some(0.25), 0)),
            ("ask answer trim ask answer", (2, 40, Some(0.5), 0)),
            ("ask answer judge", (2, 120, Some(1.25), 0)),
            ("ask answer judge judge-bill verdict", (2, 50, Some(1.0), 0)),
            ("ask answer judge verdict judge", (3, 140, Some(1.5), 0)),
            ("ask answer judge judge-error", (2, 20, Some(0.25), 0)),
        ];
        for (words, expected) in rows {
            let lines: Vec<String> = words
                .split(' ')
                .map(|word| event(word).to_string())
                .collect();
            fs::write(&path, lines.join("\n") + "\n{\"v\": 1, \"torn").unwrap();
            let spent = spent_in(&path, Callers::AgentsAndJudges).unwrap();
            let found = (
                spent.llm_calls,
                spent.usage.total(),
                spent.cost_usd,
                spent.unknown_calls,
            );
            assert_eq!(found, expected, "{words}");
            if words.starts_with("ask answer judge") {
                let of_agents = spent_in(&path, Callers::Agents).unwrap();
                assert_eq!(
                    (of_agents.llm_calls, of_agents.cost_usd),
                    (1, Some(0.25)),
                    "{words}"
                );
            }
        }
    }
}
