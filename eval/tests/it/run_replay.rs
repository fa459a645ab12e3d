//! Replays of runs that this program or the JavaScript system recorded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use harness::model::{EventKind, Protocol, Role, Status};
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{Finished, finish, s_niah};

/// Returns the results of all attempts without times.
fn results(run: &Finished) -> BTreeMap<(String, u32), Value> {
    let records = run.records().into_iter();
    let result = |record: &records::AttemptRecord| {
        json!([
            record.status,
            record.score,
            record.answer,
            record.error,
            record.iterations,
            record.agents,
            record.llm_calls,
            record.delegations
        ])
    };
    records.map(|(key, record)| (key, result(record))).collect()
}

#[test]
fn replays_own_run_to_same_answers() {
    for (mode, model) in [
        ("solver", "scripted"),
        ("coordinator", "scripted/s-niah-flawed"),
    ] {
        let binary = Binary::new();
        let shared = ["--prompt-mode", mode, "--attempts", "2"];
        let first = finish(
            &binary,
            &s_niah(&[&shared[..], &["--model", model]].concat()),
        );
        let replay = format!("replay:{}", first.dir.path.display());
        let again = finish(
            &binary,
            &s_niah(&[&shared[..], &["--model", &replay]].concat()),
        );
        assert_eq!((first.ran.code, again.ran.code), (Some(0), Some(0)));
        assert_eq!(results(&first), results(&again), "{mode}");
        assert!(
            again.ran.stderr.contains(
                "replaying the recorded 2 samples that exist in s-niah; select others with \
                 --sample-ids"
            ),
            "{}",
            again.ran.stderr
        );
    }
}

fn shared_data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../shared/data")
        .join(path)
}

#[test]
fn replays_of_real_model_score_as_recorded() {
    for (name, right) in [("run-026-drivers.json", 13), ("run-027-baseline.json", 8)] {
        let recording = shared_data("node-rlm").join(name);
        if !recording.is_file() {
            println!("skipped: {name} does not exist");
            continue;
        }
        let binary = Binary::new();
        let replay = format!("replay:{}", recording.display());
        let tasks = shared_data("arc-agi-2");
        let args = ["run", "--benchmark", "arc", "--max-iterations", "20"];
        let more = ["--model", &replay, "--data-dir", tasks.to_str().unwrap()];
        let run = finish(&binary, &[&args[..], &more].concat());
        assert_eq!(run.ran.code, Some(0), "{name}: {:?}", run.ran);
        assert!(
            run.ran.stderr.contains("replaying the recorded 20 samples"),
            "{}",
            run.ran.stderr
        );
        let text = fs::read_to_string(&recording).unwrap();
        let recorded: Value = serde_json::from_str(&text).unwrap();
        let recorded: BTreeMap<(String, u32), (f64, u64)> = recorded["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| {
                let id = task["taskId"].as_str().unwrap().to_owned();
                let score = task["score"].as_f64().unwrap();
                ((id, 1), (score, task["iterations"].as_u64().unwrap()))
            })
            .collect();
        let scored: BTreeMap<(String, u32), (f64, u64)> = run
            .records()
            .into_iter()
            .map(|(key, record)| (key, (record.score.unwrap(), record.iterations.into())))
            .collect();
        assert_eq!(scored, recorded, "{name}");
        let total: f64 = scored.values().map(|(score, _)| score).sum();
        assert!((total - f64::from(right)).abs() < 1e-9, "{name}: {total}");
    }
}

/// Returns a recording in the format of the JavaScript system, with the given code blocks for each
/// sample.
fn recording(tasks: &[(&str, &[&str])]) -> String {
    let results: Vec<Value> = tasks
        .iter()
        .map(|(id, blocks)| {
            let steps = blocks.iter().map(
                |code| json!({"reasoning": format!("I run this.\n\n```javascript\n{code}\n```\n")}),
            );
            json!({"taskId": id, "trace": steps.collect::<Vec<_>>()})
        })
        .collect();
    json!({"benchmark": "s-niah", "model": "m", "results": results}).to_string()
}

#[test]
fn missing_root_turn_ends_only_its_sample() {
    let tasks: [(&str, &[&str]); 3] = [
        ("s-niah-8k-1", &["console.log(context.length)"]),
        ("s-niah-8k-2", &["const x = 1", "return('no')"]),
        ("s-niah-8k-3", &[]),
    ];
    let binary = Binary::new().file("torn.json", recording(&tasks));
    let args = s_niah(&["--model", "replay:torn.json", "--samples-per-length", "3"]);
    let run = finish(&binary, &args);
    assert_eq!(run.ran.code, Some(106), "{:?}", run.ran);
    let missing = |sample: u32, turn: u32| {
        Some(format!(
            "the recording torn.json contains no response for sample s-niah-8k-{sample}, agent root, turn {turn}"
        ))
    };
    let ended: Vec<_> = run
        .records()
        .into_values()
        .map(|record| (record.status, record.score, record.error.clone()))
        .collect();
    assert_eq!(
        ended,
        [
            (Status::Error, None, missing(1, 2)),
            (Status::Ok, Some(0.0), None),
            (Status::Error, None, missing(3, 1)),
        ]
    );
}

#[test]
fn unrecorded_child_rejects_its_promise() {
    let calls =
        "const calls = await Promise.allSettled([rlm('find it', context), llm('who?'), 'mine']);";
    let answer = "return(calls.map((call) => call.reason?.message ?? call.value))";
    let binary = Binary::new().file(
        "calls.json",
        recording(&[("s-niah-8k-1", &[calls, answer])]),
    );
    let run = finish(&binary, &s_niah(&["--model", "replay:calls.json"]));
    assert_eq!(run.ran.code, Some(0), "{:?}", run.ran);
    let record = run.records()[&("s-niah-8k-1".to_owned(), 1)];
    let none = "the recording calls.json contains no response for sample s-niah-8k-1, agent";
    let expected = json!([
        format!("d1-c0 failed: {none} d1-c0, turn 1"),
        format!("d1-c1 failed: {none} d1-c1, turn 1"),
        "mine",
    ]);
    assert_eq!(record.answer, Some(expected.to_string()));
    assert_eq!((record.status, record.iterations), (Status::Ok, 2));
}

