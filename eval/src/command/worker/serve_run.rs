//! Serves one run on a worker: takes attempts from the queue while the run is open.
//!
//! A run can be submitted again with other settings, such as a higher budget. The worker then
//! finishes its attempts in progress, for which the new limits count, and prepares the run again.

use std::sync::Arc;
use std::time::Duration;

use queue::RunQueue;
use queue::message::{Manifest, State, WorkerHeartbeat};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::served::{Served, heartbeat};
use super::state::{BusyGuard, Worker, WorkerMode};
use crate::process::terminal;

/// Time after which a request for attempts ends, even if fewer attempts were available. Also the
/// delay after a failed request.
const WAIT: Duration = Duration::from_secs(2);

/// Window in which freed slots are combined into one request.
const BATCH_WINDOW: Duration = Duration::from_millis(2);

/// Serves a run whenever it is open, until the worker ends.
pub(super) async fn serve_run(worker: Arc<Worker>, mut manifest: watch::Receiver<Manifest>) {
    let mut mode = worker.mode.clone();
    while *mode.borrow_and_update() == WorkerMode::Work {
        let is_open = manifest.borrow_and_update().state == State::Open;
        if is_open {
            serve_settings(&worker, &mut manifest).await;
        }
        tokio::select! {
            changed = manifest.changed() => if changed.is_err() { return },
            _ = mode.changed() => {}
        }
    }
}

/// Serves a run with its current settings until they change, or the run or the worker ends.
async fn serve_settings(worker: &Arc<Worker>, manifest: &mut watch::Receiver<Manifest>) {
    let now = manifest.borrow().clone();
    let queue = RunQueue::new(Arc::clone(&worker.broker), now.key.clone());
    // A worker is not idle while it prepares a run, and until the queue has answered its first
    // request.
    let mut busy = Some(worker.begin());
    let prepared = Box::pin(Served::prepare(worker, &queue, manifest.clone(), &mut busy)).await;
    let served = match prepared {
        Ok(served) => Arc::new(served),
        Err(why) => {
            terminal::warning(&format!("cannot work on run {}: {why}", now.run_id));
            let heartbeat = WorkerHeartbeat {
                unfit: Some(why),
                ..heartbeat(worker)
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
    take_attempts(Arc::clone(&served), manifest, busy).await;
    signs.abort();
    reports.abort();
    if let Err(error) = served.lease.end().await
        && !is_gone(&served).await
    {
        terminal::warning(&error.to_string());
    }
    // The run may have been removed already.
    let _ = served.announce(true).await;
}

/// Takes attempts while the worker may, and returns when all started attempts have ended. Drops
/// `busy` when the queue has answered the first request.
async fn take_attempts(
    served: Arc<Served>,
    manifest: &mut watch::Receiver<Manifest>,
    mut busy: Option<BusyGuard>,
) {
    let mut running = JoinSet::new();
    let mut mode = served.worker.mode.clone();
    while let Some(may_take) = may_take(&served, manifest) {
        while running.try_join_next().is_some() {}
        if !may_take {
            drop(busy.take());
            tokio::select! {
                _ = manifest.changed() => {}
                _ = mode.changed() => {}
            }
            continue;
        }
        let permits = Arc::clone(&served.worker.permits);
        let first = tokio::select! {
            place = Arc::clone(&permits).acquire_owned() => place,
            _ = manifest.changed() => continue,
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
                drop((free, busy.take()));
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
        let mut busy = busy.take();
        running.spawn(async move {
            let mut attempts = JoinSet::new();
            while let Some(delivery) = taken.recv().await {
                drop(busy.take());
                let place = free.pop();
                let served = Arc::clone(&served);
                attempts.spawn(async move {
                    served.attempt(delivery).await;
                    drop(place);
                });
            }
            drop((free, busy));
            while attempts.join_next().await.is_some() {}
        });
        tokio::task::yield_now().await;
    }
    while running.join_next().await.is_some() {}
}

/// Whether this worker may take attempts now; `None` if it may never take any again with the
/// settings that it has prepared.
fn may_take(served: &Served, manifest: &mut watch::Receiver<Manifest>) -> Option<bool> {
    let now = manifest.borrow_and_update();
    if !now.has_same_settings(&served.prepared_for) {
        terminal::note(&format!(
            "the settings of run {} have changed: it is prepared again after the attempts in progress",
            now.run_id
        ));
        drop(now);
        // Lets `serve_run` handle this manifest.
        manifest.mark_changed();
        return None;
    }
    if served.unfit.lock().is_some() || *served.worker.mode.borrow() != WorkerMode::Work {
        return None;
    }
    match now.state {
        State::Open => {
            let name = &served.worker.settings.name;
            Some(!now.paused_workers.contains(name) && !now.dismissed.contains(name))
        }
        State::Paused => Some(false),
        State::Halted { .. } | State::Cancelled | State::Complete => None,
    }
}

/// Whether the run has ended, so that its data may be missing from the queue.
async fn is_gone(served: &Served) -> bool {
    let found = queue::manifest(served.queue.broker(), served.queue.key()).await;
    found.is_ok_and(|found| {
        found.is_none_or(|(now, _)| matches!(now.state, State::Complete | State::Cancelled))
    })
}
