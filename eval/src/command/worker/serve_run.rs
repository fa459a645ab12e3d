//! Serves one run on a worker: takes attempts from the queue until the run or the worker ends.

use std::sync::Arc;
use std::time::Duration;

use queue::RunQueue;
use queue::message::{Manifest, State, WorkerHeartbeat};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::served::{Served, heartbeat};
use super::state::{Worker, WorkerMode};
use crate::process::terminal;

/// Time after which a request for attempts ends, even if fewer attempts were available. Also the
/// delay after a failed request.
const WAIT: Duration = Duration::from_secs(2);

/// Window in which freed slots are combined into one request.
const BATCH_WINDOW: Duration = Duration::from_millis(2);

/// Serves a run until the run or the worker ends.
pub(super) async fn serve_run(worker: Arc<Worker>, manifest: watch::Receiver<Manifest>) {
    let now = manifest.borrow().clone();
    let queue = RunQueue::new(Arc::clone(&worker.broker), now.key.clone());
    // A worker is not idle while it prepares a run.
    let busy = worker.begin();
    let prepared = Box::pin(Served::prepare(&worker, &queue, manifest)).await;
    drop(busy);
    let served = match prepared {
        Ok(served) => Arc::new(served),
        Err(why) => {
            terminal::warning(&format!("cannot work on run {}: {why}", now.run_id));
            let heartbeat = WorkerHeartbeat {
                unfit: Some(why),
                ..heartbeat(&worker)
            };
            if let Err(error) = queue.announce(&heartbeat).await {
                terminal::warning(&error.to_string());
            }
            return;
        }
    };
    terminal::note(&format!("working on run {}", now.run_id));
    let signs = tokio::spawn(Arc::clone(&served).send_heartbeats());
    let reports = tokio::spawn(Arc::clone(&served).report_spending());
    take_attempts(Arc::clone(&served)).await;
    signs.abort();
    reports.abort();
    if let Err(error) = served.lease.end().await {
        terminal::warning(&error.to_string());
    }
    // The run may have been removed already.
    let _ = served.announce(true).await;
}

/// Takes attempts while the worker may, and returns when all started attempts have ended.
async fn take_attempts(served: Arc<Served>) {
    let mut running = JoinSet::new();
    let mut changed = served.manifest.clone();
    let mut mode = served.worker.mode.clone();
    while let Some(may_take) = may_take(&served) {
        while running.try_join_next().is_some() {}
        if !may_take {
            tokio::select! {
                _ = changed.changed() => {}
                _ = mode.changed() => {}
            }
            continue;
        }
        let permits = Arc::clone(&served.worker.permits);
        let first = tokio::select! {
            place = Arc::clone(&permits).acquire_owned() => place,
            _ = changed.changed() => continue,
            _ = mode.changed() => continue,
        };
        let Ok(first) = first else { break };
        tokio::time::sleep(BATCH_WINDOW).await;
        let more = permits.available_permits();
        let mut free = vec![first];
        free.extend((0..more).map_while(|_| Arc::clone(&permits).try_acquire_owned().ok()));
        let mut taken = match served.queue.take(free.len(), WAIT).await {
            Ok(taken) => taken,
            Err(error) => {
                drop(free);
                if is_gone(&served).await {
                    break;
                }
                terminal::warning(&error.to_string());
                tokio::time::sleep(WAIT).await;
                continue;
            }
        };
        // Receives the attempts in a separate task, so that a further request can fill slots
        // freed in the meantime.
        let served = Arc::clone(&served);
        running.spawn(async move {
            let mut attempts = JoinSet::new();
            while let Some(delivery) = taken.recv().await {
                let place = free.pop();
                let served = Arc::clone(&served);
                attempts.spawn(async move {
                    served.attempt(delivery).await;
                    drop(place);
                });
            }
            let nothing_came = attempts.is_empty();
            drop(free);
            while attempts.join_next().await.is_some() {}
            nothing_came
        });
        tokio::task::yield_now().await;
    }
    while running.join_next().await.is_some() {}
}

/// Whether this worker may take attempts now; `None` if it may never take any again.
fn may_take(served: &Served) -> Option<bool> {
    if served.unfit.lock().is_some() || *served.worker.mode.borrow() != WorkerMode::Work {
        return None;
    }
    let now = served.manifest.borrow();
    match now.state {
        State::Open => {
            let name = &served.worker.settings.name;
            Some(!now.paused_workers.contains(name) && !now.dismissed.contains(name))
        }
        State::Paused => Some(false),
        State::Halted { .. } | State::Cancelled | State::Complete => None,
    }
}

/// Whether the run is no longer in the queue.
async fn is_gone(served: &Served) -> bool {
    let found = queue::manifest(served.queue.broker(), served.queue.key()).await;
    matches!(found, Ok(None))
}
