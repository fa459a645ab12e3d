//! Exact comparison of decimal numbers in text, and of JSON that contains them.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::unicode::nfc;

/// A decimal number of any length: digits without leading or trailing zeros, times a power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Parses a number such as `-12.50e3`: digits with an optional sign, point and exponent.
    /// Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(unsigned) => (true, unsigned),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        digits.truncate(digits.len() - zeros);
        let digits = digits.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self {
                is_negative: false,
                digits,
                exponent: 0,
            });
        }
        let shift = i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
        Some(Self {
            is_negative,
            digits,
            exponent: exponent.saturating_add(shift),
        })
    }

    /// Whether the number has no fractional part.
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0
    }
}

/// Parses an exponent and clamps its absolute value to [`i64::MAX`].
fn parse_exponent(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX);
    Some(if is_negative { -size } else { size })
}

/// Whether two numbers are equal, in any notation: `3`, `3.0` and `3e0`.
pub fn same_number(left: &Number, right: &Number) -> bool {
    left == right
        || Decimal::parse(&left.to_string())
            .is_some_and(|left| Decimal::parse(&right.to_string()) == Some(left))
}

/// Whether two JSON values are equal. Compares numbers by value, objects regardless of key order,
/// and strings and keys in NFC.
pub fn same_json(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::String(left), Value::String(right)) => left == right || nfc(left) == nfc(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same_json(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| {
                    let found = right.get(name).or_else(|| {
                        let name = nfc(name);
                        let mut others = right.iter();
                        others.find_map(|(other, value)| (nfc(other) == name).then_some(value))
                    });
                    found.is_some_and(|right| same_json(left, right))
                })
        }
        (left, right) => left == right,
    }
}

/// Whether two JSON texts have the same value. Compares like [`same_json`], but supports numbers of
/// any length. `None` if either text is not JSON. The depth of `right` bounds the recursion.
pub fn same_json_text(left: &str, right: &str) -> Option<bool> {
    let left: &RawValue = serde_json::from_str(left).ok()?;
    let right: &RawValue = serde_json::from_str(right).ok()?;
    Some(same_raw(left, right))
}

fn same_raw(left: &RawValue, right: &RawValue) -> bool {
    type Members<'a> = BTreeMap<String, &'a RawValue>;
    let (left, right) = (left.get(), right.get());
    let kind = right.as_bytes().first().copied().unwrap_or_default();
    match kind {
        b'[' => {
            let items = |text| serde_json::from_str::<Vec<&RawValue>>(text).ok();
            items(left).zip(items(right)).is_some_and(|(left, right)| {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(&right)
                        .all(|(left, right)| same_raw(left, right))
            })
        }
        b'{' => {
            let members = |text| {
                let members: Members = serde_json::from_str(text).ok()?;
                let members = members.into_iter().map(|(name, value)| (nfc(&name), value));
                Some(members.collect::<Members>())
            };
            members(left)
                .zip(members(right))
                .is_some_and(|(left, right)| {
                    left.len() == right.len()
                        && left
                            .iter()
                            .zip(&right)
                            .all(|((name, left), (other, right))| {
                                name == other && same_raw(left, right)
                            })
                })
        }
        b'"' => {
            let text = |text| serde_json::from_str::<String>(text).ok();
            text(left)
                .zip(text(right))
                .is_some_and(|(left, right)| nfc(&left) == nfc(&right))
        }
        b'-' | b'0'..=b'9' => {
            Decimal::parse(left).is_some_and(|left| Decimal::parse(right) == Some(left))
        }
        _ => left == right,
    }
}

/// Parses a JSON text. If the text contains a number that [`Value`] cannot represent exactly, the
/// result is the text itself as a string, so that no digit is lost.
///
/// # Errors
///
/// If the text is not JSON.
pub fn exact_value(text: &str) -> serde_json::Result<Value> {
    if numbers(text).all(is_exact) {
        serde_json::from_str(text)
    } else {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Value::String(raw.get().to_owned()))
    }
}

/// Whether [`Value`] represents a JSON number exactly.
fn is_exact(number: &str) -> bool {
    // A decimal of at most 15 digits survives conversion to binary floating point and back.
    const EXACT_DIGITS: usize = 15;
    let is_short = number.len() <= EXACT_DIGITS && !number.contains(['e', 'E']);
    is_short
        || serde_json::from_str::<Number>(number).is_ok_and(|held| {
            Decimal::parse(&held.to_string())
                .is_some_and(|held| Decimal::parse(number) == Some(held))
        })
}

/// Returns the numbers of a JSON text in order, skipping strings.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            match bytes[at] {
                b'"' => {
                    at += 1;
                    while at < bytes.len() && bytes[at] != b'"' {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at += 1;
                }
                b'-' | b'0'..=b'9' => {
                    let start = at;
                    let is_part =
                        |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                    at += bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                    return Some(&text[start..at]);
                }
                _ => at += 1,
            }
        }
        None
    })
}
