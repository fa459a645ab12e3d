//! User-supplied environments in a real browser: the example sites, servers named by rows,
//! documents, reachable addresses, and `ask` about a page. Tests of the crate `browser` cover
//! Chromium's own sandbox, which is not available on every machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use harness::model::{EventKind, WebEvent};
use serde_json::{Value, json};

use crate::binary::{Binary, Running, is_full};
use crate::run::{Finished, finish};
use crate::run_benchmarks::lacks_chromium;

/// Returns a binary with this machine's `PATH` and `HOME`.
fn binary() -> Binary {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    Binary::new()
        .variable("PATH", &variable("PATH"))
        .variable("HOME", &variable("HOME"))
}

fn example(site: &str, file: &str) -> String {
    let sites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/sites");
    sites.join(site).join(file).display().to_string()
}

fn run(binary: &Binary, benchmark: &str, protocol: &str, model: &str, more: &[&str]) -> Finished {
    let model = format!("scripted:{model}");
    let args = [
        "run",
        "--benchmark",
        benchmark,
        "--protocol",
        protocol,
        "--model",
        &model,
        "--trust-pages",
    ];
    finish(binary, &[&args, more].concat())
}

fn scores(run: &Finished) -> Vec<(String, Option<f64>)> {
    let records = run.records().into_values();
    records
        .map(|record| (record.id.clone(), record.score))
        .collect()
}

fn web_events(run: &Finished, sample: &str) -> Vec<WebEvent> {
    let events = run.events(sample, 1).into_iter();
    events
        .filter_map(|event| match event.kind {
            EventKind::Web { event } => Some(event),
            _ => None,
        })
        .collect()
}

/// Serves the same page for all requests on loopback and records the requested paths.
fn serve(page: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let first = lines.next().unwrap_or_default();
            // Read the whole request first, because an earlier response would interrupt it.
            lines.find(String::is_empty);
            let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
            log.lock().unwrap().push(path);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nConnection: close";
            let length = page.len();
            let _ = write!(&stream, "{head}\r\nContent-Length: {length}\r\n\r\n{page}");
        }
    });
    (origin, asked)
}

/// Runs each site under one protocol, or under both in the full tests.
#[test]
fn solves_example_sites() {
    if lacks_chromium() {
        return;
    }
    let sites = [
        ("shop", 2, "rlm"),
        ("table", 2, "agent-turn"),
        ("notes", 1, "rlm"),
    ];
    for (site, samples, usual) in sites {
        for protocol in ["rlm", "agent-turn"] {
            if protocol != usual && !is_full() {
                continue;
            }
            let binary = binary();
            let run = run(
                &binary,
                &example(site, "tasks.jsonl"),
                protocol,
                &example(site, "model.yaml"),
                &["--allow-commands"],
            );
            let scores = scores(&run);
            let solved = scores.iter().filter(|(_, score)| *score == Some(1.0));
            assert_eq!(
                (solved.count(), scores.len(), run.ran.code),
                (samples, samples, Some(0)),
                "{site} {protocol}: {scores:?} {}",
                run.ran.stderr
            );
        }
    }
}

#[test]
fn records_page_calls() {
    if lacks_chromium() {
        return;
    }
    let binary = binary();
    let (tasks, model) = (
        example("notes", "tasks.jsonl"),
        example("notes", "model.yaml"),
    );
    let run = run(&binary, &tasks, "rlm", &model, &["--screenshots"]);
    let events = web_events(&run, "word-of-the-day");
    let calls: Vec<(String, bool)> = events
        .iter()
        .filter_map(|event| match event {
            WebEvent::PageCall {
                function,
                error,
                ms,
                ..
            } => {
                assert!(*ms >= 0.0);
                Some((function.clone(), error.is_some()))
            }
            _ => None,
        })
        .collect();
    let names = ["goto", "text", "goto", "fill", "dump", "click", "text"];
    let expected = names.map(|name| (format!("page.{name}"), false));
    assert_eq!(calls, expected);
    let pictures = events
        .iter()
        .filter(|event| matches!(event, WebEvent::Screenshot { .. }));
    assert!(pictures.count() > 0);
}

/// A page whose scripts send synchronous requests, which finish before the page has loaded.
const REACHING: &str =
    "<!DOCTYPE html><title>Reach</title><p id=a></p><p id=b></p><p id=c></p><script>
