//! Every cell of the table in *What a folder may do*: each source of settings combined with each
//! power.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use fault_server::{Behavior, FaultServer};
use nats_fixture::NatsServer;
use serde::Deserialize;

use crate::binary::Binary;

const PAGE: &str = include_str!("../../../docs/concepts/what-a-folder-may-do.md");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    files: BTreeMap<String, String>,
    cases: Vec<Case>,
}

/// A cell (a source and a power), and a command that shows whether the source has the power.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    cell: (String, String),
    #[serde(default)]
    run: String,
    /// Test that covers the cell instead, as `FILE#TEXT`.
    shown_by: Option<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    queue: bool,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
    /// Expected number of requests to the server.
    requests: Option<usize>,
    /// Key that the server must receive.
    key: Option<String>,
}

/// Returns the cells of the page's table as pairs of source and power.
fn cells() -> BTreeSet<(String, String)> {
    let lines = PAGE
        .lines()
        .skip_while(|line| !line.starts_with("| source"));
    let mut rows = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
    });
    let head = rows.next().unwrap();
    let mut found = BTreeSet::new();
    for row in rows.skip(1) {
        let (source, _) = row[0].split_once(" (").unwrap_or((&row[0], ""));
        let source = source.replace('`', "").replace(", ", " and ");
        found.extend(
            head[1..]
                .iter()
                .map(|power| (source.clone(), power.clone())),
        );
    }
    found
}

/// Runs a case. Returns a description of the result if it is wrong.
fn problem(table: &Table, case: &Case) -> Option<String> {
    if let Some(test) = &case.shown_by {
        let (file, text) = test.split_once('#').unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/it")
            .join(file);
        let content = std::fs::read_to_string(path).unwrap_or_default();
        return (!content.contains(text)).then(|| format!("there is no case {test}"));
    }
    let queue = if case.queue {
        Some(NatsServer::start()?)
    } else {
        None
    };
    let server = FaultServer::start(|_| Behavior::Text("x".to_owned()));
    let mut binary = Binary::new();
    let outside = tempfile::tempdir().unwrap();
    for (name, text) in &table.files {
        match name.strip_prefix("outside/") {
            Some(name) => std::fs::write(outside.path().join(name), text).unwrap(),
            None => binary = binary.file(name, text),
        }
    }
    let tools = outside.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("peek.js"), &table.files["peek/tools/peek.js"]).unwrap();
    for (name, value) in &case.env {
        binary = binary.variable(name, value);
    }
    let mut binary = binary
        .variable("SERVER", &server.openai())
        .variable("OUTSIDE", outside.path().to_str().unwrap());
    if let Some(queue) = &queue {
        binary = binary.variable("QUEUE", queue.url());
    }
    let ran = binary.shell(&case.run);
    let output = format!("{}{}", ran.stdout, ran.stderr);
    let lacks = case.says.iter().find(|text| !output.contains(*text));
    let has = case.never.iter().find(|text| output.contains(*text));
    let seen = server.seen();
    let keys: Vec<&str> = seen
        .iter()
        .filter_map(|seen| seen.header("authorization"))
        .collect();
    let wrong = if let Some(text) = lacks {
        format!("without {text:?}")
    } else if let Some(text) = has {
        format!("with {text:?}")
    } else if case.requests.is_some_and(|wanted| wanted != seen.len()) {
        format!("{} requests", seen.len())
    } else if case
        .key
        .as_ref()
        .is_some_and(|key| keys != [format!("Bearer {key}")])
    {
        format!("keys {keys:?}")
    } else {
        return None;
    };
    Some(format!("{wrong}:\n{output}"))
}

#[test]
fn every_table_cell_has_a_case() {
    let table: Table = serde_saphyr::from_str(include_str!("power_table.yaml")).unwrap();
    let shown: BTreeSet<_> = table.cases.iter().map(|case| case.cell.clone()).collect();
    assert_eq!(cells(), shown);
}

#[test]
fn sources_have_only_documented_powers() {
    let table: Table = serde_saphyr::from_str(include_str!("power_table.yaml")).unwrap();
    let wrong = Mutex::new(Vec::new());
    let cases = Mutex::new(table.cases.iter());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(case) = cases.lock().unwrap().next() else {
                        return;
                    };
                    if let Some(problem) = problem(&table, case) {
                        let text = format!("{:?}: {}\n{problem}", case.cell, case.run);
                        wrong.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
