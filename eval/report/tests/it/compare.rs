//! Comparisons of run directories and CSV files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use records::run_dir::{Fingerprint, Lock, NewRun, RunDir, to_csv};
use report::columns::WIDTH;
use report::compare::{Against, Comparison, RunScores, compare, p_text, table};
use run_fixture::{failed, identity, record};
use serde_json::{Value, json};

/// Reads and compares two runs.
fn compared(first: &Path, second: &Path) -> Comparison {
    let runs = [first, second].map(|path| RunScores::read(path).unwrap());
    compare(&runs, &Against::First, false).unwrap()
}

#[test]
fn locates_errors_in_csv_files() {
    let rows: Vec<(String, String)> =
        serde_json::from_str(include_str!("compare/wrong_files.json")).unwrap();
    let rows = rows
        .into_iter()
        .map(|(content, message)| (content.into_bytes(), message));
    let not_text = (
        b"id,score\nx\xff,1\n".to_vec(),
        "2: column 1: not UTF-8 text".to_owned(),
    );
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("bad.csv");
    for (content, message) in rows.chain([not_text]) {
        fs::write(&file, &content).unwrap();
        let error = RunScores::read(&file).unwrap_err().to_string();
        let wanted = format!("{}:{message}", file.display());
        assert_eq!(error, wanted, "{}", String::from_utf8_lossy(&content));
    }
}

#[test]
fn p_values_do_not_contradict_verdicts() {
    for (p, text) in [
        (0.000_4, "<0.001"),
        (0.031_2, "0.031"),
        (0.049_4, "0.049"),
        (0.049_6, "0.0496"),
        (0.049_98, "0.04998"),
        (0.05, "0.050"),
        (0.050_3, "0.050"),
    ] {
        assert_eq!(p_text(p), text);
    }
}

#[test]
fn folder_and_csv_give_same_figures() {
    let records = [
        record("=1+1", 1),
        record("b", 1),
        failed("b", 2, "refused"),
        failed("c", 1, "refused"),
        record("d", 1),
    ];
    let order: Vec<String> = ["=1+1", "b", "c", "d"].map(str::to_owned).into();
    let temp = tempfile::tempdir().unwrap();
    let other = temp.path().join("other.csv");
    let text = "id,score,scorer\n=1+1,0,needle/1\nb,1,needle/1\nc,0.5,needle/1\nd,0,needle/1\n";
    fs::write(&other, text).unwrap();
    let results = temp.path().join("results");
    let folder = NewRun::create(&results, "s-niah", "solver", Timestamp::UNIX_EPOCH).unwrap();
    let (path, run) = (folder.path().to_owned(), identity(folder.id()));
    let config = json!({ "v": 1, "attempts_total": 5 });
    drop(
        folder
            .begin(
                &config,
                Lock::new(Fingerprint::from_parts(BTreeMap::new()), run),
                order.clone(),
            )
            .unwrap(),
    );
    let lines: String = records
        .iter()
        .map(|record| serde_json::to_string(record).unwrap() + "\n")
        .collect();
    fs::write(path.join("samples.jsonl"), lines).unwrap();
    let run = RunDir::open(&path).unwrap();
    let csv = to_csv(&run.lock.run, &run.records, &order).unwrap();
    let file = temp.path().join("run.csv");
    fs::write(&file, csv).unwrap();

    let of_run = |run: &Path| -> Value {
        let mut value = serde_json::to_value(compared(&other, run)).unwrap();
        // The paths differ, and CSV files do not contain times.
        let run = value["runs"][1].as_object_mut().unwrap();
        run.retain(|name, _| !["path", "started", "is_csv"].contains(&name.as_str()));
        value
    };
    let of_folder = of_run(&path);
    assert_eq!(of_folder, of_run(&file));
    assert_eq!(
        of_folder["comparisons"][0]["alignment"]["unscored"],
        json!(["c"])
    );
    assert_eq!(
        of_folder["samples"][0],
        json!({ "id": "=1+1", "scores": [0.0, 1.0] })
    );
}

#[test]
fn compares_ten_thousand_rows_within_a_minute() {
    let temp = tempfile::tempdir().unwrap();
    let file = |name: &str, shift: u32| {
        let row = |i: u32| {
            format!(
                "sample-{i},{}\n",
                f64::from((i * 7919 + shift) % 101) / 100.0
            )
        };
        let rows: String = (0..10_000).map(row).collect();
        let path = temp.path().join(name);
        fs::write(&path, format!("id,score\n{rows}")).unwrap();
        path
    };
    let (a, b) = (file("a.csv", 0), file("b.csv", 50));
    let begun = Instant::now();
    let text = table(&compared(&a, &b), WIDTH);
    assert!(text.contains("samples in both     10000"), "{text}");
    // This takes a second or two; the limit allows for a busy machine and an unoptimized build.
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}