for (const [id, url] of [['a', 'ALLOWED/x'], ['b', 'OTHER/y']]) {
  const request = new XMLHttpRequest();
  let found = 'refused';
  try { request.open('GET', url, false); request.send(); found = request.responseText } catch {}
  document.getElementById(id).textContent = found;
}
document.getElementById('c').textContent = document.cookie;
</script>";

const LOOKS: &str = r#"
description: Looks at the page, and ends.
rules:
  - when: { turn: 1, roles: [agent_turn] }
    tool_calls: [{ name: agent_turn, arguments: { memory: m, todos_remaining: [], actions: [{ tool: navigate, args: { url: "https://c.example/z" } }] } }]
  - when: { roles: [agent_turn] }
    tool_calls: [{ name: agent_turn, arguments: { memory: Seen., todos_remaining: [], actions: [] } }]
  - when: { turn: 1 }
    reply: |
      ```javascript
      await page.goto({ url: "/" });
      console.log(await page.dump());
      ```
  - reply: |
      ```javascript
      return("Seen.");
      ```
"#;

#[test]
fn refuses_and_reports_forbidden_addresses() {
    if lacks_chromium() {
        return;
    }
    let (allowed, allowed_asked) = serve("yes");
    let (other, other_asked) = serve("no");
    let page = REACHING
        .replace("ALLOWED", &allowed)
        .replace("OTHER", &other);
    let row = json!({
        "id": "reach",
        "query": "Look.",
        "site": "site",
        "allow": [allowed],
        "cookies": { "who": "ada" },
        "check": { "page": "[text('#a'), text('#b'), text('#c')]", "equals": ["yes", "refused", "who=ada"] },
    });
    let binary = binary()
        .file("tasks.jsonl", row.to_string())
        .file("site/index.html", page)
        .file("model.yaml", LOOKS);
    for protocol in ["agent-turn", "rlm"] {
        let local = ["--allow-local"];
        let run = run(&binary, "tasks.jsonl", protocol, "model.yaml", &local);
        let listed = format!("note: pages of these rows may reach {allowed}\n");
        assert!(run.ran.stderr.contains(&listed), "{}", run.ran.stderr);
        assert_eq!(
            scores(&run),
            [("reach".to_owned(), Some(1.0))],
            "{:?}",
            run.ran
        );
        let refused: Vec<String> = web_events(&run, "reach")
            .into_iter()
            .filter_map(|event| match event {
                WebEvent::Refused { addresses } => Some(addresses),
                _ => None,
            })
            .flatten()
            .collect();
        assert!(
            refused.contains(&format!("{other}/y")),
            "{protocol}: {refused:?}"
        );
        // The page shown to the agent reports the refused address.
        let shown = run
            .events("reach", 1)
            .iter()
            .any(|event| match &event.kind {
                EventKind::LlmRequest { new_messages, .. } => new_messages.iter().any(|message| {
                    let text = message.all_text();
                    text.contains("# Out of reach") && text.contains(&format!("{other}/y"))
                }),
                _ => false,
            });
        assert!(shown, "{protocol}");
        let sum = "to origins out of reach: ";
        assert!(run.ran.stderr.contains(sum), "{}", run.ran.stderr);
        assert!(run.ran.stderr.contains(&other), "{}", run.ran.stderr);
    }
    assert!(
        allowed_asked
            .lock()
            .unwrap()
            .iter()
            .any(|path| path == "/x")
    );
    assert_eq!(*other_asked.lock().unwrap(), Vec::<String>::new());
}

