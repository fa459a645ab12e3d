//! What can be wrong with ARC task files and the folders that hold them.

use std::path::PathBuf;

/// Why files make no tasks.
#[derive(Debug, thiserror::Error)]
pub enum ArcError {
    /// A folder holds no tasks.
    #[error("no tasks (*.json) in {}, nor in evaluation/ or training/ below it", path.display())]
    NoTasks {
        /// The folder.
        path: PathBuf,
    },
    /// The data has no such part.
    #[error("no tasks of the split `{split}` in {}; the splits are evaluation and training, folders of task files *.json", path.display())]
    NoSplit {
        /// The folder in which it was looked for.
        path: PathBuf,
        /// What was asked for.
        split: String,
    },
    /// A file name cannot be made an id.
    #[error("the file name of {} is not UTF-8", path.display())]
    FileName {
        /// The file.
        path: PathBuf,
    },
    /// A file is not JSON, or JSON of another form. The reason ends in line and column.
    #[error("{}: {reason}; an ARC task is {{\"train\": [{{\"input\": grid, \"output\": grid}}], \"test\": […]}}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        reason: serde_json::Error,
    },
    /// A file has the right form, and a field with a value that makes no task.
    #[error("{}: {field} {problem}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The field: `train[0].input`.
        field: String,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
}
