//! Selects the sources that can change an answer and computes their digest. Used by the build
//! script and its tests.

use std::path::Path;
use std::{fs, io};

use sha2::{Digest, Sha256};

/// Sources by component: everything compiled in that can change an answer or its score, as paths
/// relative to the workspace root. A folder stands for all files in it that [`counts`] accepts.
///
/// Two more components have no sources: `dependencies` (see `dependencies.rs`), and `engine`, which
/// a feature selects.
pub const COMPONENTS: [(&str, &[&str]); 6] = [
    ("sandbox", &["sandbox/src", "sandbox/js"]),
    (
        "harness",
        &[
            "model/src",
            "harness/src",
            "harness/build.rs",
            "harness/tools",
            "harness/endings.yaml",
            "harness/endpoints.yaml",
            "harness/overflow.yaml",
            "harness/prices.yaml",
            "harness/reasoning.yaml",
            "harness/windows.yaml",
        ],
    ),
    (
        "prompts",
        &[
            "harness/prompts",
            "harness/drivers",
            "harness/profiles.yaml",
        ],
    ),
    ("benchmarks", &["benchmarks/src", "benchmarks/build.rs"]),
    ("browser", &["browser/src", "browser/js"]),
    ("adapters", &["eval/src"]),
];

/// Parts of `eval/src` that only parse, store, show, compare or fetch, so that no answer or score
/// depends on them. Each name covers the file and the folder of that name.
///
/// Unlisted modules are part of the digest, so a new module cannot be overlooked.
pub const EXCLUDED_MODULES: [&str; 32] = [
    "bin",
    "cli",
    "command",
    "error",
    "exit",
    "fetch",
    "folders",
    "lib",
    "main",
    "process/env_vars",
    "process/invocation",
    "process/open_files",
    "process/panic_hook",
    "process/program",
    "process/terminal",
    "reporter",
    "run/event",
    "run/import",
    "run/merge",
    "run/store",
    "runner/selection",
    "settings/display",
    "settings/environment",
    "settings/error",
    "settings/flags",
    "settings/from_file",
    "settings/partition",
    "settings/places",
    "settings/queue",
    "settings/run_words",
    "start",
    "sweep",
];

/// Exceptions within [`EXCLUDED_MODULES`]: parts that can change an answer or score.
pub const INCLUDED_EXCEPTIONS: [&str; 8] = [
    "command/ask/settings",
    "command/fork/settings",
    "command/mcp/settings",
    "command/prompt/settings",
    "command/run",
    "command/score/settings",
    "command/serve/settings",
    "command/worker/settings",
];

/// Whether a file is part of the digest. `path` is relative to the workspace root.
///
/// Unit tests (`tests.rs`), hidden files and editor backups are excluded. In a benchmark's folder,
/// cases, fixtures, the bundled sweep and the data source are excluded as well, because the dataset
/// has its own digest.
pub fn counts(path: &str) -> bool {
    let hidden = path
        .split('/')
        .any(|part| part.starts_with('.') || part.ends_with('~'));
    let tests = [
        "/tests.rs",
        "/cases.json",
        "/sweep.yaml",
        "/source.json",
        "/checksums.sha256",
        ".snap",
        ".py",
    ]
    .iter()
    .any(|end| path.ends_with(end))
        || ["/tests/", "/fixture"]
            .iter()
            .any(|part| path.contains(part));
    if hidden || tests {
        return false;
    }
    let Some(inside) = path.strip_prefix("eval/src/") else {
        return true;
    };
    let within = |listed: &&str| {
        let rest = inside.strip_prefix(*listed);
        rest.is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
    };
    INCLUDED_EXCEPTIONS.iter().any(&within) || !EXCLUDED_MODULES.iter().any(within)
}

/// Returns the digest of files and folders below `root`: the lowercase hex SHA-256 over the path
/// and content of each file that [`counts`] accepts, in path order.
///
/// Paths are relative to `root` with `/` as separator, and line ends are read as `\n`, so the same
/// sources give the same digest in any folder on any system.
///
/// # Errors
/// Returns an error if a path is missing, cannot be read or is not UTF-8.
pub fn digest(root: &Path, paths: &[&str]) -> io::Result<String> {
    let mut files = Vec::new();
    for path in paths {
        collect(root, path, &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let content = fs::read(root.join(&file)).map_err(|error| at(&file, &error))?;
        feed(&mut hash, file.as_bytes());
        feed(&mut hash, &with_plain_line_ends(&content));
    }
    Ok(hex::encode(hash.finalize()))
}

fn collect(root: &Path, path: &str, files: &mut Vec<String>) -> io::Result<()> {
    let whole = root.join(path);
    // Follows links, as the compiler does.
    if !fs::metadata(&whole)
        .map_err(|error| at(path, &error))?
        .is_dir()
    {
        if counts(path) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    for entry in fs::read_dir(&whole).map_err(|error| at(path, &error))? {
        let name = entry.map_err(|error| at(path, &error))?.file_name();
        let name = name.to_str().ok_or_else(|| {
            io::Error::other(format!("{path}: the name {} is not UTF-8", name.display()))
        })?;
        collect(root, &format!("{path}/{name}"), files)?;
    }
    Ok(())
}

fn at(path: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

/// Hashes the length before the bytes, so that `ab`, `c` and `a`, `bc` give different digests.
fn feed(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn with_plain_line_ends(content: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(content.len());
    for (index, byte) in content.iter().enumerate() {
        if *byte != b'\r' || content.get(index + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    plain
}
