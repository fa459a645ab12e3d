//! Checks numbers whose bounds depend on other settings.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::SettingsError;

/// Returns the value of a flag if it is within bounds.
///
/// # Errors
/// [`SettingsError`].
pub(super) fn within<T: PartialOrd + Display>(
    flag: &str,
    value: T,
    bounds: &RangeInclusive<T>,
) -> Result<T, SettingsError> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    let (least, most) = (bounds.start(), bounds.end());
    Err(SettingsError::new(format!(
        "{flag} {value}: expected a number from {least} to {most}"
    )))
}
