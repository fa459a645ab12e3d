//! Workers with a different build or different data, and forged messages.

use nats_fixture::NatsServer;
use queue::message::{self, Job, ResultHeader, VERSION};
use queue::name::{RunKey, StreamKind, SubjectAddress};
use queue::{Access, Expect, RunQueue, change_manifest};

use super::{binary_with_queue, check_whole, dir, log, only_run, start, submit, until, worker};
use crate::binary::Binary;

/// Connects to the server as an ordinary client and runs `act` with the connection.
fn at<T>(url: &str, act: impl AsyncFnOnce(std::sync::Arc<dyn queue::Broker>) -> T) -> T {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let access = Access {
            url: url.to_owned(),
            ..Access::default()
        };
        act(queue::connect(&access, "test").await.unwrap()).await
    })
}

fn key(binary: &Binary) -> RunKey {
    let dir = only_run(binary.path()).unwrap();
    RunKey::of(dir.file_name().unwrap().to_str().unwrap())
}

#[test]
fn worker_of_different_build_takes_no_attempts() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    assert_eq!(
        submit(&binary, server.url(), "4", &["--detach"]).code,
        Some(0)
    );
    let key = key(&binary);
    let program = at(server.url(), async |broker| {
        let before = queue::manifest(broker.as_ref(), &key)
            .await
            .unwrap()
            .unwrap()
            .0
            .program;
        change_manifest(broker.as_ref(), &key, |manifest| {
            manifest.program = "0".repeat(64);
        })
        .await
        .unwrap();
        before
    });
    let _worker = worker(&binary, server.url(), "w", &[]);
    until("the worker reports a different build", || {
        log(&binary, "w").contains("submitted by a different build")
    });
    let dir = dir(&binary);
    let status = binary.run(&["queue", "status", &dir], "").stdout;
    assert!(
        status.contains("cannot work on the run") && status.contains("4 waiting"),
        "{status}"
    );
    at(server.url(), async |broker| {
        change_manifest(broker.as_ref(), &key, |manifest| {
            manifest.program.clone_from(&program);
        })
        .await
        .unwrap();
    });
    let ran = binary.run(&["run", "--resume", &dir], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_whole(&binary, 4);
}

#[test]
fn worker_rejects_run_if_its_data_differs() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let model = "description: Says yes.\nrules:\n  - reply: \"yes\"\n";
    let rows = |expected: &str| {
        format!("{{\"id\":\"a\",\"query\":\"?\",\"context\":\"c\",\"expected\":\"{expected}\"}}\n")
    };
    let with = |expected: &str| {
        binary_with_queue(server.url())
            .file("m.yaml", model)
            .file("rows.jsonl", rows(expected))
    };
    let (here, there) = (with("yes"), with("no"));
    let args = [
        "run",
        "--benchmark",
        "rows.jsonl",
        "--scorer",
        "exact",
        "--model",
        "scripted:m.yaml",
        "--protocol",
        "direct",
        "--queue",
        server.url(),
        "--detach",
    ];
    let ran = here.run(&args, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let _other = worker(&there, server.url(), "other", &[]);
    until("the other worker reports different data", || {
        log(&there, "other").contains("the data on this machine differs")
    });
    let mut submitter = start(&here, "run.log", &["run", "--resume", &dir(&here)]);
    until("the submitter reports the other worker", || {
        log(&here, "run").contains("worker other cannot work on this run")
    });
    let _own = worker(&here, server.url(), "own", &[]);
    assert_eq!(submitter.code(), Some(0));
}

#[test]
fn ignores_forged_messages() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let binary = binary_with_queue(server.url());
    assert_eq!(
        submit(&binary, server.url(), "6", &["--detach"]).code,
        Some(0)
    );
    let key = key(&binary);
    at(server.url(), async |broker| {
        let run = RunQueue::new(std::sync::Arc::clone(&broker), key.clone());
        let put = async |part, rest: &str, bytes: &[u8]| {
            broker
                .put(
                    &SubjectAddress::of(&key, part, rest),
                    bytes.to_vec(),
                    Expect::Anything,
                )
                .await
                .unwrap();
        };
        put(StreamKind::Work, "x.1", b"not json").await;
        put(
            StreamKind::Work,
            "x.2",
            &message::write(&Job::new("no such sample".to_owned(), 1)),
        )
        .await;
        put(
            StreamKind::Work,
            "x.3",
            &message::write(&Job::new("s-niah-2k-1".to_owned(), 9)),
        )
        .await;
        put(StreamKind::Data, "rec.x.1", b"{\"v\":99}").await;
        put(StreamKind::State, "worker.x", b"{}").await;
        let elsewhere = SubjectAddress::manifest(Some(&RunKey::of("x")));
        broker
            .put(&elsewhere, b"junk".to_vec(), Expect::Anything)
            .await
            .unwrap();
        // Send a record of an attempt that was never made, with a valid checksum.
        let header = ResultHeader {
            v: VERSION,
            sample: "s-niah-2k-2".to_owned(),
            attempt: 1,
            worker: "evil".to_owned(),
            delivery: 1,
            nonce: "n".to_owned(),
            pieces: 0,
            bytes: 0,
            sha256: String::new(),
            wasted: None,
        };
        run.send(header, b"{\"v\":1,\"run_id\":\"another\"}\n")
            .await
            .unwrap();
    });
    let _worker = worker(&binary, server.url(), "w", &[]);
    let ran = binary.run(&["run", "--resume", &dir(&binary)], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("removed an invalid result"), "{ran:?}");
    let said = log(&binary, "w");
    assert!(
        said.contains("removed an invalid attempt") && said.contains("unknown sample"),
        "{said}"
    );
    check_whole(&binary, 6);
}
