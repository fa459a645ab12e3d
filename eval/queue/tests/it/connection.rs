//! Connections: addresses, servers that do not respond, credentials, and the rights of workers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nats_fixture::NatsServer;
use nkeys::KeyPair;
use queue::accounts::BudgetAccounts;
use queue::message::{RestartEntry, VERSION};
use queue::name::{RunKey, SubjectAddress};
use queue::{Access, Broker, Follow, QueueError, RunQueue, manifest};
use serde::Deserialize;

use crate::queued_run::{LIMITS, header, job, jobs, next, submit_run, take_one, until};
use crate::workers::heartbeat;

const GUIDE: &str = include_str!("../../../../docs/guides/queue.md");

async fn error_of(access: &Access) -> QueueError {
    let connected = queue::connect(access, "test").await;
    connected.err().expect("the connection fails")
}

/// Returns the message without the number of the operating system's error.
fn without_number(error: &QueueError) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Address {
    url: String,
    error: String,
    hint: String,
}

#[tokio::test]
async fn explains_wrong_addresses_and_missing_servers() {
    let rows: Vec<Address> = serde_json::from_str(include_str!("addresses.json")).unwrap();
    for Address { url, error, hint } in rows {
        let access = Access {
            url: url.clone(),
            ..Access::default()
        };
        let found = error_of(&access).await;
        assert_eq!(without_number(&found), error, "{url}");
        assert_eq!(found.hint(), Some(hint.as_str()), "{url}");
        assert!(!found.is_temporary(), "{url}");
    }
}

#[tokio::test]
async fn connects_to_any_server_of_a_list() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let access = Access {
        url: format!("nats://127.0.0.1:1, {}", server.url()),
        ..Access::default()
    };
    let broker = queue::connect(&access, "test").await.unwrap();
    let run = submit_run(broker, "run", LIMITS).await;
    let (received, sent) = run.broker().traffic();
    assert!(received > 0 && sent > 0);
}

/// Changes one field of the connection's settings.
type Change = fn(&mut Access, PathBuf);

#[tokio::test]
async fn explains_unusable_files() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    fs::write(&there, "junk").unwrap();
    let files: [(&str, Change); 5] = [
        ("credentials file", |access, path| access.creds = Some(path)),
        ("NKey seed", |access, path| access.nkey = Some(path)),
        ("certificates", |access, path| access.ca = Some(path)),
        ("client certificate", |access, path| {
            access.cert = Some((path.clone(), path));
        }),
        ("client key", |access, path| {
            let cert = path.with_file_name("there");
            access.cert = Some((cert, path));
        }),
    ];
    let mut rows = Vec::new();
    for (what, change) in files {
        let missing = folder.path().join("missing");
        rows.push((what, change, missing, "No such file or directory"));
    }
    let no_jwt = "cannot parse user JWT from the credentials file";
    rows.push((files[0].0, files[0].1, there, no_jwt));
    for (what, change, path, reason) in rows {
        let mut access = Access {
            url: "nats://127.0.0.1:1".to_owned(),
            ..Access::default()
        };
        change(&mut access, path.clone());
        let error = without_number(&error_of(&access).await);
        assert_eq!(error, format!("{what} {}: {reason}", path.display()));
    }
}

/// Writes the seed of a new NKey to a file. Returns its path and the public key.
fn nkey(folder: &Path, name: &str) -> (PathBuf, String) {
    let key = KeyPair::new_user();
    let path = folder.join(name);
    fs::write(&path, format!("{}\n", key.seed().unwrap())).unwrap();
    (path, key.public_key())
}

fn with_nkey(server: &NatsServer, nkey: &Path) -> Access {
    Access {
        url: server.url().to_owned(),
        nkey: Some(nkey.to_owned()),
        ..Access::default()
    }
}

