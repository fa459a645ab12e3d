//! Replaces the connection to a server in builds without the feature `queue`.

use std::sync::Arc;

use crate::{Access, Broker, QueueError};

/// Always fails, with an error that explains how to get the feature.
///
/// # Errors
/// Returns [`QueueError::NotBuilt`].
#[expect(
    clippy::unused_async,
    reason = "the interface of the server that is there"
)]
pub async fn connect(_: &Access, _: &str) -> Result<Arc<dyn Broker>, QueueError> {
    Err(QueueError::NotBuilt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_queue_needs_the_feature() {
        let refused = connect(&Access::default(), "test").await.err();
        let error = refused.expect("there is no server in this build");
        assert_eq!(
            error.to_string(),
            "this program was built without the feature `queue`, which runs need that several machines share by NATS"
        );
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("--features full"))
        );
    }
}