#[test]
fn refuses_replay_under_other_protocol() {
    let binary = Binary::new();
    let first = finish(&binary, &s_niah(&["--protocol", "direct"]));
    let replay = format!("replay:{}", first.dir.path.display());
    let again = finish(
        &binary,
        &s_niah(&["--protocol", "direct", "--model", &replay]),
    );
    assert_eq!(again.ran.code, Some(0), "{:?}", again.ran);
    assert_eq!(results(&first), results(&again));
    let events = again.events("s-niah-8k-1", 1);
    let direct = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::InvocationStart {
                role: Role::Root(Protocol::Direct),
                ..
            }
        )
    };
    assert!(events.iter().any(|event| direct(&event.kind)));
    let other = finish(&binary, &s_niah(&["--model", &replay]));
    assert_eq!(other.ran.code, Some(1), "{:?}", other.ran);
    let errors = other
        .dir
        .records
        .iter()
        .filter_map(|record| record.error.as_ref());
    assert!(
        errors
            .clone()
            .all(|error| error.ends_with("agent root, turn 1"))
    );
    assert_eq!(errors.count(), 2);
}

#[test]
fn warns_about_recording_of_other_samples() {
    let binary = Binary::new();
    let first = finish(&binary, &s_niah(&[]));
    let replay = format!("replay:{}", first.dir.path.display());
    let rows: [(&[&str], bool); 3] = [
        (&[], false),
        (&["--seed", "1"], true),
        (&["--samples-per-length", "3"], false),
    ];
    for (more, warned) in rows {
        let again = binary.run(&s_niah(&[&["--model", &replay], more].concat()), "");
        let warning = "warning: the recording is of a dataset with other samples under these ids";
        assert_eq!(again.stderr.contains(warning), warned, "{again:?}");
    }
}

#[test]
fn line_truncated_within_character_loses_no_other() {
    let binary = Binary::new();
    let first = finish(&binary, &s_niah(&["--record", "tape.jsonl"]));
    let tape = fs::read(binary.path().join("tape.jsonl")).unwrap();
    let header = 1 + tape.iter().position(|byte| *byte == b'\n').unwrap();
    let torn: &[u8] = b"{\"caller\":{\"sample\":\"\xe2\x80";
    let at_the_end = [&tape[..], torn].concat();
    let before_another = [&tape[..header], torn, b"\n", &tape[header..]].concat();
    let binary = binary
        .file("end.jsonl", at_the_end)
        .file("middle.jsonl", before_another);
    let trajectory = first.dir.trajectory("s-niah-8k-1", 1);
    let events = fs::read(&trajectory).unwrap();
    fs::write(&trajectory, [&events[..], torn].concat()).unwrap();
    let folder = first.dir.path.display().to_string();
    for recording in ["end.jsonl", "middle.jsonl", &folder] {
        let replay = format!("replay:{recording}");
        let again = finish(&binary, &s_niah(&["--model", &replay]));
        assert_eq!(again.ran.code, Some(0), "{recording}: {:?}", again.ran);
        assert_eq!(results(&first), results(&again), "{recording}");
    }
}

/// Replayed cells read the recorded clock and random values from the journal; without the journal,
/// they read live values.
#[test]
fn replays_clock_and_random_numbers() {
    let model = "description: d\nrules:\n  - when: { turn: 1 }\n    reply: |\n      ```js\n      \
        const [a, b] = await Promise.all([0, 1].map(async () => (await new Promise((done) => setTimeout(done, 3)), performance.now())));\n      \
        console.log(Math.random(), Date.now(), a, b)\n      ```\n  - reply: |\n      ```js\n      \
        console.log(Math.random(), new Date().toISOString()); return(String(Math.random()))\n      ```\n";
    let row = json!({"id": "q", "query": "What?", "expected": "x"});
    let binary = Binary::new()
        .file("q.jsonl", row.to_string())
        .file("model.yaml", model);
    let args = |model: &str| {
        let args =
            format!("run --benchmark q.jsonl --scorer exact --max-iterations 3 --model {model}");
        args.split(' ').map(str::to_owned).collect::<Vec<String>>()
    };
    let run = |model: &str| {
        let args = args(model);
        finish(
            &binary,
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
        )
    };
    let outputs = |run: &Finished| {
        let events = crate::run::lines::<Value>(&run.dir.trajectory("q", 1));
        let ends = events
            .iter()
            .filter(|event| event["kind"]["type"] == "iteration_end");
        let seen = ends.map(|event| {
            (
                event["kind"]["output"].clone(),
                event["kind"]["returned"].clone(),
            )
        });
        seen.collect::<Vec<_>>()
    };
    let first = run("scripted:model.yaml");
    let replay = format!("replay:{}", first.dir.path.display());
    let again = run(&replay);
    assert_eq!(outputs(&first), outputs(&again));
    // A replay can be replayed as well, because its journal contains the values that it read.
    let third = run(&format!("replay:{}", again.dir.path.display()));
    assert_eq!(outputs(&first), outputs(&third));
    fs::remove_dir_all(first.dir.path.join("journal")).unwrap();
    let without = run(&replay);
    assert_eq!((without.ran.code, outputs(&without).len()), (Some(0), 2));
    assert_ne!(outputs(&first), outputs(&without));
}