#[tokio::test]
async fn server_accepts_only_known_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (known, public) = nkey(folder.path(), "known");
    let (unknown, _) = nkey(folder.path(), "unknown");
    let config = format!("authorization {{ users: [ {{ nkey: {public} }} ] }}");
    let Some(server) = NatsServer::with(&config) else {
        return;
    };
    let broker = queue::connect(&with_nkey(&server, &known), "test").await;
    let run = submit_run(broker.unwrap(), "run", LIMITS).await;
    run.submit(jobs([("a", 1)])).await.unwrap();
    assert_eq!(job(&*take_one(&run).await).sample, "a");
    let no_seed = folder.path().join("no seed");
    fs::write(&no_seed, "junk").unwrap();
    let none = Access {
        nkey: None,
        ..with_nkey(&server, &known)
    };
    for (access, reason) in [
        (with_nkey(&server, &unknown), "authorization violation"),
        (none, "authorization violation"),
        (with_nkey(&server, &no_seed), "failed signing nonce"),
    ] {
        let error = error_of(&access).await;
        let wanted = format!(
            "cannot connect to the NATS server {}: {reason}",
            server.url()
        );
        let text = error.to_string();
        assert!(text.starts_with(&wanted), "{text}");
        assert!(!text.contains("junk"), "{text}");
        assert_eq!(error.hint(), None);
    }
}

/// Makes an attempt as a worker with only the rights that the guide lists.
#[tokio::test]
async fn rights_in_the_guide_suffice_for_a_worker() {
    let key = RunKey::of("run");
    let (_, rights) = GUIDE.split_once("```text\npublish = [").unwrap();
    let (rights, _) = rights.split_once("```").unwrap();
    let rights = format!("publish = [{rights}").replace("KEY", key.as_str());
    let folder = tempfile::tempdir().unwrap();
    let (submitter, submitter_key) = nkey(folder.path(), "submitter");
    let (worker, worker_key) = nkey(folder.path(), "worker");
    let config = format!(
        "authorization {{ users: [ {{ nkey: {submitter_key} }}, {{ nkey: {worker_key}, \
         permissions: {{ {rights} }} }} ] }}"
    );
    let Some(server) = NatsServer::with(&config) else {
        return;
    };
    let broker = queue::connect(&with_nkey(&server, &submitter), "submitter").await;
    let run = submit_run(broker.unwrap(), "run", LIMITS).await;
    run.submit(jobs([("a", 1), ("b", 1)])).await.unwrap();
    let mut arrivals = run.arrivals().await.unwrap();

    let broker: Arc<dyn Broker> = queue::connect(&with_nkey(&server, &worker), "worker")
        .await
        .unwrap();
    let SubjectAddress { stream, subject } = SubjectAddress::manifest(None);
    let follow = broker.follow(&stream, vec![subject], Follow::LastOfEach);
    next(&mut follow.await.unwrap()).await;
    let queue = RunQueue::new(Arc::clone(&broker), key);
    assert!(manifest(&*broker, queue.key()).await.unwrap().is_some());
    queue.announce(&heartbeat("w", 0)).await.unwrap();
    assert_eq!(queue.workers().await.unwrap().len(), 1);
    assert_eq!(queue.worker_count().await.unwrap(), None);
    let delivery = take_one(&queue).await;
    delivery.keep().await.unwrap();
    let entry = RestartEntry {
        v: VERSION,
        delivery: 1,
        worker: "w".to_owned(),
        at_ms: 1,
        before: None,
        returned: false,
    };
    queue.record_restart("a", 1, &entry).await.unwrap();
    let (_, own) = queue.take_journal("a", 1).await.unwrap();
    queue.journal("a", 1, b"one\n", own).await.unwrap();
    queue.drop_journal("a", 1).await.unwrap();
    for _ in 0..2 {
        let report = |_: &mut BudgetAccounts| ();
        queue.change("books", report).await.unwrap();
    }
    let body = vec![1; 600_000];
    queue.send(header("w", "n"), &body).await.unwrap();
    assert!(queue.has_result("a", 1).await.unwrap());
    delivery.done().await.unwrap();
    let second = take_one(&queue).await;
    second.give_back(Duration::ZERO).await.unwrap();

    let stored = next(&mut arrivals).await;
    let (_, received) = run.open(&stored).await.unwrap().unwrap();
    assert!(received == body);
    until("the first attempt is removed", async || {
        run.jobs_of("a").await.unwrap().is_empty()
    })
    .await;
    assert_eq!(take_one(&run).await.number(), 2);
}
