//! Attempts that continue with the responses they received: after a kill, an infrastructure error
//! or an exhausted budget, but not from an edited journal.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use records::run_dir::{Journal, Reopened, RunDir};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::queue::until;
use crate::run::{lines, only};

/// Returns the 1-based number of the root's request, or `None` for a one-shot call.
fn turn_of_root(seen: &ReceivedRequest) -> Option<usize> {
    let messages = seen.body["messages"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let of = |role: &str| messages.iter().filter(|one| one["role"] == role).count();
    let first = messages.iter().find(|one| one["role"] == "user")?;
    let is_root = !first["content"].as_str()?.starts_with("bud");
    is_root.then(|| of("assistant") + 1)
}

/// Returns the reply of a model that answers in iteration `last`. Earlier cells print values that
/// differ between processes; those of even iterations also make a one-shot call.
fn reply(seen: &ReceivedRequest, last: usize) -> Behavior {
    let noise = "Math.random(), Date.now(), performance.now(), budget()";
    let cell = match turn_of_root(seen) {
        None => return Behavior::Text("1".to_owned()),
        Some(turn) if turn >= last => "return('1')".to_owned(),
        Some(turn) if turn % 2 == 0 => {
            format!("console.log({turn}, await llm(`bud {turn}`), {noise});")
        }
        Some(turn) => format!("console.log({turn}, {noise});"),
    };
    Behavior::Text(format!("```js\n{cell}\n```"))
}

fn binary() -> Binary {
    let row = json!({"id": "q", "query": "How many?", "context": "c", "expected": 1});
    Binary::new()
        .file("q.jsonl", row.to_string())
        .variable("OPENAI_API_KEY", "k")
}

fn args(server: &FaultServer, more: &[&str]) -> Vec<String> {
    let fixed = "run --benchmark q.jsonl --scorer numeric --model openai/m --max-depth 2 \
                 --max-iterations 30 --max-retries 0 --base-url";
    let fixed = fixed.split_whitespace().map(str::to_owned);
    let more = more.iter().map(|word| (*word).to_owned());
    fixed.chain([server.openai()]).chain(more).collect()
}

fn resume(binary: &Binary, server: &FaultServer, dir: &Path, more: &[&str]) -> Ran {
    binary.run(&resume_args(server, dir, more), "")
}

fn resume_args(server: &FaultServer, dir: &Path, more: &[&str]) -> Vec<String> {
    let (dir, url) = (dir.to_string_lossy(), server.openai());
    let fixed = ["run", "--resume", &dir, "--base-url", &url];
    let words = fixed.iter().chain(more);
    words.map(|word| (*word).to_owned()).collect()
}

fn run_dir(binary: &Binary) -> PathBuf {
    only(&binary.path().join("results"))
}

/// Starts a run, kills it once the server has received this number of requests, and returns its
/// folder.
fn killed_after(binary: &Binary, server: &FaultServer, requests: usize) -> PathBuf {
    start_and_kill(binary, &args(server, &[]), || {
        server.seen().len() >= requests
    });
    run_dir(binary)
}

/// Starts the program and kills it once a condition holds.
fn start_and_kill(binary: &Binary, args: &[String], is_reached: impl Fn() -> bool) {
    let mut child = binary.spawn(args);
    let began = Instant::now();
    while !is_reached() {
        assert!(began.elapsed() < Duration::from_secs(120), "{args:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn reasons(dir: &Path) -> Vec<String> {
    let path = RunDir::open(dir).unwrap().trajectory("q", 1);
    let events = lines::<Value>(&path);
    let of_restarts = events
        .iter()
        .filter(|event| event["kind"]["type"] == "attempt_restarted");
    of_restarts
        .map(|event| event["kind"]["reason"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn one_kill_costs_one_request() {
    // 20 iterations and 9 one-shot calls.
    const ITERATIONS: usize = 20;
    let quiet = FaultServer::start(|seen| reply(seen, ITERATIONS));
    let of_quiet = binary();
    assert_eq!(of_quiet.run(&args(&quiet, &[]), "").code, Some(0));
    let all = quiet.seen().len();
    let stalled = AtomicUsize::new(0);
    let server = FaultServer::start(move |seen| {
        let is_first =
            turn_of_root(seen) == Some(13) && stalled.fetch_add(1, Ordering::SeqCst) == 0;
        if is_first {
            Behavior::Stall
        } else {
            reply(seen, ITERATIONS)
        }
    });
    let binary = binary();
    // 12 iterations with 6 one-shot calls, and the request that stalls.
    let dir = killed_after(&binary, &server, 19);
    let ran = resume(&binary, &server, &dir, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(server.seen().len(), all + 1);
    let of_root = server.seen().iter().filter_map(turn_of_root).count();
    assert!(of_root <= 21, "{of_root}");
    assert_eq!(reasons(&dir), [""; 0]);
}

/// Edit of a journal's lines.
type Change = fn(&mut Vec<String>);

/// Edited journals: name, edit, the expected reason to start over or the note about continuing, and
/// the number of requests after the kill.
const CHANGES: [(&str, Change, &str, usize); 10] = [
    ("nothing", |_| {}, "", 1),
    (
        "a torn last line",
        |lines| {
            let last = lines.last_mut().unwrap();
            last.truncate(last.len() / 2);
        },
        "note: journal/q.1.jsonl: line 7 is truncated and was removed; its request is sent again",
        2,
    ),
    (
        "two lines in another order",
        |lines| lines.swap(2, 3),
        "journal/q.1.jsonl: line 3: the number is 4 instead of 3: lines are missing or out of order",
        4,
    ),
    (
        "a line that is missing",
        |lines| drop(lines.remove(2)),
        "journal/q.1.jsonl: line 3: the number is 4 instead of 3: lines are missing or out of order",
        4,
    ),
    (
        "a response edited by hand",
        |lines| lines[2] = lines[2].replacen("console.log", "console.info", 1),
        "journal/q.1.jsonl: line 3: the checksum does not match: the line was edited",
        4,
    ),
    (
        "a number edited with the line",
        |lines| {
            lines.remove(2);
            lines[2] = lines[2].replacen("\"n\":4", "\"n\":3", 1);
        },
        "journal/q.1.jsonl: line 3: the checksum does not match: the line was edited",
        4,
    ),
    (
        "a line without its checksum",
        |lines| "{\"continued\":{}}".clone_into(&mut lines[1]),
        "journal/q.1.jsonl: line 2: the number and the checksum are missing: the line was edited",
        4,
    ),
    (
        "a first line that is missing",
        |lines| drop(lines.remove(0)),
        "journal/q.1.jsonl: line 1: the number is 2 instead of 1: lines are missing or out of order",
        4,
    ),
    (
        "a checksum that is damaged",
        |lines| lines[2].insert(9, '\u{FFFD}'),
        "journal/q.1.jsonl: line 3: the number and the checksum are missing: the line was edited",
        4,
    ),
    (
        "the journal of another attempt",
        |lines| {
            lines.clear();
            lines.push(FOREIGN.to_owned());
        },
        "journal/q.1.jsonl: line 1: the journal belongs to attempt 3 of other in the run elsewhere",
        4,
    ),
];

/// Placeholder for the first line of another run's valid journal.
const FOREIGN: &str = "FOREIGN";

fn foreign_line() -> String {
    let body = r#"{"attempt":{"v":2,"run":"elsewhere","sample":"other","attempt":3}}"#;
    let sum = &harness::sha256_hex(body)[..16];
    format!("{{\"n\":1,\"sum\":\"{sum}\",{}", &body[1..])
}

#[test]
fn changed_journals_are_detected() {
    let stalled = Arc::new(AtomicUsize::new(0));
    let stalls = Arc::clone(&stalled);
    // Four requests: the second iteration's cell makes one, and the third iteration's request
    // stalls.
    let server = FaultServer::start(move |seen| match turn_of_root(seen) {
        Some(3) if stalls.fetch_add(1, Ordering::SeqCst) == 0 => Behavior::Stall,
        _ => reply(seen, 3),
    });
    let binary = binary();
    let dir = killed_after(&binary, &server, 4);
    let journal = fs::read_to_string(dir.join("journal/q.1.jsonl")).unwrap();
    let whole: Vec<String> = journal.lines().map(str::to_owned).collect();
    let folder = dir.parent().unwrap().to_owned();
    for (number, (name, change, expected, sent)) in CHANGES.into_iter().enumerate() {
        let copy = folder.join(format!("copy-{number}"));
        let copied = Command::new("cp")
            .args(["-r", "--"])
            .args([&dir, &copy])
            .status();
        assert!(copied.unwrap().success());
        let mut lines = whole.clone();
        change(&mut lines);
        let is_torn = name == "a torn last line";
        let text = lines.join("\n").replace(FOREIGN, &foreign_line());
        let text = if is_torn { text } else { text + "\n" };
        fs::write(copy.join("journal/q.1.jsonl"), text).unwrap();
        let before = server.seen().len();
        let ran = resume(&binary, &server, &copy, &[]);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        let requests = server.seen().len() - before;
        assert_eq!(requests, sent, "{name}");
        let reasons = reasons(&copy);
        if expected.is_empty() || expected.starts_with("note: ") {
            assert!(ran.stderr.contains(expected), "{name}: {ran:?}");
            assert_eq!(reasons, [""; 0], "{name}");
        } else {
            assert_eq!(reasons, [expected], "{name}");
        }
        let run = RunDir::open(&copy).unwrap();
        assert_eq!(run.records[0].score, Some(1.0), "{name}");
    }
}

#[test]
fn journals_of_version_1_are_read() {
    let stalled = AtomicUsize::new(0);
    let server = FaultServer::start(move |seen| match turn_of_root(seen) {
        Some(3) if stalled.fetch_add(1, Ordering::SeqCst) == 0 => Behavior::Stall,
        _ => reply(seen, 4),
    });
    let binary = binary();
    let dir = killed_after(&binary, &server, 4);
    let events = lines::<Value>(&RunDir::open(&dir).unwrap().trajectory("q", 1));
    // In version 1, a request's digest covers the model, the number of earlier messages, and the
    // newest message.
    let digest = |response: &Value| {
        let invocation = &response["invocation"];
        let asked = |event: &&Value| {
            event["kind"]["type"] == "llm_request" && event["invocation"] == *invocation
        };
        let turn = usize::try_from(response["turn"].as_u64().unwrap()).unwrap();
        let event = events.iter().filter(asked).nth(turn - 1).unwrap();
        let newest = event["kind"]["new_messages"]
            .as_array()
            .unwrap()
            .last()
            .unwrap();
        let messages = &event["kind"]["messages"];
        harness::sha256_hex(&format!("m\n{messages}\n{newest}"))
    };
    let path = dir.join("journal/q.1.jsonl");
    let old = lines::<Value>(&path).into_iter().map(|mut line| {
        let fields = line.as_object_mut().unwrap();
        fields.shift_remove("n");
        fields.shift_remove("sum");
        if let Some(first) = fields.get_mut("attempt") {
            *first = json!({"v": 1, "sample": "q", "attempt": 1});
        }
        if let Some(response) = fields.get_mut("response") {
            response["asked"] = digest(response).into();
        }
        format!("{line}\n")
    });
    let old: String = old.collect();
    fs::write(&path, old).unwrap();
    let before = server.seen().len();
    let ran = resume(&binary, &server, &dir, &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(reasons(&dir), [""; 0]);
    assert_eq!(server.seen().len() - before, 2);
    // Added lines have the version of the existing ones.
    let lines = Journal::of(&dir).look("q", 1).unwrap();
    assert!(
        lines.iter().all(|line| !line.contains("\"sum\"")),
        "{lines:?}"
    );
}

/// A rerun of a failed attempt is killed twice. Until it has a record, its responses count as
/// spent, and so does the failed attempt if the rerun does not continue it.
#[test]
fn interrupted_reruns_count_as_spent() {
    for keeps_journal in [true, false] {
        let (failed, stalled) = (AtomicUsize::new(0), Mutex::new(BTreeSet::new()));
        let server = FaultServer::start(move |seen| match turn_of_root(seen) {
            Some(3) if failed.fetch_add(1, Ordering::SeqCst) == 0 => status_503(),
            Some(turn @ 4..=5) if stalled.lock().unwrap().insert(turn) => Behavior::Stall,
            _ => reply(seen, 6),
        });
        let binary = binary();
        assert_eq!(binary.run(&args(&server, &[]), "").code, Some(1));
        let dir = run_dir(&binary);
        let journal = dir.join("journal/q.1.jsonl");
        // Two requests of the root, a one-shot call, and the request that fails.
        assert_eq!(server.seen().len(), 4);
        let again = if keeps_journal {
            0
        } else {
            fs::remove_file(journal).unwrap();
            3
        };
        let args = resume_args(&server, &dir, &["--retry-errors"]);
        let spent = || Reopened::open(&dir).unwrap().spent().unwrap().llm_calls;
        let trajectory = dir.join("trajectories/q.1.jsonl");
        for (turn, requests) in [(4, 6 + again), (5, 9 + again)] {
            // The request that stalls has been sent and recorded.
            start_and_kill(&binary, &args, || {
                let events = fs::read_to_string(&trajectory).unwrap_or_default();
                let of_root = events.lines().filter(|line| {
                    line.contains(r#""invocation":"root""#) && line.contains(r#""llm_request""#)
                });
                server.seen().len() >= requests && of_root.count() == turn
            });
            assert_eq!(spent(), requests as u64, "{keeps_journal}");
        }
        let ran = resume(&binary, &server, &dir, &["--retry-errors"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(server.seen().len(), 11 + again, "{keeps_journal}");
        assert_eq!(spent(), (11 + again) as u64, "{keeps_journal}");
    }
}

/// An infrastructure failure, and how the run continues.
struct Outage {
    name: &'static str,
    /// Failure of the first `times` requests for which `at` is true.
    fails: fn() -> Behavior,
    at: fn(&ReceivedRequest) -> bool,
    times: usize,
    /// Additional flags of the first start.
    first: &'static [&'static str],
    /// Additional flags of the second start.
    second: &'static [&'static str],
    /// Exit code of the first start.
    code: i32,
    /// Number of requests that are sent again.
    again: usize,
}

fn status_503() -> Behavior {
    Behavior::Status(
        503,
        Vec::new(),
        "{\"error\": {\"message\": \"down\"}}".to_owned(),
    )
}

const OUTAGES: [Outage; 5] = [
    Outage {
        name: "the provider is down",
        fails: status_503,
        at: |seen| turn_of_root(seen) == Some(5),
        times: 1,
        first: &[],
        second: &["--retry-errors"],
        code: 1,
        again: 1,
    },
    Outage {
        name: "the connection is lost",
        fails: || Behavior::Reset,
        at: |seen| turn_of_root(seen) == Some(5),
        times: 1,
        first: &[],
        second: &["--retry-errors"],
        code: 1,
        again: 1,
    },
    Outage {
        name: "the provider is down for a child, then for the root",
        fails: status_503,
        at: |seen| turn_of_root(seen).is_none_or(|turn| turn > 4),
        times: 2,
        first: &[],
        second: &["--retry-errors"],
        code: 1,
        again: 2,
    },
    Outage {
        name: "the response is cut off",
        fails: || Behavior::Cut("```js".to_owned()),
        at: |seen| turn_of_root(seen) == Some(7),
        times: 1,
        first: &[],
        second: &["--retry-errors"],
        code: 1,
        again: 1,
    },
    Outage {
        name: "the budget of the run is used up",
        fails: || Behavior::Reset,
        at: |_| false,
        times: 0,
        first: &["--max-llm-calls", "6"],
        second: &["--max-llm-calls", "100"],
        code: 106,
        again: 0,
    },
];

#[test]
fn continues_after_outages() {
    const ITERATIONS: usize = 8;
    let quiet = FaultServer::start(|seen| reply(seen, ITERATIONS));
    assert_eq!(binary().run(&args(&quiet, &[]), "").code, Some(0));
    let all = quiet.seen().len();
    for outage in OUTAGES {
        let Outage {
            name,
            fails,
            at,
            times,
            ..
        } = outage;
        let failed = AtomicUsize::new(0);
        let server = FaultServer::start(move |seen| {
            // The first five requests succeed, so that there are responses to continue from.
            let is_late = seen.number > 4;
            if is_late && at(seen) && failed.fetch_add(1, Ordering::SeqCst) < times {
                fails()
            } else {
                reply(seen, ITERATIONS)
            }
        });
        let binary = binary();
        let ran = binary.run(&args(&server, outage.first), "");
        assert_eq!(ran.code, Some(outage.code), "{name}: {ran:?}");
        let dir = run_dir(&binary);
        let ran = resume(&binary, &server, &dir, outage.second);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        assert_eq!(reasons(&dir), [""; 0], "{name}");
        assert_eq!(server.seen().len(), all + outage.again, "{name}");
        let run = RunDir::open(&dir).unwrap();
        let record = &run.records[0];
        assert_eq!(record.score, Some(1.0), "{name}");
        let answered = u32::try_from(all + outage.again).unwrap();
        assert_eq!(record.llm_calls, Some(answered), "{name}");
        let wasted = run.wasted.superseded.llm_calls + run.wasted.abandoned.llm_calls;
        assert_eq!(wasted, 0, "{name}: {:?}", run.wasted);
        assert_eq!(record.continued, outage.again > 0, "{name}");
    }
}

#[test]
fn continues_after_killed_worker() {
    const ITERATIONS: usize = 6;
    let held = Arc::new(AtomicUsize::new(0));
    let holds = Arc::clone(&held);
    // The fifth response waits until the worker has been killed.
    let server = FaultServer::start(move |seen| {
        if turn_of_root(seen) == Some(5)
            && holds
                .compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        {
            while holds.load(Ordering::SeqCst) == 1 {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        reply(seen, ITERATIONS)
    });
    let binary = binary();
    let mut run = binary.spawn(&args(&server, &[]));
    until("a response is held", || held.load(Ordering::SeqCst) != 0);
    let children = |pid: &str| -> Vec<String> {
        let listed = Command::new("pgrep").args(["-P", pid]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout);
        listed.lines().map(str::to_owned).collect()
    };
    let servers = children(&run.id().to_string());
    for worker in servers.iter().flat_map(|pid| children(pid)) {
        let pid = Pid::from_raw(worker.parse().unwrap()).unwrap();
        let _ = kill_process(pid, Signal::KILL);
    }
    held.store(2, Ordering::SeqCst);
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let before = server.seen().len();
    let dir = run_dir(&binary);
    let ran = resume(&binary, &server, &dir, &["--retry-errors"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(reasons(&dir), [""; 0]);
    let paid = server.seen().len() - before;
    let record = &RunDir::open(&dir).unwrap().records[0];
    assert_eq!((record.score, record.llm_calls), (Some(1.0), Some(8)));
    // Only the last iteration's request is sent: 5 of 6 iterations and both one-shot calls had been
    // answered.
    assert_eq!((before, paid), (7, 1));
}
