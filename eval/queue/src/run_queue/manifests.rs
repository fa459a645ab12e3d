//! Manifests of the runs in a queue.

use crate::message::{self, Manifest};
use crate::name::{RunKey, SubjectAddress};
use crate::{Broker, Expect, QueueError};

/// Returns the manifests of all runs in a queue. Invalid manifests are skipped.
///
/// # Errors
/// Returns [`QueueError`] if the server does not respond.
pub async fn manifests(broker: &dyn Broker) -> Result<Vec<Manifest>, QueueError> {
    let place = SubjectAddress::manifest(None);
    let mut all = Vec::new();
    let mut from = 1;
    loop {
        match broker.next(&place, from).await {
            Ok(Some(stored)) => {
                from = stored.sequence + 1;
                all.extend(message::read::<Manifest>(&stored.subject, &stored.bytes));
            }
            Ok(None) => return Ok(all),
            // The queue has never contained a run.
            Err(QueueError::Unavailable { reason, .. }) if reason.contains("no responders") => {
                return Ok(all);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Returns the manifest of a run and the sequence number of its message, or `None` if the run is
/// not in the queue.
///
/// # Errors
/// Returns [`QueueError`] if the server does not respond or the manifest is invalid.
pub async fn manifest(
    broker: &dyn Broker,
    run: &RunKey,
) -> Result<Option<(Manifest, u64)>, QueueError> {
    let place = SubjectAddress::manifest(Some(run));
    let Some(stored) = broker.last(&place).await? else {
        return Ok(None);
    };
    let manifest = message::read(&stored.subject, &stored.bytes)?;
    Ok(Some((manifest, stored.sequence)))
}

/// Changes the manifest of a run by compare-and-set and returns the result. `change` may run
/// several times.
///
/// # Errors
/// Returns [`QueueError::NoRun`] if the run is not in the queue, or another [`QueueError`] if the
/// manifest cannot be read or written.
pub async fn change_manifest(
    broker: &dyn Broker,
    run: &RunKey,
    change: impl Fn(&mut Manifest) + Send + Sync,
) -> Result<Manifest, QueueError> {
    let place = SubjectAddress::manifest(Some(run));
    loop {
        let Some((mut now, sequence)) = manifest(broker, run).await? else {
            return Err(QueueError::NoRun(run.to_string()));
        };
        let before = now.clone();
        change(&mut now);
        if now == before {
            return Ok(now);
        }
        match broker
            .put(&place, message::write(&now), Expect::Last(sequence))
            .await
        {
            Err(QueueError::Conflict) => {}
            written => return written.map(|_| now),
        }
    }
}
