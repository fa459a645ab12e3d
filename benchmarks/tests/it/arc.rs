//! ARC task files: folders, samples, and every kind of invalid file.

use std::fs;
use std::path::Path;

use benchmarks::{Dataset, Options};
use serde_json::json;
use tempfile::TempDir;

use crate::open;

const TASK: &str = r#"{"train":[{"input":[[0,1],[2,3]],"output":[[3]]}],"test":[{"input":[[5]],"output":[[6,7]]}]}"#;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn open_in(folder: &Path) -> Result<Box<dyn Dataset>, String> {
    let error = open(
        "arc",
        &Options {
            data_dir: Some(folder.to_owned()),
            ..Options::default()
        },
    );
    error.map_err(|error| error.replace(&folder.display().to_string(), "DIR"))
}

#[test]
fn selects_folder_of_split() {
    let folder = folder(&[("evaluation/e.json", TASK), ("training/t.json", TASK)]);
    let ids = |split: &str| {
        let options = Options {
            data_dir: Some(folder.path().to_owned()),
            split: Some(split.to_owned()),
            ..Options::default()
        };
        let dataset = open("arc", &options)?;
        Ok::<_, String>(dataset.ids().to_vec())
    };
    assert_eq!(ids("training").unwrap(), ["arc-t"]);
    assert_eq!(ids("evaluation").unwrap(), ["arc-e"]);
    for wrong in ["test", "", "../training", "train"] {
        assert!(ids(wrong).unwrap_err().contains("no tasks of the split"));
    }
}

#[test]
fn finds_folder_with_tasks() {
    let rows: [(&[&str], &[&str]); 5] = [
        (
            &["b.json", "a.json", "B.json", "notes.txt", "c.json.bak"],
            &["arc-B", "arc-a", "arc-b"],
        ),
        (&["evaluation/e.json", "training/t.json"], &["arc-e"]),
        (&["training/t.json", "training.txt"], &["arc-t"]),
        (&["evaluation/e.json", "stray.json"], &["arc-e"]),
        (
            &["evaluation/none.txt", "training/sub.json/x.txt", "a.json"],
            &["arc-a"],
        ),
    ];
    for (files, ids) in rows {
        let folder = folder(&files.iter().map(|&file| (file, TASK)).collect::<Vec<_>>());
        let dataset = open_in(folder.path()).unwrap();
        assert_eq!(dataset.ids(), ids, "{files:?}");
        assert_eq!(
            (dataset.name(), dataset.scorer().name()),
            ("arc", "arc-grid/1")
        );
    }
}

#[test]
fn context_omits_expected_grids() {
    let two = r#"{ "name": "x",
      "test": [{"output": [[6]], "input": [[5]]}, {"input": [[7]], "output": [[8], [9]]}],
      "train": [{"input": [[0, 1]], "output": [[3]]}, {"input": [[1, 1]], "output": [[2]]}] }"#;
    let folder = folder(&[("one.json", TASK), ("two.json", two)]);
    let dataset = open_in(folder.path()).unwrap();
    let seen = [0, 1].map(|index| {
        let sample = dataset.sample(index).unwrap();
        assert_eq!(sample.cluster, None);
        (
            sample.id,
            sample.context.to_string(),
            sample.expected,
            json!(sample.metadata),
            sample.query,
        )
    });
    let query = |text: &str, tests: &str| text.trim_end().replace("<tests>", tests);
    let wanted = [
        (
            "arc-one".to_owned(),
            r#"{"train":[{"input":[[0,1],[2,3]],"output":[[3]]}],"test":[{"input":[[5]]}]}"#
                .to_owned(),
            json!([[6, 7]]),
            json!({ "tests": 1, "training_pairs": 1 }),
            query(include_str!("../../src/arc/one_test.txt"), "1"),
        ),
        (
            "arc-two".to_owned(),
            concat!(
                r#"{"train":[{"input":[[0,1]],"output":[[3]]},{"input":[[1,1]],"output":[[2]]}],"#,
                r#""test":[{"input":[[5]]},{"input":[[7]]}]}"#
            )
            .to_owned(),
            json!([[[6]], [[8], [9]]]),
            json!({ "tests": 2, "training_pairs": 2 }),
            query(include_str!("../../src/arc/many_tests.txt"), "2"),
        ),
    ];
    assert_eq!(seen, wanted);
    assert_eq!(
        dataset.sample(2).unwrap_err().to_string(),
        "sample index 2 is out of range: the dataset has 2 samples"
    );
}

#[test]
fn digest_depends_on_tasks() {
    let digest =
        |files: &[(&str, &str)]| open_in(folder(files).path()).unwrap().digest().to_owned();
    let plain = digest(&[("a.json", TASK)]);
    assert!(
        plain.len() == 64
            && plain
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        "{plain}"
    );
    let rows = [
        (
            "spaces",
            true,
            digest(&[("a.json", &TASK.replace(',', " ,\r\n"))]),
        ),
        (
            "another folder",
            true,
            digest(&[("evaluation/a.json", TASK)]),
        ),
        ("another name", false, digest(&[("b.json", TASK)])),
        (
            "another answer",
            false,
            digest(&[("a.json", &TASK.replace("[6,7]", "[6,8]"))]),
        ),
        (
            "another question",
            false,
            digest(&[("a.json", &TASK.replace("[[5]]", "[[4]]"))]),
        ),
        (
            "one task more",
            false,
            digest(&[("a.json", TASK), ("b.json", TASK)]),
        ),
    ];
    for (what, same, digest) in rows {
        assert_eq!(digest == plain, same, "{what}");
    }
}

