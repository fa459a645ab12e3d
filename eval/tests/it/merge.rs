//! `rlm-eval run --partition`, `rlm-eval merge` and `rlm-eval score`: running and merging shards,
//! and scoring a run again with another scorer.

use std::fs;
use std::path::Path;

use records::run_dir::RunDir;
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::run::{S_NIAH, only, read_json, s_niah, tree};

const FREE: [&str; 6] = [
    "run_id",
    "total_time_s",
    "working_time_s",
    "overhead_ms",
    "started_at",
    "at_ms",
];

/// Removes run ids and times from a value.
fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let free = FREE.contains(&name.as_str())
                    || ["ms", "executed_ms", "most_overhead_ms", "overhead_share"]
                        .contains(&name.as_str());
                *member = if free {
                    Value::Null
                } else {
                    timeless(member.take())
                };
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    value
}

fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.map(timeless).collect()
}

/// Returns the files of a run directory by name, without run ids and times, and with sorted lines.
fn content(dir: &Path) -> Vec<(String, Value)> {
    // Only runs that can be resumed have a journal.
    let files = tree(dir).into_iter();
    let files = files.filter(|name| name.contains('.') && !name.starts_with("journal/"));
    files
        .map(|name| {
            let path = dir.join(&name);
            let value = if path.extension().is_some_and(|ending| ending == "jsonl") {
                let mut lines: Vec<Value> = json_lines(&path);
                lines.sort_by_key(ToString::to_string);
                lines.into()
            } else if path.extension().is_some_and(|ending| ending == "json") {
                timeless(serde_json::from_slice(&fs::read(&path).unwrap()).unwrap())
            } else {
                let mut reader = csv::Reader::from_path(&path).unwrap();
                let header = reader.headers().unwrap().clone();
                let rows = reader.records().map(|row| {
                    let cells = row.unwrap();
                    let cells = header
                        .iter()
                        .zip(&cells)
                        .filter(|(name, _)| !FREE.contains(name));
                    cells.map(|(_, cell)| json!(cell)).collect::<Value>()
                });
                rows.collect()
            };
            (name, value)
        })
        .collect()
}

fn run(binary: &Binary, more: &[&str]) -> Ran {
    binary.run(
        &s_niah(&[&["--samples-per-length", "6"], more].concat()),
        "",
    )
}

#[test]
fn merged_shards_equal_whole_run() {
    let binary = Binary::new();
    assert_eq!(run(&binary, &["--log-dir", "whole"]).code, Some(0));
    let mut dirs = Vec::new();
    let mut samples = 0;
    for share in ["1/3", "2/3", "3/3"] {
        let folder = format!("shard{}", &share[..1]);
        let ran = run(&binary, &["--partition", share, "--log-dir", &folder]);
        let dir = only(&binary.path().join(&folder));
        assert!(
            ran.stderr.contains(&format!("shard {share} contains ")),
            "{}",
            ran.stderr
        );
        samples += RunDir::open(&dir).unwrap().records.len();
        dirs.push(dir.to_string_lossy().into_owned());
    }
    assert_eq!(samples, 6);
    // Simulate the events of a killed attempt. The merged run keeps them.
    let killed = Path::new(&dirs[0]).join("abandoned/s-niah-8k-1.1~1.jsonl");
    fs::create_dir(killed.parent().unwrap()).unwrap();
    fs::write(&killed, "").unwrap();
    // A copy of a shard counts only once.
    let args = [
        "merge",
        "out/merged",
        &dirs[0],
        &dirs[1],
        &dirs[2],
        &dirs[1],
    ];
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr
            .contains("were in more than one run, with equal records"),
        "{}",
        ran.stderr
    );
    let whole = only(&binary.path().join("whole"));
    let mut wanted = content(&whole);
    for (name, value) in &mut wanted {
        if name == "config.json" {
            // The output folder differs between shards.
            if let Some(flags) = value.get_mut("flags") {
                flags["log_dir"] = "shard1".into();
            }
        }
    }
    let merged = binary.path().join("out/merged");
    assert_eq!(RunDir::open(&merged).unwrap().wasted.abandoned.attempts, 1);
    fs::remove_dir_all(merged.join("abandoned")).unwrap();
    let mut merged = content(&merged);
    for (_, value) in &mut merged {
        if let Some(wasted) = value.get_mut("wasted") {
            assert_eq!(wasted["abandoned"]["attempts"], 1);
            wasted["abandoned"]["attempts"] = 0.into();
        }
    }
    for ((name, got), (wanted_name, wanted)) in merged.iter().zip(&wanted) {
        assert_eq!(
            (name, got.to_string()),
            (wanted_name, wanted.to_string()),
            "{name}"
        );
    }
    assert_eq!(merged.len(), wanted.len());

    let again = binary.run(&args, "");
    assert_eq!(again.code, Some(2));
    assert!(
        again.stderr.starts_with("error: out/merged already exists"),
        "{again:?}"
    );
    let part = binary.run(&["merge", "part", &dirs[0], &dirs[2]], "");
    assert!(
        part.stderr.contains("missing from the runs: shards 2/3; "),
        "{part:?}"
    );
    assert_eq!(part.code, Some(106));
    let summary = read_json(binary.path().join("part/summary.json"));
    assert_eq!(summary["attempts_total"], 6);
    assert!(summary["coverage"].as_f64().unwrap() < 1.0, "{summary}");
}

