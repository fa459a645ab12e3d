//! `rlm-eval run --resume`: which runs it continues or rejects, and that no attempt is lost or
//! repeated.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use harness::model::Status;
use records::run_dir::{Fingerprint, Journal, RunDir};
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::known_names::filled;
use crate::run::{finish, read_json, s_niah};

/// Flags of a run with four short samples.
const FOUR: [&str; 4] = ["--context-len", "2k", "--samples-per-length", "4"];

fn begin(binary: &Binary, more: &[&str]) -> PathBuf {
    let args: Vec<&str> = FOUR.iter().chain(more).copied().collect();
    finish(binary, &s_niah(&args)).dir.path
}

fn resume(binary: &Binary, dir: &Path, more: &[&str]) -> Ran {
    let dir = dir.to_str().expect("a path is text");
    let args: Vec<&str> = ["run", "--resume", dir]
        .iter()
        .chain(more)
        .copied()
        .collect();
    binary.run(&args, "")
}

/// Returns sample id and number of each valid attempt, sorted.
fn attempts(dir: &Path) -> Vec<(String, u32)> {
    let run = RunDir::open(dir).expect("the folder contains a run");
    let mut attempts: Vec<_> = run
        .records
        .iter()
        .map(|record| (record.id.clone(), record.attempt))
        .collect();
    attempts.sort();
    attempts
}

/// Removes the last `lines` lines of `samples.jsonl`, but keeps `piece` bytes of the first removed
/// line.
fn truncate_records(dir: &Path, lines: usize, piece: usize) {
    let path = dir.join("samples.jsonl");
    let text = fs::read_to_string(&path).expect("samples.jsonl can be read");
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let kept = all.len() - lines;
    let torn = all[..kept].concat() + &all[kept][..piece];
    fs::write(&path, torn).expect("samples can be written");
}

/// Returns the number of model calls in the two attempts that finished last.
fn calls_of_the_last_two(dir: &Path) -> u64 {
    let text = fs::read_to_string(dir.join("samples.jsonl")).expect("samples.jsonl can be read");
    text.lines()
        .rev()
        .take(2)
        .map(|line| {
            let record: Value = serde_json::from_str(line).expect("a record is JSON");
            record["llm_calls"].as_u64().expect("calls are counted")
        })
        .sum()
}

#[test]
fn completes_truncated_run_with_each_attempt_once() {
    for (piece, has_journal) in [(0, true), (1, true), (40, true), (40, false)] {
        let binary = Binary::new();
        let dir = begin(&binary, &["--prompt-mode", "coordinator"]);
        let whole = attempts(&dir);
        let torn = calls_of_the_last_two(&dir);
        truncate_records(&dir, 2, piece);
        if !has_journal {
            fs::remove_dir_all(dir.join("journal")).expect("the journals exist");
        }
        let ran = resume(&binary, &dir, &[]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("4 attempts (2 done before)"), "{ran:?}");
        let note = "line 3 of samples.jsonl is truncated";
        assert_eq!(ran.stderr.contains(note), piece > 0, "{ran:?}");
        assert_eq!(attempts(&dir), whole);
        for (file, lines) in [("samples.jsonl", 4), ("results.csv", 5)] {
            let text = fs::read_to_string(dir.join(file)).expect("the file can be read");
            assert_eq!(text.lines().count(), lines, "{file}");
        }
        // The spending of the two truncated attempts still counts, in their own records or as
        // wasted.
        let summary =
            fs::read_to_string(dir.join("summary.json")).expect("summary.json can be read");
        let summary: Value = serde_json::from_str(&summary).expect("the summary is JSON");
        let wasted = &summary["wasted"]["abandoned"];
        let (lost, calls) = if has_journal { (0, 0) } else { (2, torn) };
        assert_eq!(wasted["attempts"], lost, "{piece} {has_journal}");
        assert_eq!(wasted["llm_calls"], calls, "{piece} {has_journal}");
        assert_eq!(calls_of_the_last_two(&dir), torn, "{piece} {has_journal}");
    }
}

