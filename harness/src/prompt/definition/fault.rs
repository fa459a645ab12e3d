//! Faults of definitions, with their locations.

use std::fmt;

/// Location of a property in a definition's file.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// Path of the file, or `bundled NAME.md` for a bundled file.
    pub file: String,
    /// Line, 1-based, if known.
    pub line: Option<u64>,
    /// Path of the property, for example `tools[1].name`; empty for the whole file.
    pub field: String,
}

impl SourceLocation {
    /// Returns the location of a whole file.
    pub(crate) fn of_file(file: impl fmt::Display) -> Self {
        Self {
            file: file.to_string(),
            ..Self::default()
        }
    }
}

impl fmt::Display for SourceLocation {
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

/// A fault in a definition's file: what is wrong, where, and what would be valid.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{place}: {problem}{}", path_of_includes(.includes))]
pub struct Fault {
    /// Location of the fault.
    pub place: SourceLocation,
    /// Description of the problem, and of valid values.
    pub problem: String,
    /// Names of the definitions whose includes lead to the file, outermost first.
    pub includes: Vec<String>,
}

impl Fault {
    /// Returns a fault that no include leads to.
    pub(crate) fn new(place: SourceLocation, problem: impl Into<String>) -> Self {
        Self {
            place,
            problem: problem.into(),
            includes: Vec::new(),
        }
    }
}

/// Formats includes as ` (path of includes: a → b)`, or returns an empty string if there are none.
fn path_of_includes(includes: &[String]) -> String {
    if includes.is_empty() {
        String::new()
    } else {
        format!(" (path of includes: {})", includes.join(" → "))
    }
}

/// All faults found, sorted by file and line; never empty.
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
