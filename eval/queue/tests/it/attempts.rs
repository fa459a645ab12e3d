//! Attempts: their order, leases and restart histories, and their removal from the queue.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nats_fixture::NatsServer;
use queue::message::{Job, RestartEntry, ResultHeader, VERSION, read};
use queue::name::{self, StreamKind, SubjectAddress};
use queue::{Counts, Expect, Limits, QueueError};

use crate::queued_run::{
    LIMITS, QueuedRun, connect, header, in_time, job, jobs, next, submit_run, take, take_one, until,
};

#[tokio::test]
async fn delivers_attempts_in_order_of_submission() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    // More than the maximum number of concurrent writes.
    let all: Vec<Job> = (1..=300)
        .map(|n| Job::new(format!("sample {}", 1000 - n), n % 3 + 1))
        .collect();
    assert_eq!(run.queue.submit(all.clone()).await.unwrap(), 300);
    let worker = run.client().await;
    let first = take(&worker, 100).await;
    let counts = Counts {
        waiting: 200,
        under_way: 100,
        bytes: 0,
    };
    until("100 attempts are under way", async || {
        run.queue.counts().await.unwrap() == counts
    })
    .await;
    // Attempts in the queue are not added again, whether or not a worker has taken them.
    let new = jobs([("new", 1), ("new", 2)]);
    let again = [&all[..], &new].concat();
    assert_eq!(run.queue.submit(again).await.unwrap(), 2);
    let rest = take(&run.client().await, 202).await;
    let delivered: Vec<Job> = first.iter().chain(&rest).map(|one| job(&**one)).collect();
    assert_eq!(delivered, [all, new].concat());
    assert!(first.iter().chain(&rest).all(|one| one.number() == 1));
}

#[tokio::test]
async fn accepts_any_sample_id() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let long = "x".repeat(4096);
    let ids = [
        "a.b*c>d e/f\\g",
        "a.b*c>d e/f\\h",
        "",
        " ",
        "ü\n\u{1f980}",
        "*",
        ">",
        &long,
    ];
    for id in ids {
        let one = jobs([(id, 1), (id, u32::MAX)]);
        assert_eq!(run.queue.submit(one.clone()).await.unwrap(), 2, "{id:?}");
        assert_eq!(run.queue.jobs_of(id).await.unwrap(), one, "{id:?}");
    }
    for id in ids {
        for attempt in [1, u32::MAX] {
            let delivery = take_one(&run.queue).await;
            assert_eq!(job(&*delivery), Job::new(id.to_owned(), attempt));
            let subject = name::attempt(id, attempt);
            assert!(delivery.subject().ends_with(&subject), "{id:?}");
        }
    }
}

#[tokio::test]
async fn request_receives_attempts_until_it_expires() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let mut early = run.queue.take(2, Duration::from_secs(60)).await.unwrap();
    let submitter = run.client().await;
    submitter.submit(jobs([("a", 1)])).await.unwrap();
    assert_eq!(job(&*next(&mut early).await).sample, "a");
    submitter.submit(jobs([("b", 1), ("c", 1)])).await.unwrap();
    assert_eq!(job(&*next(&mut early).await).sample, "b");
    let closed = in_time("a full request ends", early.recv()).await;
    assert!(closed.is_none());
    let wait = Duration::from_secs(2);
    let mut short = run.queue.take(2, wait).await.unwrap();
    assert_eq!(job(&*next(&mut short).await).sample, "c");
    let closed = in_time("an expired request ends", short.recv()).await;
    assert!(closed.is_none());
}

#[tokio::test]
async fn unwanted_attempts_return_immediately() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    drop(run.queue.take(1, Duration::from_secs(60)).await.unwrap());
    run.queue.submit(jobs([("a", 1)])).await.unwrap();
    // The lease of the first delivery is an hour.
    let delivery = take_one(&run.client().await).await;
    assert_eq!(delivery.number(), 2);
}

