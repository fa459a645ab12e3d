//! Compares the output of cells with the output of Node.js 20, which `tests/node-parity/record.mjs`
//! recorded. If the output of `QuickJS` differs, the row also contains that output, and the table
//! in the crate's README explains the difference.

use std::fmt::Write as _;
use std::path::Path;

use sandbox::Config;
use serde::Deserialize;

use crate::driver::{in_process, root_of, run, sandbox};

#[derive(Deserialize)]
struct Row {
    code: String,
    output: String,
    /// Output of `QuickJS`, if it differs.
    here: Option<String>,
    /// Reason: the first column of a row in the README's table of differences.
    differs: Option<String>,
}

#[tokio::test]
async fn output_matches_node() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node-parity");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let readme = include_str!("../../README.md");
    let (mut rows, mut mismatches) = (0, String::new());
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|e| e == "json"))
    {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let cells: Vec<Row> =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        // The default isolation mode does not depend on the locale and time zone of this machine.
        let mut repl = root_of(&sandbox(Config::default(), in_process()), "").await;
        for row in cells {
            rows += 1;
            let outcome = run(&mut repl, &row.code).await;
            if let Some(differs) = &row.differs {
                assert!(readme.contains(&format!("| {differs} |")), "{differs}");
            }
            let expected = row.here.as_ref().filter(|_| cfg!(not(feature = "v8")));
            if outcome.output != *expected.unwrap_or(&row.output) {
                writeln!(
                    mismatches,
                    "--- {name}: {}\nnode: {:?}\nhere: {:?} {:?}",
                    row.code, row.output, outcome.output, outcome.error
                )
                .unwrap();
            }
        }
    }
    assert!(rows >= 1196, "only {rows} rows");
    assert_eq!(mismatches, "");
}
