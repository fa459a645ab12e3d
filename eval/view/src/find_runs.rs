//! Finds the runs in a folder and in its subfolders at any depth: for example, the folder of a
//! sweep contains a run for each cell.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::{fs, io};

use records::run_dir::RunDir;

/// Maximum number of folders to list. A larger folder tree probably does not consist of results.
pub const MOST_FOLDERS: usize = 2_000;

/// Runs found in a folder.
#[derive(Debug, Default)]
pub struct FoundRuns {
    /// Id and folder of each run, in unspecified order. The id is the run's relative path with `/`
    /// as the separator.
    pub runs: Vec<(String, PathBuf)>,
    /// Whether folders were skipped because there are more than [`MOST_FOLDERS`].
    pub stopped: bool,
}

/// Searches level by level for runs. Hidden folders and subfolders of runs are skipped. A symbolic
/// link is followed only if it leads to a run and `inside` accepts it, so the search never enters a
/// cycle of links.
///
/// # Errors
/// Returns an error if the folder itself cannot be listed.
pub fn find(root: &Path, inside: impl Fn(&Path) -> bool) -> io::Result<FoundRuns> {
    let mut found = FoundRuns::default();
    let mut folders = VecDeque::from([(root.to_owned(), String::new())]);
    let mut listed = 0;
    while let Some((folder, id)) = folders.pop_front() {
        if listed == MOST_FOLDERS {
            found.stopped = true;
            break;
        }
        listed += 1;
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if id.is_empty() => return Err(error),
            // A folder that is unreadable or was just removed has no run to show.
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
            if RunDir::is_whole(&path) {
                if kind.is_dir() || inside(&path) {
                    found.runs.push((id, path));
                }
            } else if kind.is_dir() {
                folders.push_back((path, id));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::find;

    fn run(folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        for name in ["config.json", "lock.json", "samples.jsonl"] {
            fs::write(folder.join(name), "{}").unwrap();
        }
    }

    #[test]
    fn finds_runs_in_nested_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let deepest = ["d"; 12].join("/");
        for id in [
            "one",
            "sweep/01-direct",
            "sweep/02-rlm",
            &format!("{deepest}/run"),
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
