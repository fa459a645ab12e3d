//! Runs in a queue: their manifests, changes under contention, states, and removal.

use std::collections::BTreeSet;
use std::time::Duration;

use nats_fixture::NatsServer;
use queue::message::{Job, Manifest, State, VERSION, read, write};
use queue::name::{RunKey, SubjectAddress};
use queue::{Broker, Counts, Expect, Follow, QueueError, change_manifest, manifest, manifests};

use crate::queued_run::{
    LIMITS, QueuedRun, connect, header, job, jobs, manifest_of, next, submit_run, take_one,
};

async fn run_ids(broker: &dyn Broker) -> Vec<String> {
    let all = manifests(broker).await.unwrap();
    all.into_iter().map(|manifest| manifest.run_id).collect()
}

#[tokio::test]
async fn lists_runs_without_invalid_manifests() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let broker = connect(server.url()).await;
    assert!(run_ids(&*broker).await.is_empty(), "a new server");
    let first = submit_run(broker.clone(), "first", LIMITS).await;
    let later = Manifest {
        v: VERSION + 1,
        ..manifest_of("later")
    };
    let long = Manifest {
        fingerprint: "x".repeat(4097),
        ..manifest_of("long")
    };
    let key = RunKey::of("junk");
    let place = SubjectAddress::manifest(Some(&key));
    for (bytes, problem) in [
        (b"junk".to_vec(), "expected value at line 1 column 1"),
        (
            write(&later),
            "version 2 is not supported; this program reads version 1",
        ),
        (write(&long), "id longer than 4096 bytes"),
    ] {
        broker.put(&place, bytes, Expect::Anything).await.unwrap();
        let wanted = format!("eval.runs.{key}: {problem}");
        let error = manifest(&*broker, &key).await.unwrap_err();
        assert_eq!(error.to_string(), wanted);
        let error = change_manifest(&*broker, &key, |_| {}).await.unwrap_err();
        assert_eq!(error.to_string(), wanted);
        assert_eq!(run_ids(&*broker).await, ["first"]);
    }
    submit_run(broker.clone(), "second", LIMITS).await;
    assert_eq!(run_ids(&*broker).await, ["first", "second"]);
    broker.remove(first.key()).await.unwrap();
    assert_eq!(run_ids(&*broker).await, ["second"]);
}

#[tokio::test]
async fn unknown_runs_have_no_manifest() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let (broker, key) = (run.queue.broker(), RunKey::of("unknown"));
    assert_eq!(manifest(broker, &key).await.unwrap(), None);
    let error = change_manifest(broker, &key, |_| {}).await.unwrap_err();
    assert!(matches!(error, QueueError::NoRun(_)), "{error:?}");
    assert_eq!(
        error.to_string(),
        format!("unknown run `{key}`: it is not in the queue")
    );
    assert_eq!(
        error.hint(),
        Some("`rlm-eval queue status` lists the runs of a queue")
    );
}

