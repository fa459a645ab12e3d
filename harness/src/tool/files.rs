//! Bundled tools that read the files of one folder: `list_files`, `read_file` and `search_files`.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{BundledCall, BundledTool, Tool, ToolError, ToolScope, bundled_spec, parse};
use crate::prompt::definition::{Variable, VariableType};

/// Name of the variable with the folder's path.
pub const FILES_DIR: &str = "FILES_DIR";

const MAX_FILE_BYTES: u64 = 10 << 20;
/// Maximum number of files to visit in the folder and its subfolders.
const MAX_FILES: usize = 10_000;
/// Maximum characters returned of each matching line.
const MAX_LINE_CHARS: usize = 400;

const SPECS: [(&str, BundledCall); 3] = [
    (include_str!("../../tools/list_files.json"), list),
    (include_str!("../../tools/read_file.json"), read),
    (include_str!("../../tools/search_files.json"), search),
];

pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let tool = |(spec, call)| {
        Arc::new(BundledTool {
            spec: bundled_spec(spec),
            variables: vec![Variable {
                name: FILES_DIR.to_owned(),
                kind: VariableType::Text,
                required: false,
                description: "folder that the tool reads".to_owned(),
            }],
            call,
        }) as Arc<dyn Tool>
    };
    SPECS.into_iter().map(tool).collect()
}

/// Returns the canonical path of the folder.
fn root_of(scope: &ToolScope) -> Result<PathBuf, ToolError> {
    let folder = scope.env.get(FILES_DIR).ok_or_else(|| {
        ToolError("there is no folder that tools may read; --files-dir names one".to_owned())
    })?;
    Path::new(folder)
        .canonicalize()
        .map_err(|error| ToolError(format!("the folder that tools may read: {error}")))
}

fn list(_arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
    let root = root_of(scope)?;
    if !root.is_dir() {
        return Err(ToolError("what tools may read is no folder".to_owned()));
    }
    let files = walk(&root);
    let files = files.iter().map(|path| {
        let bytes = fs::metadata(path).map_or(0, |about| about.len());
        json!({ "path": shown(&root, path), "bytes": bytes })
    });
    Ok(files.collect())
}

fn read(arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
    #[derive(Deserialize)]
    struct Part {
        path: String,
        offset: usize,
        length: usize,
    }
    let root = root_of(scope)?;
    let part: Part = parse(arguments)?;
    let path = confined(&root, &part.path).map_err(ToolError)?;
    let text = text_of(&path).map_err(|reason| ToolError(format!("{}: {reason}", part.path)))?;
    let whole = text.chars().count();
    let shown: String = text.chars().skip(part.offset).take(part.length).collect();
    Ok(json!({ "text": shown, "offset": part.offset, "length": whole }))
}

fn search(arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Search {
        text: String,
        ignore_case: bool,
        limit: usize,
    }
    let root = root_of(scope)?;
    let search: Search = parse(arguments)?;
    let folded = |text: &'_ str| -> String {
        if search.ignore_case {
            text.to_ascii_lowercase()
        } else {
            text.to_owned()
        }
    };
    let wanted = folded(&search.text);
    let (mut total, mut lines) = (0_u64, Vec::new());
    for path in walk(&root) {
        // Files that are not text are skipped.
        let Ok(text) = text_of(&path) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            if !folded(line).contains(&wanted) {
                continue;
            }
            total += 1;
            if lines.len() < search.limit {
                let line: String = line.chars().take(MAX_LINE_CHARS).collect();
                lines.push(json!({ "path": shown(&root, &path), "line": number, "text": line }));
            }
        }
    }
    Ok(json!({ "total": total, "lines": lines }))
}

/// Resolves a path inside the folder `root`, following symbolic links. `root` must be canonical.
///
/// # Errors
/// Returns a message if the file does not exist or is outside the folder.
pub(crate) fn confined(root: &Path, path: &str) -> Result<PathBuf, String> {
    let outside = || format!("{path}: outside of the folder that tools may read");
    let Ok(real) = root.join(path).canonicalize() else {
        return Err(if Path::new(path).is_absolute() || path.contains("..") {
            outside()
        } else {
            format!("{path}: there is no such file in the folder that tools may read")
        });
    };
    if real.starts_with(root) {
        Ok(real)
    } else {
        Err(outside())
    }
}

/// Reads a file unless it is too large.
///
/// # Errors
/// Returns the reason why the file cannot be read.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("no file".to_owned());
    }
    if about.len() > MAX_FILE_BYTES {
        let megabytes = MAX_FILE_BYTES >> 20;
        return Err(format!("larger than {megabytes} MB, which is the limit"));
    }
    fs::read(path).map_err(|error| error.to_string())
}

fn text_of(path: &Path) -> Result<String, String> {
    String::from_utf8(bytes_of(path)?).map_err(|_| "no text in UTF-8".to_owned())
}

/// Returns at most [`MAX_FILES`] files of a folder and its subfolders, sorted by path. Does not
/// follow symbolic links, and skips folders that cannot be read.
fn walk(root: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
            if files.len() == MAX_FILES {
                folders.clear();
                break;
            }
        }
    }
    files.sort();
    files
}

/// Formats a path relative to the folder, with `/` as the separator.
fn shown(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<Cow<'_, str>> = inside.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
