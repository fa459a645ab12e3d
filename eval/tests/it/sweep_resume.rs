//! Resuming a sweep: every cell is checked before the first missing cell starts.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::program::{change_parts, change_program};
use crate::run::read_json;

const CELLS: [&str; 3] = ["01-direct", "02-solver", "03-coordinator"];

type Damage = fn(&Path);

/// Change to the folder of a sweep whose first cell is missing, and the expected message.
const ROWS: [(Damage, &str); 5] = [
    (
        |sweep| drop(change_program(&sweep.join(CELLS[2]), &[("sandbox", "00")])),
        "error: sweep/03-coordinator was made by a different version of the program: the sandbox differs",
    ),
    (
        |sweep| {
            change_parts(&sweep.join(CELLS[1]), |parts| {
                parts.insert("max_depth".to_owned(), json!(7));
            });
        },
        "error: sweep/02-solver has answers of a different experiment: max_depth is 7 there and 2 here",
    ),
    (
        |sweep| {
            change_file(&sweep.join(CELLS[2]).join("lock.json"), |lock| {
                lock["run"]["fingerprint"] = json!("00");
            });
        },
        "error: sweep/03-coordinator/lock.json: run.fingerprint is 00, but",
    ),
    (
        |sweep| fs::write(sweep.join(CELLS[2]).join("lock.json"), "{").unwrap(),
        "error: sweep/03-coordinator/lock.json: EOF while parsing",
    ),
    // This cell is also missing, and so is its model.
    (
        |sweep| {
            fs::remove_dir_all(sweep.join(CELLS[2])).unwrap();
            change_file(&sweep.join("sweep.json"), |plan| {
                plan["cells"][2]["flags"]["engine"]["model"] = json!("scripted:gone.yaml");
            });
        },
        "error: ",
    ),
];

fn change_file(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut value = read_json(path);
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

/// After `--`, a resumed sweep takes only what its folder cannot grant.
#[test]
fn refuses_other_flags_after_dashes() {
    let binary = Binary::new();
    let start = "sweep --out sweep -- --benchmark s-niah --model scripted --context-len 2k \
                 --samples-per-length 1";
    let ran = binary.run(&start.split(' ').collect::<Vec<_>>(), "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = binary.run(&["sweep", "--resume", "sweep", "--", "--retry-errors"], "");
    let expected = "error: --retry-errors is not allowed after `--`, where only permissions, \
                    --base-url, files and folders may be passed\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), expected));
}

#[test]
fn starts_nothing_if_any_cell_is_refused() {
    for (spoil, message) in ROWS {
        let binary = Binary::new().file(
            "matrix.yaml",
            "run: {benchmark: s-niah, model: scripted, context-len: 2k, samples-per-length: 2}\n\
             prompt-modes: [solver, coordinator]\n",
        );
        let ran = binary.run(&["sweep", "--matrix", "matrix.yaml", "--out", "sweep"], "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let sweep = binary.path().join("sweep");
        let first = sweep.join(CELLS[0]);
        fs::remove_dir_all(&first).unwrap();
        spoil(&sweep);
        let ran = binary.run(&["sweep", "--resume", "sweep"], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.starts_with(message), "{message}: {}", ran.stderr);
        assert!(!first.exists(), "{message}");
    }
}
