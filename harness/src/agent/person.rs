//! A person that agents may talk with while they work.

use async_trait::async_trait;

/// Whoever sits at the program.
#[async_trait]
pub trait Person: Send + Sync {
    /// What the person says to an agent of this name that said `message`; nothing if there is nothing more to say. Agents that ask at
    /// once wait for one another.
    async fn reply(&self, agent: &str, message: &str) -> Option<String>;
}
