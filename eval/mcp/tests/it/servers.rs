//! Processes of MCP servers whose tools agents call: a hand-written server in Python.

use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_fixture::HUNG;
use mcp::{Server, ServerError, ServerTool, Spawn, Spawned};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::process::Command;
use tokio::runtime::Runtime;

const NOTES: &str = include_str!("notes.py");

/// Time limit of calls and starts that are never answered.
const SHORT: Duration = Duration::from_secs(1);

fn spawn(program: &str, arguments: &[&str]) -> io::Result<Spawned> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let guard = Box::new(());
    Ok(Spawned { child, guard })
}

/// Starts a server that is this Python script.
fn python(script: &str) -> Spawn {
    let script = script.to_owned();
    Box::new(move || spawn("python3", &["-c", &script]))
}

/// Returns the script with other tools: a Python expression.
fn with_tools(tools: &str) -> String {
    let listed = "return {\"tools\": TOOLS}";
    assert!(NOTES.contains(listed));
    NOTES.replace(listed, &format!("return {tools}"))
}

fn call(server: &Server, tool: &str, arguments: Map<String, Value>) -> Result<Value, ServerError> {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(server.call(tool, arguments))
}

/// One row of `calls.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The tool's result, or the text of the error.
    result: Value,
}

#[test]
fn calls_have_results_or_errors() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("calls.json")).unwrap();
    let server = Server::start(python(NOTES), HUNG, HUNG).unwrap();
    assert_eq!(server.listing.version, "notes 1");
    let echo = ServerTool {
        name: "echo".to_owned(),
        description: "Returns `text`.".to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        }),
    };
    assert_eq!(server.listing.tools[0], echo);
    for row in rows {
        let result = call(&server, &row.tool, row.arguments);
        let result = result.unwrap_or_else(|error| json!(error.to_string()));
        assert_eq!(result, row.result, "{}", row.tool);
    }
}

#[test]
fn long_result_is_complete() {
    let server = Server::start(python(NOTES), HUNG, HUNG).unwrap();
    let result = call(&server, "long", Map::new()).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.len(), 5_000_000);
}

#[test]
fn restarted_server_must_offer_the_same_tools() {
    let other = NOTES.replace("Returns `text`.", "Returns `text` immediately.");
    let is_restart = AtomicBool::new(false);
    let spawn: Spawn = Box::new(move || {
        let is_restart = is_restart.swap(true, Ordering::Relaxed);
        spawn("python3", &["-c", if is_restart { &other } else { NOTES }])
    });
    let server = Server::start(spawn, HUNG, HUNG).unwrap();
    let ended = call(&server, "crash", Map::new()).unwrap_err();
    assert!(matches!(ended, ServerError::Ended(_)), "{ended}");
    for _ in 0..2 {
        let refused = call(&server, "pid", Map::new());
        assert_eq!(refused, Err(ServerError::ToolsChanged));
    }
}

#[test]
fn call_without_answer_ends_after_its_timeout() {
    let server = Server::start(python(NOTES), HUNG, SHORT).unwrap();
    let result = call(&server, "hang", Map::new());
    assert_eq!(result, Err(ServerError::Timeout(SHORT)));
}

/// One row: the command of a server, its time to start, and the error.
type Unusable<'a> = (&'a [&'a str], Duration, &'a str);

#[test]
fn reports_why_server_did_not_start() {
    let object = "'inputSchema': {'type': 'object'}";
    let tools = format!("[{{'name': f't{{n}}', {object}}} for n in range(201)]");
    let many = with_tools(&format!("{{'tools': {tools}}}"));
    let pages = with_tools("{'tools': TOOLS[:1], 'nextCursor': 'x'}");
    let rows: [Unusable; 8] = [
        (&["no-such-program"], HUNG, "No such file"),
        (&["false"], HUNG, ""),
        (&["echo", "hello"], HUNG, ""),
        (
            &["python3", "-c", "raise SystemExit('no\\n ink')"],
            HUNG,
            "; it printed: no ink",
        ),
        (
            &["python3", "-c", "raise SystemExit('x' * 5000 + 'end')"],
            HUNG,
            "xxxend",
        ),
        (&["sleep", "600"], SHORT, "no answer after 1 s"),
        (
            &["python3", "-c", &many],
            HUNG,
            "it offers more than 200 tools",
        ),
        (
            &["python3", "-c", &pages],
            HUNG,
            "its tool list has more than 20 pages",
        ),
    ];
    std::thread::scope(|scope| {
        for (command, limit, expected) in rows {
            scope.spawn(move || check_start(command, limit, expected));
        }
    });
}

fn check_start(command: &[&str], limit: Duration, expected: &str) {
    let words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
    let spawn: Spawn = Box::new(move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        spawn(words[0], &words[1..])
    });
    let error = Server::start(spawn, limit, HUNG).err().unwrap();
    assert!(matches!(error, ServerError::NotStarted(_)), "{error:?}");
    let error = error.to_string();
    let about = "the server did not start: ";
    assert!(error.starts_with(about), "{command:?}: {error}");
    assert!(error.contains(expected), "{command:?}: {error}");
    // Only the end of a long output is quoted.
    assert!(error.len() < 1000, "{command:?}: {error}");
}
