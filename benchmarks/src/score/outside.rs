//! Scorers that this crate can name and not run, because they take JavaScript or a model.

use std::fmt;
use std::path::{Path, PathBuf};

/// A scorer that its user has to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideScorer {
    /// A JavaScript file with a function `score(answer, expected, metadata)`.
    JavaScript(PathBuf),
    /// A model that is asked whether an answer is right.
    Judge,
}

impl OutsideScorer {
    /// Reads `judge`, `file:PATH`, or a path that ends in `.js`. None for anything else, such as the name of a rule.
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

    /// The same with a relative path taken from a folder on.
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