#[test]
fn detects_changed_task() {
    let folder = folder(&[("a.json", TASK)]);
    let dataset = open_in(folder.path()).unwrap();
    let path = folder.path().join("a.json");
    let error = || {
        dataset
            .sample(0)
            .unwrap_err()
            .to_string()
            .replace(&folder.path().display().to_string(), "DIR")
    };
    fs::write(&path, TASK.replace("[6,7]", "[7,7]")).unwrap();
    assert_eq!(
        error(),
        "DIR/a.json has changed since the dataset was opened"
    );
    fs::remove_file(&path).unwrap();
    assert_eq!(
        error(),
        "cannot read DIR/a.json: No such file or directory (os error 2)"
    );
}

#[test]
fn rejects_invalid_files_with_location() {
    let pair = r#"{"input":[[1]],"output":[[1]]}"#;
    let with = |input: &str| {
        format!(r#"{{"train":[{pair},{{"input":{input},"output":[[1]]}}],"test":[{pair}]}}"#)
    };
    let malformed = |what: &str| {
        format!(
            r#"DIR/t.json: {what}; an ARC task is {{"train": [{{"input": grid, "output": grid}}], "test": […]}}"#
        )
    };
    let rows = [
        (
            String::new(),
            malformed("EOF while parsing a value at line 1 column 0"),
        ),
        (
            "{\n \"train\": [,]}".to_owned(),
            malformed("expected value at line 2 column 12"),
        ),
        (
            format!("{TASK} x"),
            malformed("trailing characters at line 1 column 94"),
        ),
        (
            format!("{{\"test\":[{pair}]}}"),
            malformed("missing field `train` at line 1 column 41"),
        ),
        (
            format!("{{\"train\":[{pair}]}}"),
            malformed("missing field `test` at line 1 column 42"),
        ),
        (
            with("7"),
            malformed("invalid type: integer `7`, expected a sequence at line 1 column 51"),
        ),
        (
            with("[[1.5]]"),
            malformed("invalid type: floating point `1.5`, expected i64 at line 1 column 55"),
        ),
        (
            with("[[\"1\"]]"),
            malformed("invalid type: string \"1\", expected i64 at line 1 column 55"),
        ),
        (
            "[".repeat(100_000),
            malformed("invalid type: sequence, expected i64 at line 1 column 5"),
        ),
        (
            format!("{{\"train\":[],\"test\":[{pair}]}}"),
            "DIR/t.json: train is empty; expected at least one pair".to_owned(),
        ),
        (
            format!("{{\"train\":[{pair}],\"test\":[]}}"),
            "DIR/t.json: test is empty; expected at least one pair".to_owned(),
        ),
        (
            format!("{{\"train\":[{pair}],\"test\":[{pair},{{\"input\":[[1]]}}]}}"),
            "DIR/t.json: test[1].output is missing; a task without it cannot be scored".to_owned(),
        ),
        (
            with("[]"),
            "DIR/t.json: train[1].input is empty; expected at least one cell".to_owned(),
        ),
        (
            with("[[],[]]"),
            "DIR/t.json: train[1].input is empty; expected at least one cell".to_owned(),
        ),
        (
            with("[[1,2],[3]]"),
            "DIR/t.json: train[1].input is ragged: the width of row 2 is 1 and that of row 1 is 2"
                .to_owned(),
        ),
        (
            with("[[1,2],[3,10]]"),
            "DIR/t.json: train[1].input has 10 in row 2, column 2; expected 0 to 9".to_owned(),
        ),
        (
            with("[[-1]]"),
            "DIR/t.json: train[1].input has -1 in row 1, column 1; expected 0 to 9".to_owned(),
        ),
    ];
    for (text, error) in rows {
        let folder = folder(&[("a.json", TASK), ("t.json", &text)]);
        let text = text.get(..120).unwrap_or(&text);
        assert_eq!(open_in(folder.path()).err(), Some(error), "{text}");
    }
}

#[test]
fn rejects_invalid_folders() {
    let empty = folder(&[("evaluation/readme.md", "")]);
    let missing = empty.path().join("missing");
    assert_eq!(
        open_in(&missing).err().unwrap(),
        "cannot read DIR: No such file or directory (os error 2)"
    );
    assert_eq!(
        open_in(empty.path()).err().unwrap(),
        "no tasks (*.json) in DIR, nor in evaluation/ or training/ below it"
    );
    let file = empty.path().join("evaluation/readme.md");
    assert_eq!(
        open_in(&file).err().unwrap(),
        "cannot read DIR: Not a directory (os error 20)"
    );
}
