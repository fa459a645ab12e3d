//! Numbers whose bounds depend on other settings.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::SettingsError;

/// The value of a flag, if it lies within bounds.
///
/// # Errors
/// [`SettingsError::OutOfBounds`].
pub(super) fn within<T: PartialOrd + Display>(
    flag: &'static str,
    value: T,
    bounds: &RangeInclusive<T>,
) -> Result<T, SettingsError> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    Err(SettingsError::OutOfBounds {
        flag,
        value: value.to_string(),
        least: bounds.start().to_string(),
        most: bounds.end().to_string(),
    })
}
