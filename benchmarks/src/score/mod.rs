//! Scorers: what an answer is worth.

mod exact;

mod needle;

mod arc_grid;

mod json_spans;

use crate::Sample;

pub use arc_grid::ArcGrid;
pub use exact::Exact;
pub use needle::Needle;

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
