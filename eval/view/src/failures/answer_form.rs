//! Detects answers that are right except for their form: a person would accept them, but the scorer
//! rejected them.

use serde_json::Value;

use crate::outcome::value_text;

/// Maximum bytes of an answer to examine.
const LONGEST: usize = 100_000;

/// Describes the difference between an answer and the expected one if they differ only in form.
/// Returns `None` if they are equal, because the form then does not explain the score.
pub fn form_difference(answer: &str, expected: &Value) -> Option<&'static str> {
    if answer.len() > LONGEST || answer.trim().is_empty() || expected.is_null() {
        return None;
    }
    let wanted = value_text(expected);
    if wanted.trim().is_empty() || answer == wanted {
        return None;
    }
    if answer.trim() == wanted.trim() {
        return Some("spaces around it");
    }
    let inside = unfenced(answer);
    if inside != answer.trim() && same(inside, &wanted) {
        return Some("in a code block");
    }
    if same(answer, &wanted) {
        return Some("another notation of the same value");
    }
    if let Some(value) = only_value(inside)
        && same(&value, &wanted)
    {
        return Some("wrapped in JSON");
    }
    if plain(answer) == plain(&wanted) && !plain(&wanted).is_empty() {
        return Some("case, spaces or punctuation");
    }
    if let Some(stated) = stated(answer)
        && plain(stated) == plain(&wanted)
        && !plain(&wanted).is_empty()
    {
        return Some("in a sentence");
    }
    None
}

/// Whether an answer equals the expected answer or differs from it only in form.
pub fn is_right(answer: &str, expected: &Value) -> bool {
    let is_equal = !expected.is_null() && answer == value_text(expected);
    is_equal || form_difference(answer, expected).is_some()
}

/// Whether two texts are the same text, number or JSON value.
fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim(), b.trim());
    if a == b {
        return true;
    }
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return a.total_cmp(&b).is_eq();
    }
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    let text = |text: &str| match json(text) {
        Some(Value::String(text)) => text,
        _ => text.to_owned(),
    };
    match (json(a), json(b)) {
        (Some(a), Some(b)) if a == b => true,
        _ => text(a) == text(b),
    }
}

/// Parses a number, ignoring thousands separators, a currency sign and a percent sign.
fn number(text: &str) -> Option<f64> {
    let bare = text.trim_matches(['$', '€', '£', '%']).trim();
    let grouped = bare.split(',').skip(1).all(|part| {
        let digits = part.split('.').next().unwrap_or_default();
        digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !grouped || !bare.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    bare.replace(',', "").parse().ok()
}

/// Returns the content of a text that is a single code block, and any other text trimmed.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let Some(rest) = text.strip_prefix("```") else {
        return text;
    };
    let Some(inside) = rest.strip_suffix("```") else {
        return text;
    };
    inside
        .split_once('\n')
        .map_or(inside, |(_, inside)| inside)
        .trim()
}

/// Returns the value of the only member of a JSON object or array.
fn only_value(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text.trim()).ok()?;
    let only = match value {
        Value::Object(fields) if fields.len() == 1 => fields.into_values().next()?,
        Value::Array(mut values) if values.len() == 1 => values.pop()?,
        _ => return None,
    };
    Some(value_text(&only))
}

/// Converts to lowercase and replaces each run of characters other than letters and digits with a
/// space. Keeps signs and decimal points, and removes thousands separators.
fn plain(text: &str) -> String {
    let text = text.trim();
    let characters: Vec<char> = text.chars().collect();
    let mut plain = String::new();
    for (place, character) in characters.iter().enumerate() {
        let follows_digit = characters.get(place + 1).is_some_and(char::is_ascii_digit);
        let after_digit = place > 0 && characters[place - 1].is_ascii_digit();
        let kept = match character {
            '-' => follows_digit && !after_digit,
            '.' => follows_digit && after_digit,
            ',' if after_digit && groups(&characters[place + 1..]) => continue,
            other => other.is_alphanumeric(),
        };
        if kept {
            plain.extend(character.to_lowercase());
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    plain.trim().to_owned()
}

/// Whether `after` begins with exactly three digits, as after the comma in `1,234`.
fn groups(after: &[char]) -> bool {
    let digits = after.iter().take_while(|c| c.is_ascii_digit()).count();
    digits == 3
}

/// Returns the answer stated in the last line of a text, for example `The answer is 42.`, `Answer:
/// 42`, `\boxed{42}`.
fn stated(text: &str) -> Option<&str> {
    let line = text.trim().lines().last()?.trim();
    if let Some((_, rest)) = line.rsplit_once("\\boxed{") {
        return rest.split_once('}').map(|(inside, _)| inside);
    }
    let lower = line.to_ascii_lowercase();
    let marks = [
        "answer is",
        "answer:",
        "result is",
        "result:",
        "output:",
        "value is",
    ];
    let found = marks
        .iter()
        .filter_map(|mark| Some(lower.rfind(mark)? + mark.len()));
    line.get(found.max()?..)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::form_difference;

    #[test]
    fn describes_form_of_right_answer() {
        let rows: [(&str, Value, Option<&str>); 20] = [
            ("42", json!("42"), None),
            ("43", json!("42"), None),
            ("", json!("42"), None),
            ("-42", json!("42"), None),
            ("4.2", json!("42"), None),
            (" 42\n", json!("42"), Some("spaces around it")),
            (
                "42.0",
                json!("42"),
                Some("another notation of the same value"),
            ),
            (
                "1,234",
                json!(1234),
                Some("another notation of the same value"),
            ),
            ("1,23", json!(123), None),
            (
                "\"Paris\"",
                json!("Paris"),
                Some("another notation of the same value"),
            ),
            (
                "[[0, 1]]",
                json!([[0, 1]]),
                Some("another notation of the same value"),
            ),
            (
                "```json\n[[0,1]]\n```",
                json!([[0, 1]]),
                Some("in a code block"),
            ),
            ("{\"answer\": 42}", json!("42"), Some("wrapped in JSON")),
            ("{\"answer\": 42, \"sure\": true}", json!("42"), None),
            (
                "paris.",
                json!("Paris"),
                Some("case, spaces or punctuation"),
            ),
            (
                "New  York",
                json!("new york"),
                Some("case, spaces or punctuation"),
            ),
            ("So\nthe answer is 42.", json!("42"), Some("in a sentence")),
            ("\\boxed{42}", json!("42"), Some("in a sentence")),
            ("The answer is not 42", json!("42"), None),
            ("?", json!("!"), None),
        ];
        for (answer, expected, wanted) in rows {
            assert_eq!(
                form_difference(answer, &expected),
                wanted,
                "{answer} {expected}"
            );
        }
    }
}