#[test]
fn refuses_to_merge_incompatible_runs() {
    let binary = Binary::new();
    let one = ["--samples-per-length", "1"];
    for (folder, more) in [
        ("a", &[][..]),
        ("b", &["--max-iterations", "9"]),
        ("c", &[]),
    ] {
        let args = s_niah(&[&one, &["--log-dir", folder], more].concat());
        assert_eq!(binary.run(&args, "").code, Some(0));
    }
    let dirs = ["a", "b", "c"].map(|name| only(&binary.path().join(name)));
    let log = dirs[2].join("samples.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let other = text.replace("\"score\":1.0", "\"score\":0.0");
    fs::write(&log, other).unwrap();
    let dirs = dirs.map(|dir| dir.to_string_lossy().into_owned());
    for (other, end) in [
        (
            &dirs[1],
            "are different experiments: max_iterations is 15 in one and 9 in the other\n",
        ),
        (
            &dirs[2],
            "but the records differ in score\nhint: the attempt was made twice, ",
        ),
    ] {
        let ran = binary.run(&["merge", "out", &dirs[0], other], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(ran.stderr.contains(end), "{}", ran.stderr);
        assert!(!binary.path().join("out").exists());
    }
}

#[test]
fn chooses_among_records_by_preference() {
    // Change to the first record of the second run, value of `--prefer`, and whether the changed
    // record is kept.
    type Row = (fn(&mut Value), &'static str, bool);
    let binary = Binary::new();
    let half = halves(&binary)[0].clone();
    let again = binary.path().join("again");
    fs::create_dir(&again).unwrap();
    let names = ["config.json", "lock.json", "samples.jsonl"];
    for name in names {
        fs::copy(Path::new(&half).join(name), again.join(name)).unwrap();
    }
    let trajectories = Path::new(&half).join("trajectories");
    fs::create_dir(again.join("trajectories")).unwrap();
    for file in fs::read_dir(trajectories).unwrap() {
        let file = file.unwrap();
        let to = again.join("trajectories").join(file.file_name());
        fs::copy(file.path(), to).unwrap();
    }
    let log = again.join("samples.jsonl");
    let change = |change: fn(&mut Value)| {
        let text = fs::read_to_string(Path::new(&half).join("samples.jsonl")).unwrap();
        let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
        let mut record: Value = serde_json::from_str(&lines[0]).unwrap();
        change(&mut record);
        lines[0] = record.to_string();
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        record["id"].as_str().unwrap().to_owned()
    };
    let rows: [Row; 5] = [
        (
            |record| record["answer"] = "other".into(),
            "complete",
            false,
        ),
        (
            |record| {
                record["answer"] = "other".into();
                record["started_at"] = "2099-01-01T00:00:00Z".into();
            },
            "newest",
            true,
        ),
        (
            |record| {
                record["answer"] = "other".into();
                record["started_at"] = "2001-01-01T00:00:00Z".into();
            },
            "newest",
            false,
        ),
        (
            |record| {
                record["answer"] = "other".into();
                record["score"] = Value::Null;
                record["status"] = "error".into();
                record["started_at"] = "2099-01-01T00:00:00Z".into();
            },
            "complete",
            false,
        ),
        (|record| record["answer"] = "other".into(), "newest", false),
    ];
    for (number, (how, prefer, is_kept)) in rows.into_iter().enumerate() {
        let id = change(how);
        for (order, dirs) in [[half.as_str(), "again"], ["again", half.as_str()]]
            .iter()
            .enumerate()
        {
            let out = format!("out{number}{order}");
            let args = ["merge", &out, dirs[0], dirs[1], "--prefer", prefer];
            let ran = binary.run(&args, "");
            assert_eq!(ran.code, Some(106), "{ran:?}");
            let merged = RunDir::open(&binary.path().join(&out)).unwrap();
            let record = merged
                .records
                .iter()
                .find(|record| record.id == id)
                .unwrap();
            let is_other = record.answer.as_deref() == Some("other");
            // If records are equally good, the first one is kept.
            let is_tie = number == 0 || number == 4;
            let wanted = if is_tie { order == 1 } else { is_kept };
            assert_eq!(is_other, wanted, "{number} {order}: {ran:?}");
            assert!(ran.stderr.contains("1 of its records differ"), "{ran:?}");
            assert_eq!(merged.wasted.abandoned.attempts, 1, "{number} {order}");
        }
    }
}

/// Runs shards 1/2 and 2/2 of a run with six attempts, and returns their folders.
fn halves(binary: &Binary) -> [String; 2] {
    ["1/2", "2/2"].map(|share| {
        let folder = format!("half{}", &share[..1]);
        let ran = run(binary, &["--log-dir", &folder, "--partition", share]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = only(&binary.path().join(folder));
        dir.to_string_lossy().into_owned()
    })
}

/// Merges runs and returns the merged run's number of planned attempts.
fn planned(binary: &Binary, out: &str, dirs: &[&str]) -> Value {
    let ran = binary.run(&[&["merge", out], dirs].concat(), "");
    assert!(matches!(ran.code, Some(0 | 106)), "{ran:?}");
    let summary = read_json(binary.path().join(out).join("summary.json"));
    summary["attempts_total"].clone()
}

#[test]
fn gates_score_of_merged_run() {
    let binary = Binary::new();
    // The model's answers are wrong for some samples of each shard.
    let dirs = ["1/2", "2/2"].map(|share| {
        let folder = format!("gated{}", &share[..1]);
        let flags = ["--model", "scripted/s-niah-flawed", "--log-dir", &folder];
        let ran = run(&binary, &[&flags[..], &["--partition", share]].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = only(&binary.path().join(folder));
        dir.to_string_lossy().into_owned()
    });
    let both: &[&str] = &[&dirs[0], &dirs[1]];
    for (number, (min_score, dirs, code, stderr)) in [
        ("0", both, 0, ""),
        ("0.01", both, 0, ""),
        ("1", both, 100, "is below the required --min-score 1"),
        // The score of an incomplete run is unknown.
        ("1", &both[..1], 106, "missing from the runs: shards 2/2"),
        ("1.5", both, 2, "--min-score"),
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("gate{number}");
        let ran = binary.run(
            &[&["merge", &out, "--min-score", min_score], dirs].concat(),
            "",
        );
        assert_eq!(ran.code, Some(code), "{min_score}: {ran:?}");
        assert!(ran.stderr.contains(stderr), "{min_score}: {ran:?}");
        // A failed gate keeps the merged run.
        let is_merged = binary.path().join(&out).join("summary.json").is_file();
        assert_eq!(is_merged, code != 2, "{min_score}");
    }
}

#[test]
fn counts_repeated_shard_once() {
    let binary = Binary::new();
    let [first, second] = halves(&binary);
    // Create a copy of the first shard that looks as if it was killed after one attempt.
    let early = binary.path().join("early");
    fs::create_dir(&early).unwrap();
    for name in ["config.json", "lock.json"] {
        fs::copy(Path::new(&first).join(name), early.join(name)).unwrap();
    }
    let log = fs::read_to_string(Path::new(&first).join("samples.jsonl")).unwrap();
    let line = log.lines().next().unwrap();
    fs::write(early.join("samples.jsonl"), format!("{line}\n")).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    let trajectory = format!("trajectories/{}.1.jsonl", record["id"].as_str().unwrap());
    fs::create_dir(early.join("trajectories")).unwrap();
    fs::copy(Path::new(&first).join(&trajectory), early.join(&trajectory)).unwrap();
    let of_first = planned(&binary, "alone", &[&first]);
    assert_eq!(planned(&binary, "twice", &["early", "early"]), of_first);
    assert_eq!(planned(&binary, "all", &["early", &first, &second]), 6);
    // Merging in steps gives the same result, and shards merged earlier are not reported as
    // missing.
    assert_eq!(planned(&binary, "stepwise", &["alone", &second]), 6);
    let ran = binary.run(&["merge", "again", "alone", &second], "");
    assert!(!ran.stderr.contains("missing from the runs"), "{ran:?}");
}

#[test]
fn merges_attempt_still_to_be_rerun() {
    let binary = Binary::new();
    let [first, second] = halves(&binary);
    let log = Path::new(&first).join("samples.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let mut record: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    record["status"] = "error".into();
    record["score"] = Value::Null;
    record["error"] = "no connection".into();
    let rest: Vec<&str> = text.lines().skip(1).collect();
    fs::write(&log, format!("{record}\n{}\n", rest.join("\n"))).unwrap();
    // Simulate a start with `--retry-errors` that was stopped before it reached the attempt.
    let id = record["id"].as_str().unwrap();
    let aside = Path::new(&first).join("superseded");
    fs::create_dir(&aside).unwrap();
    fs::rename(
        Path::new(&first).join(format!("trajectories/{id}.1.jsonl")),
        aside.join(format!("{id}.1~1.jsonl")),
    )
    .unwrap();
    assert_eq!(planned(&binary, "out", &[&first, &second]), 6);
    let merged = binary.path().join(format!("out/trajectories/{id}.1.jsonl"));
    assert!(merged.is_file());
    let run = RunDir::open(&binary.path().join("out")).unwrap();
    assert_eq!((run.records.len(), run.wasted.abandoned.attempts), (6, 0));
}

#[test]
fn keeps_and_reports_unfingerprinted_differences() {
    let binary = Binary::new();
    let dirs = [("1/2", "2020-01-01"), ("2/2", "2020-01-02")].map(|(share, date)| {
        let folder = format!("half{}", &share[..1]);
        let args = ["--log-dir", &folder, "--partition", share, "--date", date];
        assert_eq!(run(&binary, &args).code, Some(0));
        let dir = only(&binary.path().join(folder));
        dir.to_string_lossy().into_owned()
    });
    let ran = binary.run(&["merge", "all", &dirs[0], &dirs[1]], "");
    let warning = format!(
        "warning: date is 2020-01-01, and 2020-01-02 in {}; the merged run keeps both\n",
        dirs[1]
    );
    assert!(
        ran.code == Some(0) && ran.stderr.contains(&warning),
        "{ran:?}"
    );
    let config = RunDir::open(&binary.path().join("all")).unwrap().config;
    assert_eq!(config["engine"]["date"], "2020-01-01");
    assert_eq!(config["other_values"], json!({"date": ["2020-01-02"]}));
    let report = binary.run(&["report", "all", &dirs[0]], "").stdout;
    let sentence = "The attempts of all had several values of date: 2020-01-02; 2020-01-01.";
    assert!(report.contains(sentence), "{report}");
    let differs = |name: &str| report.lines().any(|line| line.trim().starts_with(name));
    assert!(differs("date ") && differs("partition "), "{report}");
}

#[test]
fn counts_cost_of_repeated_attempts() {
    let binary = Binary::new().file("priced.yaml", include_str!("report/priced.yaml"));
    let priced = [
        "--samples-per-length",
        "2",
        "--model",
        "scripted:priced.yaml",
    ];
    let dirs = ["one", "two"].map(|folder| {
        let ran = binary.run(&s_niah(&[&priced[..], &["--log-dir", folder]].concat()), "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = only(&binary.path().join(folder));
        dir.to_string_lossy().into_owned()
    });
    let cost = |dir: &str| {
        let run = RunDir::open(&binary.path().join(dir)).unwrap();
        let of_attempts = run.records.iter().filter_map(|record| record.cost_usd);
        of_attempts.sum::<f64>() + run.wasted.abandoned.cost_usd.unwrap_or(0.0)
    };
    // Copies and repeated merges add no cost.
    for (out, given, times) in [
        ("twice", [&dirs[0], &dirs[1]], 2.0),
        ("copy", [&dirs[0], &dirs[0]], 1.0),
        ("again", [&"twice".to_owned(), &dirs[0]], 2.0),
    ] {
        let ran = binary.run(&["merge", out, given[0], given[1]], "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(
            ran.stderr.contains("2 were rerun"),
            out == "twice",
            "{ran:?}"
        );
        let (got, wanted) = (cost(out), times * cost(&dirs[0]));
        assert!(
            (got - wanted).abs() < 1e-9 && got > 0.0,
            "{out}: {got} instead of {wanted}"
        );
    }
}

#[test]
fn refuses_shards_of_different_selections() {
    let binary = Binary::new();
    let [first, _] = halves(&binary);
    for (share, more, end) in [
        (
            "2/2",
            ["--attempts", "2"],
            "attempts is 1 in one and 2 in the other",
        ),
        (
            "2/2",
            ["--max-samples", "3"],
            "max_tasks is null in one and 3 in the other",
        ),
        (
            "2/3",
            ["--attempts", "1"],
            "the runs are shards of 2 and of 3: expected the same number of shards",
        ),
    ] {
        let folder = format!("other{}", more.concat());
        let args = [&["--log-dir", &folder, "--partition", share][..], &more].concat();
        assert_eq!(run(&binary, &args).code, Some(0));
        let other = only(&binary.path().join(&folder));
        let ran = binary.run(&["merge", "out", &first, &other.to_string_lossy()], "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.trim_end().ends_with(end), "{}", ran.stderr);
    }
}

#[test]
fn refuses_shards_with_different_samples() {
    let binary = Binary::new();
    let [first, second] = halves(&binary);
    let third = binary.path().join("third");
    fs::create_dir(&third).unwrap();
    let samples = |dir: &str| {
        let config = read_json(Path::new(dir).join("config.json"));
        config["benchmark"]["partition_samples"].clone()
    };
    let (of_first, of_second) = (samples(&first), samples(&second));
    let (one, other) = (&of_first[0], &of_second[0]);
    let id = |id: &Value| id.as_str().unwrap().to_owned();
    // Shard to copy, shard to merge the copy with, changed field of the copy's config with its
    // value, and end of the error.
    for (of, with, field, value, end) in [
        (
            &second,
            &first,
            "partition_samples",
            json!([one]),
            format!("{} is in shard 1/2 and in shard 2/2", id(one)),
        ),
        (
            &first,
            &first,
            "partition_samples",
            json!([of_first[0], of_first[1], of_first[2], other]),
            format!("only one of the two runs has {} in shard 1/2", id(other)),
        ),
        (
            &second,
            &first,
            "partition_rule",
            Value::Null,
            "--partition assigned the samples by rule 2 in one run and by rule 1 in the other"
                .to_owned(),
        ),
        (
            &second,
            &first,
            "sample_seed",
            json!(9),
            "sample_seed is null in one and 9 in the other".to_owned(),
        ),
    ] {
        for name in ["config.json", "lock.json", "samples.jsonl"] {
            fs::copy(Path::new(of).join(name), third.join(name)).unwrap();
        }
        let path = third.join("config.json");
        let mut config = read_json(&path);
        config["benchmark"][field] = value;
        fs::write(&path, config.to_string()).unwrap();
        let ran = binary.run(&["merge", "out", with, "third"], "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let error = format!("error: {with} and third are not shards of one run: {end}\n");
        assert_eq!(ran.stderr, error);
    }
}

#[test]
fn explains_invalid_shards() {
    let rows = [
        (
            "0/3",
            "error: invalid value '0/3' for '--partition <M/N>': expected a shard from 1/3 to 3/3",
        ),
        (
            "3",
            "error: invalid value '3' for '--partition <M/N>': expected M/N, the M-th of N shards, such as 2/8, or auto",
        ),
        (
            "1/0",
            "error: invalid value '1/0' for '--partition <M/N>': expected 1 to 10000 shards",
        ),
        (
            "auto",
            "error: invalid value 'auto' for '--partition <M/N>': this process is neither in a Kubernetes Indexed Job (JOB_COMPLETION_INDEX is not set) nor in a Slurm array (SLURM_ARRAY_TASK_ID is not set)",
        ),
    ];
    for (share, message) in rows {
        let ran = Binary::new().run(&[&S_NIAH[..], &["--partition", share]].concat(), "");
        let message = format!("{message}\n\nFor more information, try '--help'.\n");
        assert_eq!((ran.code, ran.stderr), (Some(2), message));
    }
    let auto = Binary::new()
        .variable("JOB_COMPLETION_INDEX", "1")
        .variable("EVAL_PARTITION_COUNT", "2");
    let ran = run(&auto, &["--partition", "auto"]);
    assert!(ran.stderr.contains("shard 2/2 contains "), "{ran:?}");
    // A resumed run keeps its shard, even without these variables.
    let dir = only(&auto.path().join("results"));
    let again = Binary::new().run(&["run", "--resume", &dir.to_string_lossy()], "");
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn scores_recorded_answers_with_other_scorer() {
    let binary = Binary::new();
    assert_eq!(run(&binary, &["--max-samples", "2"]).code, Some(0));
    let dir = only(&binary.path().join("results"));
    let before = fs::read(dir.join("samples.jsonl")).unwrap();
    let path = dir.to_string_lossy().into_owned();
    let ran = binary.run(&["score", &path, "--scorer", "exact"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("needle/1 (recorded)"), "{}", ran.stdout);
    assert_eq!(fs::read(dir.join("samples.jsonl")).unwrap(), before);
    let lines = json_lines(&dir.join("scores/exact-2.jsonl"));
    assert_eq!(lines.len(), 2);
    assert_eq!(
        lines[0],
        json!({
            "v": 1, "run_id": null, "id": lines[0]["id"], "attempt": 1, "status": "ok", "scorer": "exact/2",
            "score": 1.0, "score_explanation": lines[0]["score_explanation"], "recorded_scorer": "needle/1",
            "recorded_score": 1.0,
        })
    );
    let unknown = binary.run(&["score", &path, "--scorer", "needel"], "");
    assert_eq!(
        (unknown.code, unknown.stderr.as_str()),
        (
            Some(2),
            "error: --scorer: unknown scorer `needel`; did you mean `needle`?\n\
             hint: `rlm-eval list scorers` lists the valid names\n"
        )
    );
}
