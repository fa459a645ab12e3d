//! `oolong-pairs`: all pairs of users that satisfy a condition, over the `trec_coarse` windows of
//! OOLONG-synth.
//!
//! These are the 20 tasks in the appendix of <https://arxiv.org/abs/2512.24601>. The expected pairs
//! are computed from the labeled window.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::entry::{Entry, WINDOWS};
use crate::fields::{Fault, Row, some, text, whole};
use crate::rows::{self, SampleHeader, Schema};
use crate::score::{Date, read_date};
use crate::{Dataset, OpenError, Options, PairF1, Sample, Scorer};

pub(crate) const ENTRY: Entry = Entry {
    name: "oolong-pairs",
    summary: "OOLONG-Pairs: all pairs of users that satisfy a condition",
    scorer: PairF1::NAME,
    source: "huggingface.co/datasets/oolongbench/oolong-synth, tasks of arxiv.org/abs/2512.24601",
    size: "20 a window",
    reads: WINDOWS,
    ..Entry::rows(open)
};

/// Version of the samples, as a part of the digest. Increase it when a code change alters a sample.
const FORMAT: &str = "oolong-pairs/1";

const TASKS: &str = include_str!("tasks.json");
const QUERY: &str = include_str!("query.txt");

/// Field with the labeled window.
const LABELED_WINDOW: &str = "context_window_text_with_labels";

struct OolongPairs {
    labels: bool,
    lengths: Vec<usize>,
    seen: BTreeSet<i64>,
}

/// Opens `oolong-pairs`, with the same options as `oolong`. Each window yields 20 samples.
///
/// # Errors
///
/// If no folder is given, the folder has no rows, or a row is malformed.
fn open(options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    let schema = OolongPairs {
        labels: options.labels,
        lengths: options.context_lengths.clone(),
        seen: BTreeSet::new(),
    };
    let path = options.data(
        ENTRY.name,
        "the files of oolongbench/oolong-synth (data/validation-*.parquet), or rows in the same format",
    )?;
    Ok(rows::open(schema, path, options)?)
}

impl Schema for OolongPairs {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn format(&self) -> String {
        format!("{FORMAT}\0{}\0{TASKS}\0{QUERY}", self.labels)
    }

    /// The validation split contains the windows of `trec_coarse`.
    fn split(&self) -> &'static str {
        "validation"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["dataset", "context_len", "context_window_id"]
    }

    fn index(&mut self, row: &Row, _: usize) -> Result<Vec<SampleHeader>, Fault> {
        let length = whole(row, "context_len")?;
        let window = whole(row, "context_window_id")?;
        let is_wanted = self.lengths.is_empty()
            || self
                .lengths
                .iter()
                .any(|&given| i64::try_from(given) == Ok(length));
        if text(row, "dataset")? != "trec_coarse" || !is_wanted || !self.seen.insert(window) {
            return Ok(Vec::new());
        }
        let sample = |task: usize| {
            let mut metadata = some(row, &["dataset", "context_len", "context_window_id"]);
            metadata.insert("task".to_owned(), json!(task + 1));
            metadata.insert("labels".to_owned(), json!(self.labels));
            SampleHeader {
                id: format!("{}-{window}-{}", ENTRY.name, task + 1),
                metadata,
                variant: task,
            }
        };
        Ok((0..PAIR_TASKS.len()).map(sample).collect())
    }

    fn body(&self, row: &Row, variant: usize) -> Result<Sample, Fault> {
        let task = &PAIR_TASKS[variant];
        let labelled = text(row, LABELED_WINDOW)?;
        let context = if self.labels {
            labelled
        } else {
            text(row, "context_window_text")?
        };
        Ok(Sample {
            query: QUERY.trim_end().replace("<condition>", &task.condition),
            context: context.to_owned().into(),
            expected: pairs(&users(labelled)?, task),
            cluster: Some(format!(
                "{}-window-{}",
                ENTRY.name,
                whole(row, "context_window_id")?
            )),
            ..Sample::default()
        })
    }

    fn scorer(&self) -> Arc<dyn Scorer> {
        Arc::new(PairF1)
    }
}

