//! Scorers that this crate can name but not run, because they require JavaScript or a model.

use std::fmt;
use std::path::{Path, PathBuf};

/// A scorer that the caller must run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideScorer {
    /// A JavaScript file with a function `score(answer, expected, metadata)`.
    JavaScript(PathBuf),
    /// A model that judges whether an answer is correct.
    Judge,
}

impl OutsideScorer {
    /// Parses `judge`, `file:PATH`, or a path that ends in `.js`. Returns `None` for anything else,
    /// such as the name of a built-in scorer.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "judge" {
            return Some(Self::Judge);
        }
        let named = text.strip_prefix("file:").map(Path::new);
        let path = named.or_else(|| {
            let path = Path::new(text);
            let ending = path.extension()?;
            ending.eq_ignore_ascii_case("js").then_some(path)
        })?;
        Some(Self::JavaScript(path.to_owned()))
    }

    /// Resolves a relative path against a folder.
    pub(crate) fn from(self, folder: &Path) -> Self {
        match self {
            Self::JavaScript(path) => Self::JavaScript(folder.join(path)),
            Self::Judge => Self::Judge,
        }
    }
}

impl fmt::Display for OutsideScorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JavaScript(path) => path.display().fmt(f),
            Self::Judge => f.write_str("judge"),
        }
    }
}
