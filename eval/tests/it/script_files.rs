//! Hooks, prompt modules, tools and prompt functions that loop, exhaust memory or are not regular
//! files: each is rejected with a clear error, and the program keeps running.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::binary::{Binary, is_full};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Symbolic links to create, with their targets.
    #[serde(default)]
    links: BTreeMap<String, String>,
    args: String,
    /// Whether the row runs only in the full tests.
    #[serde(default)]
    slow: bool,
    code: i32,
    /// Texts that stdout and stderr contain in this order.
    says: Vec<String>,
}

#[test]
fn hostile_files_cannot_harm_program() {
    let rows: Vec<Row> = serde_saphyr::from_str(include_str!("script_files.yaml")).unwrap();
    let mut wrong = Vec::new();
    for row in rows.into_iter().filter(|row| !row.slow || is_full()) {
        let mut binary = Binary::new();
        for (name, text) in &row.files {
            binary = binary.file(name, text);
        }
        for (name, target) in &row.links {
            let path = binary.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(target, path).unwrap();
        }
        let args: Vec<&str> = row.args.split(' ').collect();
        let ran = binary.run(&args, "");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let mut rest = said.as_str();
        let is_said = row.says.iter().all(|text| match rest.split_once(text) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        });
        if ran.code != Some(row.code) || !is_said {
            wrong.push(format!("{}: {:?}\n{said}", row.about, ran.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
