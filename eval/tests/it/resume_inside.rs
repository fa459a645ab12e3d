//! `kill -9` in the middle of attempts: each resumes where it stopped, no response is paid twice,
//! and the answers do not change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use records::run_dir::{Journal, RunDir};
use serde_json::{Value, json};

use crate::binary::{Binary, is_full};
use crate::queue::{only_run, until};
use crate::run::{lines, only, read_json};

/// Latency of the server in milliseconds.
const LATENCY: u64 = 4;

/// Returns the response of an agent in a tree of three levels. Cells print all values that differ
/// between processes, so that the test fails if a replayed cell prints different ones. The answers
/// do not depend on these values.
fn reply(seen: &ReceivedRequest) -> String {
    let messages = seen.body["messages"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of = |role: &str| {
        let of_role = messages.iter().filter(|message| message["role"] == role);
        of_role.cloned().collect::<Vec<Value>>()
    };
    let asked = of("user")[0]["content"].as_str().unwrap().to_owned();
    let turn = of("assistant").len() + 1;
    let kind = ["grow", "branch", "leaf", "bud"];
    let kind = kind.iter().find(|kind| asked.starts_with(**kind)).unwrap();
    let noise = "Math.random(), Date.now(), performance.now(), budget()";
    let call = |what: &str| {
        format!(
            "const got = await Promise.all([0, 1].map(async (n) => {{
               await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
               const name = `${{context}}/{turn}${{n}}`;
               return Promise.race([rlm(`{what} ${{name}}`, name), rlm(`{what} ${{name}}x`, name + 'x').then((t) => t)]);
             }}));
             for (const one of got) total += Number(one);
             console.log(got, {noise});"
        )
    };
    let cell = match (*kind, turn) {
        ("bud", _) => return "1".to_owned(),
        ("grow" | "branch" | "leaf", 1) => format!("var total = 0; console.log({noise});"),
        ("grow", 4 | 9 | 14) => call("branch"),
        ("branch", 3 | 6) => call("leaf"),
        ("branch" | "leaf", 2) => {
            format!("total += Number(await llm(`bud ${{context}}`)); console.log(total, {noise});")
        }
        ("grow", 20) | ("branch", 10) | ("leaf", 3) => "return(total > 0 ? 1 : 0)".to_owned(),
        _ => format!("console.log({noise});"),
    };
    format!("```js\n{cell}\n```")
}

#[derive(Clone, Copy)]
struct ArrivalTime(Instant);

struct Forest {
    binary: Binary,
    server: FaultServer,
    arrivals: Arc<Mutex<Vec<ArrivalTime>>>,
}

impl Forest {
    fn new(trees: usize) -> Self {
        let arrivals: Arc<Mutex<Vec<ArrivalTime>>> = Arc::default();
        let noted = Arc::clone(&arrivals);
        let server = FaultServer::start(move |seen| {
            noted.lock().unwrap().push(ArrivalTime(Instant::now()));
            Behavior::Late(LATENCY, reply(seen))
        });
        let row = |tree: usize| {
            json!({"id": format!("t{tree}"), "query": "grow", "context": format!("t{tree}"), "expected": 1}).to_string()
        };
        let rows: Vec<String> = (1..=trees).map(row).collect();
        let binary = Binary::new()
            .file("trees.jsonl", rows.join("\n"))
            .variable("OPENAI_API_KEY", "k");
        Self {
            binary,
            server,
            arrivals,
        }
    }

    fn args(&self) -> Vec<String> {
        let args = "run --benchmark trees.jsonl --scorer numeric --model openai/m --max-depth 3 --max-iterations 20 \
                    --concurrency 4 --adaptive false --max-connections 64 --base-url";
        let args = args.split_whitespace().map(str::to_owned);
        args.chain([self.server.openai()]).collect()
    }

    fn start(&self, args: &[String]) -> Child {
        self.binary.spawn(args)
    }

    fn calls(&self) -> usize {
        self.arrivals.lock().unwrap().len()
    }

    fn run(&self) -> Option<PathBuf> {
        only_run(self.binary.path())
    }
}

fn answers(dir: &Path) -> BTreeMap<String, (String, Option<String>, Option<u32>)> {
    let run = RunDir::open(dir).expect("the folder contains a run");
    let of = |record: &records::AttemptRecord| {
        let what = (
            record.status.to_string(),
            record.answer.clone(),
            record.llm_calls,
        );
        (record.id.clone(), what)
    };
    run.records.iter().map(of).collect()
}

/// Returns how often each request appears in the journals.
fn count_journaled_requests(dir: &Path) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    let journal = Journal::of(dir);
    for record in RunDir::open(dir).unwrap().records {
        let (sample, attempt) = (&record.id, record.attempt);
        for line in journal.look(sample, attempt).unwrap() {
            let line: Value = serde_json::from_str(&line).unwrap();
            if let Some(response) = line.get("response") {
                let (agent, turn) = (&response["invocation"], &response["turn"]);
                let key = format!("{sample} {attempt} {agent} {turn} {}", response["trims"]);
                *all.entry(key).or_default() += 1;
            }
        }
    }
    all
}

