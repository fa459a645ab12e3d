//! What can be wrong with a definition, and where.

use std::fmt;

/// Where a value was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, or `bundled NAME.md`.
    pub file: String,
    /// 1-based, where it is known.
    pub line: Option<u64>,
    /// The property, as in `tools[1].name`; empty for the whole file.
    pub field: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.field.is_empty() {
            write!(f, ": field `{}`", self.field)?;
        }
        Ok(())
    }
}

/// One fault of one file: what is wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{place}: {problem}{}", path_of_includes(.includes))]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// What is wrong and what would be right.
    pub problem: String,
    /// The definitions that lead here by their includes, the first one first; empty if none does.
    pub includes: Vec<String>,
}

/// ` (path of includes: a → b)`, or nothing.
fn path_of_includes(includes: &[String]) -> String {
    if includes.is_empty() {
        String::new()
    } else {
        format!(" (path of includes: {})", includes.join(" → "))
    }
}

/// All faults of what was read, by file and line; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct Faults(pub Vec<Fault>);

fn lines(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    lines.join("; ")
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}