/// Untrusted rows must not get access to addresses that only this machine can reach.
#[test]
fn rows_reach_loopback_only_if_allowed() {
    let (origin, asked) = serve("<!DOCTYPE html><title>Live</title><h1>Live</h1>");
    let localhost = origin.replace("127.0.0.1", "localhost");
    let check = json!({ "page": "text('h1')", "equals": "Live" });
    let args = |more: &[&'static str]| {
        let args = [
            "run",
            "--benchmark",
            "tasks.jsonl",
            "--model",
            "scripted:model.yaml",
            "--protocol",
            "agent-turn",
            "--trust-pages",
        ];
        [&args, more].concat()
    };
    let named = [
        origin.as_str(),
        localhost.as_str(),
        "http://0x7f.1:8080",
        "http://[::1]",
        "http://[::ffff:169.254.169.254]",
        "http://169.254.169.254",
        "http://10.0.0.1",
        "http://100.64.0.1",
        "http://0.0.0.0:1",
        "http://[fd00::1]",
    ];
    for address in named {
        let url = format!("{address}/latest");
        let rows = [
            ("url", json!({ "query": "q", "url": url, "check": check })),
            (
                "allow",
                json!({ "query": "q", "site": "site", "allow": address, "check": check }),
            ),
        ];
        for (field, row) in rows {
            let binary = binary()
                .file("model.yaml", LOOKS)
                .file("site/index.html", "page")
                .file("tasks.jsonl", row.to_string());
            let refused = binary.run(&args(&[]), "");
            let error = format!(
                "error: tasks.jsonl:1: field `{field}` names {address}, which is on this machine or in a private network; \
                 expected a public address\nhint: if you trust these rows, add --allow-local\n"
            );
            assert_eq!((refused.code, refused.stderr), (Some(2), error), "{row}");
        }
    }
    let row = json!({ "id": "live", "query": "q", "url": localhost, "check": check });
    let binary = binary()
        .file("model.yaml", LOOKS)
        .file("tasks.jsonl", row.to_string())
        .file(".env", "EVAL_ALLOW_LOCAL=true\n");
    let refused = binary.run(&args(&[]), "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    std::fs::remove_file(binary.path().join(".env")).unwrap();
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    if lacks_chromium() {
        return;
    }
    let run = run(
        &binary,
        "tasks.jsonl",
        "agent-turn",
        "model.yaml",
        &["--allow-local"],
    );
    assert_eq!(
        scores(&run),
        [("live".to_owned(), Some(1.0))],
        "{:?}",
        run.ran
    );
    let config = run.dir.config.to_string();
    assert!(!config.contains("allow_local"), "{config}");
}

/// Returns a row whose server is started by `command`.
fn with_server(command: &str) -> String {
    json!({
        "id": "served",
        "query": "Look.",
        "command": command,
        "address": "http://127.0.0.1:{port}",
        "check": { "answer": "seen" },
    })
    .to_string()
}

#[test]
fn runs_allowed_servers_and_ends_their_children() {
    if lacks_chromium() {
        return;
    }
    let command = "env > environment; sleep 1000 & echo $! > child; \
                   exec python3 -m http.server --bind 127.0.0.1 $PORT";
    let binary = binary()
        .variable("OPENAI_API_KEY", "sk-never-passed-on")
        .file("model.yaml", LOOKS)
        .file("tasks.jsonl", with_server(command));
    let args = [
        "run",
        "--benchmark",
        "tasks.jsonl",
        "--protocol",
        "rlm",
        "--model",
        "scripted:model.yaml",
    ];
    let refused = binary.run(&args, "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let error = "error: tasks.jsonl:1: field `command` names a program to run, which is not allowed by default\n\
                 hint: if you trust these rows, add --allow-commands\n";
    assert_eq!(refused.stderr, error);
    let with_file = binary.file(".env", "EVAL_ALLOW_COMMANDS=true\n");
    let refused = with_file.run(&args, "");
    let warning = ".env:1: EVAL_ALLOW_COMMANDS is ignored: a file cannot grant this permission; type --allow-commands, or \
                   export EVAL_ALLOW_COMMANDS\n";
    assert!(
        refused.code == Some(2) && refused.stderr.contains(warning),
        "{refused:?}"
    );
    std::fs::remove_file(with_file.path().join(".env")).unwrap();
    let binary = with_file;
    assert!(!binary.path().join("child").exists());
    let run = run(
        &binary,
        "tasks.jsonl",
        "rlm",
        "model.yaml",
        &["--allow-commands"],
    );
    assert_eq!(
        scores(&run),
        [("served".to_owned(), Some(1.0))],
        "{:?}",
        run.ran
    );
    let environment = std::fs::read_to_string(binary.path().join("environment")).unwrap();
    assert!(
        environment.contains("PORT=") && !environment.contains("sk-never"),
        "{environment}"
    );
    let child = std::fs::read_to_string(binary.path().join("child")).unwrap();
    let process = PathBuf::from(format!("/proc/{}/cmdline", child.trim()));
    // The server's guard kills the child some time after the program exits.
    let until = Instant::now() + Duration::from_secs(120);
    let runs = || std::fs::read_to_string(&process).is_ok_and(|line| line.contains("sleep"));
    while runs() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!runs(), "{} is still running", process.display());
}

#[test]
fn reports_output_of_server_that_does_not_start() {
    if lacks_chromium() {
        return;
    }
    let binary = binary()
        .file("model.yaml", LOOKS)
        .file("tasks.jsonl", with_server("echo no luck >&2; exit 3"));
    let run = run(
        &binary,
        "tasks.jsonl",
        "rlm",
        "model.yaml",
        &["--allow-commands"],
    );
    let error = run.records().into_values().next().unwrap().error.clone();
    let error = error.unwrap_or_default();
    for part in [
        "the server `/bin/sh -c echo no luck",
        "it exited with exit status: 3",
        "it printed: no luck",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

const TALKS: &str = r"
description: Adds one to what the user said before.
rules:
  - when: { turn: 1 }
    reply: |
      ```javascript
      let said = 41;
      return(said);
      ```
  - when: { turn: 2 }
    reply: |
      ```javascript
      return(said);
      ```
  - reply: |
      ```javascript
      return(said + 1);
      ```
";

#[test]
fn runs_follow_up_messages_about_texts() {
    let turns = json!([
        { "query": "What is 40 + 1?", "check": { "answer": "41" } },
        "Hm.",
        { "query": "And one more?", "check": { "answer": "43" } },
    ]);
    let binary = binary().file("model.yaml", TALKS).file(
        "tasks.jsonl",
        json!({ "id": "talk", "turns": turns }).to_string(),
    );
    let run = run(&binary, "tasks.jsonl", "rlm", "model.yaml", &[]);
    let records = run.records();
    let record = records.values().next().unwrap();
    assert_eq!(record.score, Some(0.5), "{:?}", run.ran);
    let state = json!({ "turns": [{ "answer": "41" }, { "answer": "42" }, { "answer": "42" }] });
    assert_eq!(record.state, Some(state));
    let why = "1 of 2 checks held; message 3: the answer \"42\" does not contain [\"43\"]";
    assert_eq!(record.score_explanation.as_deref(), Some(why));
    let args = [
        "run",
        "--benchmark",
        "tasks.jsonl",
        "--protocol",
        "direct",
        "--model",
        "scripted:model.yaml",
    ];
    let refused = binary.run(&args, "");
    let error = "error: --protocol direct cannot work on tasks, whose user sends several messages; use --protocol rlm, agent-turn, json-action or codeact\n";
    assert_eq!((refused.code, refused.stderr.as_str()), (Some(2), error));
}

#[test]
fn scores_answers_to_texts_afterwards_as_in_run() {
    let check = json!({ "answer": "41" });
    let row = json!({ "id": "one", "query": "What is 40 + 1?", "check": check });
    let turn = json!({ "query": "What is 40 + 1?", "check": check });
    let talk = json!({ "id": "two", "turns": [turn, turn] });
    let own = ["--scorer", "own.js"];
    let rows: [(&Value, &[&str], &str, Value); 4] = [
        (&row, &own, "checks", json!(1.0)),
        (&row, &[], "own.js", json!(1.0)),
        (&talk, &[], "own.js", json!(1.0)),
        (&talk, &own, "checks", json!(null)),
    ];
    for (row, of_run, afterwards, score) in rows {
        let binary = binary()
            .file(
                "model.yaml",
                r#"{description: d, rules: [{reply: "```js\nreturn(41)\n```"}]}"#,
            )
            .file(
                "own.js",
                "const score = (answer) => answer === '41' ? 1 : 0;",
            )
            .file("tasks.jsonl", row.to_string());
        let run = run(&binary, "tasks.jsonl", "rlm", "model.yaml", of_run);
        assert_eq!(scores(&run)[0].1, Some(1.0), "{:?}", run.ran);
        let dir = run.dir.path.display().to_string();
        let ran = binary.run(&["score", &dir, "--scorer", afterwards, "--json"], "");
        let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(summary["score"]["mean"], score, "{ran:?}");
        let why = "the record lacks the answers to earlier messages";
        assert_eq!(ran.stderr.contains(why), score.is_null(), "{ran:?}");
    }
}

/// Returns the rules of a model that creates an app which shows the length of a document.
fn app_model() -> String {
    let app = "<!DOCTYPE html><title>Length</title><p id=length></p><script>\
        fetch('wry://document', { method: 'POST', body: 'file:///notes.txt' }).then((answer) => answer.text())\
        .then((text) => { document.querySelector('#length').textContent = text.length })</script>";
    let launch = json!({ "action": "launch_app", "app": app }).to_string();
    let answer = json!({ "action": "answer", "message": "It shows 5." }).to_string();
    json!({
        "description": "Launches an app, and answers.",
        "rules": [
            { "when": { "turn": 1 }, "reply": launch },
            { "reply": answer },
        ],
    })
    .to_string()
}

#[test]
fn reads_documents_of_rows_and_checks_apps() {
    if lacks_chromium() {
        return;
    }
    let shown = json!({ "page": "await until(() => text('#length')); return Number(text('#length'))", "equals": 5 });
    let row = json!({
        "id": "length",
        "documents": ["notes.txt"],
        "turns": [
            { "query": "Show how long my notes are.", "check": shown },
            { "query": "What does it show?", "check": { "answer": "5" } },
        ],
    });
    let binary = binary()
        .file("model.yaml", app_model())
        .file("notes.txt", "a bee")
        .file("tasks.jsonl", row.to_string());
    let run = run(&binary, "tasks.jsonl", "json-action", "model.yaml", &[]);
    assert_eq!(
        scores(&run),
        [("length".to_owned(), Some(1.0))],
        "{:?}",
        run.ran
    );
}

#[test]
fn asks_about_live_page_or_documents() {
    if lacks_chromium() {
        return;
    }
    let (origin, asked) = serve("<!DOCTYPE html><title>Live</title><h1>Live</h1>");
    let binary = binary()
        .file("model.yaml", LOOKS)
        .file("app.yaml", app_model())
        .file("notes.txt", "a bee");
    let url = format!("{origin}/live?x=1");
    for protocol in ["rlm", "agent-turn"] {
        let ran = binary.run(
            &[
                "ask",
                "--query",
                "Look.",
                "--url",
                &url,
                "--protocol",
                protocol,
                "--model",
                "scripted:model.yaml",
                "--trust-pages",
            ],
            "",
        );
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(0), "Seen.\n"),
            "{}",
            ran.stderr
        );
    }
    assert!(asked.lock().unwrap().iter().any(|path| path == "/live?x=1"));
    // Documents are optional.
    for documents in [&["--document", "notes.txt"][..], &[]] {
        let rest = "--protocol json-action --model scripted:app.yaml --save app.html --trust-pages";
        let rest: Vec<&str> = rest.split(' ').collect();
        let ran = binary.run(
            &[&["ask", "--query", "Look."], documents, &rest].concat(),
            "",
        );
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let file = binary.path().join("app.html");
        let saved = std::fs::read_to_string(&file).unwrap();
        assert!(
            saved.starts_with("<!DOCTYPE html><title>Length</title>"),
            "{saved}"
        );
        std::fs::remove_file(file).unwrap();
        // The answer is printed even if the app cannot be saved.
        let rest: Vec<&str> = rest
            .iter()
            .map(|word| match *word {
                "app.html" => "none/app.html",
                other => other,
            })
            .collect();
        let unsaved = binary.run(
            &[&["ask", "--query", "Look."], documents, &rest].concat(),
            "",
        );
        assert_eq!(unsaved.code, Some(1), "{}", unsaved.stderr);
        assert_eq!(unsaved.stdout, ran.stdout);
    }
    let document: &[(&[&str], &str)] = &[
        (
            &["--url", "example.com"],
            "error: --url: invalid URL `example.com`: expected an http or https URL, such as https://example.com/orders\n",
        ),
        (
            &[
                "--url",
                "http://127.0.0.1:1",
                "--allow",
                "example.com",
                "--protocol",
                "rlm",
            ],
            "error: --allow: invalid origin \"example.com\": expected https://HOST or, with a port, http://127.0.0.1:PORT\n",
        ),
        (
            &["--url", "http://127.0.0.1:1", "--protocol", "direct"],
            "error: --protocol direct cannot work on a web page; use --protocol rlm or agent-turn\n",
        ),
        (
            &[
                "--document",
                "notes.txt",
                "--protocol",
                "json-action",
                "--show",
            ],
            "error: --show: no display: neither DISPLAY nor WAYLAND_DISPLAY is set\n\
             hint: use --save FILE to save the app instead\n",
        ),
        (
            &["--document", "none.txt", "--protocol", "json-action"],
            "error: --document none.txt: No such file or directory (os error 2)\n",
        ),
        (
            &["--save", "app.html"],
            "error: --save: only agents of --protocol json-action launch apps\n",
        ),
        (
            &["--document", "notes.txt"],
            "error: --protocol rlm cannot work on documents; use --protocol json-action\n",
        ),
    ];
    for (flags, error) in document {
        let args = [
            &["ask", "--query", "q", "--model", "scripted:model.yaml"],
            *flags,
        ]
        .concat();
        let ran = binary.run(&args, "");
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(2), *error),
            "{flags:?}"
        );
    }
}

