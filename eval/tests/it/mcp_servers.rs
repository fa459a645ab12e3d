//! Agents that call the tools of MCP servers: a hand-written server in Python, and this program
//! itself. The crate `mcp` tests the connection to a server.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::queue::until;
use crate::run::{only, read_json};

const SERVER: &str = "notes=python3 notes.py";

/// Script of the server.
const NOTES: &str = include_str!("../../mcp/tests/it/notes.py");

/// Returns a scripted model that calls these tools in order and answers with their results.
fn caller(calls: &[(&str, Value)]) -> String {
    let calls = serde_json::to_string(calls).unwrap();
    format!(
        "description: Calls tools.\nrules:\n  - reply: |\n      ```js\n      const found = [];\n      for (const [name, args] of {calls}) {{\n        \
         try {{ found.push(await notes[name](args)) }} catch (error) {{ found.push('error: ' + error.message) }}\n      }}\n      \
         return(found)\n      ```\n"
    )
}

fn folder(calls: &[(&str, Value)]) -> Binary {
    let path = std::env::var("PATH").unwrap();
    Binary::new()
        .file("notes.py", NOTES)
        .file("use.yaml", caller(calls))
        .variable("PATH", &path)
}

const ASK: [&str; 5] = ["ask", "--query", "x", "--model", "scripted:use.yaml"];

/// Flags for agents with a REPL.
const REPL: [&str; 2] = ["--confirm-first-return", "false"];

fn ask(binary: &Binary, flags: &[&str]) -> Ran {
    let has_repl = !flags.contains(&"--protocol");
    let of_repl = if has_repl { &REPL[..] } else { &[] };
    binary.run(&[&ASK[..], of_repl, flags].concat(), "")
}

/// Returns the trajectory of the only run in `out`.
fn events(binary: &Binary) -> String {
    let run = only(&binary.path().join("out"));
    fs::read_to_string(run.join("trajectories/request-000001.1.jsonl")).unwrap()
}

#[test]
fn agents_receive_tool_results() {
    let rows: Vec<(&str, Value, Value)> = vec![
        ("echo", json!({"text": "hi"}), json!("hi")),
        (
            "echo",
            json!({}),
            json!(
                "error: notes.echo(): wrong arguments: the input: \"text\" is a required property"
            ),
        ),
        (
            "parts",
            json!({}),
            json!(["see", {"type": "image", "mimeType": "image/png", "bytes": 9}]),
        ),
        ("data", json!({}), json!({"n": [1, 2]})),
        (
            "fail",
            json!({}),
            json!("error: notes.fail(): no such note"),
        ),
        (
            "refuse",
            json!({}),
            json!("error: notes.refuse(): not today"),
        ),
        (
            "long",
            json!({}),
            json!("error: notes.long(): the result has"),
        ),
    ];
    let calls: Vec<(&str, Value)> = rows
        .iter()
        .map(|(tool, arguments, _)| (*tool, arguments.clone()))
        .collect();
    let binary = folder(&calls);
    let ran = ask(&binary, &["--mcp-server", SERVER, "--log-dir", "out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    for ((tool, arguments, expected), mut found) in rows.into_iter().zip(found) {
        if tool == "long" {
            let text = found.as_str().unwrap_or_default();
            // The result is complete or rejected as too long for the REPL, but never truncated.
            let is_refused = text.starts_with("error: notes.long(): the result has");
            if is_refused || text.len() == 5_000_000 {
                found = expected.clone();
            }
        }
        assert_eq!(found, expected, "{tool} {arguments}");
    }
    // The trajectory contains each call.
    let events = events(&binary);
    let calls = events.lines().filter(|line| line.contains("\"tool_call\""));
    assert_eq!(
        calls.count(),
        7,
        "{}",
        events.chars().take(3000).collect::<String>()
    );
}

#[test]
fn prompt_definitions_name_tools_of_servers() {
    let desk = "---\nname: desk\ntoolDescription: Answers\nmodel: default\nrequiredSchema: {type: object, properties: {}}\ntools: [notes.echo, {name: clerk, includeToolCalls: false}]\n---\nYou are at the desk.\n";
    let clerk = "---\nname: clerk\ntoolDescription: Reads a note\nmodel: default\ntools: [notes.echo]\n\
                 requiredSchema: {type: object, properties: {text: {type: string}}, required: [text]}\n---\nYou read notes.\n";
    let model = "description: A desk and its clerk.\nrules:\n  - when: { depth: 1 }\n    reply: |\n      ```js\n      \
                 return(await notes.echo({text: 'clerk'}))\n      ```\n  - reply: |\n      ```js\n      \
                 return([await notes.echo({text: 'desk'}), String(await clerk({text: 'x'}))])\n      ```\n";
    let binary = folder(&[])
        .file("use.yaml", model)
        .file("prompts/desk.md", desk)
        .file("prompts/clerk.md", clerk);
    let prompt = ["--prompts-dir", "prompts", "--prompt", "desk"];
    let server = ["--mcp-server", SERVER];
    let ran = ask(&binary, &[&prompt[..], &server].concat());
    assert_eq!(ran.stdout, "[\"desk\",\"clerk\"]\n", "{}", ran.stderr);
    let check = ["prompt", "--check", "prompts"];
    let ran = binary.run(&[&check[..], &server].concat(), "");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), ""),
        "{}",
        ran.stderr
    );
    // Prompt definitions must not start servers.
    let ran = ask(&binary, &prompt);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let hint = "start it with --mcp-server 'notes=COMMAND'";
    assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    let ran = binary.run(&check, "");
    let lines = ran.stdout.lines();
    assert_eq!(
        lines
            .filter(|line| line.contains("unknown tool `notes.echo`"))
            .count(),
        2,
        "{ran:?}"
    );
}

