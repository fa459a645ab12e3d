//! The run directory: its content, reading it back, and what remains after a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use model::{Event, EventKind, Usage};
use records::program::Program;
use records::run_dir::{
    Fingerprint, Lock, NewRun, Reopened, RunDir, RunWriter, WastedSource, keep_abandoned,
    read_records,
};
use records::{AttemptRecord, RunIdentity, Spent, Wasted};
use run_fixture::{event, failed, identity, record};
use serde_json::{Value, json};

fn create(results: &Path) -> Result<NewRun, String> {
    let started = "2026-11-21T09:24:06Z".parse().unwrap();
    NewRun::create(results, "s-niah", "solver", started).map_err(|error| error.to_string())
}

fn fingerprint() -> Fingerprint {
    Fingerprint::from_parts(BTreeMap::from([("model".to_owned(), json!("scripted/x"))]))
}

fn of_run(id: &str) -> RunIdentity {
    RunIdentity {
        fingerprint: fingerprint().as_str().to_owned(),
        ..identity(id)
    }
}

fn begin(results: &Path, order: &[&str]) -> RunWriter {
    let run = create(results).unwrap();
    let identity = of_run(run.id());
    let order = order.iter().map(|&id| id.to_owned()).collect();
    let lock = Lock::new(fingerprint(), identity);
    run.begin(&json!({"v": 1, "seed": 7}), lock, order).unwrap()
}

fn iteration(sample: &str, iteration: u32) -> Event {
    event(sample, "root", 0, EventKind::IterationStart { iteration })
}

/// Writes the start, two events and the record of each attempt, and then the end of the run.
fn finish(writer: &mut RunWriter, records: &[AttemptRecord]) {
    for record in records {
        writer.begin_attempt(&record.id, record.attempt);
        for i in 1..=2 {
            writer.event(&Event {
                attempt: record.attempt,
                ..iteration(&record.id, i)
            });
        }
        writer.end_attempt(record);
        writer.sync();
    }
    writer.finish(|wasted| json!({"attempts": records.len(), "wasted": wasted}));
}

/// Returns the relative paths of all files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(
                    path.strip_prefix(folder)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .to_owned(),
                );
            }
        }
    }
    found.sort();
    found
}

