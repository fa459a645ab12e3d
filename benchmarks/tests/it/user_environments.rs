//! Parses the environments of user-supplied rows, and rejects invalid ones.

use benchmarks::{Options, SiteSource};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::open;
use benchmarks::{Check, Dataset, UserEnvironment};

/// A row of `own/worlds.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Rows of `q.jsonl`; next to it are `site/index.html`, `a.txt`, `b.txt` and `server.py`.
    rows: Vec<Value>,
    /// The `fields` of a `benchmark.yaml`.
    #[serde(default)]
    fields: Option<Value>,
    #[serde(default)]
    scorer: Option<String>,
    /// The last sample and its environment, or the error.
    gives: Value,
}

#[test]
fn parses_or_rejects_environments() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("own/worlds.json")).unwrap();
    for case in cases {
        let folder = folder(&case.rows, case.fields.as_ref());
        let options = Options {
            scorer: case.scorer,
            ..Options::default()
        };
        let path = match case.fields {
            Some(_) => folder.path().to_owned(),
            None => folder.path().join("q.jsonl"),
        };
        let found = match open(&path.display().to_string(), &options) {
            Ok(dataset) => last(&*dataset),
            Err(error) => json!(error),
        };
        let found = found.to_string();
        let found = found.replace(&folder.path().display().to_string(), "");
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found, case.gives, "{:?}\nis {found}", case.rows);
    }
}

/// The digest covers the files of an environment, and a later change of a file is detected.
#[test]
fn environment_files_are_part_of_the_digest() {
    let rows = [
        json!({"query": "q", "site": "site", "check": {"answer": "x"}}),
        json!({"query": "q", "documents": ["a.txt"], "check": {"answer": "x"}}),
        json!({"query": "q", "command": ["python3", "server.py"], "address": "http://127.0.0.1:{port}", "check": {"answer": "x"}}),
    ];
    for (row, file) in rows
        .into_iter()
        .zip(["site/index.html", "a.txt", "server.py"])
    {
        let folder = folder(&[row], None);
        let path = folder.path().join("q.jsonl").display().to_string();
        let dataset = open(&path, &Options::default()).unwrap();
        assert!(dataset.user_environment("1").unwrap().is_some());
        std::fs::write(folder.path().join(file), "other").unwrap();
        let error = dataset.user_environment("1").unwrap_err().to_string();
        let changed =
            "q.jsonl:1: the files of its environment have changed since the data was opened";
        assert!(error.ends_with(changed), "{error}");
        let again = open(&path, &Options::default()).unwrap();
        assert_ne!(dataset.digest(), again.digest(), "{file}");
    }
}

fn folder(rows: &[Value], fields: Option<&Value>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("site")).unwrap();
    for name in ["site/index.html", "a.txt", "b.txt", "server.py"] {
        write(name, name);
    }
    let rows: Vec<String> = rows.iter().map(Value::to_string).collect();
    write("q.jsonl", &rows.join("\n"));
    if let Some(fields) = fields {
        write("benchmark.yaml", &format!("fields: {fields}\n"));
    }
    folder
}

fn last(dataset: &dyn Dataset) -> Value {
    let index = dataset.ids().len() - 1;
    let sample = dataset.sample(index).unwrap();
    let world = dataset.user_environment(&dataset.ids()[index]).unwrap();
    let mut shown = json!({
        "scorer": dataset.scorer().name(),
        "query": sample.query,
        "expected": sample.expected,
        "world": world.as_ref().map(described),
    });
    if !sample.follow_ups.is_empty() {
        assert!(dataset.has_follow_ups());
        shown["follow_ups"] = json!(sample.follow_ups);
    }
    if !sample.metadata.is_empty() {
        shown["metadata"] = json!(sample.metadata);
    }
    let foreign: Vec<Value> = dataset
        .foreign_origins()
        .iter()
        .map(|one| json!([one.origin, one.field, one.place]))
        .collect();
    if !foreign.is_empty() {
        shown["foreign"] = json!(foreign);
    }
    if let Some(place) = dataset.first_command() {
        shown["first_command"] = json!(place);
    }
    shown
}

fn described(world: &UserEnvironment) -> Value {
    match world {
        UserEnvironment::Apps(apps) => json!({
            "documents": apps.documents,
            "active": apps.active,
            "checks": checks(&apps.checks),
        }),
        UserEnvironment::Site(site) => json!({
            "from": match &site.source {
                SiteSource::Address(address) => json!(address),
                SiteSource::Folder(folder) => json!(folder),
                SiteSource::Command(command) => json!([command.words, command.address, command.folder]),
            },
            "start": site.start,
            "allow": site.allow,
            "cookies": site.cookies,
            "storage": site.storage,
            "viewport": site.viewport,
            "checks": checks(&site.checks),
        }),
    }
}

fn checks(checks: &[Option<Check>]) -> Value {
    let one = |check: &Option<Check>| match check {
        None => Value::Null,
        Some(Check::Page(script)) => json!({ "page": script }),
        Some(Check::Request(url)) => json!({ "request": url }),
        Some(Check::Answer) => json!("answer"),
    };
    checks.iter().map(one).collect()
}