#[test]
fn resumes_attempts_where_killed() {
    let (kills, trees) = if is_full() { (50, 24) } else { (3, 3) };
    let quiet = Forest::new(trees);
    assert!(quiet.start(&quiet.args()).wait().unwrap().success());
    let all = quiet.calls();
    let forest = Forest::new(trees);
    let mut child = forest.start(&forest.args());
    let mut killed = Vec::new();
    // The number of calls between two kills is small enough that the last kill precedes the end of
    // the run.
    let step = all / (kills + 1);
    let began = Instant::now();
    for kill in 1..=kills {
        while forest.calls() < kill * step && child.try_wait().unwrap().is_none() {
            assert!(
                began.elapsed() < Duration::from_mins(5),
                "kill {kill}: {} calls",
                forest.calls()
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        killed.push(Instant::now());
        child.wait().unwrap();
        let dir = forest.run().expect("a run began");
        let resume = [
            "run",
            "--resume",
            &dir.to_string_lossy(),
            "--base-url",
            &forest.server.openai(),
        ]
        .map(str::to_owned);
        child = forest.start(&resume);
    }
    let ended = child.wait().unwrap();
    let dir = forest.run().unwrap();
    assert!(ended.success(), "{ended:?}: {}", dir.display());

    let of_quiet = answers(&quiet.run().unwrap());
    assert_eq!(of_quiet.len(), trees);
    let found = answers(&dir);
    for (id, (status, answer, _)) in &of_quiet {
        assert_eq!((&found[id].0, &found[id].1), (status, answer), "{id}");
    }
    let twice: Vec<_> = count_journaled_requests(&dir)
        .into_iter()
        .filter(|(_, times)| *times > 1)
        .collect();
    assert_eq!(twice, [], "these responses were paid twice");
    let mut resumed = 0;
    for id in of_quiet.keys() {
        let path = RunDir::open(&dir).unwrap().trajectory(id, 1);
        for event in lines::<Value>(&path) {
            assert_ne!(event["kind"]["type"], "attempt_restarted", "{event}");
            resumed += usize::from(event["kind"]["type"] == "attempt_resumed");
        }
    }
    assert!(resumed > 0);
    // Calls in flight at the time of a kill, with a tolerance for the network.
    let wire = Duration::from_millis(LATENCY + 10);
    let in_flight = |kill: &Instant| {
        let arrivals = forest.arrivals.lock().unwrap();
        arrivals
            .iter()
            .filter(|ArrivalTime(at)| at <= kill && *at + wire > *kill)
            .count()
    };
    let lost: usize = killed.iter().map(in_flight).sum();
    let calls = forest.calls();
    println!(
        "{kills} kills, {trees} trees: {calls} calls, {all} in the quiet run, {lost} in flight at kills; {resumed} attempts were resumed"
    );
    let paid = u32::try_from(calls.saturating_sub(lost)).unwrap();
    assert!(
        f64::from(paid) <= 1.05 * all as f64,
        "{calls} calls, {lost} of them lost, instead of {all}"
    );

    // The summary reports the lost calls; the records contain all others.
    let summary = read_json(dir.join("summary.json"));
    for file in fs::read_dir(dir.join("abandoned")).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains("llm_response"),
            "{} contains a paid response",
            path.display()
        );
    }
    let wasted = summary["wasted"]["abandoned"]["llm_calls"]
        .as_u64()
        .unwrap();
    let recorded: u64 = found
        .values()
        .map(|(.., calls)| u64::from(calls.unwrap_or(0)))
        .sum();
    assert!(
        recorded + wasted + lost as u64 >= calls as u64,
        "{recorded} + {wasted} of {calls}"
    );
}

/// A tool returns a different result each time. The attempt reports this, restarts, and reports the
/// wasted cost.
#[test]
fn restarts_attempt_that_diverges() {
    let server = FaultServer::start(|seen| {
        let turn = seen.body["messages"].as_array().map_or(0, Vec::len) / 2;
        let cell = match turn {
            1 => "console.log(await dice({}));",
            2 => "console.log('more');",
            _ if seen.number == 2 => return Behavior::Stall,
            _ => "return(1)",
        };
        Behavior::Text(format!("```js\n{cell}\n```"))
    });
    let tool = "module.exports = { description: 'Throws dice.', parameters: { type: 'object', properties: {} }, run: () => Math.random() };";
    let row = json!({"id": "q", "query": "How many?", "expected": 1});
    let binary = Binary::new()
        .file("q.jsonl", row.to_string())
        .file("tools/dice.js", tool)
        .variable("OPENAI_API_KEY", "k");
    let args = format!(
        "run --benchmark q.jsonl --scorer numeric --model openai/m --tools dice --tools-dir tools --base-url {}",
        server.openai()
    );
    let args: Vec<&str> = args.split(' ').collect();
    let mut child = binary.spawn(&args);
    until("three requests arrived", || server.seen().len() >= 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let dir = only(&binary.path().join("results"));
    let resumed = binary.run(
        &[
            "run",
            "--resume",
            &dir.to_string_lossy(),
            "--base-url",
            &server.openai(),
            "--tools-dir",
            "tools",
        ],
        "",
    );
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    let run = RunDir::open(&dir).unwrap();
    let record = &run.records[0];
    assert_eq!((record.score, record.llm_calls), (Some(1.0), Some(3)));
    let events = lines::<Value>(&run.trajectory("q", 1));
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| event["kind"]["type"].as_str())
        .collect();
    assert_eq!(
        kinds[..3],
        ["attempt_start", "attempt_restarted", "invocation_start"]
    );
    assert_eq!(
        events[1]["kind"]["reason"],
        "request 2 of root differs from the recorded one"
    );
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| **kind == "attempt_start")
            .count(),
        1
    );
    let summary = read_json(dir.join("summary.json"));
    let wasted = &summary["wasted"]["abandoned"];
    assert_eq!(
        (&wasted["attempts"], &wasted["llm_calls"]),
        (&json!(1), &json!(3)),
        "{wasted}"
    );
    // Three requests before the kill, the last of which stalled, and the same number after the
    // restart.
    assert_eq!(server.seen().len(), 6);
}