fn json_file(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn stores_and_reads_back_run() {
    let temp = tempfile::tempdir().unwrap();
    let mut writer = begin(&temp.path().join("deep/results"), &["s-2", "s-1"]);
    let path = writer.path().to_owned();
    let id = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(path, temp.path().join("deep/results").join(id));

    let records = [
        record("s-1", 2),
        record("s-1", 1),
        failed("s-2", 1, "refused"),
    ];
    finish(&mut writer, &records);
    assert!(writer.take_error().is_none());
    drop(writer);

    assert_eq!(
        files(&path),
        [
            "config.json",
            "lock.json",
            "results.csv",
            "samples.jsonl",
            "summary.json",
            "trajectories/s-1.1.jsonl",
            "trajectories/s-1.2.jsonl",
            "trajectories/s-2.1.jsonl",
        ]
    );
    assert_eq!(
        json_file(&path.join("config.json")),
        json!({"v": 1, "seed": 7})
    );
    assert_eq!(
        json_file(&path.join("lock.json")),
        json!({
            "v": 1,
            "fingerprint": {"sha256": fingerprint().as_str(), "parts": {"model": "scripted/x"}},
            "run": of_run(id),
        })
    );
    assert_eq!(
        json_file(&path.join("summary.json")),
        json!({"attempts": 3, "wasted": Wasted::default()})
    );
    let events: Vec<Event> = fs::read_to_string(path.join("trajectories/s-1.2.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        events,
        [1, 2].map(|i| Event {
            attempt: 2,
            ..iteration("s-1", i)
        })
    );

    let run = RunDir::open(&path).unwrap();
    assert_eq!(run.records, records);
    assert_eq!(
        (run.config, run.truncated_record),
        (json!({"v": 1, "seed": 7}), None)
    );
    assert_eq!(run.lock.fingerprint, fingerprint());
    assert_eq!(run.lock.run, of_run(id));
    assert!(RunDir::open(&path).unwrap().trajectory("s-1", 2).is_file());
}

#[test]
fn finished_attempt_is_on_disk() {
    let temp = tempfile::tempdir().unwrap();
    let mut writer = begin(temp.path(), &["a"]);
    writer.begin_attempt("a", 1);
    writer.event(&iteration("a", 1));
    writer.end_attempt(&record("a", 1));
    writer.sync();
    let run = RunDir::open(writer.path()).unwrap();
    assert_eq!(run.records, [record("a", 1)]);
    let trajectory = fs::read_to_string(run.trajectory("a", 1)).unwrap();
    assert_eq!(trajectory.matches('\n').count(), 1);
}

#[test]
fn rerun_attempt_replaces_first() {
    let temp = tempfile::tempdir().unwrap();
    let mut writer = begin(temp.path(), &["a", "b"]);
    let path = writer.path().to_owned();
    finish(
        &mut writer,
        &[failed("a", 1, "refused"), record("b", 1), record("a", 1)],
    );
    assert_eq!(
        RunDir::open(&path).unwrap().records,
        [record("a", 1), record("b", 1)]
    );
    let rows = fs::read_to_string(path.join("results.csv")).unwrap();
    assert_eq!(rows.lines().count(), 3, "{rows}");
    let trajectory = fs::read_to_string(path.join("trajectories/a.1.jsonl")).unwrap();
    assert_eq!(
        trajectory.lines().count(),
        2,
        "the failed attempt's events are gone"
    );
}

#[test]
fn hostile_ids_stay_in_folder() {
    let ids = [
        "../../escape",
        "/etc/passwd",
        "..",
        "",
        ".hidden",
        "a\0b",
        "a\nb",
        "CON",
        "é~%2e",
        "-rf *",
    ];
    let temp = tempfile::tempdir().unwrap();
    let mut writer = begin(temp.path(), &ids);
    let path = writer.path().to_owned();
    let records: Vec<_> = ids
        .iter()
        .map(|id| record(id, 1))
        .chain([record(&"../".repeat(500), 1)])
        .collect();
    finish(&mut writer, &records);
    assert!(writer.take_error().is_none());
    drop(writer);
    assert_eq!(files(&path).len(), 5 + records.len());
    assert_eq!(files(temp.path()).len(), files(&path).len());
    let hidden = |file: &String| file.split('/').any(|part| part.starts_with('.'));
    assert!(!files(&path).iter().any(hidden), "{:?}", files(&path));
    let run = RunDir::open(&path).unwrap();
    for read in &run.records {
        assert_eq!(
            fs::read_to_string(run.trajectory(&read.id, 1))
                .unwrap()
                .lines()
                .count(),
            2
        );
    }
    assert_eq!(run.records, records);
}

#[test]
fn finds_hidden_trajectories_of_earlier_versions() {
    let temp = tempfile::tempdir().unwrap();
    let mut writer = begin(temp.path(), &[".env", ""]);
    let path = writer.path().to_owned();
    finish(&mut writer, &[record(".env", 1), record("", 1)]);
    drop(writer);
    let folder = path.join("trajectories");
    for (now, earlier) in [
        ("%2Eenv.1.jsonl", ".env.1.jsonl"),
        ("%.1.jsonl", ".1.jsonl"),
    ] {
        fs::rename(folder.join(now), folder.join(earlier)).unwrap();
    }
    // Simulate a killed attempt.
    fs::copy(folder.join(".env.1.jsonl"), folder.join(".env.2.jsonl")).unwrap();
    let run = RunDir::open(&path).unwrap();
    assert_eq!(run.trajectory(".env", 1), folder.join(".env.1.jsonl"));
    assert_eq!(run.trajectory("", 1), folder.join(".1.jsonl"));
    assert_eq!(run.trajectory("", 2), folder.join("%.2.jsonl"));
    assert_eq!(run.wasted.abandoned.attempts, 1);

    let again = BTreeSet::from([(".env".to_owned(), 1)]);
    let config = json!({"v": 1});
    drop(
        Reopened::open(&path)
            .unwrap()
            .resume(&config, Vec::new(), &again, &again, &Program::from_iter([]))
            .unwrap(),
    );
    let left: Vec<String> = files(&path)
        .into_iter()
        .filter(|file| file.contains('/'))
        .collect();
    assert_eq!(
        left,
        [
            "abandoned/%2Eenv.2~1.jsonl",
            "superseded/%2Eenv.1~1.jsonl",
            "trajectories/.1.jsonl",
        ]
    );
    let run = RunDir::open(&path).unwrap();
    assert_eq!(run.wasted.abandoned.attempts, 1);
    assert_eq!(
        run.trajectory(".env", 1),
        path.join("superseded/%2Eenv.1~1.jsonl")
    );
}

/// Returns the journal line of a response of the root that cost half a dollar.
fn paid_response() -> String {
    let usage = json!({"input_tokens": 8, "cached_input_tokens": 0, "output_tokens": 2,
        "reasoning_tokens": 0, "estimated": false});
    let response = json!({"text": "é", "usage": usage, "cost_usd": 0.5});
    let entry = json!({"invocation": "root", "cached": false, "calls": [],
        "result": {"Ok": response}});
    json!({"response": entry}).to_string() + "\n"
}

/// Returns the events of an attempt at `a`, named by words: `ask` is a request of the root, and
/// `answer` is [`paid_response`].
fn events_of(words: &str) -> Vec<Event> {
    let response: Value = serde_json::from_str(&paid_response()).unwrap();
    let kind = |word: &str| match word {
        "start" => json!({"type": "attempt_start", "query": null, "context_chars": null}),
        "ask" => json!({"type": "llm_request", "new_messages": [], "messages": 1,
            "estimate": {"usage": response["response"]["result"]["Ok"]["usage"], "cost_usd": 2.0}}),
        _ => json!({"type": "llm_response", "text": "é", "reasoning": null, "tool_calls": [],
            "code": null, "usage": response["response"]["result"]["Ok"]["usage"], "cost_usd": 0.5,
            "served_model": null, "truncated": false, "ms": 1.0}),
    };
    let words = words.split_whitespace();
    let kinds = words.map(|word| serde_json::from_value(kind(word)).unwrap());
    kinds.map(|kind| event("a", "root", 0, kind)).collect()
}

fn figures(spent: &Spent) -> (u64, u64, u64, Option<f64>) {
    let tokens = spent.usage.total();
    (spent.attempts, spent.llm_calls, tokens, spent.cost_usd)
}

#[test]
fn attempt_without_cost_used_no_tokens() {
    let rows = [(Some(0.0), true), (None, false), (Some(0.5), false)];
    for (cost_usd, is_known) in rows {
        let temp = tempfile::tempdir().unwrap();
        let mut writer = begin(temp.path(), &["a"]);
        let path = writer.path().to_owned();
        let unpaid = AttemptRecord {
            usage: is_known.then(Usage::default),
            cost_usd,
            ..failed("a", 1, "refused")
        };
        finish(&mut writer, std::slice::from_ref(&unpaid));
        drop(writer);
        let run = RunDir::open(&path).unwrap();
        assert_eq!(run.records[0].usage, unpaid.usage, "{cost_usd:?}");
    }
}

/// A stopped run is resumed without its journals, as by a queue, or merged into another run. Both
/// keep its spending, also if the process is killed before it removes a journal that it gave up.
#[test]
fn spending_in_journals_is_kept() {
    let failed = AttemptRecord {
        cost_usd: Some(4.0),
        ..failed("a", 1, "refused")
    };
    // Columns: whether the attempt has a record of an error, its trajectory (empty if there is
    // none), its journal, and the attempts, calls, tokens and dollars that are not in a record.
    let rows = [
        // A killed attempt with a call in flight.
        (false, "start ask answer ask", "r", (1, 2, 20, Some(2.5))),
        // A killed run was resumed, and stopped before it reached the attempt.
        (false, "", "rr", (1, 2, 20, Some(1.0))),
        (false, "start ask answer", "r", (1, 1, 10, Some(0.5))),
        (false, "start ask", "", (1, 1, 10, Some(2.0))),
        // The journal of an attempt with a record.
        (true, "", "r", (0, 0, 0, None)),
        // A rerun continued the attempt and was stopped.
        (
            true,
            "start ask answer ask answer",
            "rcr",
            (1, 1, 10, Some(0.5)),
        ),
    ];
    for (is_recorded, trajectory, journal, expected) in rows {
        let temp = tempfile::tempdir().unwrap();
        let mut writer = begin(temp.path(), &["a"]);
        let path = writer.path().to_owned();
        let write = |words: &str| {
            let events = events_of(words).into_iter().map(|event| json!(event));
            let lines: String = events.map(|event| format!("{event}\n")).collect();
            fs::write(path.join("trajectories/a.1.jsonl"), lines).unwrap();
        };
        if is_recorded {
            writer.begin_attempt("a", 1);
            writer.end_attempt(&failed);
            write("start ask answer");
        }
        if !trajectory.is_empty() {
            if is_recorded {
                fs::create_dir(path.join("superseded")).unwrap();
                let from = path.join("trajectories/a.1.jsonl");
                fs::rename(from, path.join("superseded/a.1~1.jsonl")).unwrap();
            }
            write(trajectory);
        }
        for line in journal.chars() {
            let line = match line {
                'r' => paid_response(),
                _ => "{\"continued\":{}}\n".to_owned(),
            };
            writer.journal().append("a", 1, &line).unwrap();
        }
        drop(writer);
        let case = format!("{is_recorded} {trajectory:?} {journal}");
        let abandoned = |path: &Path| figures(&RunDir::open(path).unwrap().wasted.abandoned);
        let spent = || figures(&Reopened::open(&path).unwrap().spent().unwrap());
        assert_eq!(abandoned(&path), expected, "{case}");

        let merged = begin(&temp.path().join("merged"), &["a"]);
        merged.adopt_wasted(&path, &[]).unwrap();
        let to = merged.path().to_owned();
        drop(merged);
        assert_eq!(abandoned(&to), expected, "{case}");

        let before = spent();
        let kept = fs::read(path.join("journal/a.1.jsonl"));
        let afresh = BTreeSet::from([("a".to_owned(), 1)]);
        let again = if is_recorded {
            afresh.clone()
        } else {
            BTreeSet::new()
        };
        let reopened = Reopened::open(&path).unwrap();
        let (config, program) = (json!({"v": 1}), Program::from_iter([]));
        let resumed = reopened.resume(&config, Vec::new(), &again, &afresh, &program);
        drop(resumed.unwrap());
        assert!(!path.join("journal/a.1.jsonl").exists(), "{case}");
        assert_eq!((spent(), abandoned(&path)), (before, expected), "{case}");

        // The journal of an attempt that counts as finished is removed without being given up.
        let (true, Ok(kept)) = (expected.0 > 0, kept) else {
            continue;
        };
        fs::write(path.join("journal/a.1.jsonl"), kept).unwrap();
        assert_eq!((spent(), abandoned(&path)), (before, expected), "{case}");
        let reopened = Reopened::open(&path).unwrap();
        let none = BTreeSet::new();
        let resumed = reopened.resume(&config, Vec::new(), &none, &none, &program);
        drop(resumed.unwrap());
        assert!(!path.join("journal/a.1.jsonl").exists(), "{case}");
        assert_eq!((spent(), abandoned(&path)), (before, expected), "{case}");
    }
}

#[test]
fn reports_unwritable_wasted_spending() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("abandoned/a.1~q1.jsonl");
    let beside = path.with_extension("jsonl.tmp");
    fs::create_dir_all(&beside).unwrap();
    let paid = paid_response();
    let reason = fs::write(&beside, "").unwrap_err();
    for what in [
        WastedSource::Trajectory(b"{}\n"),
        WastedSource::Journal(paid.as_bytes()),
    ] {
        let error = keep_abandoned(temp.path(), ("a", 1), 1, what).unwrap_err();
        let expected = format!("cannot write {}: {reason}", path.display());
        assert_eq!(error.to_string(), expected, "{what:?}");
    }
}

#[test]
fn reads_journal_truncated_inside_character() {
    let temp = tempfile::tempdir().unwrap();
    let writer = begin(temp.path(), &["a"]);
    let journal = writer.journal();
    let line = paid_response();
    journal.append("a", 1, &line).unwrap();
    let inside = line.find('é').unwrap() + 1;
    let torn = [line.as_bytes(), &line.as_bytes()[..inside]].concat();
    fs::write(journal.path("a", 1), torn).unwrap();
    assert_eq!(journal.look("a", 1).unwrap(), [line.trim_end()]);
}

/// Expected ids with the number, offset and bytes of a truncated line, or the expected error.
type Read<'a> = Result<(Vec<&'a str>, Option<(usize, u64, Vec<u8>)>), String>;