#[tokio::test]
async fn concurrent_changes_are_all_kept() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let names = |client: usize| (0..20).map(move |n| format!("{client}-{n}"));
    let mut clients = Vec::new();
    for client in 0..4 {
        let queue = run.client().await;
        clients.push(tokio::spawn(async move {
            for name in names(client) {
                let changed = change_manifest(queue.broker(), queue.key(), |manifest| {
                    manifest.cancelled.push(name.clone());
                });
                let changed = changed.await.unwrap();
                assert!(changed.cancelled.contains(&name));
            }
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    let (now, sequence) = manifest(run.queue.broker(), run.queue.key())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(now.cancelled.len(), 80);
    let all: BTreeSet<String> = now.cancelled.iter().cloned().collect();
    assert_eq!(all, (0..4).flat_map(names).collect());
    // A change without effect writes nothing.
    let same = change_manifest(run.queue.broker(), run.queue.key(), |_| {}).await;
    assert_eq!(same.unwrap(), now);
    let after = manifest(run.queue.broker(), run.queue.key()).await.unwrap();
    assert_eq!(after, Some((now, sequence)));
}

/// Pauses, resumes, halts, cancels and completes a run whose manifest a worker follows.
#[tokio::test]
async fn followers_receive_each_state() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let worker = run.client().await;
    let SubjectAddress { stream, subject } = SubjectAddress::manifest(None);
    let follow = || {
        let subjects = vec![subject.clone()];
        worker
            .broker()
            .follow(&stream, subjects, Follow::LastOfEach)
    };
    let mut early = follow().await.unwrap();
    let mut wanted = manifest_of("run");
    let stored = next(&mut early).await;
    let received: Manifest = read(&stored.subject, &stored.bytes).unwrap();
    assert_eq!(received, wanted);
    let held = Job::new("held".to_owned(), 1);
    let reason = "--max-cost: $2".to_owned();
    for state in [
        State::Paused,
        State::Open,
        State::Halted { reason },
        State::Open,
        State::Cancelled,
        State::Complete,
    ] {
        let changed = change_manifest(run.queue.broker(), run.queue.key(), |manifest| {
            manifest.state = state.clone();
            manifest.held.push(held.clone());
            manifest.paused_workers.push("tired".to_owned());
            manifest.dismissed.push("gone".to_owned());
        });
        wanted.state = state.clone();
        wanted.held.push(held.clone());
        wanted.paused_workers.push("tired".to_owned());
        wanted.dismissed.push("gone".to_owned());
        assert_eq!(changed.await.unwrap(), wanted);
        let stored = next(&mut early).await;
        let received: Manifest = read(&stored.subject, &stored.bytes).unwrap();
        assert_eq!(received, wanted);
        assert!(received.has_same_settings(&manifest_of("run")));
        // A worker that starts later receives only the last state.
        let stored = next(&mut follow().await.unwrap()).await;
        let received: Manifest = read(&stored.subject, &stored.bytes).unwrap();
        assert_eq!(received, wanted);
    }
}

#[tokio::test]
async fn removed_run_leaves_nothing() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let broker = connect(run.server.url()).await;
    let other = submit_run(broker, "other", LIMITS).await;
    for queue in [&run.queue, &other] {
        queue.submit(jobs([("a", 1), ("b", 1)])).await.unwrap();
        queue.send(header("w", "n"), b"result").await.unwrap();
        // Creating a run again keeps its content.
        queue.broker().create(queue.key(), LIMITS).await.unwrap();
        assert_eq!(queue.counts().await.unwrap().waiting, 2);
    }
    let (queue, key) = (&run.queue, run.queue.key());
    for _ in 0..2 {
        queue.broker().remove(key).await.unwrap();
        assert_eq!(manifest(queue.broker(), key).await.unwrap(), None);
    }
    let gone = "the NATS server could not find the run's attempts: ";
    let counts = queue.counts().await.unwrap_err();
    assert!(counts.to_string().starts_with(gone), "{counts}");
    let taken = queue.take(1, Duration::from_secs(1)).await.err().unwrap();
    assert!(taken.to_string().starts_with(gone), "{taken}");
    let arrivals = queue.arrivals().await.unwrap_err();
    let gone = "the NATS server could not find a stream: ";
    assert!(arrivals.to_string().starts_with(gone), "{arrivals}");
    // A write ends instead of waiting forever.
    let submitted = queue.submit(jobs([("c", 1)])).await.unwrap_err();
    let sent = queue.send(header("w", "m"), b"").await.unwrap_err();
    let wanted = format!("unknown run `{key}`: it is not in the queue");
    assert_eq!(submitted.to_string(), wanted);
    assert_eq!(sent.to_string(), wanted);
    assert_eq!(
        sent.hint(),
        Some("`rlm-eval queue status` lists the runs of a queue")
    );
    assert_eq!(other.counts().await.unwrap().waiting, 2);
    assert!(other.has_result("a", 1).await.unwrap());
    // The same run can be submitted again.
    queue.broker().create(key, LIMITS).await.unwrap();
    assert_eq!(queue.counts().await.unwrap(), Counts::default());
    assert_eq!(queue.submit(jobs([("c", 1)])).await.unwrap(), 1);
    assert_eq!(job(&*take_one(queue).await).sample, "c");
}
