//! Journal of one attempt: the responses and session steps of earlier processes, and those that
//! this process adds.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use sandbox::message::SessionStart;
use sandbox::{Recorder, Session};

use super::continuation::without_failures;
use super::entry::{Entry, Matching, session, steps_entry};
use super::seal::{self, Chain, read_checked};
use super::{
    Digests, Fork, JOURNAL_VERSION, JournalStore, JournaledResponse, ReplayedJournals, RequestKey,
};
use crate::model::{Message, Task};
use crate::provider::Request;

/// Start of a pinned clock: 2026-01-01 00:00 UTC.
const PINNED_EPOCH_MS: u64 = 1_767_225_600_000;

/// Journal of one attempt. Without a store, nothing is written.
#[derive(Default)]
pub(crate) struct AttemptJournal {
    store: Option<Arc<dyn JournalStore>>,
    run: String,
    sample: String,
    attempt: u32,
    /// Seed of the sessions if they are pinned, that is, have deterministic clocks and random
    /// numbers.
    pinned: Option<u64>,
    /// Responses of earlier processes that have not been returned yet.
    earlier: Mutex<HashMap<RequestKey, Box<JournaledResponse>>>,
    /// Results that are not reused, because the attempt continues after an error: failures whose
    /// requests are sent again, and results of requests that a different one has replaced.
    superseded: Mutex<Vec<JournaledResponse>>,
    /// Starts and clock readings of the sessions of a replayed run, by invocation id.
    recorded: Mutex<HashMap<String, SessionStart>>,
    /// Starts and steps of sessions of earlier processes that have not been reopened yet, by
    /// invocation id.
    sessions: Mutex<HashMap<String, SessionStart>>,
    /// Open sessions.
    open: Mutex<Vec<Open>>,
    responses: usize,
    passed: Duration,
    /// Whether the attempt continues after it had ended in an error.
    continued: bool,
    /// Set if this attempt is a fork.
    fork: Option<Fork>,
    /// Position in the journal after its last line.
    chain: Mutex<Chain>,
}

struct Open {
    invocation: String,
    recorder: Recorder,
    /// Whether steps of an earlier process are still being repeated.
    repeats: bool,
}

/// Result of looking up a request.
pub(crate) enum Recalled {
    /// The journal contains the result of the request.
    Found(Box<JournaledResponse>),
    /// The journal contains no result for the request.
    Nothing,
    /// The journal contains the result of a different request with the same key.
    Other,
}

impl AttemptJournal {
    /// Opens the journal of an attempt, and reads the lines of earlier processes. With a seed in
    /// `pinned`, the sessions have deterministic clocks and random numbers.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read or contains an invalid line.
    pub fn open(
        store: Option<&Arc<dyn JournalStore>>,
        task: &Task,
        pinned: Option<u64>,
    ) -> io::Result<Self> {
        let mut journal = Self {
            store: store.cloned(),
            run: task.run_id.clone(),
            sample: task.sample.clone(),
            attempt: task.attempt,
            pinned,
            ..Self::default()
        };
        let Some(store) = store else {
            return Ok(journal);
        };
        let (entries, chain) =
            read_checked(store.as_ref(), &task.run_id, &task.sample, task.attempt)?;
        journal.chain = Mutex::new(chain);
        let is_new = entries.is_empty();
        for entry in journal.without_failures(entries) {
            journal.take(entry);
        }
        journal.responses = journal.earlier.get_mut().len();
        if is_new {
            let first = Entry::Attempt {
                v: JOURNAL_VERSION,
                run: Some(journal.run.clone()),
                sample: journal.sample.clone(),
                attempt: journal.attempt,
            };
            journal.write(&[first])?;
        }
        Ok(journal)
    }

    /// Removes the failed requests that will be sent again from the entries. Sets `continued` if
    /// the attempt continues after an error.
    fn without_failures(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let mut left = Vec::new();
        for entry in entries {
            match entry {
                Entry::Continued {} => {
                    self.continued = true;
                    let failed;
                    (left, failed) = without_failures(left);
                    self.superseded.get_mut().extend(failed);
                }
                other => left.push(other),
            }
        }
        left
    }

