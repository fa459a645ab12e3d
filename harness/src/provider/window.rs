//! Table of the context windows of models, in tokens.

use std::borrow::Cow;
use std::collections::BTreeMap;

use globset::GlobSet;
use serde::Deserialize;

use super::price::{Source, globs, priced_as, source_of};

const BUNDLED: &str = include_str!("../../windows.yaml");

/// Context windows by model. The first matching entry applies.
#[derive(Debug, Clone, Default)]
pub struct WindowTable {
    windows: Vec<(GlobSet, u64)>,
}

/// Error when parsing a table of context windows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WindowError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "documents the file")]
    date: String,
    #[expect(dead_code, reason = "documents the file")]
    source: String,
    #[serde(default)]
    sources: BTreeMap<String, Source>,
    windows: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    models: Vec<String>,
    tokens: u64,
    /// Key of `sources`. Without it, the entry has the date and source of the file.
    from: Option<String>,
}

impl WindowTable {
    /// Returns the bundled context windows.
    ///
    /// # Errors
    /// Returns [`WindowError`] if the bundled file is invalid. A test checks that it is valid.
    pub fn bundled() -> Result<Self, WindowError> {
        Self::parse("windows.yaml", BUNDLED)
    }

    /// Parses context windows in the format of the bundled file. `origin` is the name of the file
    /// in error messages.
    ///
    /// # Errors
    /// Returns [`WindowError`] with the invalid field or entry.
    pub fn parse(origin: &str, text: &str) -> Result<Self, WindowError> {
        let wrong = |problem: String| WindowError(format!("{origin}: {problem}"));
        let file: File = crate::text::yaml::read(text).map_err(|error| wrong(error.to_string()))?;
        let mut windows = Vec::new();
        for (number, entry) in (1..).zip(file.windows) {
            let in_entry =
                |problem: String| wrong(format!("entry {number} of `windows`: {problem}"));
            if entry.tokens == 0 {
                return Err(in_entry("`tokens` must be at least 1".to_owned()));
            }
            let models = globs(&entry.models).map_err(|error| in_entry(error.to_string()))?;
            source_of(&file.sources, entry.from.as_deref()).map_err(in_entry)?;
            windows.push((models, entry.tokens));
        }
        Ok(Self { windows })
    }

    /// Adds the context windows of another table for models without an entry in this one.
    #[must_use]
    pub fn or(mut self, others: Self) -> Self {
        self.windows.extend(others.windows);
        self
    }

    /// Returns the context window of a model in tokens, or `None` if it is unknown.
    pub fn of(&self, reference: &str) -> Option<u64> {
        let reference: Cow<'_, str> = priced_as(reference);
        let mut fitting = self.windows.iter();
        let found = fitting.find(|(models, _)| models.is_match(&*reference));
        found.map(|(_, tokens)| *tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::WindowTable;

    #[test]
    fn uses_first_matching_window() {
        let file = "date: d\nsource: s\nwindows:\n  - { models: [\"mine/*\"], tokens: 32000 }\n";
        let own = WindowTable::parse("own.yaml", file).unwrap();
        let table = own.or(WindowTable::bundled().unwrap());
        for (reference, expected) in [
            ("mine/a", Some(32_000)),
            ("openai/gpt-5.1", Some(400_000)),
            ("openai-responses/gpt-5.1", Some(400_000)),
            ("openai/gpt-5.1-chat-latest", Some(128_000)),
            ("openai/gpt-5.4-mini", Some(400_000)),
            ("openai/gpt-6.2-sol", Some(1_050_000)),
            ("anthropic/claude-sonnet-4-5", Some(200_000)),
            ("anthropic/claude-opus-4-8", Some(1_000_000)),
            ("google/gemini-4-neon", Some(1_048_576)),
            ("openai/unheard-of", None),
        ] {
            assert_eq!(table.of(reference), expected, "{reference}");
        }
    }

    #[test]
    fn rejects_invalid_table_with_location() {
        for (rows, expected) in [
            (
                "- { models: [\"a\"], tokens: 0 }",
                "own.yaml: entry 1 of `windows`: `tokens` must be at least 1",
            ),
            ("- { models: [\"a\"], token: 1 }", "own.yaml: "),
            (
                "- { models: [\"a\"], tokens: 1, from: b }",
                "own.yaml: entry 1 of `windows`: `from`: `b` is not a key of `sources`",
            ),
            (
                "- { models: [\"[\"], tokens: 1 }",
                "own.yaml: entry 1 of `windows`: ",
            ),
        ] {
            let file = format!("date: d\nsource: s\nwindows:\n  {rows}\n");
            let error = WindowTable::parse("own.yaml", &file).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }
}
