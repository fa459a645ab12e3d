//! `web-state/1`: the server of a web site must have received exactly the expected forms.

use serde_json::Value;

use crate::score::{excerpt, right, wrong};
use crate::{Sample, Score, Scorer};

/// Scores the final state of an attempt's environment instead of an answer:
/// `{"posts": [{"to": "report", "fields": {"room": "B12"}}]}`. The received forms must equal the
/// expected ones, in the same order. White space around a field's value is ignored.
#[derive(Clone, Copy, Debug)]
pub struct WebState;

impl WebState {
    /// Name of the scorer with its version.
    pub const NAME: &str = "web-state/1";
}

impl Scorer for WebState {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Ok(state) = serde_json::from_str::<Value>(answer) else {
            return wrong(format!(
                "{} is not the state of a web site",
                excerpt(answer)
            ));
        };
        let Some(posts) = state["posts"].as_array() else {
            return wrong("the state has no list `posts` of received forms");
        };
        let wanted = sample.expected["posts"].as_array();
        let wanted = wanted.map(Vec::as_slice).unwrap_or_default();
        if posts.len() != wanted.len() {
            let (got, expected) = (posts.len(), wanted.len());
            return wrong(format!(
                "the server received {got} forms, expected {expected}"
            ));
        }
        let different = posts
            .iter()
            .zip(wanted)
            .find(|(got, want)| !equal(got, want));
        match different {
            None => right("the server received the expected forms"),
            Some((got, want)) => wrong(format!(
                "the server received {}, expected {}",
                excerpt(&got.to_string()),
                excerpt(&want.to_string())
            )),
        }
    }
}

/// Compares values, ignoring white space around texts.
fn equal(got: &Value, want: &Value) -> bool {
    match (got, want) {
        (Value::String(got), Value::String(want)) => got.trim() == want.trim(),
        (Value::Object(got), Value::Object(want)) => {
            got.len() == want.len()
                && want
                    .iter()
                    .all(|(name, want)| got.get(name).is_some_and(|got| equal(got, want)))
        }
        (got, want) => got == want,
    }
}