    /// Makes new sessions replay the starts and clock readings of an earlier run, unless sessions
    /// are pinned. Reading of the run's journal stops at the first invalid line.
    #[must_use]
    pub fn playing_back(mut self, run: Option<&Arc<dyn ReplayedJournals>>) -> Self {
        let Some(run) = run.filter(|_| self.pinned.is_none()) else {
            return self;
        };
        let mut earlier = Self::default();
        for entry in seal::read(&run.lines(&self.sample, self.attempt)).entries {
            if !matches!(entry, Entry::Response(_)) {
                earlier.take(entry);
            }
        }
        let mut sessions = earlier.sessions.into_inner();
        for beginning in sessions.values_mut() {
            // The cells of this run determine their own steps.
            beginning.course.steps.clear();
        }
        self.recorded = Mutex::new(sessions);
        self
    }

    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Attempt { .. } | Entry::Continued {} => {}
            Entry::Forked(fork) => {
                for kept in self.earlier.get_mut().values_mut() {
                    kept.matching = Matching::Any;
                }
                self.fork = Some(fork);
            }
            Entry::Session {
                invocation,
                seed,
                epoch_ms,
                pinned,
            } => {
                let beginning = self.sessions.get_mut().entry(invocation).or_default();
                beginning.seed = seed;
                beginning.epoch_ms = epoch_ms;
                beginning.pinned = pinned;
            }
            Entry::Did {
                invocation,
                steps,
                clock,
            } => {
                let beginning = self.sessions.get_mut().entry(invocation).or_default();
                beginning.course.steps.extend(steps);
                beginning.course.clock.extend(clock);
            }
            Entry::Response(kept) => {
                let at = Duration::try_from_secs_f64(kept.at_ms / 1e3).unwrap_or_default();
                self.passed = self.passed.max(at);
                if let Some(replaced) = self.earlier.get_mut().insert(kept.key(), kept) {
                    self.superseded.get_mut().push(*replaced);
                }
            }
        }
    }

    /// Whether the journal is stored.
    pub const fn is_kept(&self) -> bool {
        self.store.is_some()
    }

    /// Returns the number of responses of earlier processes.
    pub const fn responses(&self) -> usize {
        self.responses
    }

    /// Returns the time from the start of the attempt to the last response of earlier processes.
    pub const fn passed(&self) -> Duration {
        self.passed
    }

    /// Whether the attempt continues after it had ended in an error.
    pub const fn continued(&self) -> bool {
        self.continued
    }

    /// Returns the digest that identifies a request in this journal; empty if nothing is written.
    /// `digests` must belong to the request's conversation.
    pub fn digest(&self, request: &Request, digests: &mut Digests) -> String {
        if self.store.is_none() {
            return String::new();
        }
        match *self.chain.lock() {
            Chain::Unsealed => JournaledResponse::asked_v1(request),
            Chain::Sealed { .. } => digests.of(request),
        }
    }

    /// Removes and returns the recorded new messages of an inherited request, if any.
    pub fn inherited_messages(&self, invocation: &str, turn: u32) -> Option<Vec<Message>> {
        self.fork.as_ref()?;
        let key = RequestKey {
            invocation: invocation.to_owned(),
            turn,
            trims: 0,
        };
        let mut earlier = self.earlier.lock();
        let kept = earlier.get_mut(&key)?;
        kept.messages.take()
    }

    /// Returns the text that the fork adds to this request of the root, if any.
    pub fn note(&self, turn: u32) -> Option<&str> {
        let fork = self.fork.as_ref().filter(|fork| fork.turn == turn)?;
        fork.note.as_deref()
    }

    /// Removes and returns the earlier result of a request. `asked` is the request's digest.
    pub fn recall(&self, key: &RequestKey, asked: &str) -> Recalled {
        let mut earlier = self.earlier.lock();
        let Some(kept) = earlier.get(key) else {
            return Recalled::Nothing;
        };
        if kept.matching != Matching::Any && !kept.asked.starts_with(asked) {
            return match kept.matching {
                Matching::Exact => Recalled::Other,
                _ => Recalled::Nothing,
            };
        }
        earlier
            .remove(key)
            .map_or(Recalled::Nothing, Recalled::Found)
    }

    /// Removes and returns the earlier responses whose requests have not been repeated, and the
    /// superseded results.
    pub fn left(&self) -> Vec<JournaledResponse> {
        let mut earlier = self.earlier.lock();
        let left = earlier.drain().map(|(_, kept)| *kept);
        left.chain(self.superseded.lock().drain(..)).collect()
    }

    /// Waits until the open sessions have repeated all steps of earlier processes. All later
    /// requests are new.
    pub async fn caught_up(&self) {
        if self.responses == 0 {
            return;
        }
        loop {
            let next = {
                let open = self.open.lock();
                open.iter().find(|one| one.repeats).map(|one| {
                    let invocation = one.invocation.clone();
                    (invocation, one.recorder.clone())
                })
            };
            let Some((invocation, recorder)) = next else {
                return;
            };
            recorder.caught_up().await;
            let mut open = self.open.lock();
            for one in open.iter_mut().filter(|one| one.invocation == invocation) {
                one.repeats = false;
            }
        }
    }

    /// Writes the result of a request, preceded by the new steps of the sessions.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn keep(&self, kept: JournaledResponse) -> io::Result<()> {
        if self.store.is_none() {
            return Ok(());
        }
        // Hold the lock while writing, so that steps are written before the requests that follow
        // them.
        let mut open = self.open.lock();
        let mut entries = take_new_steps(&mut open);
        entries.push(Entry::Response(Box::new(kept)));
        self.write(&entries)
    }

    /// Starts a session of an agent. If an earlier process started this session, the session
    /// repeats the steps of that process.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn begin(&self, invocation: &str, opened: &Session) -> io::Result<()> {
        if self.store.is_none() && self.pinned.is_none() && self.recorded.lock().is_empty() {
            return Ok(());
        }
        let earlier = self.sessions.lock().remove(invocation);
        let repeats = earlier
            .as_ref()
            .is_some_and(|beginning| !beginning.course.steps.is_empty());
        let beginning = if let Some(beginning) = earlier {
            beginning
        } else {
            let new = self.new_session(invocation);
            let mut entries = vec![session(invocation, &new)];
            if !new.course.is_empty() {
                entries.push(steps_entry(invocation, new.course.clone()));
            }
            self.write(&entries)?;
            new
        };
        if self.store.is_none() {
            opened.begin(beginning);
            return Ok(());
        }
        let recorder = opened.recorder();
        opened.begin(beginning);
        self.open.lock().push(Open {
            invocation: invocation.to_owned(),
            recorder,
            repeats,
        });
        Ok(())
    }

    fn new_session(&self, invocation: &str) -> SessionStart {
        if let Some(recorded) = self.recorded.lock().remove(invocation) {
            return recorded;
        }
        let Some(pinned) = self.pinned else {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let now = now.unwrap_or_default().as_millis();
            return SessionStart {
                seed: rand::random(),
                epoch_ms: u64::try_from(now).unwrap_or(u64::MAX),
                ..SessionStart::default()
            };
        };
        let (sample, attempt) = (&self.sample, self.attempt);
        let digest = crate::text::sha256_hex(&format!("{pinned} {sample} {attempt} {invocation}"));
        SessionStart {
            seed: u64::from_str_radix(&digest[..16], 16).unwrap_or(pinned),
            epoch_ms: PINNED_EPOCH_MS,
            pinned: true,
            ..SessionStart::default()
        }
    }

    /// Ends the journal, after syncing all lines to disk.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub async fn end(&self) -> io::Result<()> {
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        let entries = take_new_steps(&mut self.open.lock());
        self.write(&entries)?;
        let (sample, attempt) = (self.sample.clone(), self.attempt);
        // Syncing to disk blocks the thread.
        let ended = tokio::task::spawn_blocking(move || store.end(&sample, attempt));
        ended
            .await
            .unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn write(&self, entries: &[Entry]) -> io::Result<()> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        if entries.is_empty() {
            return Ok(());
        }
        // The lock is held while writing, so that lines are in the order of their numbers.
        let mut chain = self.chain.lock();
        let mut next = chain.clone();
        let mut lines = String::new();
        for entry in entries {
            lines.push_str(&next.line(entry)?);
        }
        store.append(&self.sample, self.attempt, &lines)?;
        *chain = next;
        Ok(())
    }
}

fn take_new_steps(open: &mut [Open]) -> Vec<Entry> {
    let courses = open.iter().filter_map(|one| {
        let course = one.recorder.take();
        (!course.is_empty()).then(|| steps_entry(&one.invocation, course))
    });
    courses.collect()
}

#[cfg(test)]
mod tests {
    use super::{AttemptJournal, Entry, JournaledResponse, Matching};
    use crate::provider::Response;

    #[test]
    fn returns_replaced_results_as_unused() {
        let kept = |asked: &str| JournaledResponse {
            invocation: "root.d1-c1".to_owned(),
            turn: 1,
            trims: 0,
            asked: asked.to_owned(),
            at_ms: 0.0,
            ms: 0.0,
            cached: false,
            calls: Vec::new(),
            result: Ok(Response::default()),
            messages: None,
            matching: Matching::Lenient,
        };
        let mut journal = AttemptJournal::default();
        for asked in ["older", "newer"] {
            journal.take(Entry::Response(Box::new(kept(asked))));
        }
        let left: Vec<String> = journal.left().into_iter().map(|kept| kept.asked).collect();
        assert_eq!(left, ["newer", "older"]);
    }
}
