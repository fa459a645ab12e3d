//! `rlm-eval compare`: its output, its files, and its errors.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use records::run_dir::{Fingerprint, Lock, NewRun, RunDir, to_csv};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::run_dir_fixture::{failed, identity, record};

/// A comparison of files in name order, with further arguments and the expected exit code.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    args: Vec<String>,
    runs: BTreeMap<String, String>,
    code: i32,
}

#[test]
fn compares_or_refuses_runs() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("compare/cases.json")).unwrap();
    for Case {
        name,
        args,
        runs,
        code,
    } in cases
    {
        let mut binary = Binary::new();
        let mut line = vec!["compare".to_owned()];
        for (file, content) in runs {
            binary = binary.file(&file, content);
            line.push(file);
        }
        line.extend(args);
        let ran = binary.run(&line, "");
        assert_eq!(ran.code, Some(code), "{name}: {ran:?}");
        let Ran { stdout, stderr, .. } = ran;
        assert!(
            !format!("{stdout}{stderr}").contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{name}"
        );
        insta::assert_snapshot!(
            format!("compare_{name}"),
            format!("{stdout}--- stderr\n{stderr}")
        );
    }
}

#[test]
fn locates_errors_in_csv_files() {
    let rows: Vec<(String, String)> =
        serde_json::from_str(include_str!("compare/wrong_files.json")).unwrap();
    for (content, message) in rows {
        let binary = Binary::new()
            .file("good.csv", "id,score\nx,1\n")
            .file("bad.csv", &content);
        let ran = binary.run(&["compare", "good.csv", "bad.csv"], "");
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{content:?}"
        );
        let first = ran.stderr.lines().next().unwrap_or_default();
        assert_eq!(first, format!("error: bad.csv:{message}"), "{content:?}");
    }
    let binary = Binary::new()
        .file("good.csv", "id,score\nx,1\n")
        .file("bad.csv", b"id,score\nx\xff,1\n");
    let ran = binary.run(&["compare", "good.csv", "bad.csv"], "");
    assert_eq!(ran.stderr, "error: bad.csv:2: column 1: not UTF-8 text\n");
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
    let other = "id,score,scorer\n=1+1,0,needle/1\nb,1,needle/1\nc,0.5,needle/1\nd,0,needle/1\n";
    let binary = Binary::new().file("other.csv", other);
    let results = binary.path().join("results");
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
    fs::write(binary.path().join("run.csv"), csv).unwrap();

    let compared = |run: &str| -> Value {
        let ran = binary.run(&["compare", "other.csv", run, "--json"], "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let mut value: Value = serde_json::from_str(&ran.stdout).unwrap();
        // The paths differ, and CSV files do not contain times.
        let run = value["runs"][1].as_object_mut().unwrap();
        run.retain(|name, _| name != "path" && name != "started");
        value
    };
    let inside = path.join("compared.csv");
    let args = [
        "compare",
        "other.csv",
        path.to_str().unwrap(),
        "--csv",
        inside.to_str().unwrap(),
    ];
    assert_eq!(
        (binary.run(&args, "").code, inside.exists()),
        (Some(2), false)
    );

    let of_folder = compared(path.to_str().unwrap());
    assert_eq!(of_folder, compared("run.csv"));
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
fn writes_comparisons_as_csv() {
    let binary = Binary::new()
        .file("a.csv", "id,score\n1,0\n2,0\n3,0\n4,0\n5,1\n")
        .file("=b.csv", "id,score\n1,1\n2,1\n3,1\n4,\n5,1\n")
        .file("c.csv", "id,score\nz,1\n")
        .file("out.csv", "replaced");
    let ran = binary.run(
        &["compare", "a.csv", "=b.csv", "c.csv", "--csv", "out.csv"],
        "",
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Differences 1, 1, 1, 0 over four samples, and 1, 1, 1, 0, 0 over five: the standard error is
    // s/√n; interval and power are computed by `tango_case` and `power_case` in
    // eval/statistics/tests/reference.py.
    let rounded: Vec<String> = fs::read_to_string(binary.path().join("out.csv"))
        .unwrap()
        .lines()
        .map(|line| {
            let cell = |cell: &str| match cell.parse::<f64>() {
                Ok(number) => ((number * 1e4).round() / 1e4).to_string(),
                Err(_) => cell.to_owned(),
            };
            line.split(',').map(cell).collect::<Vec<_>>().join(",")
        })
        .collect();
    assert_eq!(
        rounded,
        [
            "family,first,second,first_path,second_path,errors,samples,clusters,first_score,second_score,difference,\
             standard_error,low,high,wins,losses,ties,method,p,p_holm,mcnemar_p,detectable,differs",
            "baseline,A,B,a.csv,'=b.csv,excluded,4,4,0.25,1,0.75,0.25,-0.1073,0.9544,3,0,1,Tango's score test,0.0833,0.0833,0.25,0.9457,",
            "baseline,A,B,a.csv,'=b.csv,zero,5,5,0.2,0.8,0.6,0.2449,-0.0952,0.8824,3,0,2,Tango's score test,0.0833,0.0833,0.25,0.8314,",
            "baseline,A,C,a.csv,c.csv,excluded,0,0,,,,,,,,,,,,,,,",
            "baseline,A,C,a.csv,c.csv,zero,0,0,,,,,,,,,,,,,,,",
            "best,B,C,'=b.csv,c.csv,excluded,0,0,,,,,,,,,,,,,,,",
            "best,B,C,'=b.csv,c.csv,zero,0,0,,,,,,,,,,,,,,,",
        ]
    );
}

#[test]
fn compares_ten_thousand_rows_within_a_minute() {
    let rows = |shift: u32| -> String {
        let row = |i: u32| {
            format!(
                "sample-{i},{}\n",
                f64::from((i * 7919 + shift) % 101) / 100.0
            )
        };
        (0..10_000).map(row).collect()
    };
    let binary = Binary::new()
        .file("a.csv", format!("id,score\n{}", rows(0)))
        .file("b.csv", format!("id,score\n{}", rows(50)));
    let begun = Instant::now();
    let ran = binary.run(&["compare", "a.csv", "b.csv"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.contains("samples in both     10000"),
        "{}",
        ran.stdout
    );
    // This takes a second or two; the limit allows for a busy machine and an unoptimized build.
    assert!(
        begun.elapsed() < Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
}
