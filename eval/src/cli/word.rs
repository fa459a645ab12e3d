//! Flags whose value is one of a fixed list of words.

use std::error::Error;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parses one of `words` into the value that it stands for. Help lists the words, and a wrong one is an
/// error with the nearest.
pub(super) fn one_of<T>(
    words: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}
