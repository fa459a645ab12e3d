//! Parses a judge's reply, which must be one JSON object with `correct` or `score`.

use benchmarks::Score;
use harness::model::lenient_json;
use serde::Deserialize;

/// Maximum characters of a stored reason; longer ones are truncated.
const LONGEST_REASON: usize = 2_000;

/// Verdict as written by the judge. Duplicate or unknown fields are invalid.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    #[serde(default)]
    reason: String,
    correct: Option<bool>,
    score: Option<f64>,
}

/// Parses a reply that consists of one JSON object, optionally in a code fence.
///
/// # Errors
/// The problem, which the next message to the judge quotes.
pub(super) fn read(reply: &str) -> Result<Score, String> {
    let text = unfenced(reply.trim());
    if text.is_empty() {
        return Err("it was empty or cut off".to_owned());
    }
    let verdict: Verdict = lenient_json::from_str(text)
        .map_err(|error| format!("it is not one JSON object of the right form ({error})"))?;
    let value = match (verdict.correct, verdict.score) {
        (Some(true), None) => 1.0,
        (Some(false), None) => 0.0,
        (None, Some(score)) if (0.0..=1.0).contains(&score) => score,
        (None, Some(score)) => return Err(format!("the score {score} is not from 0 to 1")),
        (None, None) => return Err("it has neither `correct` nor `score`".to_owned()),
        (Some(_), Some(_)) => return Err("it has both `correct` and `score`".to_owned()),
    };
    let explanation: String = verdict.reason.chars().take(LONGEST_REASON).collect();
    Ok(Score::new(value, explanation))
}

/// Removes a code fence that encloses the whole text.
fn unfenced(text: &str) -> &str {
    let inner = text
        .strip_prefix("```")
        .and_then(|text| text.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    inner.strip_prefix("json").unwrap_or(inner).trim()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn accepts_exactly_one_object() {
        let rows = [
            (r#"{"reason": "same", "correct": true}"#, Ok((1.0, "same"))),
            (r#" {"correct": false} "#, Ok((0.0, ""))),
            (
                "```json\n{\"reason\": \"half\", \"score\": 0.5}\n```",
                Ok((0.5, "half")),
            ),
            ("```\n{\"score\": 1}\n```", Ok((1.0, ""))),
            ("", Err("it was empty or cut off")),
            ("Correct.", Err("expected value")),
            (r#"It is {"correct": true}"#, Err("expected value")),
            (r#"{"correct": true} Good."#, Err("trailing characters")),
            (
                r#"{"correct": true}{"correct": false}"#,
                Err("trailing characters"),
            ),
            (
                r#"{"correct": true, "correct": false}"#,
                Err("duplicate field"),
            ),
            (r#"{"correct": "true"}"#, Err("invalid type")),
            (r#"{"correct": 1}"#, Err("invalid type")),
            (r#"{"correct": true, "sure": 1}"#, Err("unknown field")),
            (r#"{"reason": "x"}"#, Err("neither `correct` nor `score`")),
            (
                r#"{"correct": true, "score": 1}"#,
                Err("both `correct` and `score`"),
            ),
            (r#"{"score": 1.5}"#, Err("the score 1.5 is not from 0 to 1")),
            (
                r#"{"score": -0.1}"#,
                Err("the score -0.1 is not from 0 to 1"),
            ),
            (r#"[{"correct": true}]"#, Err("not one JSON object")),
            ("true", Err("not one JSON object")),
        ];
        for (reply, wanted) in rows {
            match (read(reply), wanted) {
                (Ok(score), Ok((value, explanation))) => {
                    assert_eq!(
                        (score.value, score.explanation.as_str()),
                        (value, explanation)
                    );
                }
                (Err(found), Err(wanted)) => assert!(found.contains(wanted), "{reply}: {found}"),
                (found, _) => panic!("{reply}: {found:?}"),
            }
        }
    }
}
