//! Stand-in for [`connect`] in builds without the feature `queue`.

use std::sync::Arc;

use crate::{Access, Broker, QueueError};

/// Always fails with an error whose hint explains how to build with the feature.
///
/// # Errors
/// Returns [`QueueError::NotBuilt`].
#[expect(clippy::unused_async, reason = "same signature as with the feature")]
pub async fn connect(_: &Access, _: &str) -> Result<Arc<dyn Broker>, QueueError> {
    Err(QueueError::NotBuilt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connecting_fails_without_the_feature() {
        let refused = connect(&Access::default(), "test").await.err();
        let error = refused.expect("there is no server in this build");
        assert_eq!(
            error.to_string(),
            "this program was built without the feature `queue`, which is required to share runs between machines through NATS"
        );
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("--features full"))
        );
    }
}
