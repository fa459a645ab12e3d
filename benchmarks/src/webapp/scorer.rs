//! `app-state/1`: the launched app must show the expected result, and the required actions must
//! precede the launch.

use serde_json::Value;

use crate::score::{excerpt, right, wrong};
use crate::{Sample, Score, Scorer};

/// Scores the final state of an attempt's environment instead of an answer:
/// `{"state": {"check": …}, "actions": ["list_docs", "launch_app"]}`. The result of the check must
/// equal the expected `shows`, and each action in `first` must precede the last `launch_app`.
#[derive(Clone, Copy, Debug)]
pub struct AppState;

impl AppState {
    /// Name of the scorer with its version.
    pub const NAME: &str = "app-state/1";
}

impl Scorer for AppState {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Ok(state) = serde_json::from_str::<Value>(answer) else {
            return wrong(format!(
                "{} is not the state of an app environment",
                excerpt(answer)
            ));
        };
        let (Some(actions), Some(check)) =
            (state["actions"].as_array(), state["state"].get("check"))
        else {
            return wrong("the state has no list `actions` or no `state.check`");
        };
        let Some(launched) = actions.iter().rposition(|action| action == "launch_app") else {
            return wrong("no app was launched");
        };
        let first = sample.expected["first"].as_array();
        let missing = first
            .into_iter()
            .flatten()
            .find(|wanted| !actions[..launched].contains(wanted));
        if let Some(missing) = missing {
            return wrong(format!("the app was launched without {missing} before it"));
        }
        if *check == sample.expected["shows"] {
            return right("the app shows the expected result");
        }
        if let Some(problem) = state["state"]["problem"].as_str() {
            return wrong(format!("the check of the app failed: {}", excerpt(problem)));
        }
        wrong(format!(
            "the app shows {}, expected {}",
            excerpt(&check.to_string()),
            excerpt(&sample.expected["shows"].to_string())
        ))
    }
}
