//! Compaction of long conversations: what an agent still knows after 300 iterations, and `kill -9`
//! between summaries.

use std::time::{Duration, Instant};

use fault_server::{Behavior, FaultServer};
use records::run_dir::RunDir;
use serde_json::{Value, json};

use crate::binary::Binary;
use crate::run::{finish, lines, only};

/// With a window of 32,000 tokens, an agent reads a word in iteration 3 that it needs in iteration
/// 300.
#[test]
fn compacts_300_iterations_into_32000_tokens() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/examples/compaction/model.yaml"
    );
    let model = format!("scripted:{model}");
    let row = json!({"id": "q", "query": "What is the password?", "context": "the password is heron", "expected": "heron after 298 rows"});
    let binary = Binary::new().file("q.jsonl", row.to_string());
    let mut shown = Vec::new();
    for (compaction, score, trims) in [
        ("--compaction none", 0.0, 0..=0),
        ("--compaction outputs", 0.0, 2..=20),
        ("--compaction summary --compaction-at 24000", 1.0, 2..=20),
    ] {
        let args = format!(
            "run --benchmark q.jsonl --scorer exact --max-iterations 300 --model {model} {compaction}"
        );
        let args: Vec<&str> = args.split(' ').collect();
        let run = finish(&binary, &args);
        let record = &run.dir.records[0];
        assert_eq!(record.score, Some(score), "{compaction}: {record:?}");
        let cut = record.context_trims.unwrap_or(0);
        assert!(trims.contains(&cut), "{compaction}: {cut} cuts");
        shown.push(format!(
            "{compaction}: {} {:?} after {:?} iterations, {cut} cuts, {:?} calls",
            record.status, record.answer, record.iterations, record.llm_calls
        ));
        // The first message is never replaced, and the conversation never fills the window.
        for event in lines::<Value>(&run.dir.trajectory("q", 1)) {
            let kind = &event["kind"];
            if kind["type"] == "context_compacted" {
                assert_eq!(kind["messages"][0], 1, "{kind}");
                assert!(kind["tokens_after"].as_u64() < Some(8_000), "{kind}");
                assert!(kind["tokens_before"].as_u64() < Some(26_000), "{kind}");
            }
        }
    }
    println!("{}", shown.join("\n"));
}

/// The server stalls on the first request for the third summary. The process is killed then, and
/// the run resumes with the first two summaries.
#[test]
fn resumes_between_summaries() {
    let stalls = std::sync::atomic::AtomicBool::new(true);
    let server = FaultServer::start(move |seen| {
        let messages = seen.body["messages"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        let all: Vec<String> = messages.iter().map(text).collect();
        // prose: quotes the prompt
        if all[0].starts_with("You summarise") {
            let number = all[1].matches("summary number").count();
            if all[1].contains("summary number 2")
                && stalls.swap(false, std::sync::atomic::Ordering::SeqCst)
            {
                return Behavior::Stall;
            }
            let next = if all[1].contains("summary number 2") {
                3
            } else {
                1 + number
            };
            return Behavior::NoUsage(format!("summary number {next}"));
        }
        if all.iter().any(|text| text.contains("summary number 3")) {
            return Behavior::NoUsage("```js\nreturn(rows.length)\n```".to_owned());
        }
        Behavior::NoUsage(
            "```js\nvar rows = globalThis.rows ?? []; globalThis.rows = rows; rows.push(Math.random()); \
             console.log(rows.at(-1), 'x'.repeat(2000))\n```"
                .to_owned(),
        )
    });
    let row = json!({"id": "q", "query": "How many?", "expected": 1});
    let binary = Binary::new()
        .file("q.jsonl", row.to_string())
        .variable("OPENAI_API_KEY", "k");
    let args = format!(
        "run --benchmark q.jsonl --scorer numeric --model openai/m --max-iterations 40 --compaction summary --compaction-at 4000 \
         --compaction-keep 1 --base-url {}",
        server.openai()
    );
    let args: Vec<&str> = args.split_whitespace().collect();
    let mut child = binary.spawn(&args);
    let is_third = |seen: &[fault_server::ReceivedRequest]| {
        let asks = |seen: &fault_server::ReceivedRequest| {
            let text = seen.body.to_string();
            // prose: quotes the prompt
            text.contains("You summarise") && text.contains("summary number 2")
        };
        seen.iter().filter(|seen| asks(seen)).count()
    };
    let began = Instant::now();
    while is_third(&server.seen()) == 0 {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = server.seen().len();
    let dir = only(&binary.path().join("results"));
    let resume = [
        "run",
        "--resume",
        &dir.to_string_lossy(),
        "--base-url",
        &server.openai(),
    ];
    let resumed = binary.run(&resume, "");
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let run = RunDir::open(&dir).unwrap();
    let record = &run.records[0];
    assert_eq!(record.status.to_string(), "ok", "{record:?}");
    let events = lines::<Value>(&run.trajectory("q", 1));
    let of = |kind: &str| {
        let of_kind = events.iter().filter(|event| event["kind"]["type"] == kind);
        of_kind.count()
    };
    assert_eq!((of("attempt_resumed"), of("attempt_restarted")), (1, 0));
    assert_eq!(of("context_compacted"), 3);
    // One repeated request (the unanswered summary) and one new request after it.
    assert_eq!(server.seen().len(), before + 2);
}
