//! Interface to a person who takes part in dialogues.

use async_trait::async_trait;

/// Person who answers agents, normally at the terminal.
#[async_trait]
pub trait Person: Send + Sync {
    /// Returns the person's reply to a `message` from the agent with this name, or `None` to end
    /// the dialogue. Concurrent calls run one after another.
    async fn reply(&self, agent: &str, message: &str) -> Option<String>;
}
