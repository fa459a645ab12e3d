//! The codeact protocol: an agent runs code in a REPL without `rlm()` or `llm()` until it returns.

use async_trait::async_trait;

use crate::agent::{Attempt, Conversation, Failure, Invocation};
use crate::protocol::ProtocolBehavior;
use crate::protocol::rlm::{first, run_repl};

/// Codeact protocol. Its root is like that of the `rlm` protocol, but cannot call children.
pub(super) struct Codeact;

#[async_trait]
impl ProtocolBehavior for Codeact {
    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation) {
        conversation.push(first(attempt, root));
    }

    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure> {
        Box::pin(run_repl(attempt, root.clone())).await
    }
}
