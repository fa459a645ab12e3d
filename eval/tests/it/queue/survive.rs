//! `kill -9` of workers, submitters and servers, an interrupted network, and a full stream: nothing
//! is lost or duplicated.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use fault_server::{Behavior, FaultServer};
use nats_fixture::NatsServer;

use super::{
    Random, Running, binary_with_queue, check_whole, dir, lines, log, start, submit, summary,
    until, worker,
};
use crate::binary::{Binary, is_full};

#[test]
fn survives_kills_of_workers_submitters_and_servers() {
    let (kills, samples) = if is_full() { (50, 400) } else { (6, 40) };
    let servers = if is_full() {
        NatsServer::cluster()
    } else {
        NatsServer::start().map(|one| vec![one])
    };
    let Some(mut servers) = servers else { return };
    let seed = RandomState::new().build_hasher().finish() | 1;
    println!("seed {seed}");
    let mut random = Random(seed);
    let urls: Vec<_> = servers
        .iter()
        .map(|server| server.url().to_owned())
        .collect();
    let url = urls.join(",");
    let replicas = servers.len().to_string();
    let binary = binary_with_queue(&url);
    let more = [
        "--queue-lease",
        "1",
        "--queue-tries",
        "1000",
        "--queue-replicas",
        &replicas,
        "--detach",
    ];
    until("the cluster accepts the run", || {
        let ran = submit(&binary, &url, &samples.to_string(), &more);
        if ran.code != Some(0) {
            // A cluster needs a moment to elect its leader.
            let _ = std::fs::remove_dir_all(binary.path().join("results"));
        }
        ran.code == Some(0)
    });
    let dir = dir(&binary);
    let mut workers = [
        worker(&binary, &url, "w0", &[]),
        worker(&binary, &url, "w1", &[]),
    ];
    let mut submitter = start(&binary, "submitter.log", &["run", "--resume", &dir]);
    let mut killed = [0; 3];
    for kill in 0..kills {
        let wanted = lines(&dir) + usize::try_from(random.below(8)).unwrap();
        until("attempts continue", || {
            // A program that starts while no server is running exits with an error, so start it
            // again.
            if submitter.has_ended() {
                submitter = start(&binary, "submitter.log", &["run", "--resume", &dir]);
            }
            for (worker, name) in workers.iter_mut().zip(["w0", "w1"]) {
                if worker.has_ended() {
                    *worker = self::worker(&binary, &url, name, &[]);
                }
            }
            lines(&dir) >= wanted.min(samples)
        });
        thread::sleep(Duration::from_millis(random.below(200)));
        let whom = if kill < 3 { kill } else { random.below(3) };
        killed[usize::try_from(whom).unwrap()] += 1;
        match whom {
            0 => {
                let one = usize::try_from(random.below(2)).unwrap();
                workers[one].kill();
                workers[one] = worker(&binary, &url, &format!("w{one}"), &[]);
            }
            1 => {
                submitter.kill();
                submitter = start(&binary, "submitter.log", &["run", "--resume", &dir]);
            }
            _ => {
                let one = usize::try_from(random.below(servers.len() as u64)).unwrap();
                servers[one].kill();
                thread::sleep(Duration::from_millis(random.below(500)));
                servers[one].restart();
            }
        }
    }
    println!(
        "killed: {} workers, {} submitters, {} servers",
        killed[0], killed[1], killed[2]
    );
    // Resume until a submitter succeeds: kills at certain times make it exit with an error.
    while submitter.code() != Some(0) {
        submitter = start(&binary, "submitter.log", &["run", "--resume", &dir]);
    }
    check_whole(&binary, samples);
}

/// A proxy between a worker and the server, whose connections can be cut.
struct Network {
    port: u16,
    is_cut: Arc<AtomicBool>,
    lines: Arc<Mutex<Vec<TcpStream>>>,
}

