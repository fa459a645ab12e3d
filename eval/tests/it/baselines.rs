//! Runs baselines on contexts that exceed the server's context window, and the example sweeps that
//! compare the baselines.

use std::fs;
use std::path::PathBuf;

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use records::run_dir::RunDir;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{lines, only};

/// Context window of the server's model, in characters.
const WINDOW: usize = 20_000;

/// Position of the answer in the context, in characters.
const PLACE: usize = 51_000;

/// Returns the newest message and the length of the conversation in characters.
fn newest(seen: &ReceivedRequest) -> (String, usize) {
    let messages = seen.body["messages"].as_array().unwrap();
    let mut texts = messages
        .iter()
        .map(|one| one["content"].as_str().unwrap_or_default());
    let chars = texts.clone().map(|text| text.chars().count()).sum();
    (texts.next_back().unwrap_or_default().to_owned(), chars)
}

fn answer(seen: &ReceivedRequest) -> Behavior {
    let (newest, chars) = newest(seen);
    if chars > WINDOW {
        let error = json!({"error": {"code": "context_length_exceeded", "message": "too long"}});
        return Behavior::Status(400, Vec::new(), error.to_string());
    }
    let works_by_code = newest.contains("`context` is a string");
    Behavior::Text(if works_by_code {
        "```js\nconst [, code] = context.match(/violet safe is (\\d+)/);\nconsole.log(code);\nreturn(code);\n```".to_owned()
    } else if newest.contains("4711") {
        "4711".to_owned()
    } else {
        "unknown".to_owned()
    })
}

/// Returns a binary with a sample whose context has 100,000 characters and one relevant sentence.
fn binary() -> Binary {
    let filler = "Nothing of note stands in this line of the log.\n";
    let mut context = filler.repeat(PLACE.div_ceil(filler.len()));
    context.truncate(PLACE);
    context += "The code of the violet safe is 4711.\n";
    while context.len() < 100_000 {
        context += filler;
    }
    let row = json!({"id": "safe", "query": "What is the code of the violet safe? Answer with the number alone.", "context": context, "expected": "4711"});
    Binary::new()
        .file("safe.jsonl", row.to_string())
        .variable("OPENAI_API_KEY", "k")
}

#[test]
fn each_baseline_handles_long_context() {
    // Flags; expected status, answer, number of requests, and number of `context_trimmed` events.
    let rows: [(&str, &str, Option<&str>, usize, usize); 6] = [
        ("--protocol direct", "ok", Some("unknown"), 7, 6),
        ("--protocol direct --overflow refuse", "limit", None, 1, 0),
        ("--protocol retrieve", "limit", None, 1, 0),
        (
            "--protocol retrieve --retrieve-passages 3",
            "ok",
            Some("4711"),
            1,
            0,
        ),
        (
            "--protocol summary --piece-chars 10000",
            "ok",
            Some("4711"),
            12,
            0,
        ),
        (
            "--protocol codeact --confirm-first-return false",
            "ok",
            Some("4711"),
            1,
            0,
        ),
    ];
    for (flags, status, wanted, requests, cuts) in rows {
        let server = FaultServer::start(answer);
        let binary = binary();
        let (base_url, flags) = (server.openai(), flags.split(' '));
        let args = [
            "run",
            "--benchmark",
            "safe.jsonl",
            "--model",
            "openai/m",
            "--base-url",
            &base_url,
        ];
        let args: Vec<&str> = args.into_iter().chain(flags).collect();
        let ran = binary.run(&args, "");
        let run = RunDir::open(&only(&binary.path().join("results"))).unwrap();
        let record = &run.records[0];
        let found = (
            record.status.to_string(),
            record.answer.as_deref(),
            server.seen().len(),
        );
        assert_eq!(
            found,
            (status.to_owned(), wanted, requests),
            "{args:?} {}",
            ran.stderr
        );
        let events = lines::<Value>(&run.trajectory("safe", 1));
        let trimmed = events.iter().map(|event| &event["kind"]);
        let trimmed: Vec<&Value> = trimmed
            .filter(|kind| kind["type"] == "context_trimmed")
            .collect();
        assert_eq!(trimmed.len(), cuts, "{args:?}");
        if let Some(last) = trimmed.last() {
            let [from, to] = [0, 1].map(|at| last["cut"][at].as_u64().unwrap());
            assert!(from < PLACE as u64 && to > PLACE as u64 + 40, "{last}");
            let chars: u64 = trimmed
                .iter()
                .map(|kind| kind["chars"].as_u64().unwrap())
                .sum();
            assert_eq!(to - from, chars, "the cuts add up to the missing range");
        }
    }
}

#[test]
fn example_sweeps_compare_all_baselines() {
    let oolong = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../benchmarks/src/oolong/fixture"
    );
    let rows: [(&str, &[&str]); 2] = [
        (
            "s-niah-baselines",
            &["--context-len", "8k,16k", "--samples-per-length", "1"],
        ),
        (
            "oolong-baselines",
            &["--data-dir", oolong, "--context-len", "1024"],
        ),
    ];
    let cells = [
        "01-direct",
        "02-retrieve",
        "03-summary",
        "04-codeact",
        "05-tools",
        "06-rlm-solver",
        "07-workflow",
    ];
    for (name, more) in rows {
        let binary = Binary::new();
        let args = ["sweep", "--matrix", name, "--out", "out", "--"];
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        let out: PathBuf = binary.path().join("out");
        for cell in cells {
            let run = RunDir::open(&out.join(cell)).unwrap();
            let has_all = run
                .records
                .iter()
                .all(|record| record.status.to_string() == "ok");
            assert!(has_all && !run.records.is_empty(), "{name} {cell}");
            assert!(ran.stdout.contains(cell), "{name} {cell}: {}", ran.stdout);
        }
        assert!(ran.stdout.contains("cost per right answer"), "{name}");
        let page = fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("Score by context length"), "{name}");
    }
    let ran = Binary::new().run(&["sweep", "--matrix", "webnav", "--out", "out"], "");
    let all = "available: ";
    assert!(
        ran.stderr.contains(all) && ran.stderr.contains("s-niah-baselines"),
        "{}",
        ran.stderr
    );
}
