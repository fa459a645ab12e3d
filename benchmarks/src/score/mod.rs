//! Scorers: what an answer is worth.

mod exact;

mod needle;

mod choice;
mod numeric;
mod short_answer;
mod string_match;

mod pair_f1;

mod checks;

mod outside;

mod dates;
mod json_spans;

use std::sync::Arc;

use serde_json::Value;

use crate::{Sample, catalog};

pub use checks::Checks;
pub use choice::Choice;
pub(crate) use dates::{Date, read_date};
pub use exact::Exact;
pub(crate) use json_spans::json_spans;
pub use needle::Needle;
pub use numeric::Numeric;
pub use outside::OutsideScorer;
pub use pair_f1::PairF1;
pub use short_answer::ShortAnswer;
pub use string_match::StringMatch;

/// What an answer is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// From 0 for wrong to 1 for right.
    pub value: f64,
    /// Why, in a phrase for people.
    pub explanation: String,
    /// Whether the answer has a form that the scorer cannot read, for example no number where one is expected. It scores 0, and
    /// is counted apart from wrong answers.
    pub is_unreadable: bool,
}

impl Score {
    /// Score of an answer that the scorer could read.
    pub fn new(value: f64, explanation: impl Into<String>) -> Self {
        Self {
            value,
            explanation: explanation.into(),
            is_unreadable: false,
        }
    }
}

/// Scores an answer against its sample: a pure function of both, in time linear in the answer.
pub trait Scorer: Send + Sync {
    /// The name with its version, which is raised whenever an answer may score differently: `arc-grid/1`.
    fn name(&self) -> &str;

    /// Why an expected value is none that answers can be scored by, to stand after its name: `is no number`. None if it is one.
    fn misfit(&self, _expected: &Value) -> Option<&'static str> {
        None
    }

    /// Scores an answer. Whatever it holds, this neither fails nor panics; a bad answer scores 0 and is explained.
    fn score(&self, answer: &str, sample: &Sample) -> Score;
}

/// A scorer by its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedScorer {
    /// The name, its version left out.
    pub name: &'static str,
    /// What it takes for right.
    pub summary: &'static str,
    pub(crate) make: fn() -> Arc<dyn Scorer>,
}

/// Scorers that belong to no benchmark.
const SHARED: [NamedScorer; 9] = [
    NamedScorer {
        name: "exact",
        summary: "the expected text, except for white space and quotes around it; other values are compared as JSON",
        make: || Arc::new(Exact),
    },
    NamedScorer {
        name: "short-answer",
        summary: "the expected text, except for case, punctuation and articles; a list of texts allows any",
        make: || Arc::new(ShortAnswer),
    },
    NamedScorer {
        name: "numeric",
        summary: "the expected number: the last of the answer, or the boxed one",
        make: || Arc::new(Numeric),
    },
    NamedScorer {
        name: "choice",
        summary: "the letter of the right choice",
        make: || Arc::new(Choice),
    },
    NamedScorer {
        name: "needle",
        summary: "the expected value, or the only number of as many digits",
        make: || Arc::new(Needle),
    },
    NamedScorer {
        name: "string-match-all",
        summary: "the share of the expected texts that the answer holds",
        make: || Arc::new(StringMatch::All),
    },
    NamedScorer {
        name: "string-match-part",
        summary: "any of the expected texts is in the answer",
        make: || Arc::new(StringMatch::Part),
    },
    NamedScorer {
        name: "pair-f1",
        summary: "F1 of pairs of whole numbers",
        make: || Arc::new(PairF1),
    },
    NamedScorer {
        name: "checks",
        summary: "the checks that rows of your own have: of a page, a server or an answer",
        make: || Arc::new(Checks),
    },
];

/// All that [`scorer`] knows: the shared ones, then those of benchmarks.
pub fn scorers() -> impl Iterator<Item = NamedScorer> {
    let own = catalog().iter().filter_map(|entry| entry.own_scorer);
    SHARED.into_iter().chain(own)
}

/// A scorer by its name in [`scorers`], without or with its version.
pub fn scorer(name: &str) -> Option<Arc<dyn Scorer>> {
    let short = name.split_once('/').map_or(name, |(short, _)| short);
    let found = scorers().find(|scorer| scorer.name == short)?;
    let scorer = (found.make)();
    (short == name || scorer.name() == name).then_some(scorer)
}

/// The score where the expected value is none; whoever asks for it should have asked [`Scorer::misfit`] before.
pub(crate) fn unfit(problem: Option<&str>) -> Score {
    wrong(format!(
        "the sample's expected value {}",
        problem.unwrap_or_default()
    ))
}

pub(crate) fn right(explanation: impl Into<String>) -> Score {
    Score::new(1.0, explanation)
}

pub(crate) fn wrong(explanation: impl Into<String>) -> Score {
    Score::new(0.0, explanation)
}

/// The score of an answer whose form the scorer cannot read.
pub(crate) fn unreadable(explanation: impl Into<String>) -> Score {
    Score {
        is_unreadable: true,
        ..wrong(explanation)
    }
}

/// The beginning of a text, quoted for an explanation.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
