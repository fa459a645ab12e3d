//! Exact comparison of decimal numbers by their text.

use serde_json::{Number, Value};

use super::unicode::nfc;

/// A decimal number of any length: the digits of a whole number without zeros at both ends, times a power of ten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Parses `-12.50e3`: digits, perhaps with a sign, a point and an exponent. None for any other text.
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

    /// Whether it has no fraction.
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0
    }
}

/// Returns the exponent, at most [`i64::MAX`] in size.
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

/// Whether two numbers are equal, however they are written: `3`, `3.0` and `3e0`.
pub fn same_number(left: &Number, right: &Number) -> bool {
    left == right
        || Decimal::parse(&left.to_string())
            .is_some_and(|left| Decimal::parse(&right.to_string()) == Some(left))
}

/// Whether two JSON values are equal: numbers by value, objects whatever the order of their keys, texts in NFC.
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
