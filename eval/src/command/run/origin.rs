//! The attempt that a fork continues, and the journal with which the fork starts.

use std::collections::HashMap;

use harness::journal::{ForkPoint, ForkedJournal, JournalStore, fork};
use harness::model::{EventKind, Message, Status};
use harness::{nearest, sha256_hex};
use records::RunIdentity;
use records::run_dir::{Events, Journal, RunDir, RunWriter};
use serde_json::json;

use crate::command::fork::ForkTarget;
use crate::error::Error;
use crate::process::terminal;
use crate::run::journal::RunJournal;
use crate::settings::SettingsError;

/// Attempt that a fork continues.
pub(in crate::command) struct Origin {
    run: RunIdentity,
    target: ForkTarget,
    /// Path of the journal, for error messages.
    path: String,
    /// Lines of the journal.
    lines: Vec<String>,
    /// New messages of each request, keyed by agent.
    messages: HashMap<String, Vec<Vec<Message>>>,
}

impl Origin {
    /// Reads the attempt to continue.
    ///
    /// # Errors
    /// [`Error`] for an attempt that does not exist, has no journal, or has nothing to continue.
    pub(in crate::command) fn open(target: &ForkTarget) -> Result<Self, Error> {
        let run = RunDir::open(&target.run)?;
        let (sample, attempt) = (&target.sample, target.attempt);
        let record = run
            .records
            .iter()
            .find(|record| record.id == *sample && record.attempt == attempt);
        let journal = Journal::of(&target.run);
        let path = journal.path(sample, attempt);
        let folder = target.run.display();
        if !journal.exists(sample, attempt) {
            if record.is_some() {
                let problem = format!(
                    "attempt {attempt} of {sample} has no journal: {} does not exist",
                    path.display()
                );
                let hint = "queued runs, imported runs and runs of early versions have no journals";
                return Err(SettingsError::with_hint(problem, hint).into());
            }
            let ids: Vec<&str> = run
                .records
                .iter()
                .map(|record| record.id.as_str())
                .collect();
            if ids.contains(&sample.as_str()) {
                let problem = format!("{folder} has no attempt {attempt} of {sample}");
                return Err(SettingsError::new(problem).into());
            }
            let problem = format!("{folder} has no attempt of the sample `{sample}`");
            return Err(match nearest(sample, ids.iter().copied()) {
                Some(near) => SettingsError::with_hint(problem, format!("did you mean `{near}`?")),
                None => SettingsError::new(problem),
            }
            .into());
        }
        let answered = record.filter(|record| record.status == Status::Ok);
        if let Some(record) = answered.filter(|_| target.at == ForkPoint::End) {
            let last = record.iterations.max(1);
            return Err(SettingsError::with_hint(
                format!("attempt {attempt} of {sample} ended with an answer, so there is nothing to continue"),
                format!("pass an iteration from 1 to {last}, such as --at {last}"),
            )
            .into());
        }
        let lines = journal
            .look(sample, attempt)
            .map_err(|error| unreadable(&path.display().to_string(), &error.to_string()))?;
        Ok(Self {
            messages: messages(&run, sample, attempt),
            run: run.lock.run.clone(),
            target: target.clone(),
            path: path.display().to_string(),
            lines,
        })
    }

    /// Returns the journal of the fork while the run has no id. [`Self::write`] creates it again
    /// with the id.
    pub(in crate::command) fn draft(&self) -> Result<ForkedJournal, Error> {
        self.journal("", &self.run.model)
    }

    /// Returns the journal of the fork for the run with this id and model.
    fn journal(&self, run_id: &str, model: &str) -> Result<ForkedJournal, Error> {
        let messages = |invocation: &str, turn: u32| {
            let turn = usize::try_from(turn).ok()?.checked_sub(1)?;
            self.messages.get(invocation)?.get(turn).cloned()
        };
        fork(
            &self.lines,
            (run_id, &self.target.sample, 1),
            self.target.at,
            self.target.note.clone(),
            messages,
            model == self.run.model,
        )
        .map_err(|problem| unreadable(&self.path, &problem))
    }

    /// Returns the origin as `config.json` records it.
    pub(in crate::command) fn recorded(&self, journal: &ForkedJournal) -> serde_json::Value {
        json!({
            "run": self.run.run_id,
            "sample": self.target.sample,
            "attempt": self.target.attempt,
            "iteration": journal.turn,
            "note": self.target.note,
            "inherited": {
                "llm_calls": journal.calls,
                "usage": journal.usage,
                "cost_usd": journal.cost_usd,
            },
            "journal_sha256": sha256_hex(&journal.lines),
        })
    }

    /// Checks that the dataset has the digest that the forked run recorded.
    pub(super) fn check_dataset(&self, digest: &str) -> Result<(), Error> {
        if self.run.dataset_digest == digest {
            return Ok(());
        }
        let problem = format!(
            "the samples are not those of {}: the digest is {digest} instead of {}",
            self.run.run_id, self.run.dataset_digest
        );
        Err(SettingsError::new(problem).into())
    }

    /// Writes the journal of the fork, and reports how many responses it inherits.
    pub(super) fn write(&self, writer: &RunWriter, identity: &RunIdentity) -> Result<(), Error> {
        let journal = self.journal(&identity.run_id, &identity.model)?;
        let store = RunJournal::new(writer.journal(), None);
        let sample = &self.target.sample;
        let written = store
            .append(sample, 1, &journal.lines)
            .and_then(|()| store.end(sample, 1));
        written.map_err(|error| unreadable(&store.name(sample, 1), &error.to_string()))?;
        let responses = terminal::counted(journal.calls, "response");
        let verb = if journal.calls == 1 { "is" } else { "are" };
        let cost = (journal.cost_usd).map_or_else(String::new, |cost| format!(" (${cost:.4})"));
        terminal::note(&format!(
            "fork of attempt {} of {sample} in {}: iteration {} is the first new one; \
             {responses}{cost} {verb} inherited and not paid for again",
            self.target.attempt, self.run.run_id, journal.turn
        ));
        Ok(())
    }
}

fn unreadable(path: &str, problem: &str) -> Error {
    SettingsError::new(format!("{path}: {problem}")).into()
}

/// Returns the new messages of each request in an attempt, keyed by agent. Empty if the trajectory
/// cannot be read.
fn messages(run: &RunDir, sample: &str, attempt: u32) -> HashMap<String, Vec<Vec<Message>>> {
    let mut all: HashMap<String, Vec<Vec<Message>>> = HashMap::new();
    let Ok(events) = Events::open(&run.trajectory(sample, attempt)) else {
        return all;
    };
    for event in events.flatten() {
        if let EventKind::LlmRequest { new_messages, .. } = event.kind {
            all.entry(event.invocation).or_default().push(new_messages);
        }
    }
    all
}
