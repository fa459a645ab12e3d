//! Scorers: what an answer is worth.

mod exact;

mod needle;

mod choice;
mod numeric;
mod short_answer;
mod string_match;

mod app_state;
mod arc_grid;
mod oolong;
mod pair_f1;
mod web_state;

mod outside;

mod dates;
mod json_spans;

use std::sync::Arc;

use crate::Sample;

pub use app_state::AppState;
pub use arc_grid::ArcGrid;
pub use choice::Choice;
pub(crate) use dates::{Date, read_date};
pub use exact::Exact;
pub use needle::Needle;
pub use numeric::Numeric;
pub use oolong::Oolong;
pub use outside::OutsideScorer;
pub use pair_f1::PairF1;
pub use short_answer::ShortAnswer;
pub use string_match::StringMatch;
pub use web_state::WebState;

/// What an answer is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// From 0 for wrong to 1 for right.
    pub value: f64,
    /// Why, in a phrase for people.
    pub explanation: String,
}

/// Scores an answer against its sample: a pure function of both, in time linear in the answer.
pub trait Scorer: Send + Sync {
    /// The name with its version, which is raised whenever an answer may score differently: `arc-grid/1`.
    fn name(&self) -> &str;

    /// Scores an answer. Whatever it holds, this neither fails nor panics; a bad answer scores 0 and is explained.
    fn score(&self, answer: &str, sample: &Sample) -> Score;
}

/// The names that [`scorer`] knows, versions left out, each with what it is for.
pub const SCORERS: [(&str, &str); 12] = [
    (
        "exact",
        "the expected text, but for white space and quotes around it",
    ),
    (
        "short-answer",
        "the expected text, but for case, punctuation and articles; a list of texts allows any",
    ),
    (
        "numeric",
        "the expected number: the last of the answer, or the boxed one",
    ),
    ("choice", "the letter of the right choice"),
    (
        "needle",
        "the expected value, or the only number of as many digits",
    ),
    (
        "string-match-all",
        "the share of the expected texts that the answer holds",
    ),
    (
        "string-match-part",
        "any of the expected texts is in the answer",
    ),
    ("pair-f1", "F1 of pairs of whole numbers"),
    ("arc-grid", "the expected grids"),
    ("oolong", "the rules of OOLONG-synth"),
    (
        "app-state",
        "what a launched web app shows when it is used, instead of the answer",
    ),
    (
        "web-state",
        "what the server of a web site received, instead of the answer",
    ),
];

/// A scorer by its name in [`SCORERS`], without or with its version.
pub fn scorer(name: &str) -> Option<Arc<dyn Scorer>> {
    let all: [Arc<dyn Scorer>; SCORERS.len()] = [
        Arc::new(Exact),
        Arc::new(ShortAnswer),
        Arc::new(Numeric),
        Arc::new(Choice),
        Arc::new(Needle),
        Arc::new(StringMatch::All),
        Arc::new(StringMatch::Part),
        Arc::new(PairF1),
        Arc::new(ArcGrid),
        Arc::new(Oolong),
        Arc::new(AppState),
        Arc::new(WebState),
    ];
    all.into_iter().find(|scorer| {
        let full = scorer.name();
        full == name || full.split_once('/').is_some_and(|(short, _)| short == name)
    })
}

fn right(explanation: impl Into<String>) -> Score {
    Score {
        value: 1.0,
        explanation: explanation.into(),
    }
}

fn wrong(explanation: impl Into<String>) -> Score {
    Score {
        value: 0.0,
        explanation: explanation.into(),
    }
}

/// The beginning of a text, quoted for an explanation.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
