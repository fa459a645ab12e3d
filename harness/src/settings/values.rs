//! Values of settings, and parsers that check their bounds.

use std::fmt::{self, Display};
use std::ops::{Deref, RangeInclusive};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Returns a parser of whole numbers within bounds.
pub fn whole<T>(
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

/// Returns a parser of numbers within bounds, optionally with decimals.
#[cfg(feature = "clap")]
pub fn decimal(
    bounds: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| number_in(&bounds, text)
}

/// Parses a number within bounds. The error describes valid values.
fn number_in(bounds: &RangeInclusive<f64>, text: &str) -> Result<f64, String> {
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

/// Returns a parser that accepts one of `words` and deserializes it. Help lists the words, and an
/// error suggests the most similar one.
#[cfg(feature = "clap")]
pub fn one_of<T>(
    words: impl IntoIterator<Item = &'static str>,
) -> impl clap::builder::TypedValueParser<Value = T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    use clap::builder::{PossibleValuesParser, TypedValueParser as _};
    use serde::de::value::{Error, StringDeserializer};

    PossibleValuesParser::new(words)
        .try_map(|word| T::deserialize(StringDeserializer::<Error>::new(word)))
}

/// Duration in seconds, from a millisecond to a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub(super) Duration);

impl Seconds {
    /// Bounds in seconds.
    const BOUNDS: RangeInclusive<f64> = 0.001..=86_400.0;

    /// Creates a duration of whole seconds.
    pub const fn of(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// Creates a duration of milliseconds.
    pub const fn of_millis(milliseconds: u64) -> Self {
        Self(Duration::from_millis(milliseconds))
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        number_in(&Self::BOUNDS, text).map(|seconds| Self(Duration::from_secs_f64(seconds)))
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

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        seconds
            .to_string()
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
