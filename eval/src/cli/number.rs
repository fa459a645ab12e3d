//! Flags whose value is a number. Whether it makes sense is the settings' business.

use std::str::FromStr;

/// Reads a whole number of at least 0.
///
/// # Errors
/// What would be right.
pub(super) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    let text = text.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a whole number, 0 or more".to_owned());
    }
    text.parse()
        .map_err(|_| "the number is too large".to_owned())
}

/// Reads a number, possibly with decimals.
///
/// # Errors
/// What would be right.
pub(super) fn decimal(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .map_err(|_| "expected a number".to_owned())
}
