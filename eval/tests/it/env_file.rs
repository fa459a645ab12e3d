//! The file `.env`: which variables it may set, and the messages about all others.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::process::Stdio;

use serde::Deserialize;

use crate::binary::Binary;

/// One row of `env_file.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    files: BTreeMap<String, String>,
    /// Symbolic links with their targets.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// Mode of `.env` in octal.
    mode: Option<String>,
    /// Owner of `.env`.
    owner: Option<u32>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// Working directory of the command.
    #[serde(default)]
    folder: String,
    args: Vec<String>,
    code: i32,
    /// Expected prefixes of the stderr lines about the file.
    stderr: Vec<String>,
}

#[test]
fn env_file_grants_no_powers() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("env_file.json")).expect("the rows are JSON");
    let mut wrong = Vec::new();
    for row in rows {
        let mut binary = Binary::new();
        for (name, text) in &row.files {
            binary = binary.file(name, text);
        }
        for (name, value) in &row.variables {
            binary = binary.variable(name, value);
        }
        for (link, target) in &row.links {
            symlink(target, binary.path().join(link)).unwrap();
        }
        let file = binary.path().join(".env");
        if let Some(mode) = &row.mode {
            let mode = u32::from_str_radix(mode, 8).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        }
        if let Some(owner) = row.owner
            && chown(&file, Some(owner), None).is_err()
        {
            eprintln!(
                "skipped, because only root can change the owner: {}",
                row.about
            );
            continue;
        }
        let output = binary
            .command(&row.args)
            .current_dir(binary.path().join(&row.folder))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let folder = fs::canonicalize(binary.path()).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let stderr = stderr.replace(&folder.display().to_string(), "DIR");
        let is_shown = |line: &&str| {
            let kinds = ["error: ", "warning: ", "hint: ", "note: DIR/"];
            kinds.iter().any(|kind| line.starts_with(kind))
        };
        let lines: Vec<&str> = stderr.lines().filter(is_shown).collect();
        let as_expected = lines.len() == row.stderr.len()
            && lines
                .iter()
                .zip(&row.stderr)
                .all(|(line, start)| line.starts_with(start));
        let shows_secret = ["canary"].iter().any(|secret| stderr.contains(secret));
        if output.status.code() != Some(row.code) || !as_expected || shows_secret {
            wrong.push(format!(
                "{}: {:?}\n{stderr}",
                row.about,
                output.status.code()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
