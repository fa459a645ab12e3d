//! Unmodified third-party client libraries against `rlm-eval serve`.
//!
//! `scripts/install-clients.sh` installs the libraries under `target/clients`; `./test.sh --full`
//! runs that script. The crate `serve` tests the bytes of requests and responses.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binary::Binary;
use crate::serve::{Served, folder};

const KEY: &str = "sk-client-key-0123456789";

/// Returns the folder of the client libraries. Without `EVAL_TEST_PEERS`, prints a note and returns
/// `None`; with it, the libraries must be installed.
pub fn libraries() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/clients");
    if folder.join("installed").is_file() && std::env::var_os("EVAL_TEST_PEERS").is_some() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("EVAL_TEST_PEERS").is_none(),
        "EVAL_TEST_PEERS is set, and target/clients has no libraries: run scripts/install-clients.sh"
    );
    #[expect(clippy::print_stderr, reason = "a skipped test says so")]
    {
        eprintln!("skipped: third-party clients are tested only with EVAL_TEST_PEERS=1");
    }
    None
}

/// Returns the path of a script in `clients/`.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/clients")
        .join(name)
}

/// Returns the interpreter for a script that uses a library.
pub fn interpreter(libraries: &Path, script: &Path) -> PathBuf {
    if script.extension().is_some_and(|ending| ending == "py") {
        return libraries.join("python/bin/python");
    }
    PathBuf::from("node")
}

/// Runs a client with these arguments, which must succeed and print `ok` at the end.
pub fn run_client(libraries: &Path, name: &str, binary: &Binary, args: &[&str]) {
    let script = script(name);
    let ran = Command::new(interpreter(libraries, &script))
        .arg(&script)
        .args(args)
        .arg(libraries.join("node"))
        .current_dir(binary.path())
        .output()
        .unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(
        ran.status.success() && stdout.ends_with("ok\n"),
        "{name}: {stdout}\n{stderr}"
    );
}

fn check(name: &str) {
    let Some(libraries) = libraries() else {
        return;
    };
    let binary = folder().variable("EVAL_CLIENT_KEY", KEY);
    let server = Served::of(&binary, &[]);
    run_client(&libraries, name, &binary, &[&server.base, KEY]);
}

#[test]
fn serves_openai_python_client() {
    check("openai_python.py");
}

#[test]
fn serves_openai_typescript_client() {
    check("openai_node.mjs");
}

#[test]
fn serves_litellm_client() {
    check("litellm_client.py");
}

#[test]
fn serves_vercel_ai_sdk() {
    check("vercel.mjs");
}

#[test]
fn serves_inspect() {
    check("inspect_task.py");
}
