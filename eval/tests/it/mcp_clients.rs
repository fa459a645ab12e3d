//! The official SDKs of the Model Context Protocol: as clients of `rlm-eval mcp`, and as servers
//! with tools for agents.
//!
//! `scripts/install-clients.sh` installs the SDKs under `target/clients`; `./test.sh --full` runs
//! that script. The crate `mcp` tests the bytes of messages.

use crate::binary::Binary;
use crate::clients::{interpreter, libraries, run_client, script};
use crate::mcp::Served;

const KEY: &str = "sk-mcp-client-0123456789";

fn folder() -> Binary {
    Binary::new()
        .file("echo.yaml", include_str!("clients/echo.yaml"))
        .file("docs/a.txt", "text a")
        .variable("EVAL_CLIENT_KEY", KEY)
        .variable("PATH", &std::env::var("PATH").unwrap())
}

fn check(name: &str) {
    let Some(libraries) = libraries() else {
        return;
    };
    let binary = folder();
    let server = Served::of(&binary, &["--root", "docs"]);
    let args = [&server.url, KEY, env!("CARGO_BIN_EXE_eval")];
    run_client(&libraries, name, &binary, &args);
}

#[test]
fn serves_python_sdk_client() {
    check("mcp_client.py");
}

#[test]
fn serves_typescript_sdk_client() {
    check("mcp_client.mjs");
}

/// Checks that an agent can call each tool of a server written with an SDK.
fn serve(name: &str) {
    let Some(libraries) = libraries() else {
        return;
    };
    let model = "description: Uses notes.\nrules:\n  - reply: |\n      ```js\n      const found = [await notes.add({text: 'one'}), await notes.add({text: 'two'}), \
                 await notes.list({})];\n      try { await notes.remove({index: 9}) } catch (error) { found.push(error.message) }\n      \
                 try { await notes.remove({index: 'x'}) } catch (error) { found.push(error.message) }\n      found.push(await notes.picture({}));\n      \
                 return(found)\n      ```\n";
    let binary = folder().file("use.yaml", model);
    let script = script(name);
    let program = interpreter(&libraries, &script);
    let server = format!(
        "notes=LIBRARIES='{}' '{}' '{}'",
        libraries.join("node").display(),
        program.display(),
        script.display()
    );
    let args = [
        "ask",
        "--query",
        "x",
        "--model",
        "scripted:use.yaml",
        "--confirm-first-return",
        "false",
        "--mcp-server",
        &server,
    ];
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in [
        "one",
        "two",
        "there is no note 9",
        "wrong arguments",
        "image/png",
    ] {
        assert!(
            ran.stdout.contains(part),
            "{part}: {}\n{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn agents_call_tools_of_python_sdk_server() {
    serve("mcp_server.py");
}

#[test]
fn agents_call_tools_of_typescript_sdk_server() {
    serve("mcp_server.mjs");
}