#[test]
fn answers_questions_on_example_sites() {
    if lacks_chromium() {
        return;
    }
    let rows = [
        (
            "shop",
            "Order two coral lamps for Ada.",
            "2 × coral for Ada: $36",
            "It is ordered.",
        ),
        (
            "table",
            "How long is the Vistula?",
            "1047",
            "This is the last page: the Vistula is 1047 km long.",
        ),
        (
            "notes",
            "Write a note that is the word of the day.",
            "The note says heron.",
            "The note says heron.",
        ),
    ];
    for (site, query, by_code, by_turns) in rows {
        let mut command = Command::new("python3");
        if site == "shop" {
            command.args([&example(site, "server.py"), "0"]);
        } else {
            let folder = example(site, "site");
            command.args([
                "-u",
                "-m",
                "http.server",
                "--bind",
                "127.0.0.1",
                "--directory",
                &folder,
                "0",
            ]);
        }
        let (_server, line) = Running::serve(&mut command);
        let url = &line[line.find("http://").expect("the server prints its address")..];
        let url = url[..=url.rfind('/').expect("the address ends in a slash")].to_owned();
        let model = format!("scripted:{}", example(site, "model.yaml"));
        for (protocol, answer) in [("rlm", by_code), ("agent-turn", by_turns)] {
            let args = [
                "ask",
                "--query",
                query,
                "--url",
                &url,
                "--protocol",
                protocol,
                "--model",
                &model,
                "--trust-pages",
            ];
            let ran = binary().run(&args, "");
            let wanted = (Some(0), format!("{answer}\n"));
            assert_eq!(
                (ran.code, ran.stdout),
                wanted,
                "{site} {protocol}: {}",
                ran.stderr
            );
        }
    }
}