#[test]
fn truncated_last_line_loses_no_other() {
    let line = |id: &str| serde_json::to_string(&record(id, 1)).unwrap();
    let (a, b) = (line("a"), line("b"));
    let later = a.replacen("\"v\":1", "\"v\":2", 1);
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("samples.jsonl");
    let torn = |line, offset: &str, bytes: &[u8]| Some((line, offset.len() as u64, bytes.to_vec()));
    let rows: [(Vec<u8>, Read); 10] = [
        (Vec::new(), Ok((vec![], None))),
        (format!("{a}\n{b}\n").into(), Ok((vec!["a", "b"], None))),
        (format!("{a}\n{b}").into(), Ok((vec!["a", "b"], None))),
        (
            format!("{a}\n{}", &b[..40]).into(),
            Ok((vec!["a"], torn(2, &format!("{a}\n"), &b.as_bytes()[..40]))),
        ),
        (b.as_bytes()[..1].into(), Ok((vec![], torn(1, "", b"{")))),
        (
            [a.as_bytes(), b"\n\0\0\xff"].concat(),
            Ok((vec!["a"], torn(2, &format!("{a}\n"), b"\0\0\xff"))),
        ),
        (
            format!("{a}\n{}\n{b}\n", &b[..40]).into(),
            Err(
                "samples.jsonl:2: not an attempt record: EOF while parsing an object at column 40"
                    .to_owned(),
            ),
        ),
        (
            format!("{a}\n{{\"v\":1}}\n").into(),
            Err(
                "samples.jsonl:2: not an attempt record: missing field `run_id` at column 7"
                    .to_owned(),
            ),
        ),
        (
            format!("\n{a}\n").into(),
            Err(
                "samples.jsonl:1: not an attempt record: EOF while parsing a value at column 0"
                    .to_owned(),
            ),
        ),
        (
            format!("{a}\n{later}\n{b}\n").into(),
            Err(
                "samples.jsonl:2: record of schema version 2, but this program reads only versions up to 1"
                    .to_owned(),
            ),
        ),
    ];
    for (bytes, wanted) in rows {
        fs::write(&path, &bytes).unwrap();
        let read = read_records(&path);
        let found = match &read {
            Ok((records, torn)) => Ok((
                records.iter().map(|record| record.id.as_str()).collect(),
                torn.clone()
                    .map(|torn| (torn.line, torn.offset, torn.bytes)),
            )),
            Err(error) => Err(error
                .to_string()
                .replace(&format!("{}/", temp.path().display()), "")),
        };
        assert_eq!(found, wanted, "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn reports_folder_without_readable_run() {
    let rows: [(&str, Option<&str>, &str); 8] = [
        (
            "config.json",
            None,
            "RUN is not a run directory: config.json is missing",
        ),
        (
            "lock.json",
            None,
            "RUN is not a run directory: lock.json is missing",
        ),
        (
            "samples.jsonl",
            None,
            "RUN is not a run directory: samples.jsonl is missing",
        ),
        (
            "config.json",
            Some("{"),
            "RUN/config.json: EOF while parsing an object at line 1 column 1",
        ),
        (
            "config.json",
            Some(r#"{"v":99}"#),
            "RUN/config.json has schema version 99, but this program reads only versions up to 1",
        ),
        (
            "lock.json",
            Some("{}"),
            "RUN/lock.json: missing field `v` at line 1 column 2",
        ),
        (
            "lock.json",
            Some(r#"{"v":1}"#),
            "RUN/lock.json: missing field `fingerprint` at line 1 column 7",
        ),
        (
            "lock.json",
            Some(r#"{"v":9}"#),
            "RUN/lock.json has schema version 9, but this program reads only versions up to 1",
        ),
    ];
    for (file, text, message) in rows {
        let temp = tempfile::tempdir().unwrap();
        let run = begin(temp.path(), &[]).path().to_owned();
        match text {
            Some(text) => fs::write(run.join(file), text).unwrap(),
            None => fs::remove_file(run.join(file)).unwrap(),
        }
        let error = RunDir::open(&run).unwrap_err().to_string();
        assert_eq!(error.replace(run.to_str().unwrap(), "RUN"), message);
    }
}

#[test]
fn reports_unwritable_folder_and_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    // Root ignores permissions, so the cases use a file in place of a folder, invalid names, and
    // `/proc`.
    let mut rows = vec![
        (
            temp.path().join("new\0folder/x"),
            "file name contained an unexpected NUL byte",
        ),
        (
            temp.path().join("new").join("x".repeat(300)),
            "File name too long (os error 36)",
        ),
    ];
    if Path::new("/proc/self").exists() {
        rows.push((
            "/proc/results".into(),
            "No such file or directory (os error 2)",
        ));
    }
    for results in [file.clone(), file.join("sub"), file.join("sub/results")] {
        let folder = file.display();
        let wanted = format!("cannot create a run directory in {folder}: it is not a folder");
        assert_eq!(create(&results).unwrap_err(), wanted);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "{folder}");
    }
    for (results, reason) in rows {
        let folder = results.display();
        let wanted = format!("cannot create a run directory in {folder}: {reason}");
        assert_eq!(create(&results).unwrap_err(), wanted);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "{folder}");
    }
}

#[test]
fn run_that_never_begins_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let results = temp.path().join("new/results");
    let run = create(&results).unwrap();
    assert!(run.path().is_dir());
    drop(run);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);

    // Two runs created at the same moment do not use or remove each other's folders and files.
    let runs = [create(&results).unwrap(), create(&results).unwrap()];
    let [first, second] = &runs;
    assert_ne!(first.path(), second.path());
    assert!(
        first.id().starts_with("s-niah-solver-20261121-092406-"),
        "{}",
        first.id()
    );
    fs::write(results.join("notes.txt"), "").unwrap();
    drop(runs);
    assert_eq!(files(temp.path()), ["new/results/notes.txt"]);

    // The folder is deleted after the start: the error names the missing file.
    let run = create(&results).unwrap();
    let path = run.path().to_owned();
    fs::remove_dir(&path).unwrap();
    let error = run
        .begin(
            &json!({"v": 1}),
            Lock::new(fingerprint(), identity("x")),
            Vec::new(),
        )
        .unwrap_err();
    let file = path.join("config.json");
    assert_eq!(
        error.to_string(),
        format!(
            "cannot write {}: No such file or directory (os error 2)",
            file.display()
        )
    );
}

