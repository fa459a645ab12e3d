//! `numeric/4`: the answer's number must be the expected one.

use serde_json::Value;

use super::{Score, Scorer, excerpt, invalid_expected, right, unreadable, wrong};
use crate::Sample;
use crate::decimal::Decimal;
use crate::unicode::plain_forms;

/// Equality of numbers. Whole numbers of any length and all numbers from 2^53 on are compared
/// exactly. Below 2^53, numbers with a fraction may differ by 10^-9 of the larger one. The expected
/// value is a number, or a text that consists of one.
///
/// The answer's number is the last one in the last `\boxed{…}` that contains a number, or else the
/// last one in the answer. An answer without a number is unreadable.
///
/// A number is digits of any script, with an optional sign, separators between groups of three,
/// decimal point and exponent: `-1,234.5`, `6.02e23`. Separators are `,`, `'`, `\,`, `{,}`, `,\!`
/// and non-breaking spaces; `−` counts as `-`. `3/4` and `\frac{3}{4}` are fractions, as are
/// `\dfrac`, `\tfrac` and `\cfrac`, and each may have a sign: `-\frac{3}{4}`. A sign counts only if
/// no letter or digit precedes it, so `5-3` ends in 3.
///
/// Source: original to this project, except for boxed answers, which follow
/// <https://github.com/hendrycks/math>. For AIME, whose answers are whole numbers from 0 to 999,
/// this scorer tests integer equality.
#[derive(Clone, Copy, Debug)]
pub struct Numeric;

impl Numeric {
    /// Name of the scorer with its version.
    pub const NAME: &str = "numeric/4";
}

impl Scorer for Numeric {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        match expected {
            Value::String(text) if last_number(text).is_some() && !is_one_number(text) => {
                Some("is not only a number")
            }
            other => {
                let is_usable = self::expected(other).is_some_and(|number| number.is_bounded());
                (!is_usable).then_some("is not a number")
            }
        }
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let Some(expected) = expected(&sample.expected) else {
            return invalid_expected(self.validate_expected(&sample.expected));
        };
        let boxes = answer.matches("\\boxed{").count();
        let found = answer
            .rsplit("\\boxed{")
            .take(boxes)
            .find_map(|text| last_number(braced(text)))
            .or_else(|| last_number(answer));
        match found {
            Some(found) if found.is_same(&expected) => right("the number is the expected one"),
            Some(found) => wrong(format!(
                "the number is {}, expected {}",
                found.shown(),
                expected.shown()
            )),
            None => unreadable(format!(
                "no number in the answer {}",
                excerpt(answer.trim())
            )),
        }
    }
}

fn expected(value: &Value) -> Option<Quantity> {
    match value {
        Value::Number(number) => Quantity::decimal(&number.to_string()),
        Value::String(text) => last_number(text),
        _ => None,
    }
}

/// A number in an answer or an expected value.
enum Quantity {
    /// A decimal number, as text and by value.
    Decimal(String, Decimal),
    Fraction(f64),
}

/// 2^53: from here on, some whole numbers have no exact binary floating-point representation.
const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;

impl Quantity {
    fn decimal(text: &str) -> Option<Self> {
        Some(Self::Decimal(text.to_owned(), Decimal::parse(text)?))
    }

    /// Returns the nearest binary floating-point number, which may be infinite.
    fn nearest(&self) -> f64 {
        match self {
            Self::Decimal(text, _) => text.parse().unwrap_or(f64::NAN),
            Self::Fraction(value) => *value,
        }
    }

    /// Whether the number is finite, which is always true without an exponent.
    fn is_bounded(&self) -> bool {
        self.nearest().is_finite()
            || matches!(self, Self::Decimal(text, _) if !text.contains(['e', 'E']))
    }

    fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (self.nearest(), other.nearest());
        let larger = a.abs().max(b.abs());
        if let (Self::Decimal(_, a), Self::Decimal(_, b)) = (self, other) {
            if a == b {
                return true;
            }
            if (a.is_whole() && b.is_whole()) || larger >= FIRST_INEXACT {
                return false;
            }
        }
        larger.is_finite() && (a - b).abs() <= 1e-9 * larger
    }

    fn shown(&self) -> String {
        const LONGEST: usize = 60;
        match self {
            Self::Decimal(text, _) if text.len() > LONGEST => format!("{}…", &text[..LONGEST]),
            Self::Decimal(text, _) => text.clone(),
            Self::Fraction(value) => value.to_string(),
        }
    }
}

