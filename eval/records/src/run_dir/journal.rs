//! `journal/`: what the attempts under way received from models, so that they go on where a killed process left them. The lines
//! are the engine's; here only what they say was paid is read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{EVENT_VERSION, Event, EventKind, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::links::without_links;
use super::{ABANDONED, JOURNAL, RunDirError, atomic, name, wasted_spend};
use crate::Spent;

/// The journals of a run's attempts. A file for each, which is open while the attempt is under way.
#[derive(Debug)]
pub struct Journal {
    run: PathBuf,
    open: Mutex<HashMap<(String, u32), File>>,
}

impl Journal {
    /// Those of the run in a folder.
    pub fn of(run: &Path) -> Self {
        Self {
            run: run.to_owned(),
            open: Mutex::default(),
        }
    }

    fn path(&self, sample: &str, attempt: u32) -> PathBuf {
        path(&self.run, sample, attempt)
    }

    /// The whole lines of an attempt's journal, oldest first; none where there is no file. A line that was never written to its
    /// end is cut off.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>> {
        self.lock().remove(&(sample.to_owned(), attempt));
        let path = self.path(sample, attempt);
        let opened = without_links(OpenOptions::new().read(true).write(true)).open(path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n');
        bytes.truncate(whole.map_or(0, |last| last + 1));
        file.set_len(bytes.len() as u64)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// The same of a run that is not this process's to write: nothing is cut off.
    ///
    /// # Errors
    /// What the system says.
    pub fn look(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>> {
        let text = fs::read_to_string(self.path(sample, attempt))?;
        let whole = text.rfind('\n').map_or("", |last| &text[..last]);
        Ok(whole.lines().map(str::to_owned).collect())
    }

    /// Adds whole lines. The operating system has them when this returns, and the disk has the name of a file that is new.
    ///
    /// # Errors
    /// What the system says; then nothing of them stays.
    pub fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()> {
        let mut open = self.lock();
        let key = (sample.to_owned(), attempt);
        let file = match open.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let folder = self.run.join(JOURNAL);
                let has_folder = folder.is_dir();
                fs::create_dir_all(&folder)?;
                let path = self.path(sample, attempt);
                let is_new = !path.exists();
                let file =
                    without_links(OpenOptions::new().append(true).create(true)).open(path)?;
                // What is synced at the attempt's end is in a file that can be found.
                if is_new {
                    atomic::sync_folder(&folder)?;
                }
                if !has_folder {
                    atomic::sync_folder(&self.run)?;
                }
                entry.insert(file)
            }
        };
        let before = file.seek(SeekFrom::End(0))?;
        file.write_all(lines.as_bytes()).inspect_err(|_| {
            // The first failure is the one to report; a line that stays torn is cut off when it is read.
            let _ = file.set_len(before);
        })
    }

    /// The attempt has ended: its lines are on the disk when this returns.
    ///
    /// # Errors
    /// What the system says.
    pub fn end(&self, sample: &str, attempt: u32) -> io::Result<()> {
        let file = self.lock().remove(&(sample.to_owned(), attempt));
        file.map_or(Ok(()), |file| file.sync_data())
    }

    /// The attempt begins anew: what its journal says was paid counts as abandoned, and the journal is gone.
    ///
    /// # Errors
    /// What the system says.
    pub fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()> {
        self.lock().remove(&(sample.to_owned(), attempt));
        let path = self.path(sample, attempt);
        let Some(paid) = paid_in(&path)? else {
            return Ok(());
        };
        let events = as_events(&paid, sample, attempt);
        let to = self.run.join(ABANDONED);
        fs::create_dir_all(&to)?;
        let of = PathBuf::from(name::trajectory(sample, attempt));
        atomic::write_lines(&wasted_spend::free(&to, &of), &events)?;
        fs::remove_file(path)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, u32), File>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was paid for nothing in an attempt that another machine made: its trajectory, or what its journal says was paid.
#[derive(Debug, Clone, Copy)]
pub enum PaidFor<'a> {
    /// Lines of a trajectory.
    Trajectory(&'a [u8]),
    /// Lines of a journal.
    Journal(&'a [u8]),
}

/// Keeps what was paid for nothing as abandoned. The `number` distinguishes it from all else of the attempt: what is kept already is
/// not kept twice.
///
/// # Errors
/// [`RunDirError::Write`].
pub fn keep_abandoned(
    run: &Path,
    (sample, attempt): (&str, u32),
    number: u64,
    what: PaidFor<'_>,
) -> Result<(), RunDirError> {
    let name = name::trajectory(sample, attempt);
    let stem = name.strip_suffix(".jsonl").unwrap_or(&name);
    let to = run.join(ABANDONED);
    // No name that this program gives on one machine has a letter behind the `~`.
    let path = to.join(format!("{stem}~q{number}.jsonl"));
    if path.exists() {
        return Ok(());
    }
    let written = fs::create_dir_all(&to).and_then(|()| match what {
        PaidFor::Trajectory(lines) => {
            atomic::write(&path, lines).map_err(|error| io::Error::other(error.to_string()))
        }
        PaidFor::Journal(lines) => {
            let paid = paid_lines(lines);
            if paid.is_empty() {
                return Ok(());
            }
            atomic::write_lines(&path, &as_events(&paid, sample, attempt))
        }
    });
    written.map_err(|reason| RunDirError::Write { path, reason })
}

/// The journal of an attempt.
pub(super) fn path(run: &Path, sample: &str, attempt: u32) -> PathBuf {
    run.join(JOURNAL).join(name::trajectory(sample, attempt))
}

/// A response that a journal holds.
#[derive(Debug)]
pub(super) struct Paid {
    /// Who asked.
    pub invocation: String,
    cached: bool,
    /// Billed tries and the response itself, with tokens and dollars as far as they are known.
    parts: Vec<(Option<Usage>, Option<f64>)>,
}

/// What a journal says was paid, in the order of its lines; none where there is no journal. Lines that say nothing of it, and
/// those of other versions, are passed over.
pub(super) fn paid_in(path: &Path) -> io::Result<Option<Vec<Paid>>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(paid_lines(&bytes)))
}

