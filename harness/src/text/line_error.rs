//! Errors in files that users write.

/// Error in a file, displayed as `line N: PROBLEM`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct LineError {
    /// Line, 1-based, if known.
    pub line: Option<u64>,
    /// Description of the problem.
    pub problem: String,
}

impl From<String> for LineError {
    fn from(problem: String) -> Self {
        Self {
            line: None,
            problem,
        }
    }
}