/// The score explanation states the value that a page check found, or why the check failed.
#[test]
fn score_explanation_states_result_of_page_check() {
    if lacks_chromium() {
        return;
    }
    let rows: [(Vec<Value>, &str); 6] = [
        (
            vec![json!({ "page": "text('h1')", "equals": "Other" })],
            "0 of 1 check held; found \"\\\"Live\\\"\", expected \"\\\"Other\\\"\"",
        ),
        // An expression may contain the word `return`.
        (
            vec![
                json!({ "page": "[...document.querySelectorAll('h1')].filter((one) => { return one; }).length", "equals": 2 }),
            ],
            "0 of 1 check held; found \"1\", expected \"2\"",
        ),
        (
            vec![json!({ "page": "return return" })],
            "0 of 1 check held; the check failed: \"the script failed: SyntaxError: ",
        ),
        (
            vec![json!({ "page": "nothing.here" })],
            "0 of 1 check held; the check failed: \"ReferenceError: nothing is not defined\"",
        ),
        // The second check does not get the result of the first.
        (
            vec![
                json!({ "page": "window" }),
                json!({ "page": "text('h1')", "equals": "Live" }),
            ],
            "1 of 2 checks held; message 1: the check failed: \"the script failed: its value is not JSON",
        ),
        (
            vec![json!({ "request": { "url": "/none.json", "json": {} } })],
            "0 of 1 check held; the check failed: \"the server responded with 404 Not Found and invalid JSON",
        ),
    ];
    for (checks, why) in rows {
        let turn = |check: &Value| json!({ "query": "Look.", "check": check });
        let turns: Vec<Value> = checks.iter().map(turn).collect();
        let row = json!({ "id": "one", "site": "site", "turns": turns });
        let binary = binary()
            .file("model.yaml", LOOKS)
            .file("site/index.html", "<!DOCTYPE html><h1>Live</h1>")
            .file("tasks.jsonl", row.to_string());
        let run = run(&binary, "tasks.jsonl", "agent-turn", "model.yaml", &[]);
        let records = run.records();
        let explanation = records.values().next().unwrap().score_explanation.clone();
        let explanation = explanation.unwrap_or_default();
        assert!(explanation.starts_with(why), "{explanation}");
    }
}
