//! Servers that restart and streams that are full: writes wait, and nothing is lost or duplicated.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use queue::message::{ResultHeader, State};
use queue::{Expect, Limits, QueueError, change_manifest, name};

use crate::queued_run::{LIMITS, QueuedRun, header, in_time, job, jobs, next, take_one, until};

#[tokio::test]
async fn survives_restart_of_the_server() {
    let Some(mut run) = QueuedRun::start().await else {
        return;
    };
    let of = |attempt: u32| ResultHeader {
        attempt,
        ..header("w", &attempt.to_string())
    };
    let mut arrivals = run.queue.arrivals().await.unwrap();
    run.queue.submit(jobs([("a", 1), ("b", 1)])).await.unwrap();
    let worker = run.client().await;
    let first = take_one(&worker).await;
    let own = worker.journal("a", 1, b"one\n", 0).await.unwrap();
    worker.send(of(1), b"1").await.unwrap();
    let mut received = vec![next(&mut arrivals).await];

    run.server.kill();
    // The writes begin while no server is running.
    let writes = async {
        tokio::join!(
            biased;
            worker.journal("a", 1, b"two\n", own),
            worker.send(of(2), b"2"),
            run.queue.submit(jobs([("c", 1)])),
            run.queue.reject(&received[0]),
            async { run.server.restart() },
        )
    };
    let (journal, sent, submitted, rejected, ()) = in_time("all is written", writes).await;
    journal.unwrap();
    sent.unwrap();
    submitted.unwrap();
    rejected.unwrap();
    assert!(!worker.has_result("a", 1).await.unwrap());

    worker.send(of(3), b"3").await.unwrap();
    received.push(next(&mut arrivals).await);
    received.push(next(&mut arrivals).await);
    let mut bodies = Vec::new();
    for stored in &received {
        let (_, body) = run.queue.open(stored).await.unwrap().unwrap();
        bodies.push(String::from_utf8(body).unwrap());
    }
    assert_eq!(bodies, ["1", "2", "3"]);
    assert_eq!(worker.take_journal("a", 1).await.unwrap().0, b"one\ntwo\n");
    first.done().await.unwrap();
    // A killed server may forget a delivery, but never an attempt.
    let mut delivered = BTreeSet::new();
    until("the queue is empty", async || {
        let wait = Duration::from_millis(100);
        let mut deliveries = worker.take(3, wait).await.unwrap();
        while let Some(delivery) = deliveries.recv().await {
            delivered.insert(job(&*delivery).sample);
            delivery.done().await.unwrap();
        }
        let counts = worker.counts().await.unwrap();
        counts.waiting + counts.under_way == 0
    })
    .await;
    delivered.remove("a");
    assert_eq!(delivered, ["b", "c"].map(str::to_owned).into());
}

#[tokio::test]
async fn writes_wait_for_room_in_a_full_stream() {
    let limits = Limits {
        max_bytes: Some(300_000),
        ..LIMITS
    };
    let Some(run) = QueuedRun::with(limits).await else {
        return;
    };
    let of = |attempt: u32| ResultHeader {
        attempt,
        ..header("w", "n")
    };
    let body = vec![1; 200_000];
    run.queue.send(of(1), &body).await.unwrap();
    let place = name::SubjectAddress::of(run.queue.key(), name::StreamKind::Data, "rec.x.1");
    let full = run
        .queue
        .broker()
        .put(&place, body.clone(), Expect::Anything);
    let error = full.await.unwrap_err();
    assert!(matches!(error, QueueError::Full(_)), "{error:?}");
    assert!(error.is_temporary());
    let text = error.to_string();
    let wanted = "a stream of the queue is full: publish failed: maximum bytes exceeded";
    assert!(text.starts_with(wanted), "{text}");
    let worker = Arc::new(run.client().await);
    let (before, _) = worker.broker().traffic();
    let (sender, header) = (Arc::clone(&worker), of(2));
    let sent = tokio::spawn(async move { sender.send(header, &body).await });
    // The worker receives a refusal, the manifest, and the refusal of its second try.
    until("the write is repeated", async || {
        assert!(!sent.is_finished());
        worker.broker().traffic().0 >= before + 3
    })
    .await;
    // Other streams of the run have room.
    let (broker, key) = (run.queue.broker(), run.queue.key());
    let paused = change_manifest(broker, key, |manifest| manifest.state = State::Paused);
    paused.await.unwrap();
    run.queue.submit(jobs([("a", 2)])).await.unwrap();
    assert!(run.queue.counts().await.unwrap().bytes <= 300_000);
    assert!(!sent.is_finished());
    run.queue.forget("a", 1).await.unwrap();
    in_time("the second result is sent", sent)
        .await
        .unwrap()
        .unwrap();
    assert!(!run.queue.has_result("a", 1).await.unwrap());
    assert!(run.queue.has_result("a", 2).await.unwrap());
}
