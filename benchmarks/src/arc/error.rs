//! Errors in ARC task files and their folders.

use std::path::PathBuf;

/// Error when reading task files.
#[derive(Debug, thiserror::Error)]
pub enum ArcError {
    /// A folder contains no tasks.
    #[error("no tasks (*.json) in {}, nor in evaluation/ or training/ below it", path.display())]
    NoTasks {
        /// The folder.
        path: PathBuf,
    },
    /// The folder has no tasks of the requested split.
    #[error("no tasks of the split `{split}` in {}; expected evaluation or training, folders of task files *.json", path.display())]
    NoSplit {
        /// Folder that was searched.
        path: PathBuf,
        /// Split that was requested.
        split: String,
    },
    /// A file name cannot be used as an id.
    #[error("the file name of {} is not UTF-8", path.display())]
    FileName {
        /// Path of the file.
        path: PathBuf,
    },
    /// A file is not JSON, or its JSON does not describe a task.
    #[error("{}: {reason}; an ARC task is {{\"train\": [{{\"input\": grid, \"output\": grid}}], \"test\": […]}}", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Parse error, with line and column.
        reason: serde_json::Error,
    },
    /// A file describes a task, but the value of a field is invalid.
    #[error("{}: {field} {problem}", path.display())]
    Field {
        /// Path of the file.
        path: PathBuf,
        /// Name of the field, such as `train[0].input`.
        field: String,
        /// What is wrong with the field, and what would be valid.
        problem: String,
    },
}