impl Network {
    fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (cut, all) = (Arc::clone(&is_cut), Arc::clone(&lines));
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(far) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue;
                };
                all.lock()
                    .unwrap()
                    .extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                pass(near.try_clone().unwrap(), far.try_clone().unwrap());
                pass(far, near);
            }
        });
        Self {
            port,
            is_cut,
            lines,
        }
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for line in self.lines.lock().unwrap().drain(..) {
            let _ = line.shutdown(Shutdown::Both);
        }
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let mut bytes = vec![0; 65536];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..read]).is_err() {
                return;
            }
        }
    });
}

/// Returns a binary with a model that waits four seconds between its two calls.
fn slow(url: &str) -> Binary {
    let model = "description: Waits between two calls.\nrules:\n  - when: { turn: 1 }\n    reply: \"```js\\nawait new Promise((done) => setTimeout(done, 4000)); console.log(1)\\n```\"\n  - reply: \"```js\\nreturn('yes')\\n```\"\n";
    let rows = "{\"id\":\"a\",\"query\":\"?\",\"context\":\"c\",\"expected\":\"yes\"}\n{\"id\":\"b\",\"query\":\"?\",\"context\":\"c\",\"expected\":\"yes\"}\n";
    binary_with_queue(url)
        .file("slow.yaml", model)
        .file("rows.jsonl", rows)
}

const SLOW: [&str; 9] = [
    "run",
    "--benchmark",
    "rows.jsonl",
    "--scorer",
    "exact",
    "--model",
    "scripted:slow.yaml",
    "--isolation",
    "thread",
];

