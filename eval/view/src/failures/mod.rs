//! Groups the failed attempts of a run by kind of failure.
//!
//! Most reasons are in the records. The answers of children and the last failed call are read from
//! trajectories, as far as the time limit of a request allows.

mod answer_form;
mod text_form;
mod trace;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use model::Status;
use records::AttemptRecord;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::error::ViewError;
use super::filter::FailureGroups;
use super::outcome::is_wrong;
use super::run_file::RunFile;
use text_form::without_numbers;
pub use trace::Traces;
use trace::{Trace, TraceLookup};

/// Maximum attempts of a group that a run's page lists. The group's filter shows all of them.
const LISTED: usize = 8;

/// Maximum characters of an error that serves as the name of a group.
const NAME: usize = 240;

/// Groups of failures in a run, based on the trajectories read so far.
#[derive(Debug, Default, Serialize)]
pub struct Failures {
    /// Number of failed attempts: those with a status other than `ok`, without a score, or with a
    /// score below 1.
    pub failed: usize,
    /// Number of failed attempts that do not belong to a group.
    pub unexplained: usize,
    /// Number of failed attempts whose trajectory has been read.
    pub read: usize,
    /// Number of failed attempts with a trajectory to read.
    pub to_read: usize,
    /// Groups, the largest first.
    pub groups: Vec<Group>,
    /// Keys of each attempt's groups.
    #[serde(skip)]
    pub of: FailureGroups,
}

/// A group of attempts with the same kind of failure.
#[derive(Debug, Serialize)]
pub struct Group {
    /// Key for the filter `why:KEY`; equal failures have equal keys in all runs.
    pub key: String,
    /// Kind of the failure.
    pub kind: Kind,
    /// Text that the attempts have in common; each number is replaced with `#`.
    pub text: Option<String>,
    /// Number of attempts.
    pub count: usize,
    /// Total known cost of the attempts in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of attempts with unknown cost.
    pub cost_unknown: usize,
    /// The first attempts of the group, in run order.
    pub samples: Vec<FailedAttempt>,
}

/// An attempt of a group.
#[derive(Debug, Serialize)]
pub struct FailedAttempt {
    id: String,
    attempt: u32,
    /// Detail about this attempt: the child that was right, or the form of the answer.
    detail: Option<String>,
}

/// Kind of failure that the attempts of a group share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The attempts ended in the same error.
    Error,
    /// The attempts hit the same limit.
    Limit,
    /// The last failed call of each attempt is of the same kind, and at most one root cell
    /// succeeded after it.
    Call,
    /// A child's answer was right, but the root's answer was wrong.
    ChildRight,
    /// The root's return in the first iteration was intercepted, and the final answer was still
    /// wrong.
    ReturnedEarly,
    /// The answer is right except for its form.
    Form,
    /// The attempts were cancelled.
    Cancelled,
}

impl Kind {
    const fn key(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Limit => "limit",
            Self::Call => "call",
            Self::ChildRight => "child-right",
            Self::ReturnedEarly => "returned-early",
            Self::Form => "form",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A reason why an attempt failed.
struct Reason {
    kind: Kind,
    /// Text that distinguishes the group from other groups of the kind.
    text: Option<String>,
    detail: Option<String>,
}

impl Reason {
    fn plain(kind: Kind) -> Self {
        Self {
            kind,
            text: None,
            detail: None,
        }
    }

    fn of_text(kind: Kind, text: &str) -> Self {
        Self {
            kind,
            text: Some(without_numbers(text, NAME)),
            detail: None,
        }
    }

    fn key(&self) -> String {
        let kind = self.kind.key();
        match &self.text {
            None => kind.to_owned(),
            Some(text) => format!("{kind}-{}", &hex::encode(Sha256::digest(text))[..6]),
        }
    }
}

/// Groups the failures of a run. Reads traces that are missing in `traces` from trajectories for
/// about the time `reading`. At least one is read, so that repeated calls read all of them.
/// Trajectories that `inside` rejects are not read.
pub fn failures(
    traces: &Traces,
    file: &RunFile,
    inside: impl Fn(&Path) -> Result<(), ViewError>,
    reading: Duration,
) -> Failures {
    let mut left = reading;
    let mut found = Failures::default();
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for record in file.run.records.iter().filter(|record| has_failed(record)) {
        found.failed += 1;
        let path = file.run.trajectory(&record.id, record.attempt);
        let trace = traces.of(&path, &record.expected, &mut left, &inside);
        found.to_read += usize::from(!matches!(trace, TraceLookup::Nothing));
        found.read += usize::from(matches!(trace, TraceLookup::Read(_)));
        let trace = match &trace {
            TraceLookup::Read(trace) => Some(trace.as_ref()),
            TraceLookup::Nothing | TraceLookup::Later => None,
        };
        let reasons = reasons(record, trace);
        if reasons.is_empty() {
            found.unexplained += 1;
            continue;
        }
        for reason in reasons {
            let key = reason.key();
            let of = (record.id.clone(), record.attempt);
            found.of.entry(of).or_default().push(key.clone());
            let group = groups.entry(key.clone()).or_insert_with(|| Group {
                key,
                kind: reason.kind,
                text: reason.text,
                count: 0,
                cost_usd: None,
                cost_unknown: 0,
                samples: Vec::new(),
            });
            group.add(record, reason.detail);
        }
    }
    found.groups = groups.into_values().collect();
    found
        .groups
        .sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.key.cmp(&b.key)));
    found
}

impl Group {
    fn add(&mut self, record: &AttemptRecord, detail: Option<String>) {
        self.count += 1;
        match record.cost_usd {
            Some(cost) => *self.cost_usd.get_or_insert_default() += cost,
            None => self.cost_unknown += 1,
        }
        if self.samples.len() < LISTED {
            self.samples.push(FailedAttempt {
                id: record.id.clone(),
                attempt: record.attempt,
                detail,
            });
        }
    }
}

fn has_failed(record: &AttemptRecord) -> bool {
    is_wrong(record) || record.status != Status::Ok || record.score.is_none()
}

fn reasons(record: &AttemptRecord, trace: Option<&Trace>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let error = record.error.as_deref();
    match record.status {
        Status::Limit => reasons.push(Reason::of_text(Kind::Limit, error.unwrap_or("a limit"))),
        Status::Cancelled => reasons.push(Reason::plain(Kind::Cancelled)),
        // If an answer has no score, the error is the scorer's.
        Status::Ok | Status::Error => {
            reasons.extend(error.map(|error| Reason::of_text(Kind::Error, error)));
        }
    }
    if is_wrong(record) {
        if record.returned_early == Some(true) {
            reasons.push(Reason::plain(Kind::ReturnedEarly));
        }
        let answer = record.answer.as_deref().unwrap_or_default();
        if let Some(form) = answer_form::form_difference(answer, &record.expected) {
            reasons.push(Reason {
                detail: Some(form.to_owned()),
                ..Reason::plain(Kind::Form)
            });
        } else if let Some(child) = trace.and_then(|trace| trace.right_child.as_ref()) {
            reasons.push(Reason {
                detail: Some(child.clone()),
                ..Reason::plain(Kind::ChildRight)
            });
        }
    }
    if let Some(call) = trace.and_then(|trace| trace.last_failed.as_deref()) {
        reasons.push(Reason::of_text(Kind::Call, call));
    }
    reasons
}

#[cfg(test)]
mod tests;
