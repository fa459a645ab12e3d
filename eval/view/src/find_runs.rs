//! Which runs a folder holds, in folders of folders too: a sweep has its cells in a folder of its own.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folders between the one that is shown and a run, at most.
pub const DEEPEST: usize = 4;

/// Folders that are listed at most. A folder of more is perhaps not one of results.
pub const MOST_FOLDERS: usize = 2_000;

/// The runs of a folder.
#[derive(Debug, Default)]
pub struct Found {
    /// Their ids, which are their paths in the folder with `/` between the names, and their folders; in no certain order.
    pub runs: Vec<(String, PathBuf)>,
    /// Whether some folders were not looked into, because there are more than [`MOST_FOLDERS`].
    pub stopped: bool,
}

/// Whether a folder has the files of a run.
pub fn is_run(path: &Path) -> bool {
    ["config.json", "lock.json", "samples.jsonl"]
        .iter()
        .all(|name| path.join(name).is_file())
}

/// Looks for runs, level by level. Hidden folders and what lies in a run are left out. A link is followed if `inside` agrees
/// and it leads to a run itself: so no circle of links is walked.
///
/// # Errors
/// The folder itself cannot be listed.
pub fn find(root: &Path, inside: impl Fn(&Path) -> bool) -> io::Result<Found> {
    let mut found = Found::default();
    let mut folders = VecDeque::from([(root.to_owned(), String::new(), 0)]);
    let mut listed = 0;
    while let Some((folder, id, depth)) = folders.pop_front() {
        if listed == MOST_FOLDERS {
            found.stopped = true;
            break;
        }
        listed += 1;
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(error),
            // A folder that may not be read, or is gone by now, holds no run that could be shown.
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !(kind.is_dir() || kind.is_symlink()) || name.starts_with('.') {
                continue;
            }
            let path = entry.path();
            let id = if id.is_empty() {
                name.into_owned()
            } else {
                format!("{id}/{name}")
            };
            if is_run(&path) {
                if kind.is_dir() || inside(&path) {
                    found.runs.push((id, path));
                }
            } else if kind.is_dir() && depth < DEEPEST {
                folders.push_back((path, id, depth + 1));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{DEEPEST, find};

    fn run(folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for name in ["config.json", "lock.json", "samples.jsonl"] {
            fs::write(folder.join(name), "{}").unwrap();
        }
    }

    #[test]
    fn runs_lie_in_folders_of_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let deepest = ["d"; DEEPEST].join("/");
        for id in [
            "one",
            "sweep/01-direct",
            "sweep/02-rlm",
            &format!("{deepest}/run"),
            &format!("{deepest}/d/too-deep"),
            ".hidden/run",
            "one/trajectories/inside-a-run",
        ] {
            run(&root.join(id));
        }
        fs::create_dir(root.join("empty")).unwrap();
        let mut ids: Vec<String> = find(root, |_| true)
            .unwrap()
            .runs
            .into_iter()
            .map(|run| run.0)
            .collect();
        ids.sort();
        let deep = format!("{deepest}/run");
        assert_eq!(
            ids,
            [deep.as_str(), "one", "sweep/01-direct", "sweep/02-rlm"]
        );
    }
}
