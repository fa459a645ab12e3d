//! Compares agents' answers with the attempt's expected answer, to show which agents found it.

use serde::Serialize;
use serde_json::Value;

/// Relation of an answer to the expected answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Match {
    /// The answer equals the expected one, ignoring case, white space and JSON formatting.
    Equals,
    /// The answer contains the expected answer, not adjacent to other letters or digits.
    Holds,
}

/// Minimum characters of an expected answer to search for; shorter ones would occur nearly
/// everywhere.
const SHORTEST: usize = 2;

impl Match {
    /// Returns the normalized texts to search for: the items of a list of strings, a single string,
    /// or the JSON of any other value. Returns none for `null`.
    pub fn wanted(expected: &Value) -> Vec<String> {
        let texts = match expected {
            Value::Null => Vec::new(),
            Value::Array(values) if values.iter().all(Value::is_string) => values
                .iter()
                .filter_map(Value::as_str)
                .map(normalize)
                .collect(),
            Value::String(text) => vec![normalize(text)],
            value => vec![normalize(&value.to_string())],
        };
        texts.into_iter().filter(|text| !text.is_empty()).collect()
    }

    /// Compares an answer with the texts from [`Self::wanted`]. Returns `None` if it contains none
    /// of them.
    pub fn of(answer: &str, wanted: &[String]) -> Option<Self> {
        let answer = match serde_json::from_str::<Value>(answer) {
            // Format as in `wanted`, so that white space in JSON does not matter.
            Ok(value @ (Value::Array(_) | Value::Object(_))) => normalize(&value.to_string()),
            Ok(Value::String(text)) => normalize(&text),
            _ => normalize(answer),
        };
        let equals = |text: &String| *text == answer;
        if wanted.iter().any(equals) {
            return Some(Self::Equals);
        }
        let long = wanted
            .iter()
            .filter(|text| text.chars().count() >= SHORTEST);
        long.into_iter()
            .any(|text| holds(&answer, text))
            .then_some(Self::Holds)
    }
}

/// Converts to lowercase and collapses white space.
fn normalize(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Whether `text` contains `part` without a letter or digit directly before or after it.
fn holds(text: &str, part: &str) -> bool {
    text.match_indices(part).any(|(from, found)| {
        let before = text[..from].chars().next_back();
        let after = text[from + found.len()..].chars().next();
        let continues = |one: Option<char>| one.is_some_and(char::is_alphanumeric);
        !continues(before) && !continues(after)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Match;

    #[test]
    fn finds_expected_answer_in_answer() {
        let rows = [
            (json!("8299"), "8299", Some(Match::Equals)),
            (json!("8299"), "The code is 8299.", Some(Match::Holds)),
            (json!("8299"), "18299", None),
            (json!("New York"), " new  york\n", Some(Match::Equals)),
            (json!(42), "42", Some(Match::Equals)),
            (json!(["red", "blue"]), "it is blue", Some(Match::Holds)),
            (
                json!([[1, 2], [3, 4]]),
                "[[1, 2],\n [3, 4]]",
                Some(Match::Equals),
            ),
            (json!([[1, 2], [3, 4]]), "[[1, 2], [3, 5]]", None),
            (json!("7"), "there are 7 of them", None),
            (json!(""), "anything", None),
            (json!(null), "null", None),
        ];
        for (expected, answer, wanted) in rows {
            let found = Match::of(answer, &Match::wanted(&expected));
            assert_eq!(found, wanted, "{expected} in {answer}");
        }
    }
}
