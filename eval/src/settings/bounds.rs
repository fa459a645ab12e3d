//! Numbers with bounds: zero and absurd values are errors before anything starts.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::SettingsError;

/// The value of a flag, if it lies within bounds.
///
/// # Errors
/// [`SettingsError::OutOfBounds`], also for a value that is no number.
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

/// The value of a flag that counts things in memory.
///
/// # Errors
/// [`SettingsError::OutOfBounds`].
pub(super) fn count(
    flag: &'static str,
    value: u64,
    bounds: &RangeInclusive<u64>,
) -> Result<usize, SettingsError> {
    let value = within(flag, value, bounds)?;
    Ok(usize::try_from(value).unwrap_or(usize::MAX))
}

/// A millisecond to a day.
const SECONDS: RangeInclusive<f64> = 0.001..=86_400.0;

/// The value of a flag in seconds, from a millisecond to a day.
///
/// # Errors
/// [`SettingsError::OutOfBounds`].
pub(super) fn seconds(flag: &'static str, value: f64) -> Result<Duration, SettingsError> {
    Ok(Duration::from_secs_f64(within(flag, value, &SECONDS)?))
}