/// An attempt whose journal is unreadable restarts, and its earlier cost is reported.
#[test]
fn restarts_attempt_with_broken_journal() {
    let binary = Binary::new();
    let dir = begin(&binary, &["--prompt-mode", "coordinator"]);
    let torn = calls_of_the_last_two(&dir);
    let journal = Journal::of(&dir);
    for (sample, attempt) in attempts(&dir) {
        let lines = journal.look(&sample, attempt).expect("it can be read");
        let text = format!("{{\"attempt\": 7}}\n{}\n", lines.join("\n"));
        fs::write(journal.path(&sample, attempt), text).expect("it can be written");
    }
    truncate_records(&dir, 2, 0);
    let ran = resume(&binary, &dir, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let summary = read_json(dir.join("summary.json"));
    let wasted = &summary["wasted"]["abandoned"];
    assert_eq!(
        (&wasted["attempts"], &wasted["llm_calls"]),
        (&json!(2), &json!(torn))
    );
    let run = RunDir::open(&dir).expect("the folder contains a run");
    let last = run.records.last().expect("there are records");
    let events = fs::read_to_string(run.trajectory(&last.id, last.attempt))
        .expect("the trajectory can be read");
    let reason = ".1.jsonl: line 1: the number and the checksum are missing: the line was edited";
    assert!(events.contains(reason), "{events}");
}

/// An open attempt whose compressed journal is damaged restarts, with a warning.
#[test]
fn warns_of_damaged_journals_of_open_attempts() {
    let binary = Binary::new();
    let dir = begin(&binary, &["--prompt-mode", "coordinator"]);
    let whole = attempts(&dir);
    let torn = calls_of_the_last_two(&dir);
    for journal in fs::read_dir(dir.join("journal")).expect("the journals can be listed") {
        let path = journal.expect("the entry can be read").path();
        let bytes = fs::read(&path).expect("it can be read");
        fs::write(&path, &bytes[..bytes.len() / 2]).expect("it can be written");
    }
    truncate_records(&dir, 2, 0);
    let kept = attempts(&dir);
    let ran = resume(&binary, &dir, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(attempts(&dir), whole);
    let warnings: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.contains("is damaged"))
        .collect();
    let expected: Vec<String> = whole
        .iter()
        .filter(|attempt| !kept.contains(attempt))
        .map(|(sample, attempt)| {
            format!(
                "warning: {sample}.{attempt}.jsonl.zst is damaged, or trajectories/{sample}.{attempt}.jsonl \
                 was changed; the recorded responses are lost, and the attempt starts over"
            )
        })
        .collect();
    assert_eq!(warnings, expected);
    let summary = read_json(dir.join("summary.json"));
    let wasted = &summary["wasted"]["abandoned"];
    assert_eq!(
        (&wasted["attempts"], &wasted["llm_calls"]),
        (&json!(2), &json!(torn))
    );
}

#[test]
fn resumes_run_killed_before_first_record() {
    for has_journal in [true, false] {
        let binary = Binary::new();
        let dir = begin(&binary, &[]);
        for gone in ["samples.jsonl", "results.csv", "summary.json"] {
            fs::remove_file(dir.join(gone)).expect("the file exists");
        }
        if !has_journal {
            fs::remove_dir_all(dir.join("journal")).expect("the journals exist");
        }
        let ran = resume(&binary, &dir, &["--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(attempts(&dir).len(), 4);
        let summary: Value = serde_json::from_str(&ran.stdout).expect("the summary is JSON");
        let abandoned = if has_journal { 0 } else { 4 };
        assert_eq!(summary["wasted"]["abandoned"]["attempts"], abandoned);
    }
}

#[test]
fn refuses_to_resume_other_experiment() {
    let binary = Binary::new();
    let dir = begin(&binary, &["--attempts", "2", "--date", "2001-02-03"]);
    let before = fs::read(dir.join("config.json")).expect("config.json can be read");
    let name = dir.display().to_string();
    let other = |parts: &str| {
        format!(
            "error: {name} has answers of a different experiment: {parts}\n\
             hint: omit --resume to start a new run with these settings\n"
        )
    };
    let rows: [(&[&str], i32, String); 8] = [
        (&["--max-depth", "3"], 2, other("max_depth is 2 there and 3 here")),
        (
            &["--prompt-mode", "coordinator", "--output-limit", "10"],
            2,
            other(
                "prompt_mode is \"solver\" there and \"coordinator\" here; \
                 sandbox.limits.output_chars is 50000 there and 10 here",
            ),
        ),
        (
            &["--model", "scripted/s-niah-flawed", "--max-iterations", "3"],
            2,
            String::new(),
        ),
        (
            &["--max-samples", "3"],
            2,
            format!(
                "error: {name} has attempt 1 at s-niah-2k-4, which these flags exclude; \
                 a resumed run can only add attempts\n"
            ),
        ),
        (
            &["--attempts", "1"],
            2,
            format!(
                "error: {name} has attempt 2 at s-niah-2k-1, which these flags exclude; \
                 a resumed run can only add attempts\n"
            ),
        ),
        (
            &["--date", "2002-02-03"],
            2,
            format!(
                "error: {name}/config.json: this run was started with --date 2001-02-03 and cannot be resumed with --date 2002-02-03\n"
            ),
        ),
        (
            &["--log-dir", "elsewhere"],
            2,
            format!("error: --log-dir applies only to new runs; --resume continues in the folder {name}\n"),
        ),
        (
            &["--max-depht", "3"],
            2,
            "error: unexpected argument '--max-depht' found\n\n  tip: a similar argument exists: '--max-depth'\n\n\
             Usage: rlm-eval run [OPTIONS] --benchmark <NAME> --model <REF>\n       rlm-eval run [OPTIONS] --resume <DIR>\n\n\
             For more information, try '--help'.\n"
                .to_owned(),
        ),
    ];
    for (flags, code, stderr) in rows {
        let ran = resume(&binary, &dir, flags);
        assert_eq!(ran.code, Some(code), "{flags:?}: {ran:?}");
        if stderr.is_empty() {
            let both = ran
                .stderr
                .contains("max_iterations is 15 there and 3 here; model is");
            assert!(both, "{ran:?}");
        } else {
            assert_eq!(ran.stderr, stderr, "{flags:?}");
        }
    }
    assert_eq!(fs::read(dir.join("config.json")).ok(), Some(before));
    assert_eq!(
        resume(&binary, &dir, &["--date", "2001-02-03"]).code,
        Some(0)
    );
}

#[test]
fn keeps_samples_without_attempts() {
    let binary = Binary::new();
    let dir = begin(&binary, &[]);
    truncate_records(&dir, 4, 0);
    let before = fs::read(dir.join("config.json")).expect("config.json can be read");
    for (flags, id) in [
        (["--sample-ids", "2k-1"], "s-niah-2k-2"),
        (["--max-samples", "3"], "s-niah-2k-4"),
        (["--samples-per-length", "2"], "s-niah-2k-3"),
    ] {
        let ran = resume(&binary, &dir, &flags);
        let expected = format!(
            "error: {} has selected the sample {id}, which these flags exclude; \
             a resumed run can only add samples\n\
             hint: omit --resume to start a new run with these samples\n",
            dir.display()
        );
        assert_eq!((ran.code, ran.stderr), (Some(2), expected), "{flags:?}");
    }
    assert_eq!(fs::read(dir.join("config.json")).ok(), Some(before));
    for (flags, count) in [
        (["--sample-ids", "2k-4,2k-3,2k-2,2k-1"], 4),
        (["--samples-per-length", "5"], 4),
        (["--sample-ids", ""], 5),
    ] {
        let ran = resume(&binary, &dir, &flags);
        assert_eq!(ran.code, Some(0), "{flags:?}: {ran:?}");
        assert_eq!(attempts(&dir).len(), count, "{flags:?}");
    }
}

#[test]
fn validates_recorded_flags_like_typed_ones() {
    let binary = Binary::new();
    let dir = begin(&binary, &["--max-samples", "1"]);
    let path = dir.join("config.json");
    let recorded = read_json(&path);
    let rows = [
        (
            "/flags/engine/max_iterations",
            json!(0),
            "invalid value '0' for '--max-iterations <N>': expected a whole number from 1 to 10000",
        ),
        (
            "/flags/engine/sandbox/cell_timeout",
            json!(1e9),
            "invalid value '1000000000.0' for '--cell-timeout <SECONDS>': expected a number from 0.001 to 86400",
        ),
        (
            "/flags/engine/guidance/protocol",
            json!("rml"),
            "invalid value 'rml' for '--protocol <PROTOCOL>' [possible values: {PROTOCOLS}]",
        ),
        (
            "/flags/benchmark",
            Value::Null,
            "the following required arguments were not provided: --benchmark <NAME>",
        ),
        ("/flags", json!([]), "expected an object"),
    ];
    for (place, value, problem) in rows {
        let mut config = recorded.clone();
        *config.pointer_mut(place).unwrap() = value;
        fs::write(&path, config.to_string()).unwrap();
        let ran = resume(&binary, &dir, &[]);
        let error = format!("error: {}: flags: {}\n", path.display(), filled(problem));
        assert_eq!((ran.code, ran.stderr), (Some(2), error), "{place}");
    }
    // Simulate flags recorded by an older version: a newer flag is missing, and one no longer
    // exists.
    let mut config = recorded;
    config["flags"]["engine"]["tools"] = Value::Null;
    config["flags"]["scoring"] = json!({ "gone": 3 });
    fs::write(&path, config.to_string()).unwrap();
    assert_eq!(resume(&binary, &dir, &[]).code, Some(0));
}

#[test]
fn extends_run_and_ignores_environment() {
    let binary = Binary::new()
        .variable("EVAL_MAX_DEPTH", "4")
        .variable("EVAL_CONCURRENCY", "3");
    let dir = begin(&binary, &["--max-depth", "2", "--max-samples", "2"]);
    let binary = binary.variable("EVAL_MODEL", "scripted/s-niah-flawed");
    let ran = resume(
        &binary,
        &dir,
        &[
            "--max-samples",
            "3",
            "--attempts",
            "2",
            "--isolation",
            "thread",
        ],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("6 attempts (2 done before)"), "{ran:?}");
    assert!(ran.stderr.contains("3 concurrent"), "{ran:?}");
    assert_eq!(attempts(&dir).len(), 6);
    let config = RunDir::open(&dir).expect("the run can be opened").config;
    assert_eq!(config["engine"]["isolation"], "thread");
    assert_eq!(config["attempts_total"], 6);
    // The extended settings are now recorded, so the run is complete.
    assert_eq!(resume(&binary, &dir, &[]).code, Some(0));
}

#[test]
fn reruns_errors_only_on_request() {
    let binary = Binary::new().file("half.yaml", include_str!("resume/half.yaml"));
    let dir = begin(
        &binary,
        &[
            "--model",
            "scripted:half.yaml",
            "--confirm-first-return",
            "false",
        ],
    );
    let lines = || {
        fs::read_to_string(dir.join("samples.jsonl"))
            .expect("samples.jsonl can be read")
            .lines()
            .count()
    };
    assert_eq!(lines(), 4);
    let ran = resume(&binary, &dir, &[]);
    assert_eq!(ran.code, Some(106), "{ran:?}");
    let hint = format!(
        "note: attempts that ended in an error: 3; to rerun them, continue with `rlm-eval run --resume {} --retry-errors`",
        dir.display()
    );
    assert!(ran.stderr.contains(&hint), "{ran:?}");
    assert_eq!(lines(), 4);
    for round in 1..=2 {
        let ran = resume(&binary, &dir, &["--retry-errors", "--json"]);
        assert_eq!(ran.code, Some(106), "{ran:?}");
        assert_eq!((lines(), attempts(&dir).len()), (4 + 3 * round, 4));
        let summary: Value = serde_json::from_str(&ran.stdout).expect("the summary is JSON");
        assert_eq!(summary["statuses"]["error"], 3);
        // The newest records include the cost of the earlier ones.
        assert_eq!(summary["wasted"]["superseded"]["attempts"], 0);
        assert_eq!(summary["wasted"]["abandoned"]["attempts"], 0);
        // Scoring with another scorer does not change the spending.
        let run = dir.to_str().expect("a path is text");
        let scored = binary.run(&["score", run, "--scorer", "exact", "--json"], "");
        let scored: Value = serde_json::from_str(&scored.stdout).expect("the summary is JSON");
        assert_eq!(scored["wasted"], summary["wasted"]);
        let set_aside = fs::read_dir(dir.join("superseded"))
            .expect("the folder can be read")
            .count();
        assert_eq!(set_aside, 3 * round);
    }
    // More errors than `--fail-on-error` allows stop the run. The earlier records stay.
    let ran = resume(
        &binary,
        &dir,
        &[
            "--retry-errors",
            "--fail-on-error",
            "0.5",
            "--concurrency",
            "1",
        ],
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr
            .contains("note: stopped by --fail-on-error after 2 attempts ended in an error"),
        "{ran:?}"
    );
    assert_eq!((lines(), attempts(&dir).len()), (12, 4));
    let run = RunDir::open(&dir).expect("the run can be opened");
    let errors = run
        .records
        .iter()
        .filter(|record| record.status == Status::Error);
    assert_eq!(errors.count(), 3);
}

#[test]
fn locks_run_against_second_process() {
    // The model is slow enough that, even on a busy machine, the second process starts while the
    // first is running.
    let slow = include_str!("run/slow.yaml").replace("latency_ms: 200", "latency_ms: 800");
    let binary = Binary::new().file("slow.yaml", &slow);
    let dir = begin(
        &binary,
        &["--max-samples", "1", "--model", "scripted:slow.yaml"],
    );
    let name = dir.to_str().expect("a path is text");
    let mut first = binary
        .command(&[
            "run",
            "--resume",
            name,
            "--max-samples",
            "4",
            "--concurrency",
            "1",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    while !dir.join("running.json").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = resume(&binary, &dir, &[]);
    let by = format!("error: {name} is in use by process {} on ", first.id());
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.starts_with(&by), "{second:?}");
    assert!(first.wait().expect("the process ends").success());
    assert!(!dir.join("running.json").exists());
    assert_eq!(attempts(&dir).len(), 4);
}

#[test]
fn resumes_with_obsolete_settings_of_earlier_program() {
    let binary = Binary::new();
    let dir = begin(&binary, &["--protocol", "direct"]);
    // Simulate a run that was started with `--cell-timeout 5` and `--temperature 0`.
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(dir.join(name)).unwrap()).unwrap()
    };
    let (mut config, mut lock) = (read("config.json"), read("lock.json"));
    config["flags"]["engine"]["sandbox"]["cell_timeout"] = json!(5.0);
    config["flags"]["engine"]["models"]["temperature"] = json!(0.0);
    let parts = &mut lock["fingerprint"]["parts"];
    parts["sandbox"]["limits"]["cell_time"]["secs"] = json!(5);
    parts["sampling"]["temperature"] = json!(0.0);
    let parts = serde_json::from_value(parts.clone()).unwrap();
    let now = Fingerprint::from_parts(parts);
    let before = lock["run"]["fingerprint"].as_str().unwrap().to_owned();
    for (name, value) in [("config.json", config), ("lock.json", lock)] {
        let text = value.to_string().replace(&before, now.as_str());
        fs::write(dir.join(name), text).unwrap();
    }
    truncate_records(&dir, 3, 0);
    let ran = resume(&binary, &dir, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(attempts(&dir).len(), 4);
    // Flags of this start are validated as usual.
    let ran = resume(&binary, &dir, &["--prompt-mode", "coordinator"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let inert = "error: --prompt-mode coordinator would have no effect: the direct protocol";
    assert!(ran.stderr.starts_with(inert), "{ran:?}");
}
