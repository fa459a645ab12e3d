//! Programs of agents: the examples in the docs, a thousand concurrent agents, and `kill -9` during
//! a run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use fault_server::{Behavior, FaultServer, ReceivedRequest};
use records::run_dir::{Journal, RunDir};
use serde_json::Value;

use crate::binary::Binary;
use crate::run::{lines, only};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// `readme.rs` runs the page's commands, each with `--min-score 1`.
#[test]
fn docs_show_tested_programs() {
    let page = fs::read_to_string(docs().join("guides/programs-of-agents.md")).unwrap();
    let examples = fs::read_dir(docs().join("examples/programs")).unwrap();
    let examples = examples.map(|file| file.unwrap().path());
    let models: Vec<PathBuf> = examples
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    assert_eq!(models.len(), 6);
    let shown: Vec<String> = page
        .split("```javascript\n")
        .skip(1)
        .map(|rest| {
            rest.split("\n```")
                .next()
                .unwrap()
                .replace('\n', "\n      ")
        })
        .collect();
    for model in models {
        let name = model.file_name().unwrap().to_str().unwrap();
        assert!(
            page.contains(&format!("docs/examples/programs/{name}")),
            "{name}"
        );
        let text = fs::read_to_string(&model).unwrap();
        let text = text.replace("\n\n", "\n      \n");
        assert!(shown.iter().any(|program| text.contains(program)), "{name}");
    }
}

/// The root writes the given program, and the other agents reply as `child` specifies.
struct ModelServer {
    binary: Binary,
    server: FaultServer,
}

/// Returns a request's question, the number of the agent's turn, and whether the agent is the root.
fn asked(seen: &ReceivedRequest) -> (String, usize, bool) {
    let messages = seen.body["messages"].as_array().unwrap();
    let of = |role: &'static str| messages.iter().filter(move |one| one["role"] == role);
    let text = |one: &Value| one["content"].as_str().unwrap_or_default().to_owned();
    let first = text(of("user").next().unwrap());
    let is_root = text(of("system").next().unwrap()).contains("writing a program");
    (
        first.lines().next().unwrap_or_default().to_owned(),
        of("assistant").count() + 1,
        is_root,
    )
}

impl ModelServer {
    fn new(
        program: String,
        child: impl Fn(&str, usize) -> Behavior + Send + Sync + 'static,
    ) -> Self {
        let server = FaultServer::start(move |seen| match asked(seen) {
            (_, 1, true) => Behavior::Text(format!("```js\n{program}\n```")),
            (_, _, true) => Behavior::Text("All of them have answered.".to_owned()),
            (query, turn, false) => child(&query, turn),
        });
        let row = r#"{"id": "office", "query": "Run them all", "context": "", "expected": "x"}"#;
        let binary = Binary::new()
            .file("office.jsonl", row)
            .variable("OPENAI_API_KEY", "k");
        Self { binary, server }
    }

    fn start(&self, args: &[&str]) -> Child {
        let base_url = self.server.openai();
        let args = args.iter().copied().chain(["--base-url", &base_url]);
        self.binary.spawn(&args.collect::<Vec<_>>())
    }

    fn run_dir(&self) -> PathBuf {
        only(&self.binary.path().join("results"))
    }

    fn answer(&self) -> (String, Option<String>, u32) {
        let run = RunDir::open(&self.run_dir()).expect("the folder contains a run");
        let record = &run.records[0];
        let status = record.status.to_string();
        (status, record.answer.clone(), record.agents.unwrap_or(0))
    }
}

const RUN: [&str; 9] = [
    "run",
    "--benchmark",
    "office.jsonl",
    "--protocol",
    "workflow",
    "--model",
    "openai/m",
    "--confirm-first-return",
    "false",
];

/// Number of waiting requests, and whether they may continue.
#[derive(Default)]
struct Gate(Mutex<(usize, bool)>, Condvar);

impl Gate {
    fn pass(&self) {
        let mut state = self.0.lock().unwrap();
        state.0 += 1;
        self.1.notify_all();
        drop(self.1.wait_while(state, |state| !state.1).unwrap());
    }

    fn wait_for(&self, waiting: usize) {
        let state = self.0.lock().unwrap();
        let limit = Duration::from_mins(4);
        let (state, timed) = self
            .1
            .wait_timeout_while(state, limit, |state| state.0 < waiting)
            .unwrap();
        assert!(
            !timed.timed_out(),
            "only {} of {waiting} agents wait",
            state.0
        );
    }

    fn open(&self) {
        self.0.lock().unwrap().1 = true;
        self.1.notify_all();
    }
}

/// Returns the memory of a process and its descendants in bytes. Shared memory counts only once.
/// File pages do not count, because each process's share of them depends on how many other tests
/// run the same program.
fn memory(pid: u32) -> u64 {
    let mut of_parent: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        let Some((_, rest)) = stat.rsplit_once(") ") else {
            continue;
        };
        let parent = rest.split(' ').nth(1).and_then(|id| id.parse().ok());
        let own = entry.file_name().to_string_lossy().parse().ok();
        if let (Some(parent), Some(own)) = (parent, own) {
            of_parent.entry(parent).or_default().push(own);
        }
    }
    let mut all = vec![pid];
    let mut at = 0;
    while at < all.len() {
        all.extend(of_parent.get(&all[at]).into_iter().flatten());
        at += 1;
    }
    let kilobytes = |pid: &u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let of = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
        let counted = |line: &&str| {
            ["Pss_Anon:", "Pss_Shmem:"]
                .iter()
                .any(|one| line.starts_with(one))
        };
        text.lines().filter(counted).filter_map(of).sum::<u64>()
    };
    all.iter().map(kilobytes).sum::<u64>() * 1024
}