#[test]
fn returning_worker_loses_its_attempts() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = slow(server.url());
    let network = Network::to(server.port());
    let through = format!("nats://127.0.0.1:{}", network.port);
    let args = [
        &SLOW[..],
        &["--queue", server.url(), "--queue-lease", "1", "--detach"],
    ]
    .concat();
    let ran = binary.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dir = dir(&binary);
    let _first = worker(&binary, &through, "cut-off", &[]);
    let status = || binary.run(&["queue", "status", &dir], "").stdout;
    until("the first worker has both attempts", || {
        status().contains("2 under way")
    });
    network.cut();
    let _second = worker(&binary, server.url(), "other", &[]);
    let ran = binary.run(&["run", "--resume", &dir, "--json"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    network.mend();
    // The worker detects the takeover from the journal or the record, or the run has disappeared
    // when it reconnects.
    until("the first worker reports the takeover", || {
        let said = log(&binary, "cut-off");
        said.contains("has taken over attempt")
            || said.contains("made by another worker")
            || said.contains("warning")
    });
    let run = records::run_dir::RunDir::open(std::path::Path::new(&dir)).unwrap();
    assert_eq!(run.records.len(), 2);
    assert_eq!(lines(&dir), 2);
}

/// A run of two samples, whose worker was suspended for longer than the lease while both attempts
/// waited for the model.
struct Suspended {
    server: NatsServer,
    binary: Binary,
    dir: String,
    model: FaultServer,
    /// Whether the model answers.
    is_open: Arc<(Mutex<bool>, Condvar)>,
    worker: Running,
}

impl Suspended {
    /// Waits until the queue has delivered an attempt to the suspended worker again. Returns `None`
    /// without a NATS server.
    fn start() -> Option<Self> {
        let server = NatsServer::start()?;
        let is_open = Arc::new((Mutex::new(false), Condvar::new()));
        let gate = Arc::clone(&is_open);
        let model = FaultServer::start(move |_| {
            let (is_open, changed) = &*gate;
            let is_open = is_open.lock().unwrap();
            drop(changed.wait_while(is_open, |is_open| !*is_open).unwrap());
            Behavior::Text("yes".to_owned())
        });
        let rows = "{\"id\":\"a\",\"query\":\"?\",\"expected\":\"yes\"}\n{\"id\":\"b\",\"query\":\"?\",\"expected\":\"yes\"}\n";
        let binary = binary_with_queue(server.url())
            .file("rows.jsonl", rows)
            .variable("OPENAI_API_KEY", "key")
            .variable("OPENAI_BASE_URL", &model.openai());
        let args = [
            "run",
            "--benchmark",
            "rows.jsonl",
            "--scorer",
            "exact",
            "--protocol",
            "direct",
            "--model",
            "openai/gpt-4o-mini",
            "--queue",
            server.url(),
            "--queue-lease",
            "1",
            // A second delivery must not count as a lost worker.
            "--queue-tries",
            "1",
            "--detach",
        ];
        let ran = binary.run(&args, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let dir = dir(&binary);
        let worker = worker(&binary, server.url(), "suspended", &["--drain", "0.1"]);
        until("both attempts wait for the model", || {
            model.seen().len() == 2
        });
        until("an attempt is delivered again", || {
            worker.signal("-STOP");
            // Longer than the lease; if the queue is slower, the worker is suspended once more.
            thread::sleep(Duration::from_secs(2));
            worker.signal("-CONT");
            thread::sleep(Duration::from_millis(500));
            log(&binary, "suspended").contains("ignored a second delivery")
        });
        Some(Self {
            server,
            binary,
            dir,
            model,
            is_open,
            worker,
        })
    }

    /// Lets the model answer, follows the run to its end, and checks that both answers count and
    /// that the model received this number of requests.
    fn finish(&self, requests: usize) {
        *self.is_open.0.lock().unwrap() = true;
        self.is_open.1.notify_all();
        let ran = self.binary.run(&["run", "--resume", &self.dir], "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let log = log(&self.binary, "suspended");
        assert!(!log.contains("taking no more attempts"), "{log}");
        assert_eq!(self.model.seen().len(), requests, "{log}");
        assert_eq!(lines(&self.dir), 2);
        let summary = summary(std::path::Path::new(&self.dir));
        assert_eq!(summary["statuses"]["ok"], 2, "{summary}");
    }
}

#[test]
fn suspended_worker_keeps_its_attempts() {
    let Some(run) = Suspended::start() else {
        return;
    };
    run.finish(2);
}

#[test]
fn suspended_worker_can_return_its_attempts() {
    let Some(mut run) = Suspended::start() else {
        return;
    };
    run.worker.signal("-TERM");
    assert_eq!(run.worker.code(), Some(0));
    let _second = worker(&run.binary, run.server.url(), "second", &[]);
    run.finish(4);
}

#[test]
fn workers_wait_for_full_stream() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    // In total, the samples need about three times the size of the stream.
    let samples = 80;
    let ran = submit(
        &binary,
        server.url(),
        "80",
        &["--queue-max-mb", "1", "--queue-lease", "5", "--detach"],
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dir = dir(&binary);
    let _worker = worker(&binary, server.url(), "w", &[]);
    let full = || {
        let ran = binary.run(&["queue", "status", &dir], "");
        ["0.9 MB", "1.0 MB", "0.8 MB"]
            .iter()
            .any(|size| ran.stdout.contains(size))
    };
    until("the stream is full", full);
    let ran = binary.run(&["run", "--resume", &dir], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_whole(&binary, samples);
}

#[test]
fn stopped_worker_returns_attempts_under_way() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = slow(server.url());
    // The lease is long, so only returned attempts finish in time.
    let args = [
        &SLOW[..],
        &["--queue", server.url(), "--queue-lease", "3600", "--detach"],
    ]
    .concat();
    assert_eq!(binary.run(&args, "").code, Some(0));
    let dir = dir(&binary);
    let mut first = worker(&binary, server.url(), "first", &["--drain", "0.1"]);
    until("the first worker has both attempts", || {
        binary
            .run(&["queue", "status", &dir], "")
            .stdout
            .contains("2 under way")
    });
    first.signal("-TERM");
    assert_eq!(first.code(), Some(0));
    let _second = worker(&binary, server.url(), "second", &[]);
    let ran = binary.run(&["run", "--resume", &dir], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
