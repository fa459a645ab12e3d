//! `oolong/2`: the scoring rules of OOLONG-synth.

use serde_json::Value;

use crate::score::{Date, excerpt, invalid_expected, read_date, right, unreadable, wrong};
use crate::{Sample, Score, Scorer};

/// Scores by the rules of OOLONG-synth. The expected value is `{"answer": TEXT, "answer_type":
/// "ANSWER_TYPE.…"}`, with the answer as text and a date as `2023-01-06`. The rules, in order:
///
/// 1. If the answer has no colon, all of it is used if it has fewer than 20 characters, otherwise
///    only its last word.
/// 2. If the answer has a colon, the text after the last one is used, without surrounding white
///    space and without any `*`, `[` and `]`. This drops `Answer:`, `Label:`, `User:` and `Date:`.
///    If the rest has 20 characters or more and contains `more common`, `less common` or
///    `same frequency`, that phrase is used.
/// 3. The text from rule 1 or 2 scores 1 if it equals the expected text, or if it is one of the
///    three phrases and the expected text contains it.
/// 4. For `ANSWER_TYPE.NUMERIC`, a whole number scores 0.75^d, where d is its distance from the
///    expected number; for `ANSWER_TYPE.DATE`, the same day scores 1.
/// 5. Everything else scores 0.
///
/// Source: `synth_attempt_answer_parse` and `synth_process_response` in `src/eval/eval_helpers.py`
/// of <https://github.com/abertsch72/oolong> at commit adbf1cb. The original reads dates with
/// Python's `dateutil`; this scorer reads the forms that [`read_date`] lists. Unlike the original,
/// it first removes white space at both ends of the answer.
#[derive(Clone, Copy, Debug)]
pub struct Oolong;

const PHRASES: [&str; 3] = ["more common", "less common", "same frequency"];

/// Number of characters from which a candidate is shortened.
const MIN_SHORTENED_CHARS: usize = 20;

impl Oolong {
    /// Name of the scorer with its version.
    pub const NAME: &str = "oolong/2";
}

impl Scorer for Oolong {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        let is_text = |name| expected.get(name).is_some_and(Value::is_string);
        let fits = is_text("answer") && is_text("answer_type");
        (!fits).then_some("lacks `answer` or `answer_type`")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let field = |name: &str| sample.expected.get(name).and_then(Value::as_str);
        let (Some(expected), Some(kind)) = (field("answer"), field("answer_type")) else {
            return invalid_expected(self.validate_expected(&sample.expected));
        };
        let found = candidate(answer.trim());
        let found = found.as_str();
        if found == expected {
            return right("the answer is the expected one");
        }
        if PHRASES.contains(&found) && expected.contains(found) {
            return right(format!("the answer says `{found}`, as expected"));
        }
        match kind {
            "ANSWER_TYPE.NUMERIC" => match (whole(found), whole(expected)) {
                (Some(found), Some(expected)) => near(found, expected),
                _ => unreadable(format!("{} is not a whole number", excerpt(found))),
            },
            "ANSWER_TYPE.DATE" => match (read_date(found), read_date(expected)) {
                (Some(found), Some(expected)) => same_day(found, expected),
                _ => unreadable(format!("{} is not a date", excerpt(found))),
            },
            _ => wrong(format!(
                "the answer is {}, expected {}",
                excerpt(found),
                excerpt(expected)
            )),
        }
    }
}

/// Returns the part of an answer that is scored.
fn candidate(answer: &str) -> String {
    let is_short = |text: &str| text.chars().nth(MIN_SHORTENED_CHARS - 1).is_none();
    let Some((_, last)) = answer.rsplit_once(':') else {
        let last = answer.split_whitespace().next_back().unwrap_or_default();
        return if is_short(answer) { answer } else { last }.to_owned();
    };
    let last = last.trim().replace(['*', '[', ']'], "");
    if is_short(&last) {
        return last;
    }
    match PHRASES.iter().find(|phrase| last.contains(**phrase)) {
        Some(phrase) => (*phrase).to_owned(),
        None => last,
    }
}

/// Parses a whole number as Python's `int()` does. Very long numbers are rejected, because they are
/// not close to any expected number.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let groups: Vec<_> = digits.split('_').take(20).collect();
    let is_number = |group: &&str| {
        !group.is_empty() && group.len() <= 18 && group.bytes().all(|b| b.is_ascii_digit())
    };
    if digits.len() > 36 || !groups.iter().all(is_number) {
        return None;
    }
    let number: i64 = groups.concat().parse().ok()?;
    Some(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

fn near(found: i64, expected: i64) -> Score {
    let distance = found.abs_diff(expected);
    let exponent = i32::try_from(distance).unwrap_or(i32::MAX);
    match distance {
        0 => right("the number is the expected one"),
        _ => Score::new(
            0.75_f64.powi(exponent),
            format!("{found} is {distance} away from {expected}"),
        ),
    }
}

fn same_day(found: Date, expected: Date) -> Score {
    if found == expected {
        right("the date is the expected one")
    } else {
        wrong(format!("the date is {found}, expected {expected}"))
    }
}
