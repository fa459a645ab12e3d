//! Run folders written by someone else: the addresses and files that they name are used only if the
//! command line names them as well.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{only, read_json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    /// Values to merge into the recorded flags.
    #[serde(default)]
    flags: Value,
    /// Links in the current folder, with their targets.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// Links in the run's folder, with their targets.
    #[serde(default)]
    run_links: BTreeMap<String, String>,
    #[serde(default = "usage")]
    code: i32,
    #[serde(default)]
    says: String,
}

const fn usage() -> i32 {
    2
}

const RUN: [&str; 10] = [
    "run",
    "--benchmark",
    "s-niah",
    "--model",
    "scripted",
    "--context-len",
    "2k",
    "--samples-per-length",
    "1",
    "--concurrency",
];

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn link(path: &Path, target: &str) {
    let _ = fs::remove_file(path);
    symlink(target, path).unwrap();
}

#[test]
fn run_folder_grants_no_powers() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("folder_powers.yaml")).unwrap();
    let mut wrong = Vec::new();
    for row in rows {
        let binary = Binary::new();
        let ran = binary.run(&[&RUN[..], &["1", "--log-dir", "r"]].concat(), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = only(&binary.path().join("r"));
        let config = dir.join("config.json");
        let mut recorded = read_json(&config);
        let flags = if row.flags.is_null() {
            json!({})
        } else {
            row.flags.clone()
        };
        merge(&mut recorded["flags"], &flags);
        fs::write(&config, recorded.to_string()).unwrap();
        for (name, target) in &row.links {
            link(&binary.path().join(name), target);
        }
        for (name, target) in &row.run_links {
            link(&dir.join(name), target);
        }
        let dir = dir.strip_prefix(binary.path()).unwrap();
        let ran = binary.run(&["run", "--resume", dir.to_str().unwrap()], "");
        if ran.code != Some(row.code) || !ran.stderr.contains(&row.says) {
            wrong.push(format!("{}: {ran:?}", row.about));
        }
        // The command suggested by the hint passes this check.
        let hint = ran.stderr.split_once("run `rlm-eval ");
        if let Some((command, _)) = hint.and_then(|(_, rest)| rest.split_once('`')) {
            let shell = format!("\"$0\" {command}");
            let again = binary.shell(&shell);
            if again.stderr.contains("this start does not name") {
                wrong.push(format!("{}: the hint does not help: {again:?}", row.about));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
