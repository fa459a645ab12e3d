//! `rlm-eval data`: atomic downloads despite server failures, and printed samples.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::binary::{Binary, Ran};
use crate::data_server::{Answer, DataServer};
use crate::run::tree;

/// Path of a fixture in the format of LongBench-v2's data file.
const LONGBENCH: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../benchmarks/src/longbench/fixture/data.json"
);
const REVISION: &str = "2b48e494f2c7a2f0af81aae178e05c7e1dde0fe9";
const FILE: &str =
    "/datasets/zai-org/LongBench-v2/resolve/2b48e494f2c7a2f0af81aae178e05c7e1dde0fe9/data.json";

fn hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Returns the files of a hub by URL path: LongBench-v2's data, and a listing with this path and
/// checksum for it.
fn longbench(path: &str, sha256: Option<String>) -> BTreeMap<String, Vec<u8>> {
    let data = fs::read(LONGBENCH).unwrap();
    let list = json!([
        {"type": "directory", "oid": "0", "size": 0, "path": "data.json"},
        {"type": "file", "oid": "1", "size": 9, "path": "README.md"},
        {"type": "file", "oid": "2", "size": data.len(), "path": path,
         "lfs": sha256.map(|oid| json!({"oid": oid, "size": data.len(), "pointerSize": 1}))},
    ]);
    let list_path = format!("/api/datasets/zai-org/LongBench-v2/tree/{REVISION}?recursive=true");
    [
        (list_path, list.to_string().into_bytes()),
        (FILE.to_owned(), data),
    ]
    .into()
}

fn right() -> BTreeMap<String, Vec<u8>> {
    let data = fs::read(LONGBENCH).unwrap();
    longbench("data.json", Some(hex(&data)))
}

fn fetch(binary: &Binary, server: &DataServer, name: &str) -> Ran {
    let args = [
        "data",
        "fetch",
        name,
        "--data-dir",
        "data",
        "--mirror",
        &server.origin,
    ];
    binary.run(&args, "")
}

/// Rows: server failures, expected requests for the file, and expected number of retries.
#[test]
fn fetch_survives_failing_server() {
    let size = right()[FILE].len();
    let half = format!(" from {}", size / 2);
    let whole = String::new();
    let rows: [(&[Answer], Vec<&String>, usize); 6] = [
        (&[], vec![&whole], 0),
        (&[Answer::Half], vec![&whole, &half], 1),
        (
            &[Answer::Half, Answer::FromTheBeginning],
            vec![&whole, &half],
            1,
        ),
        (&[Answer::Elsewhere], vec![&whole], 0),
        (
            &[Answer::Status(429), Answer::Status(503)],
            vec![&whole, &whole, &whole],
            2,
        ),
        (
            &[Answer::Half, Answer::Status(429)],
            vec![&whole, &half, &half],
            2,
        ),
    ];
    for (answers, asked, retries) in rows {
        let binary = Binary::new();
        let server = DataServer::start(right(), answers);
        let ran = fetch(&binary, &server, "longbench-v2");
        assert_eq!(ran.code, Some(0), "{answers:?}: {ran:?}");
        assert_eq!(
            ran.stderr.matches("retrying in").count(),
            retries,
            "{ran:?}"
        );
        let asked: Vec<String> = asked.iter().map(|range| format!("{FILE}{range}")).collect();
        let seen: Vec<String> = server
            .seen()
            .into_iter()
            .filter(|path| path.starts_with(FILE))
            .collect();
        assert_eq!(seen, asked, "{answers:?}");
        assert_eq!(
            tree(&binary.path().join("data")),
            [
                "longbench-v2",
                "longbench-v2/data.json",
                "longbench-v2/fetched.json"
            ]
        );
        let data = fs::read(binary.path().join("data/longbench-v2/data.json")).unwrap();
        assert_eq!(data, right()[FILE], "{answers:?}");
    }
}

#[test]
fn failed_fetch_leaves_no_data_and_resumes() {
    let refused = [Answer::Half, Answer::Status(403)];
    let binary = Binary::new();
    let server = DataServer::start(right(), &refused);
    let ran = fetch(&binary, &server, "longbench-v2");
    let url = format!("{}{FILE}", server.origin);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr
            .ends_with(&format!("error: {url} responded with status 403\n")),
        "{ran:?}"
    );
    assert!(!binary.path().join("data/longbench-v2").exists());

    let server = DataServer::start(right(), &[]);
    assert_eq!(fetch(&binary, &server, "longbench-v2").code, Some(0));
    assert!(server.seen()[1].contains(" from "), "{:?}", server.seen());

    let again = fetch(&binary, &server, "longbench-v2");
    assert_eq!((again.code, server.seen().len()), (Some(0), 2));
    assert!(again.stderr.contains("was already fetched"), "{again:?}");
    fs::write(binary.path().join("data/longbench-v2/data.json"), "[]").unwrap();
    let damaged = fetch(&binary, &server, "longbench-v2");
    assert_eq!(
        (damaged.code, damaged.stderr.as_str()),
        (
            Some(1),
            "error: data/longbench-v2/data.json has changed since it was fetched; remove its \
             folder and fetch the data again\n"
        )
    );
}