#[tokio::test]
async fn expired_lease_passes_attempt_to_another_worker() {
    let lease = Duration::from_millis(300);
    let Some(run) = QueuedRun::with(Limits { lease, ..LIMITS }).await else {
        return;
    };
    let (a, b) = (run.client().await, run.client().await);
    let mut arrivals = run.queue.arrivals().await.unwrap();
    run.queue.submit(jobs([("a", 1)])).await.unwrap();
    let first = take_one(&a).await;
    let (_, own) = a.take_journal("a", 1).await.unwrap();
    let own = a.journal("a", 1, b"one\n", own).await.unwrap();
    let second = take_one(&b).await;
    assert_eq!((first.number(), second.number()), (1, 2));
    assert_eq!(job(&*first), job(&*second));
    let (lines, _) = b.take_journal("a", 1).await.unwrap();
    assert_eq!(lines, b"one\n");
    // The first worker returns.
    let late = a.journal("a", 1, b"two\n", own).await;
    assert!(matches!(late, Err(QueueError::Conflict)), "{late:?}");
    b.send(header("b", "2"), b"result of b").await.unwrap();
    second.done().await.unwrap();
    let late = a.send(header("a", "1"), b"result of a").await;
    assert!(matches!(late, Err(QueueError::Conflict)), "{late:?}");
    first.done().await.unwrap();
    // Spending of the first worker is kept.
    let wasted = Some("journal".to_owned());
    let late = ResultHeader {
        wasted,
        ..header("a", "1")
    };
    a.send(late, b"one\n").await.unwrap();
    let mut received = Vec::new();
    for _ in 0..2 {
        let stored = next(&mut arrivals).await;
        let (header, body) = run.queue.open(&stored).await.unwrap().unwrap();
        received.push((header.worker, String::from_utf8(body).unwrap()));
    }
    let wanted = [("b", "result of b"), ("a", "one\n")];
    assert_eq!(
        received,
        wanted.map(|(worker, body)| (worker.to_owned(), body.to_owned()))
    );
    until("the queue is empty", async || {
        let counts = run.queue.counts().await.unwrap();
        counts.waiting + counts.under_way == 0
    })
    .await;
}

#[tokio::test]
async fn heartbeats_renew_lease() {
    let lease = Duration::from_secs(2);
    let Some(server) = NatsServer::start() else {
        return;
    };
    let broker = connect(server.url()).await;
    for number in 0.. {
        let broker = Arc::clone(&broker);
        let queue = submit_run(broker, &number.to_string(), Limits { lease, ..LIMITS }).await;
        queue
            .submit(jobs([("kept", 1), ("lost", 1)]))
            .await
            .unwrap();
        let mut last = Instant::now();
        let mut slowest = Duration::ZERO;
        let taken = take(&queue, 2).await;
        let mut again = queue.take(1, Duration::from_secs(60)).await.unwrap();
        let next = loop {
            taken[0].keep().await.unwrap();
            slowest = slowest.max(last.elapsed());
            last = Instant::now();
            tokio::select! {
                next = again.recv() => break next.unwrap(),
                () = tokio::time::sleep(lease / 20) => {}
            }
        };
        // Without heartbeats, the attempt that was submitted first would be delivered first.
        if job(&*next).sample == "lost" {
            break;
        }
        assert!(slowest > lease / 4, "the lease of a kept attempt expired");
    }
}

#[tokio::test]
async fn returned_attempts_are_delivered_after_their_delay() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    for delay in [Duration::ZERO, Duration::from_millis(300)] {
        run.queue.submit(jobs([("a", 1)])).await.unwrap();
        let first = take_one(&run.queue).await;
        let returned = Instant::now();
        first.give_back(delay).await.unwrap();
        let second = take_one(&run.client().await).await;
        assert_eq!(second.number(), 2);
        assert!(returned.elapsed() >= delay);
        second.done().await.unwrap();
        until("the attempt is removed", async || {
            run.queue.jobs_of("a").await.unwrap().is_empty()
        })
        .await;
    }
}

#[tokio::test]
async fn attempts_at_a_sample_can_be_removed_and_returned() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let all = jobs([("a", 1), ("b", 1), ("a", 2), ("c", 1)]);
    run.queue.submit(all).await.unwrap();
    let started = take_one(&run.queue).await;
    let held = run.queue.jobs_of("a").await.unwrap();
    assert_eq!(held, jobs([("a", 1), ("a", 2)]));
    assert_eq!(run.queue.jobs_of("none").await.unwrap(), []);
    assert_eq!(run.queue.remove_jobs_at("a").await.unwrap(), 2);
    assert_eq!(run.queue.remove_jobs_at("a").await.unwrap(), 0);
    assert_eq!(run.queue.jobs_of("a").await.unwrap(), []);
    // The worker may still finish its attempt.
    started.done().await.unwrap();
    let back: Vec<Job> = held
        .into_iter()
        .map(|job| Job {
            resubmitted: true,
            ..job
        })
        .collect();
    assert_eq!(run.queue.submit(back.clone()).await.unwrap(), 2);
    let delivered: Vec<Job> = take(&run.queue, 4)
        .await
        .iter()
        .map(|one| job(&**one))
        .collect();
    assert_eq!(delivered, [jobs([("b", 1), ("c", 1)]), back].concat());
}

