//! Parses flags whose value is one of a fixed list of words.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StringDeserializer};

/// Returns a parser that accepts one of `words` and deserializes it. Help lists the words, and an
/// error suggests the most similar one.
pub(super) fn one_of<T>(
    words: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| T::deserialize(StringDeserializer::<Error>::new(word)))
}