#[test]
fn refuses_wrong_data_and_listings() {
    let wanted = hex(&right()[FILE]);
    let size = right()[FILE].len();
    let found = hex(&vec![b'x'; size]);
    let rows = [
        (
            right(),
            Answer::Wrong,
            format!(
                "ORIGIN{FILE} has the checksum {found} instead of {wanted}; the file was deleted"
            ),
        ),
        (
            longbench("data.json/../../../x.json", None),
            Answer::File,
            format!(
                "invalid list of the dataset's files at \
                 ORIGIN/api/datasets/zai-org/LongBench-v2/tree/{REVISION}?recursive=true: \
                 `data.json/../../../x.json` is outside the dataset"
            ),
        ),
        (
            longbench("other.json", None),
            Answer::File,
            format!(
                "invalid list of the dataset's files at \
                 ORIGIN/api/datasets/zai-org/LongBench-v2/tree/{REVISION}?recursive=true: no data \
                 file has a path that starts with data.json"
            ),
        ),
        (
            BTreeMap::new(),
            Answer::File,
            format!(
                "ORIGIN/api/datasets/zai-org/LongBench-v2/tree/{REVISION}?recursive=true responded with status 404"
            ),
        ),
    ];
    for (files, answer, error) in rows {
        let binary = Binary::new();
        let server = DataServer::start(files, &[answer]);
        let ran = fetch(&binary, &server, "longbench-v2");
        let error = format!("error: {}", error.replace("ORIGIN", &server.origin));
        assert_eq!(
            (ran.code, ran.stderr.lines().last()),
            (Some(1), Some(error.as_str()))
        );
        let left = tree(binary.path());
        assert!(
            !left.iter().any(|path| path.contains("data.json")),
            "{left:?}"
        );
    }
}

/// Compares the checksums in the program with those of the real tasks, if they are available.
#[test]
fn arc_checksums_match_real_tasks() {
    let tasks =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/arc-agi-2/evaluation");
    let Ok(entries) = fs::read_dir(&tasks) else {
        println!("skipped: {} does not exist", tasks.display());
        return;
    };
    let folder = "/arcprize/ARC-AGI-2/f3283f727488ad98fe575ea6a5ac981e4a188e49/data/evaluation";
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (format!("{folder}/{name}"), fs::read(entry.path()).unwrap())
    };
    let server = DataServer::start(entries.map(file).collect(), &[]);
    let binary = Binary::new();
    let ran = fetch(&binary, &server, "arc");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let list = binary.run(&["list", "benchmarks", "--data-dir", "data", "--json"], "");
    let list: Vec<serde_json::Value> = serde_json::from_str(&list.stdout).unwrap();
    let here: Vec<_> = list
        .iter()
        .filter(|entry| entry["needs_data"] == true && entry["is_here"] == true)
        .map(|entry| &entry["name"])
        .collect();
    assert_eq!(here, ["arc"]);
    let shown = binary.run(
        &["data", "show", "arc", "--data-dir", "data", "--limit", "1"],
        "",
    );
    assert!(
        shown.stderr.contains("1 of 120 samples; scorer arc-grid/1"),
        "{shown:?}"
    );
}

#[test]
fn shows_samples() {
    let binary = Binary::new().file(
        "q.jsonl",
        "{\"id\": \"a\", \"query\": \"Who?\", \"context\": \"Ada \\u001b[2J\", \"expected\": \"Ada\", \"kind\": 1}\n{\"id\": \"b\", \"query\": \"?\", \"expected\": 2, \"cluster\": \"c\"}\n",
    );
    let ran = binary.run(&["data", "show", "q.jsonl", "--limit", "1"], "");
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            Some(0),
            "── a\nquery     Who?\nexpected  \"Ada\"\nmetadata  {\"kind\":1}\ncontext   8 characters\nAda [2J\n\n",
            "note: 1 of 2 samples; scorer exact/2\n"
        )
    );
    let judged = binary.run(&["data", "show", "q.jsonl", "--scorer", "judge"], "");
    assert_eq!(judged.stderr, "note: 2 of 2 samples; scorer judge\n");
    let ran = binary.run(&["data", "show", "q.jsonl", "--json"], "");
    let samples: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        samples[1],
        json!({"id": "b", "query": "?", "follow_ups": [], "context": "", "expected": 2, "metadata": {}, "cluster": "c"})
    );
}