#[test]
fn keeps_first_write_error_and_record() {
    let temp = tempfile::tempdir().unwrap();
    let mut writer = begin(temp.path(), &["a", "b"]);
    let path = writer.path().to_owned();
    fs::remove_dir(path.join("trajectories")).unwrap();
    finish(&mut writer, &[record("a", 1), record("b", 1)]);
    assert_eq!(
        writer.take_error().unwrap().to_string(),
        format!(
            "cannot write {}: No such file or directory (os error 2)",
            path.join("trajectories/a.1.jsonl").display()
        )
    );
    assert!(writer.take_error().is_none());
    assert_eq!(
        RunDir::open(&path).unwrap().records,
        [record("a", 1), record("b", 1)]
    );
}

#[test]
fn fingerprints_depend_on_content() {
    let of = |parts: Value| Fingerprint::from_parts(serde_json::from_value(parts).unwrap());
    // Computed in Python: sha256(json.dumps(parts, sort_keys=True, separators=(",", ":"),
    // ensure_ascii=False).encode()).
    let parts = json!({"model": "x/ü", "limits": {"max_depth": 2, "b": null, "a": [1, 0.5, true]}});
    assert_eq!(
        of(parts.clone()).as_str(),
        "dec100847625e15cabd4951ce642d5406fafb819d465cc8429002d59fef22982"
    );
    assert_eq!(
        of(parts.clone()).parts(),
        &serde_json::from_value(parts.clone()).unwrap()
    );

    let rows = [
        (
            json!({"limits": {"a": [1, 0.5, true], "b": null, "max_depth": 2}, "model": "x/ü"}),
            true,
        ),
        (
            json!({"model": "x/ü", "limits": {"max_depth": 3, "b": null, "a": [1, 0.5, true]}}),
            false,
        ),
        (
            json!({"model": "x/ü", "limits": {"max_depth": 2, "b": null, "a": [0.5, 1, true]}}),
            false,
        ),
        (
            json!({"model": "x/ü", "limits": {"max_depth": 2, "a": [1, 0.5, true]}}),
            false,
        ),
        (json!({"model": "x/ü"}), false),
        (json!({}), false),
    ];
    for (other, equal) in rows {
        assert_eq!(of(other.clone()) == of(parts.clone()), equal, "{other}");
    }
}

#[test]
fn timestamps_of_any_precision_survive() {
    for text in [
        "2026-11-21T09:24:06Z",
        "2026-11-21T09:24:06.000000001Z",
        "1969-12-31T23:59:59Z",
    ] {
        let started_at: Timestamp = text.parse().unwrap();
        let record = AttemptRecord {
            started_at: Some(started_at),
            ..record("a", 1)
        };
        let line = serde_json::to_string(&record).unwrap();
        assert!(
            line.contains(&format!("\"started_at\":\"{text}\"")),
            "{line}"
        );
        assert_eq!(
            serde_json::from_str::<AttemptRecord>(&line).unwrap(),
            record
        );
    }
}
