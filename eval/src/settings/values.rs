//! Parsers of single values, checks of bounds, and lists of names, so that zero and absurd values
//! are rejected before anything starts.

use serde_json::{Map, Value, json};
use std::fmt;
use std::fmt::Display;
use std::ops::{Deref, RangeInclusive};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StringDeserializer};
use serde::{Serialize, Serializer};

use super::SettingsError;

/// Parses a whole number within bounds.
///
/// # Errors
/// A description of valid values.
pub(crate) fn whole<T>(
    bounds: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let text = text.trim();
        // The number parser would accept a sign.
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| is_digits);
        number
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| {
                format!(
                    "expected a whole number from {} to {}",
                    bounds.start(),
                    bounds.end()
                )
            })
    }
}

/// Parses a number within bounds, optionally with decimals.
///
/// # Errors
/// A description of valid values.
pub(crate) fn decimal(
    bounds: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.trim().parse().ok();
        number
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| {
                format!(
                    "expected a number from {} to {}",
                    bounds.start(),
                    bounds.end()
                )
            })
    }
}

/// Parses US dollars, from a hundredth of a cent to a million.
///
/// # Errors
/// A description of valid values.
pub(crate) fn dollars(text: &str) -> Result<f64, String> {
    decimal(0.0001..=1_000_000.0)(text)
}

/// Duration in seconds, from a millisecond to a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(Duration);

impl Seconds {
    pub(crate) const fn of(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        decimal(0.001..=86_400.0)(text).map(|seconds| Self(Duration::from_secs_f64(seconds)))
    }
}

impl Deref for Seconds {
    type Target = Duration;

    fn deref(&self) -> &Duration {
        &self.0
    }
}

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_secs_f64().fmt(f)
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0.as_secs_f64())
    }
}

/// Returns a parser that accepts one of `words` and deserializes it. Help lists the words, and an
/// error suggests the most similar one.
pub(crate) fn one_of<T>(
    words: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| T::deserialize(StringDeserializer::<Error>::new(word)))
}

/// Returns the value of a flag if it is within bounds.
///
/// # Errors
/// [`SettingsError`] if it is out of bounds.
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

/// Returns the trimmed names in order, without duplicates. Blank entries are ignored, so that
/// `--drivers ""` in a script means none.
pub(super) fn names(given: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(given.len());
    for name in given.iter().map(|name| name.trim()) {
        if !name.is_empty() && !names.iter().any(|earlier| earlier == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the serialized fields of a part of the settings.
pub fn fields(settings: &impl Serialize) -> Map<String, Value> {
    match json!(settings) {
        Value::Object(fields) => fields,
        other => unreachable!("settings are serialized as an object, not as {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn ignores_blanks_and_duplicates() {
        let cases: [(&[&str], &[&str]); 4] = [
            (&[], &[]),
            (&["", " "], &[]),
            (&["b", " a ", "b", ""], &["b", "a"]),
            (&["a b"], &["a b"]),
        ];
        for (given, expected) in cases {
            let given: Vec<String> = given.iter().map(ToString::to_string).collect();
            assert_eq!(names(&given), expected, "{given:?}");
        }
    }
}
