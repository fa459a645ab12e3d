//! Runs with a small real model on llama.cpp. Its answers are unpredictable, so the checks hold for
//! any model.
//!
//! `scripts/install-real-model.sh` installs both under `target/real-model`; `./test.sh --full` runs
//! that script.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::binary::{Binary, Running};
use crate::run::only;

/// The model's server, which stops when dropped.
struct RealModel {
    _process: Running,
    address: String,
}

impl RealModel {
    /// Starts the server. If it is not installed, prints a note and returns `None`, or panics with
    /// `EVAL_TEST_PEERS`.
    fn start() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let python = root.join("target/real-model/bin/python");
        if !root.join("target/real-model/installed").is_file() {
            assert!(
                std::env::var_os("EVAL_TEST_PEERS").is_none(),
                "EVAL_TEST_PEERS is set, and there is no target/real-model: run scripts/install-real-model.sh"
            );
            #[expect(clippy::print_stderr, reason = "a skipped test says so")]
            {
                eprintln!("skipped: no real model; scripts/install-real-model.sh installs one");
            }
            return None;
        }
        let mut child = Command::new(python)
            .arg(root.join("scripts/real-model.py"))
            .arg("--until-eof")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://");
        let address = address.trim_end_matches("/v1").to_owned();
        assert!(!address.is_empty(), "the server did not print an address");
        Some(Self {
            _process: Running(child),
            address,
        })
    }
}

/// Starts a proxy that forwards connections to a server and records what clients send. Returns the
/// base URL of the proxy.
fn start_recording_proxy(server: &str) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (server, all) = (server.to_owned(), Arc::clone(&sent));
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(&server).unwrap();
            let (near_back, far_back) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            let all = Arc::clone(&all);
            pass(near, far, move |bytes| all.lock().unwrap().extend(bytes));
            pass(far_back, near_back, |_| {});
        }
    });
    (url, sent)
}

fn pass(mut from: TcpStream, mut to: TcpStream, keep: impl Fn(&[u8]) + Send + 'static) {
    thread::spawn(move || {
        let mut bytes = vec![0; 65536];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            keep(&bytes[..read]);
            if to.write_all(&bytes[..read]).is_err() {
                return;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Write);
    });
}

#[test]
fn runs_with_a_real_model() {
    let Some(model) = RealModel::start() else {
        return;
    };
    let rows: [&[&str]; 3] = [
        &["--protocol", "direct"],
        &["--max-iterations", "2"],
        &["--max-iterations", "2", "--stream"],
    ];
    for more in rows {
        let (url, sent) = start_recording_proxy(&model.address);
        let binary = Binary::new();
        let args = [
            &["run", "--benchmark", "s-niah", "--context-len", "2k"][..],
            &["--samples-per-length", "1", "--model", "openai/smollm2"],
            &["--base-url", &url, "--max-output-tokens", "48"],
            &["--profile", "none", "--concurrency", "1"],
            more,
        ];
        let ran = binary.run(&args.concat(), "");
        let dir = only(&binary.path().join("results"));
        let samples = fs::read_to_string(dir.join("samples.jsonl")).unwrap();
        let record: Value = serde_json::from_str(samples.trim()).unwrap();
        let status = record["status"].as_str().unwrap();
        assert!(["ok", "limit"].contains(&status), "{more:?}: {ran:?}");
        assert!(record["score"].is_number(), "{more:?}: {record}");
        assert_eq!(record["answer"].is_string(), status == "ok", "{record}");
        for count in ["input_tokens", "output_tokens"] {
            let tokens = record["usage"][count].as_u64();
            assert!(tokens > Some(0), "{more:?}: {record}");
        }
        assert_eq!(record["usage"]["estimated"], false, "{more:?}: {record}");

        // The received prompt equals the one in the trajectory, byte for byte.
        let name = format!("{}.1.jsonl", record["id"].as_str().unwrap());
        let events = fs::read_to_string(dir.join("trajectories").join(name)).unwrap();
        let events = events
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let events: Vec<Value> = events.collect();
        let of = |kind: &str| {
            let mut kinds = events.iter().map(|event| &event["kind"]);
            kinds.find(|event| event["type"] == kind).unwrap()
        };
        let sent = String::from_utf8(sent.lock().unwrap().clone()).unwrap();
        let (_, body) = sent.split_once("\r\n\r\n").unwrap();
        let mut bodies = serde_json::Deserializer::from_str(body).into_iter::<Value>();
        let body = bodies.next().unwrap().unwrap();
        assert_eq!(
            body["messages"][0]["content"],
            of("invocation_start")["system_prompt"]
        );
        assert_eq!(
            body["messages"][1]["content"],
            of("llm_request")["new_messages"][0]["content"]
        );
        assert_eq!(body["stream"] == true, more.contains(&"--stream"), "{body}");
    }
}
