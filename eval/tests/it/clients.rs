//! Unmodified third-party client libraries against `rlm-eval serve`.
//!
//! `scripts/install-clients.sh` installs the libraries under `target/clients`; `./test.sh --full`
//! runs that script. The crate `serve` tests the bytes of requests and responses.

use std::path::{Path, PathBuf};
use std::process::Command;

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

fn check(script: &str) {
    let Some(libraries) = libraries() else {
        return;
    };
    let binary = folder().variable("EVAL_CLIENT_KEY", KEY);
    let server = Served::of(&binary, &[]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/clients")
        .join(script);
    let mut command = if script.extension().is_some_and(|ending| ending == "py") {
        Command::new(libraries.join("python/bin/python"))
    } else {
        Command::new("node")
    };
    let ran = command
        .arg(&script)
        .args([&server.base, KEY])
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
        "{}: {stdout}\n{stderr}",
        script.display()
    );
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