#[tokio::test]
async fn finished_attempts_can_be_submitted_again() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    for _ in 0..2 {
        assert_eq!(run.queue.submit(jobs([("a", 1)])).await.unwrap(), 1);
        take_one(&run.queue).await.done().await.unwrap();
        until("the attempt is removed", async || {
            run.queue.jobs_of("a").await.unwrap().is_empty()
        })
        .await;
    }
}

#[tokio::test]
async fn forgotten_attempts_start_anew() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let queue = &run.queue;
    let entry = |delivery| RestartEntry {
        v: VERSION,
        delivery,
        worker: "w".to_owned(),
        at_ms: delivery,
        before: (delivery > 1).then(|| "v, seen 9 s ago".to_owned()),
        returned: delivery == 2,
    };
    let body = vec![7; 600_000];
    for attempt in [1, 2] {
        let own = queue.take_journal("a", attempt).await.unwrap().1;
        queue.journal("a", attempt, b"one\n", own).await.unwrap();
        let header = ResultHeader {
            attempt,
            ..header("w", "n")
        };
        queue.send(header, &body).await.unwrap();
        let first = queue.record_restart("a", attempt, &entry(1)).await;
        assert_eq!(first.unwrap(), [entry(1)]);
    }
    // A forged entry is skipped.
    let subject = format!("again.{}", name::attempt("a", 1));
    let place = SubjectAddress::of(queue.key(), StreamKind::Data, &subject);
    let forged = br#"{"v":1,"delivery":"#.to_vec();
    queue
        .broker()
        .put(&place, forged, Expect::Anything)
        .await
        .unwrap();
    let history = queue.record_restart("a", 1, &entry(2)).await.unwrap();
    assert_eq!(history, [entry(1), entry(2)]);
    let before = queue.counts().await.unwrap().bytes;
    assert!(before > 2 * body.len() as u64);

    queue.forget("a", 1).await.unwrap();
    assert!(!queue.has_result("a", 1).await.unwrap());
    assert_eq!(queue.journal_end("a", 1).await.unwrap(), 0);
    let history = queue.record_restart("a", 1, &entry(1)).await.unwrap();
    assert_eq!(history, [entry(1)]);
    queue.send(header("w", "m"), b"again").await.unwrap();
    // The other attempt keeps everything.
    assert!(queue.has_result("a", 2).await.unwrap());
    assert_eq!(queue.take_journal("a", 2).await.unwrap().0, b"one\n");
    let history = queue.record_restart("a", 2, &entry(2)).await.unwrap();
    assert_eq!(history, [entry(1), entry(2)]);
    let after = queue.counts().await.unwrap().bytes;
    assert!(after < before - body.len() as u64, "{before} {after}");
}

#[tokio::test]
async fn forged_attempts_do_not_block_the_queue() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let forged = [
        ("x.1", "not json", "expected ident at line 1 column 2"),
        (
            "x.2",
            r#"{"v":2,"sample":"a","attempt":1}"#,
            "version 2 is not supported; this program reads version 1",
        ),
        ("x.3", "", "EOF while parsing a value at line 1 column 0"),
    ];
    for (rest, text, _) in forged {
        let place = SubjectAddress::of(run.queue.key(), StreamKind::Work, rest);
        let put = run
            .queue
            .broker()
            .put(&place, text.into(), Expect::Anything);
        put.await.unwrap();
    }
    run.queue.submit(jobs([("a", 1)])).await.unwrap();
    let taken = take(&run.queue, 4).await;
    for ((rest, _, problem), delivery) in forged.iter().zip(&taken) {
        let invalid = read::<Job>(delivery.subject(), delivery.bytes());
        let subject = format!("eval.{}.work.{rest}", run.queue.key());
        assert_eq!(
            invalid.unwrap_err().to_string(),
            format!("{subject}: {problem}")
        );
        delivery.done().await.unwrap();
    }
    assert_eq!(job(&*taken[3]).sample, "a");
    taken[3].done().await.unwrap();
    until("the queue is empty", async || {
        let counts = run.queue.counts().await.unwrap();
        counts.waiting + counts.under_way == 0
    })
    .await;
}
