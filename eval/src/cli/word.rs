//! Flags whose value is one of a fixed list of words.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StringDeserializer};

/// Parses one of `words` into the value that is recorded by it. Help lists the words, and a wrong one is an error with the
/// nearest.
pub(super) fn one_of<T>(
    words: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| T::deserialize(StringDeserializer::<Error>::new(word)))
}
