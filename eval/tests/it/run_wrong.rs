//! Invalid files and folders: one line states the file, the position and what would be valid, and
//! no output is created.

use serde::Deserialize;

use crate::binary::Binary;
use crate::known_names::filled;
use crate::run::tree;

/// One row of `run/wrong.json`: files, a command line that reads them, and the expected message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    files: Vec<(String, String)>,
    args: String,
    code: i32,
    stderr: Vec<String>,
}

#[test]
fn reports_invalid_files_and_leaves_nothing() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("run/wrong.json")).expect("the rows are JSON");
    let mut wrong = Vec::new();
    for row in rows {
        let mut binary = Binary::new();
        for (name, content) in &row.files {
            binary = binary.file(name, content);
        }
        let before = tree(binary.path());
        let args: Vec<&str> = row.args.split(' ').collect();
        let ran = binary.run(&args, "");
        let stderr: Vec<String> = ran.stderr.lines().map(str::to_owned).collect();
        let told = (ran.code, ran.stdout.as_str(), stderr);
        let expected: Vec<String> = row.stderr.iter().map(|line| filled(line)).collect();
        if told != (Some(row.code), "", expected) {
            wrong.push(format!("{} with {:?}: {told:#?}", row.args, row.files));
        }
        assert_eq!(tree(binary.path()), before, "{}", row.args);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn reports_files_that_are_not_text() {
    let rows = [
        (
            "replay:bytes",
            "cannot read the recording bytes: stream did not contain valid UTF-8",
        ),
        (
            "scripted:bytes",
            "cannot read the scripted model bytes: stream did not contain valid UTF-8",
        ),
    ];
    for (model, expected) in rows {
        let binary = Binary::new().file("bytes", b"\xff\xfe\x00");
        let ran = binary.run(&["run", "--benchmark", "s-niah", "--model", model], "");
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(2), &*format!("error: {expected}\n"))
        );
        assert_eq!(tree(binary.path()), ["bytes"]);
    }
}
