//! A person with whom agents may talk while they work.

use async_trait::async_trait;

/// The person at the terminal.
#[async_trait]
pub trait Person: Send + Sync {
    /// Returns the person's reply to `message` of the agent with this name, or `None` to end the
    /// conversation. Agents that ask concurrently wait for one another.
    async fn reply(&self, agent: &str, message: &str) -> Option<String>;
}