fn paid_lines(bytes: &[u8]) -> Vec<Paid> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let all = lines.filter_map(|line| paid(&serde_json::from_slice(line).ok()?));
    all.collect()
}

/// What these responses took.
pub(super) fn spent(paid: &[Paid]) -> Spent {
    let mut spent = Spent::default();
    for one in paid.iter().filter(|one| !one.cached) {
        spent.llm_calls += 1;
        for (usage, cost_usd) in &one.parts {
            spent.usage += usage.unwrap_or_default();
            spent.add_cost(*cost_usd);
        }
        spent.unknown_calls += u64::from(one.parts.iter().any(|(_, cost)| cost.is_none()));
    }
    spent
}

/// The same as the events of a trajectory.
fn as_events(paid: &[Paid], sample: &str, attempt: u32) -> Vec<Event> {
    let event = |invocation: &str, kind| Event {
        v: EVENT_VERSION,
        run_id: String::new(),
        sample: sample.to_owned(),
        attempt,
        at_ms: None,
        invocation: invocation.to_owned(),
        parent: None,
        depth: 0,
        kind,
    };
    let mut events = vec![event(
        "root",
        EventKind::AttemptStart {
            query: None,
            context_chars: None,
        },
    )];
    for one in paid.iter().filter(|one| !one.cached) {
        let mut add = |kind| events.push(event(&one.invocation, kind));
        add(EventKind::LlmRequest {
            new_messages: Vec::new(),
            messages: None,
            estimate: None,
        });
        if one.parts.is_empty() {
            add(EventKind::LlmError {
                error: "the attempt began anew".to_owned(),
                ms: None,
            });
        }
        for (place, (usage, cost_usd)) in one.parts.iter().enumerate() {
            let is_last = place + 1 == one.parts.len();
            add(match usage {
                Some(usage) if !is_last => EventKind::LlmBilled {
                    usage: *usage,
                    cost_usd: *cost_usd,
                },
                _ => EventKind::LlmResponse {
                    text: String::new(),
                    reasoning: None,
                    tool_calls: Vec::new(),
                    code: None,
                    truncated: false,
                    usage: *usage,
                    cost_usd: *cost_usd,
                    served_model: None,
                    ms: None,
                },
            });
        }
    }
    events
}

/// What a line says was paid, if it is of a response.
fn paid(line: &Value) -> Option<Paid> {
    let response = line.get("response")?;
    let calls = response["calls"].as_array().into_iter().flatten();
    let mut parts: Vec<_> = calls
        .filter_map(|call| call.get("Billed"))
        .map(bill)
        .collect();
    let result = &response["result"];
    let answer = result.get("Ok");
    let answer = answer.or_else(|| result.pointer("/Err/Truncated/response"));
    parts.extend(answer.map(bill));
    Some(Paid {
        invocation: response["invocation"].as_str()?.to_owned(),
        cached: response["cached"].as_bool().unwrap_or_default(),
        parts,
    })
}

/// What something took.
fn bill(of: &Value) -> (Option<Usage>, Option<f64>) {
    let usage = Usage::deserialize(&of["usage"]).ok();
    (usage, of["cost_usd"].as_f64())
}
