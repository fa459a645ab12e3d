//! Heartbeats and counts of a run's workers.

use tokio::sync::mpsc;

use super::{RunQueue, now_ms};
use crate::message::{self, WorkerCount, WorkerHeartbeat};
use crate::name::{self, SubjectAddress};
use crate::{Expect, Follow, QueueError, Stored};

impl RunQueue {
    /// Stores the heartbeat of a worker, replacing its previous one.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the message cannot be written.
    pub async fn announce(&self, heartbeat: &WorkerHeartbeat) -> Result<(), QueueError> {
        let worker = &name::hash(&heartbeat.worker)[..16];
        let place = self.state(&format!("worker.{worker}"));
        let bytes = message::write(heartbeat);
        self.broker.put(&place, bytes, Expect::Anything).await?;
        Ok(())
    }

    /// Returns a receiver for the heartbeats of workers, starting with the last one of each worker.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the stream cannot be found.
    pub async fn watch_workers(&self) -> Result<mpsc::Receiver<Stored>, QueueError> {
        let SubjectAddress { stream, subject } = self.state("worker.*");
        let subjects = vec![subject];
        self.broker
            .follow(&stream, subjects, Follow::LastOfEach)
            .await
    }

    /// Returns the last heartbeat of each worker, with the time when the server received it in
    /// milliseconds since 1970. Invalid heartbeats are skipped.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond.
    pub async fn workers(&self) -> Result<Vec<(WorkerHeartbeat, u64)>, QueueError> {
        self.read_all(&self.state("worker.*")).await
    }

    /// Returns the last count of workers and its age in milliseconds, or `None` before the first
    /// count.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the server does not respond or the message is invalid.
    pub async fn worker_count(&self) -> Result<Option<(WorkerCount, u64)>, QueueError> {
        let Some(stored) = self.broker.last(&self.state("roster")).await? else {
            return Ok(None);
        };
        let worker_count = message::read(&stored.subject, &stored.bytes)?;
        Ok(Some((worker_count, now_ms().saturating_sub(stored.at_ms))))
    }

    /// Stores a count of workers.
    ///
    /// # Errors
    /// Returns [`QueueError`] if the message cannot be written.
    pub async fn set_worker_count(&self, worker_count: &WorkerCount) -> Result<(), QueueError> {
        let place = self.state("roster");
        let bytes = message::write(worker_count);
        self.broker.put(&place, bytes, Expect::Anything).await?;
        Ok(())
    }
}