/// A task of `tasks.json`: conditions for both users of a pair. A pair satisfies the task in either
/// order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    condition: String,
    one: Side,
    /// Conditions for the other user; defaults to `one`.
    other: Option<Side>,
}

/// Conditions on the instances of one user, all of which must hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Side {
    /// At least one instance must have one of these labels, unless the list is empty.
    #[serde(default)]
    any: Vec<String>,
    /// Minimum number of instances, by label.
    #[serde(default)]
    least: BTreeMap<String, usize>,
    /// Exact number of instances, by label.
    #[serde(default)]
    exactly: BTreeMap<String, usize>,
    /// Day after which all instances with a label must be, by label.
    #[serde(default)]
    after: BTreeMap<String, String>,
    /// Day before which all instances with a label must be, by label.
    #[serde(default)]
    before: BTreeMap<String, String>,
}

static PAIR_TASKS: LazyLock<Vec<Task>> =
    LazyLock::new(|| serde_json::from_str(TASKS).unwrap_or_default());

/// Label and day of each instance of a user.
type Instances = Vec<(String, Date)>;

impl Side {
    fn holds(&self, instances: &Instances) -> bool {
        let count = |label: &str| instances.iter().filter(|(found, _)| found == label).count();
        let days = |label: &String, holds: &dyn Fn(Date) -> bool| {
            instances
                .iter()
                .filter(|(found, _)| found == label)
                .all(|(_, day)| holds(*day))
        };
        let day = |text: &str| read_date(text);
        (self.any.is_empty() || self.any.iter().any(|label| count(label) > 0))
            && self
                .least
                .iter()
                .all(|(label, &least)| count(label) >= least)
            && self
                .exactly
                .iter()
                .all(|(label, &exactly)| count(label) == exactly)
            && self
                .after
                .iter()
                .all(|(label, limit)| days(label, &|found| Some(found) > day(limit)))
            && self
                .before
                .iter()
                .all(|(label, limit)| days(label, &|found| Some(found) < day(limit)))
    }
}

/// Parses the users of a window and their instances from its lines `Date: … || User: … || Instance:
/// … || Label: …`.
fn users(window: &str) -> Result<BTreeMap<u64, Instances>, Fault> {
    let mut users = BTreeMap::<u64, Instances>::new();
    for (line, number) in window.lines().zip(1..) {
        let Some(rest) = line.trim().strip_prefix("Date: ") else {
            continue;
        };
        let parts = rest
            .split_once(" || User: ")
            .and_then(|(date, rest)| Some((date, rest.split_once(" || ")?)))
            .and_then(|(date, (user, rest))| {
                Some((
                    read_date(date)?,
                    user.trim().parse().ok()?,
                    rest.rsplit_once(" || Label: ")?.1,
                ))
            });
        let Some((date, user, label)) = parts else {
            let wanted = "expected `Date: Jan 06, 2023 || User: 44106 || Instance: … || Label: …`";
            return Err(Fault::new(
                LABELED_WINDOW,
                format!("has an invalid line {number}; {wanted}"),
            ));
        };
        users
            .entry(user)
            .or_default()
            .push((label.trim().to_owned(), date));
    }
    if users.is_empty() {
        return Err(Fault::new(
            LABELED_WINDOW,
            "has no lines `Date: … || User: …`",
        ));
    }
    Ok(users)
}

fn pairs(users: &BTreeMap<u64, Instances>, task: &Task) -> Value {
    let other = task.other.as_ref().unwrap_or(&task.one);
    let sides: Vec<_> = users
        .iter()
        .map(|(user, instances)| (user, task.one.holds(instances), other.holds(instances)))
        .collect();
    let mut pairs = Vec::new();
    for (at, (first, one, other)) in sides.iter().enumerate() {
        for (second, second_one, second_other) in &sides[at + 1..] {
            if (*one && *second_other) || (*other && *second_one) {
                pairs.push(json!([first, second]));
            }
        }
    }
    pairs.into()
}