/// Whether a text is only a number or a fraction, possibly with a `$` or `%`.
fn is_one_number(text: &str) -> bool {
    let text = plain_forms(text.trim());
    let bytes = text.as_bytes();
    let begins = |at: &usize| number(bytes, *at).is_some();
    let Some(start) = (0..bytes.len()).find(begins) else {
        return false;
    };
    let Some((_, mut end)) = number(bytes, start) else {
        return false;
    };
    let (before, is_fraction) = match bytes[..start].strip_suffix(b"frac{") {
        Some(before) => (before, bytes[end..].starts_with(b"}{")),
        None => (&bytes[..start], bytes[end..].starts_with(b"/")),
    };
    if is_fraction {
        let gap = if bytes[end] == b'/' { 1 } else { 2 };
        let Some((_, end_of_second)) = bytes.get(end + gap).and_then(|_| number(bytes, end + gap))
        else {
            return false;
        };
        end = end_of_second;
    }
    let is_around = |byte: &u8| b"-+$%\\dtc} ".contains(byte);
    before.iter().all(is_around) && bytes[end..].iter().all(is_around)
}

/// Returns the text up to the matching closing brace.
fn braced(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Returns the last number of a text; a fraction counts as one number.
fn last_number(text: &str) -> Option<Quantity> {
    let text = plain_forms(text);
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut last: Option<NumberSpan> = None;
    let mut fraction = None;
    while at < bytes.len() {
        let Some((digits, end)) = number(bytes, at) else {
            at += 1;
            continue;
        };
        let found = NumberSpan {
            digits,
            start: at,
            end,
        };
        fraction = last.as_ref().and_then(|top| top.divided_by(&found, bytes));
        last = Some(found);
        at = end;
    }
    match fraction {
        Some(value) => Some(Quantity::Fraction(value)),
        None => Quantity::decimal(&last?.digits),
    }
}

struct NumberSpan {
    /// The number without separators.
    digits: String,
    start: usize,
    end: usize,
}

impl NumberSpan {
    /// Returns this number divided by a following one, if the text combines them as a fraction.
    fn divided_by(&self, other: &Self, text: &[u8]) -> Option<f64> {
        let sign = match &text[self.end..other.start] {
            b"/" => 1.0,
            b"}{" => fraction_sign(&text[..self.start])?,
            _ => return None,
        };
        let (top, bottom): (f64, f64) = (self.digits.parse().ok()?, other.digits.parse().ok()?);
        (bottom != 0.0).then(|| sign * top / bottom)
    }
}

/// Returns the sign of a fraction whose numerator follows: negative for `-\frac{`. Returns `None`
/// if the text does not end in a fraction command.
fn fraction_sign(before: &[u8]) -> Option<f64> {
    let before = before.strip_suffix(b"frac{")?;
    let before = match before {
        [rest @ .., b'd' | b't' | b'c'] | rest => rest,
    };
    let is_negative = match before.strip_suffix(b"\\").unwrap_or(before) {
        [.., last, b'-'] => !last.is_ascii_alphanumeric(),
        [b'-'] => true,
        _ => false,
    };
    Some(if is_negative { -1.0 } else { 1.0 })
}

/// Possible separators between groups of three digits.
const SEPARATORS: [&str; 9] = [
    ",", "'", "’", "\\,", "{,}", ",\\!", "\u{a0}", "\u{2009}", "\u{202f}",
];

/// Returns the number that begins at `at`, without separators, and the position of its end.
fn number(text: &[u8], at: usize) -> Option<(String, usize)> {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let begins = |at: usize| digit(at) || (text.get(at) == Some(&b'.') && digit(at + 1));
    let is_signed = matches!(text[at], b'-' | b'+')
        && (at == 0 || !text[at - 1].is_ascii_alphanumeric())
        && begins(at + 1);
    let start = at + usize::from(is_signed);
    if !begins(start) {
        return None;
    }
    let mut digits = String::new();
    if text[at] == b'-' {
        digits.push('-');
    }
    let mut end = start;
    let mut take = |end: &mut usize| {
        while digit(*end) {
            digits.push(char::from(text[*end]));
            *end += 1;
        }
    };
    take(&mut end);
    if end - start <= 3 {
        let begins_group = |at: usize| (0..3).all(|next| digit(at + next)) && !digit(at + 3);
        let group = |end: usize, separator: &str| {
            text[end..].starts_with(separator.as_bytes()) && begins_group(end + separator.len())
        };
        // Tries `,\!` before `,`, because it begins with a comma.
        let separator = SEPARATORS
            .iter()
            .rev()
            .find(|separator| group(end, separator));
        while let Some(separator) = separator.filter(|separator| group(end, separator)) {
            end += separator.len();
            take(&mut end);
        }
    }
    if text.get(end) == Some(&b'.') && digit(end + 1) {
        digits.push('.');
        end += 1;
        while digit(end) {
            digits.push(char::from(text[end]));
            end += 1;
        }
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'-' | b'+')));
        if digit(end + 1 + sign) {
            let first = end;
            end += 1 + sign;
            while digit(end) {
                end += 1;
            }
            digits.push_str(&String::from_utf8_lossy(&text[first..end]));
        }
    }
    Some((digits, end))
}
