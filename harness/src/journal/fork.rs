//! Forks: journals that begin with the responses of an attempt of another run.

use super::JOURNAL_VERSION;
use super::continuation::without_failures;
use super::entry::{Entry, Fork, JournaledResponse, ROOT};
use super::seal::{self, Chain};
use crate::model::{Message, Usage};
use crate::provider::{CallEvent, response_mut};

/// Point at which an attempt is forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkPoint {
    /// Before the root's response with this number, 1-based.
    Before(u32),
    /// After all responses that the attempt received.
    End,
}

/// Journal of a fork before the fork's first new request.
#[derive(Debug, Clone, PartialEq)]
pub struct ForkedJournal {
    /// Lines of the journal, each with its line break.
    pub lines: String,
    /// Number of the root's first new request, 1-based.
    pub turn: u32,
    /// Number of inherited responses that were paid for.
    pub calls: u64,
    /// Tokens of these responses; `None` if those of any response are unknown.
    pub usage: Option<Usage>,
    /// Cost of these responses in US dollars; `None` if that of any response is unknown.
    pub cost_usd: Option<f64>,
}

/// Creates the journal of a fork from the `lines` of the original attempt's journal. `run_id`,
/// `sample` and `attempt` identify the fork. `messages` returns the recorded new messages of a
/// request, given the invocation id and the number of the request. With `same_model`, reasoning
/// signatures are kept; other models would reject them.
///
/// # Errors
/// Returns a description of the first invalid line, or of a fork point that is not in the journal.
pub fn fork(
    lines: &[String],
    (run_id, sample, attempt): (&str, &str, u32),
    at: ForkPoint,
    note: Option<String>,
    mut messages: impl FnMut(&str, u32) -> Option<Vec<Message>>,
    same_model: bool,
) -> Result<ForkedJournal, String> {
    let sealed = seal::read(lines);
    if let Some((line, what)) = sealed.invalid {
        return Err(format!("line {line}: {what}"));
    }
    let mut entries = Vec::new();
    for entry in sealed.entries {
        match entry {
            Entry::Attempt { .. } | Entry::Forked(_) => {}
            Entry::Continued {} => (entries, _) = without_failures(entries),
            other => entries.push(other),
        }
    }
    let of_root = |entry: &Entry| match entry {
        Entry::Response(kept) if kept.invocation == ROOT => Some((kept.turn, kept.result.is_ok())),
        _ => None,
    };
    let answered = entries.iter().filter_map(of_root).filter(|(_, ok)| *ok);
    let last = answered.map(|(turn, _)| turn).max().unwrap_or(0);
    let turn = match at {
        ForkPoint::End => {
            (entries, _) = without_failures(entries);
            last + 1
        }
        ForkPoint::Before(turn) if (1..=last).contains(&turn) => {
            let is_later = |entry: &Entry| of_root(entry).is_some_and(|(other, _)| other >= turn);
            let end = entries.iter().position(is_later).unwrap_or(entries.len());
            entries.truncate(end);
            turn
        }
        ForkPoint::Before(_) if last == 0 => {
            return Err("the root received no response, so only `--at end` is possible".to_owned());
        }
        ForkPoint::Before(turn) => {
            return Err(format!(
                "the attempt has no iteration {turn}: expected 1 to {last}"
            ));
        }
    };
    let mut chain = Chain::default();
    let mut forked = ForkedJournal {
        lines: String::new(),
        turn,
        calls: 0,
        usage: Some(Usage::default()),
        cost_usd: Some(0.0),
    };
    let mut write = |entry: &Entry, lines: &mut String| -> Result<(), String> {
        let line = chain.line(entry).map_err(|error| error.to_string())?;
        lines.push_str(&line);
        Ok(())
    };
    let first = Entry::Attempt {
        v: JOURNAL_VERSION,
        run: Some(run_id.to_owned()),
        sample: sample.to_owned(),
        attempt,
    };
    write(&first, &mut forked.lines)?;
    for mut entry in entries {
        if let Entry::Response(kept) = &mut entry {
            forked.inherit(kept, same_model);
            if kept.trims == 0 && kept.messages.is_none() {
                kept.messages = messages(&kept.invocation, kept.turn);
            }
        }
        write(&entry, &mut forked.lines)?;
    }
    write(&Entry::Forked(Fork { turn, note }), &mut forked.lines)?;
    Ok(forked)
}

impl ForkedJournal {
    /// Adds the cost of a result to the totals, and marks the result as cached, so that it is free.
    fn inherit(&mut self, kept: &mut JournaledResponse, same_model: bool) {
        self.calls += u64::from(!kept.cached);
        for call in std::mem::take(&mut kept.calls) {
            if let CallEvent::Billed { usage, cost_usd } = call {
                self.add(Some(usage), cost_usd);
            }
        }
        let was_cached = std::mem::replace(&mut kept.cached, true);
        (kept.at_ms, kept.ms) = (0.0, 0.0);
        let Some(response) = response_mut(&mut kept.result) else {
            return;
        };
        if !was_cached {
            self.add(response.usage, response.cost_usd);
        }
        response.cost_usd = Some(0.0);
        if !same_model {
            response.reasoning_signature = None;
        }
    }

    /// Adds the tokens and the cost of a response to the totals.
    fn add(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        self.usage = self.usage.zip(usage).map(|(mut total, usage)| {
            total += usage;
            total
        });
        self.cost_usd = (self.cost_usd.zip(cost_usd)).map(|(total, cost)| total + cost);
    }
}
