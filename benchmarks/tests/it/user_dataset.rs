//! User-supplied benchmarks: files of rows, and folders with a description.

use std::time::Duration;

use benchmarks::{Dataset, Options, is_path, scorers};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cpu_time::cpu_time;
use crate::open;
use crate::parquet_rows::ParquetRows;

/// A row of `own/cases.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Names and contents of files; a valid Parquet file is given as [`ParquetRows`].
    files: Vec<(String, String)>,
    /// Names and targets of symbolic links. In a target, `{OUTSIDE}` is a folder with `q.jsonl`,
    /// `a.gif`, `s.js`, `d.txt` and `site/`.
    #[serde(default)]
    links: Vec<(String, String)>,
    /// Name of the file or folder to open.
    open: String,
    #[serde(default)]
    scorer: Option<String>,
    #[serde(default)]
    skip_malformed: bool,
    #[serde(default)]
    split: Option<String>,
    /// Name, scorer, notes and samples of the dataset, or the error.
    gives: Value,
}

#[test]
fn loads_or_rejects_files() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("own/cases.json")).unwrap();
    let row = r#"{"query": "q", "expected": "x"}"#;
    let outside = folder(
        &[
            ("q.jsonl", row),
            ("a.gif", "GIF89a image"),
            ("s.js", "export const score = () => 1;"),
            ("d.txt", "text"),
            ("site/index.html", "page"),
        ]
        .map(|(name, text)| (name.to_owned(), text.to_owned())),
    );
    let outside = outside.path().canonicalize().unwrap();
    let outside = outside.to_str().unwrap();
    for case in cases {
        let folder = folder(&case.files);
        for (name, target) in &case.links {
            let target = target.replace("{OUTSIDE}", outside);
            std::os::unix::fs::symlink(target, folder.path().join(name)).unwrap();
        }
        let options = Options {
            scorer: case.scorer,
            skip_malformed: case.skip_malformed,
            split: case.split,
            ..Options::default()
        };
        let path = folder.path().join(&case.open).display().to_string();
        let found = match open(&path, &options) {
            Ok(dataset) => described(&*dataset),
            Err(error) => json!(error),
        };
        let found = found
            .to_string()
            .replace(&format!("{}/", folder.path().display()), "")
            .replace(outside, "{OUTSIDE}");
        let found: Value = serde_json::from_str(&found).unwrap();
        let known: Vec<&str> = scorers().map(|scorer| scorer.name).collect();
        let gives = case
            .gives
            .to_string()
            .replace("{SCORERS}", &known.join(", "));
        let gives: Value = serde_json::from_str(&gives).unwrap();
        assert_eq!(found, gives, "{:?}\nis {found:#}", case.files);
    }
}

#[test]
fn distinguishes_paths_from_names() {
    let paths = [
        "a.jsonl",
        "A.JSON",
        "x/y.csv",
        "data.parquet",
        "./mine",
        "mine/",
    ];
    let names = ["s-niah", "arc", "", "jsonl", "a.txt"];
    assert_eq!(paths.map(is_path), [true; 6]);
    assert_eq!(names.map(is_path), [false; 5]);
}