#[test]
fn server_process_has_no_keys() {
    let binary = folder(&[("env", json!({}))])
        .variable("OPENAI_API_KEY", "sk-0123456789abcdef")
        .variable("EVAL_CLIENT_KEY", "sk-0123456789abcdef")
        .variable("OTHER", "x");
    let server = "notes=NOTES_TOKEN='a b' python3 notes.py";
    let ran = ask(&binary, &["--mcp-server", server]);
    let names = ran.stdout.trim().trim_matches(['[', ']', '"']);
    let names: Vec<&str> = names.split(',').collect();
    assert!(
        names.contains(&"NOTES_TOKEN") && names.contains(&"PATH"),
        "{ran:?}"
    );
    for name in names {
        assert!(!name.contains("KEY") && name != "OTHER", "{name}");
    }
}

#[test]
fn server_tools_work_as_native_tools() {
    let native = "description: Calls a tool natively.\nrules:\n  - when: { turn: 1 }\n    tool_calls: [{ name: notes_echo, arguments: { text: native } }]\n  \
                  - compute: |\n      return 'got ' + context.match(/native/)\n";
    let binary = folder(&[]).file("use.yaml", native);
    let ran = ask(
        &binary,
        &[
            "--protocol",
            "tools",
            "--mcp-server",
            SERVER,
            "--log-dir",
            "out",
        ],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let events = events(&binary);
    let call = events
        .lines()
        .find(|line| line.contains("\"tool_call\""))
        .unwrap();
    let call: Value = serde_json::from_str(call).unwrap();
    assert_eq!(
        (&call["kind"]["name"], &call["kind"]["result"]),
        (&json!("notes_echo"), &json!("native")),
        "{call}"
    );
}

#[test]
fn agents_call_this_program_as_mcp_server() {
    let model = "description: Asks another agent.\nrules:\n  - reply: |\n      ```js\n      const found = await inner.rlm({query: 'Say nested'});\n      \
                 return(found.answer + ' ' + found.status)\n      ```\n";
    let binary = folder(&[])
        .file("use.yaml", model)
        .file("echo.yaml", include_str!("clients/echo.yaml"));
    let program = env!("CARGO_BIN_EXE_eval");
    let server =
        format!("inner={program} mcp --model scripted:echo.yaml --confirm-first-return false");
    let ran = ask(&binary, &["--mcp-server", &server]);
    assert_eq!(ran.stdout, "asked: Say nested ok\n", "{}", ran.stderr);
}

#[test]
fn fingerprint_includes_tools_of_servers() {
    let binary = folder(&[("echo", json!({"text": "x"}))]);
    let run = |name: &str, server: &str| {
        let flags = [
            "run",
            "--benchmark",
            "s-niah",
            "--model",
            "scripted:use.yaml",
            "--context-len",
            "2k",
            "--samples-per-length",
            "1",
            "--confirm-first-return",
            "false",
            "--name",
            name,
        ];
        let with: &[&str] = if server.is_empty() {
            &[]
        } else {
            &["--mcp-server", server]
        };
        let ran = binary.run(&[&flags[..], with].concat(), "");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let lock = binary.path().join("results").join(name).join("lock.json");
        let lock = read_json(lock);
        lock["run"]["fingerprint"].as_str().unwrap().to_owned()
    };
    let text = fs::read_to_string(binary.path().join("notes.py")).unwrap();
    let other = text.replace("Returns `text`.", "Returns `text` immediately.");
    fs::write(binary.path().join("other.py"), other).unwrap();
    fs::copy(
        binary.path().join("notes.py"),
        binary.path().join("same.py"),
    )
    .unwrap();
    let first = run("a", SERVER);
    assert_eq!(run("b", "notes=python3 same.py"), first);
    assert_ne!(run("c", "notes=python3 other.py"), first);
    assert_ne!(run("d", ""), first);
    // A run folder must not start a server: resuming needs the flag again.
    let ran = binary.run(&["run", "--resume", "results/a"], "");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let hint = "pass --mcp-server 'notes=COMMAND' again";
    assert!(ran.stderr.contains(hint), "{}", ran.stderr);
    let ran = binary.run(
        &["run", "--resume", "results/a", "--mcp-server", SERVER],
        "",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn server_ends_when_program_exits_or_is_killed() {
    let binary = folder(&[("pid", json!({}))]);
    let ran = ask(&binary, &["--mcp-server", SERVER]);
    let pid: u32 = ran
        .stdout
        .trim()
        .trim_matches(['[', ']', '"'])
        .parse()
        .unwrap();
    gone(pid);
    // The program is killed while its agent waits.
    let model = "description: Waits.\nrules:\n  - reply: |\n      ```js\n      console.log(await notes.pid({}));\n      \
                 await new Promise((done) => setTimeout(done, 600000));\n      ```\n";
    let binary = binary.file("use.yaml", model);
    let server = "notes=sh -c 'echo $$ > pid; exec python3 notes.py'";
    let flags = ["--timer-timeout", "3600", "--mcp-server", server];
    let mut child = binary.spawn(&[&ASK[..], &flags].concat());
    let began = Instant::now();
    let pid = loop {
        let written = fs::read_to_string(binary.path().join("pid"));
        if let Some(pid) = written.ok().and_then(|pid| pid.trim().parse().ok()) {
            break pid;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "no server was started"
        );
        std::thread::sleep(Duration::from_millis(50));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    gone(pid);
}

/// Waits until a process has ended.
fn gone(pid: u32) {
    let exists = || {
        let sent = Command::new("kill")
            .args(["-0", &pid.to_string()])
            .stderr(Stdio::null())
            .status();
        sent.unwrap().success()
    };
    until(&format!("process {pid} ends"), || !exists());
}

#[test]
fn refuses_unusable_servers() {
    let rows = [
        ("notes", "expected NAME=COMMAND"),
        ("console=python3 notes.py", "invalid value"),
        (
            "notes=no-such-program",
            "--mcp-server notes: the server did not start: No such file",
        ),
        (
            "notes=python3 empty.py",
            "--mcp-server notes: the server has no tools",
        ),
        (
            "notes=python3 twins.py",
            "--mcp-server notes: two of the server's tools would be named `notes.a_b`",
        ),
        ("notes=python3 schema.py", "notes.echo"),
    ];
    let tools = |list: &str| {
        NOTES.replace(
            "return {\"tools\": TOOLS}",
            &format!("return {{\"tools\": {list}}}"),
        )
    };
    let object = "'inputSchema': {'type': 'object'}";
    let binary = folder(&[])
        .file("empty.py", tools("[]"))
        .file("twins.py", tools(&format!("[{{'name': 'a-b', {object}}}, {{'name': 'a.b', {object}}}]")))
        .file("schema.py", tools("[{'name': 'echo', 'inputSchema': {'type': 'object', 'properties': {'x': {'type': 'nonsense'}}}}]"));
    for (server, wanted) in rows {
        let ran = ask(&binary, &["--mcp-server", server]);
        assert_eq!(ran.code, Some(2), "{server}: {ran:?}");
        assert!(ran.stderr.contains(wanted), "{server}: {}", ran.stderr);
    }
    let twice = ask(
        &binary,
        &[
            "--mcp-server",
            SERVER,
            "--mcp-server",
            "notes=python3 empty.py",
        ],
    );
    assert!(
        twice.stderr.contains("duplicate server name"),
        "{}",
        twice.stderr
    );
    let direct = ask(&binary, &["--protocol", "direct", "--mcp-server", SERVER]);
    assert!(
        direct
            .stderr
            .contains("no agent with --protocol direct calls tools"),
        "{}",
        direct.stderr
    );
    // Files must not start servers.
    let binary = binary
        .file(".env", "EVAL_MCP_SERVER=notes=sh -c 'touch ran'\n")
        .file(
            "agents.yaml",
            "x: {mcp-server: \"notes=sh -c 'touch ran'\"}",
        );
    ask(&binary, &[]);
    let args = [
        "serve",
        "--model",
        "scripted:use.yaml",
        "--port",
        "0",
        "--agents",
        "agents.yaml",
    ];
    let ran = binary.run(&args, "");
    assert!(
        ran.stderr.contains("`mcp-server` is a permission"),
        "{}",
        ran.stderr
    );
    assert!(!binary.path().join("ran").exists());
}