/// Returns the memory in bytes of an attempt in which `agents` agents wait for their model
/// concurrently.
fn memory_of_waiting(agents: usize) -> u64 {
    let program = format!(
        "const all = await agent.map(Array.from({{ length: {agents} }}, (_, n) => n), (n) => ({{ query: `Give ${{n}}`, context: `${{n}}` }}), {{ concurrency: {agents} }});\n\
         return(`${{all.length}} ${{new Set(all).size}}`);"
    );
    let gate = Arc::new(Gate::default());
    let held = Arc::clone(&gate);
    let server = ModelServer::new(program, move |_, _| {
        held.pass();
        Behavior::Text("```js\nreturn(context)\n```".to_owned())
    });
    let limits = ["--pending-calls", "2000", "--max-connections", "2000"];
    let mut child = server.start(&[&RUN[..], &limits].concat());
    gate.wait_for(agents);
    let bytes = memory(child.id());
    gate.open();
    assert!(child.wait().unwrap().success());
    let whole = (
        "ok".to_owned(),
        Some(format!("{agents} {agents}")),
        u32::try_from(agents).unwrap() + 1,
    );
    assert_eq!(server.answer(), whole);
    bytes
}

#[test]
#[cfg(target_os = "linux")]
fn thousand_concurrent_agents_use_below_100_kb_each() {
    let few = memory_of_waiting(100);
    let many = memory_of_waiting(1_100);
    let each = many.saturating_sub(few) / 1_000;
    println!("{few} bytes with 100 agents, {many} with 1,100: {each} each");
    assert!(
        few > 0 && each < 100 * 1024,
        "{few} {many}: {each} bytes each"
    );
}

#[test]
fn killed_program_resumes_without_repeating_agents() {
    const AGENTS: usize = 40;
    const AT_ONCE: usize = 8;
    let program = format!(
        "const numbers = Array.from({{ length: {AGENTS} }}, (_, n) => n);\n\
         console.log(Math.random(), Date.now());\n\
         const all = await agent.map(numbers, (n) => ({{ query: `Give ${{n}}`, context: `${{n}}` }}), {{ concurrency: {AT_ONCE} }});\n\
         return(all.reduce((sum, one) => sum + Number(one), 0));"
    );
    let came: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&came);
    let server = ModelServer::new(program, move |query, turn| {
        noted.lock().unwrap().push(format!("{query} turn {turn}"));
        let code = if turn == 1 {
            "console.log(Math.random())"
        } else {
            "return(context)"
        };
        Behavior::Late(5, format!("```js\n{code}\n```"))
    });
    let calls = || came.lock().unwrap().len();
    let mut child = server.start(&RUN);
    let began = Instant::now();
    while calls() < AGENTS && child.try_wait().unwrap().is_none() {
        assert!(
            began.elapsed() < Duration::from_mins(2),
            "{} calls",
            calls()
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = calls();
    assert!(before < 2 * AGENTS, "the kill came too late");
    let dir = server.run_dir();
    let journal = Journal::of(&dir).look("office", 1).unwrap();
    let mut child = server.start(&["run", "--resume", dir.to_str().unwrap()]);
    assert!(child.wait().unwrap().success());
    let sum = (0..AGENTS).sum::<usize>().to_string();
    let agents = u32::try_from(AGENTS).unwrap() + 1;
    assert_eq!(server.answer(), ("ok".to_owned(), Some(sum), agents));
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for request in came.lock().unwrap().iter() {
        *times.entry(request.clone()).or_default() += 1;
    }
    assert_eq!(times.len(), 2 * AGENTS);
    let path = RunDir::open(&dir).unwrap().trajectory("office", 1);
    let events = lines::<Value>(&path);
    let starts = events
        .iter()
        .filter(|event| event["kind"]["type"] == "invocation_start");
    let queries: BTreeMap<_, _> = starts
        .map(|event| {
            (
                event["invocation"].as_str(),
                event["kind"]["query"].as_str(),
            )
        })
        .collect();
    // Requests whose responses the killed process had received were not repeated. Each agent had at
    // most one other request in flight, which was repeated once.
    let mut received = 0;
    for line in &journal {
        let line: Value = serde_json::from_str(line).unwrap();
        let response = &line["response"];
        let Some(Some(query)) = queries.get(&response["invocation"].as_str()) else {
            continue;
        };
        if response["invocation"] == "root" {
            continue;
        }
        received += 1;
        let request = format!("{query} turn {}", response["turn"]);
        assert_eq!(times.get(&request), Some(&1), "{request}");
    }
    assert!(received > 1, "{journal:?}");
    let repeated: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(
        repeated.len() <= AT_ONCE && repeated.iter().all(|(_, times)| **times == 2),
        "{repeated:?}"
    );
    let has = |kind: &'static str| events.iter().any(|event| event["kind"]["type"] == kind);
    assert!(has("attempt_resumed") && !has("attempt_restarted"));
}
