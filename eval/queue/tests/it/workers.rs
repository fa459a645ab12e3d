//! Heartbeats and counts of workers.

use queue::Expect;
use queue::accounts::Amounts;
use queue::message::{UnderWay, VERSION, WorkerCount, WorkerHeartbeat, read};
use queue::name::{StreamKind, SubjectAddress};

use crate::queued_run::{QueuedRun, next};

pub fn heartbeat(worker: &str, finished: u64) -> WorkerHeartbeat {
    WorkerHeartbeat {
        v: VERSION,
        worker: worker.to_owned(),
        host: "host".to_owned(),
        at_ms: 5,
        concurrency: 3,
        under_way: vec![UnderWay {
            sample: "a.b *".to_owned(),
            attempt: 2,
            since_ms: 4,
            delivery: 1,
            calls: 7,
        }],
        finished,
        spent: Amounts::of([0.5, 10.0, 2.0]),
        unfit: (worker == "unfit").then(|| "different build".to_owned()),
        leaving: worker == "b",
    }
}

#[tokio::test]
async fn keeps_last_heartbeat_of_each_worker() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    let queue = &run.queue;
    assert!(queue.workers().await.unwrap().is_empty());
    for junk in ["worker.x", "worker.y"] {
        let place = SubjectAddress::of(queue.key(), StreamKind::State, junk);
        let put = queue.broker().put(&place, b"{}".to_vec(), Expect::Anything);
        put.await.unwrap();
    }
    assert!(queue.workers().await.unwrap().is_empty());
    let names = ["a", "b", "unfit", "w.*> 1"];
    for finished in [1, 2] {
        for name in names {
            queue.announce(&heartbeat(name, finished)).await.unwrap();
        }
    }
    let all = queue.workers().await.unwrap();
    let heartbeats: Vec<_> = all.iter().map(|(heartbeat, _)| heartbeat.clone()).collect();
    assert_eq!(heartbeats, names.map(|name| heartbeat(name, 2)));
    // The time is that of the server, not that of the message.
    assert!(all.iter().all(|(_, at_ms)| *at_ms > 5));
    let mut watched = run.client().await.watch_workers().await.unwrap();
    queue.announce(&heartbeat("a", 3)).await.unwrap();
    let (mut received, mut invalid) = (Vec::new(), 0);
    while received.last() != Some(&heartbeat("a", 3)) {
        let stored = next(&mut watched).await;
        match read::<WorkerHeartbeat>(&stored.subject, &stored.bytes) {
            Ok(heartbeat) => received.push(heartbeat),
            Err(error) => {
                invalid += 1;
                assert!(
                    error
                        .to_string()
                        .ends_with("missing field `v` at line 1 column 2")
                );
            }
        }
    }
    assert_eq!(invalid, 2);
    // The new heartbeat may have replaced the last one before the watch began.
    let replaced = received.iter().filter(|one| one.worker == "a").count();
    assert!([1, 2].contains(&replaced), "{received:?}");
    let others = received.iter().filter(|one| one.worker != "a").count();
    assert_eq!(others, 3);
}

#[tokio::test]
async fn stores_number_of_workers() {
    let Some(run) = QueuedRun::start().await else {
        return;
    };
    assert_eq!(run.queue.worker_count().await.unwrap(), None);
    for workers in [3, 200] {
        let count = WorkerCount {
            v: VERSION,
            workers,
        };
        run.queue.set_worker_count(&count).await.unwrap();
        let (stored, _) = run.client().await.worker_count().await.unwrap().unwrap();
        assert_eq!(stored, count);
    }
    let place = SubjectAddress::of(run.queue.key(), StreamKind::State, "roster");
    let put = run
        .queue
        .broker()
        .put(&place, b"[]".to_vec(), Expect::Anything);
    put.await.unwrap();
    let error = run.queue.worker_count().await.unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: ", place.subject)),
        "{error}"
    );
}