/// The digest depends on file contents and on everything that determines their conversion to
/// samples, but not on file names or times.
#[test]
fn digest_covers_content_and_description() {
    let row = r#"{"query": "q", "expected": "e"}"#;
    let named = r#"{"query": "q", "expected": "e", "context_file": "c.txt"}"#;
    let folders = [
        vec![("a.jsonl", row)],
        vec![("b.jsonl", row)],
        vec![("a.jsonl", r#"{"query": "q", "expected": "f"}"#)],
        vec![("a.jsonl", row), ("benchmark.yaml", "query: <query>?")],
        vec![("a.jsonl", named), ("c.txt", "one")],
        vec![("a.jsonl", named), ("c.txt", "two")],
    ];
    let digests = folders.map(|files| {
        let files: Vec<_> = files
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect();
        let folder = folder(&files);
        let is_folder = files.iter().any(|(name, _)| name == "benchmark.yaml");
        let path = if is_folder {
            folder.path().to_owned()
        } else {
            folder.path().join(&files[0].0)
        };
        let dataset = open(&path.display().to_string(), &Options::default()).unwrap();
        dataset.digest().to_owned()
    });
    assert_eq!(digests[0], digests[1]);
    assert!(digests[0] != digests[2] && digests[0] != digests[3]);
    assert!(digests[4] != digests[5]);
}

/// The digest covers the contents of images, although rows contain only their names.
#[test]
fn images_are_part_of_the_digest() {
    let row = r#"{"query": "q", "expected": "e", "images": "a.gif"}"#;
    let with = |image: &str| {
        let files = [("a.jsonl", row), ("a.gif", image)];
        let folder = folder(&files.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let path = folder.path().join("a.jsonl").display().to_string();
        let dataset = open(&path, &Options::default()).unwrap();
        (folder, dataset)
    };
    let (folder, dataset) = with("GIF89a image 1");
    let (_kept, other) = with("GIF89a image 2");
    assert_ne!(dataset.digest(), other.digest());
    assert_eq!(dataset.digest(), with("GIF89a image 1").1.digest());
    std::fs::write(folder.path().join("a.gif"), "GIF89a image 2").unwrap();
    let error = dataset.sample(0).unwrap_err().to_string();
    let changed = "a.jsonl:1: its images have changed since the data was opened";
    assert!(error.ends_with(changed), "{error}");
    let large = format!("GIF89a{}", " ".repeat(5_000_000));
    std::fs::write(folder.path().join("a.gif"), large).unwrap();
    let error = dataset.sample(0).unwrap_err().to_string();
    let too_large = "a.gif has 5000006 bytes; expected at most 5000000";
    assert!(error.ends_with(too_large), "{error}");
}

/// Rows are read on demand from their recorded locations, so a change of the file must be detected.
#[test]
fn detects_changed_file() {
    let long = format!(
        r#"{{"query": "q", "context": "{}", "expected": "é"}}"#,
        "lang\\n".repeat(400_000)
    );
    let folder = folder(&[("a.jsonl".to_owned(), format!("{long}\r\n{long}\r\n"))]);
    let path = folder.path().join("a.jsonl");
    let dataset = open(&path.display().to_string(), &Options::default()).unwrap();
    assert_eq!(dataset.sample(1).unwrap().context.len(), 2_000_000);
    assert!(dataset.sample(2).is_err());
    std::fs::write(&path, "{}").unwrap();
    assert_eq!(
        dataset.sample(0).unwrap_err().to_string(),
        format!(
            "{} has changed since the dataset was opened",
            path.display()
        )
    );
}

/// Reading a row must not decode all earlier rows of its group again: for a thousand rows, that
/// would take 500 times as long as reading the last one. Only the first read decodes the group.
#[test]
fn reads_row_groups_in_linear_time() {
    const COUNT: usize = 1000;
    let text = |index: usize| format!("{index} ").repeat(5_000);
    let row = |index| {
        let texts = ["q".to_owned(), text(index), index.to_string()];
        texts.map(Some).into()
    };
    let rows = ParquetRows {
        columns: ["query", "context", "expected"].map(str::to_owned).into(),
        rows: (0..COUNT).map(row).collect(),
        compression: Some("SNAPPY".to_owned()),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.parquet");
    std::fs::write(&path, rows.file()).unwrap();
    let dataset = open(&path.display().to_string(), &Options::default()).unwrap();
    let times = (0..COUNT).rev().map(|index| {
        let (sample, took) = cpu_time(|| dataset.sample(index).unwrap());
        assert_eq!(
            (sample.context.as_str(), sample.expected),
            (text(index).as_str(), json!(index.to_string()))
        );
        took
    });
    let times: Vec<_> = times.collect();
    let others: Duration = times[1..].iter().sum();
    println!("{:?}, then {others:?}", times[0]);
    assert!(others < times[0] * 50, "{:?}, then {others:?}", times[0]);
}

fn folder(files: &[(String, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if name.ends_with(".parquet") && content.starts_with('{') {
            let rows: ParquetRows = serde_json::from_str(content).unwrap();
            std::fs::write(path, rows.file()).unwrap();
        } else {
            std::fs::write(path, content).unwrap();
        }
    }
    folder
}

/// Returns the name, scorer, notes and samples of a dataset as JSON, without its digest.
pub fn described(dataset: &dyn Dataset) -> Value {
    let sample = |index| {
        let sample = dataset.sample(index).map_err(|error| error.to_string())?;
        assert_eq!(dataset.metadata(index), sample.metadata, "{}", sample.id);
        let images = sample.images.iter();
        let images: Vec<_> = images
            .map(|image| (&image.media_type, &image.data))
            .collect();
        let mut described = json!({
            "id": sample.id,
            "query": sample.query,
            "context": *sample.context,
            "expected": sample.expected,
            "metadata": sample.metadata,
            "cluster": sample.cluster,
        });
        if !images.is_empty() {
            described["images"] = json!(images);
        }
        Ok(described)
    };
    let samples: Vec<Result<Value, String>> = (0..dataset.ids().len()).map(sample).collect();
    let samples: Vec<Value> = samples
        .into_iter()
        .map(|sample| sample.unwrap_or_else(Value::from))
        .collect();
    json!({
        "name": dataset.name(),
        "scorer": match dataset.outside_scorer() {
            Some(outside) => outside.to_string(),
            None => dataset.scorer().name().to_owned(),
        },
        "notes": dataset.notes(),
        "samples": samples,
    })
}
