//! How the model speaks with the harness: a folder for each protocol, in the order of help texts.
//!
//! A folder with a `protocol.yaml` is a protocol, whose type has the folder's name and is a [`RootAgent`]: `build.rs` finds it by its
//! `mod` line. The texts in it are sections of prompts; one that has the protocol's name is its root's prompt.

mod rlm;
mod direct;
pub(crate) mod tools;
pub mod agent_turn;
mod json_action;
mod workflow;
mod codeact;
mod retrieve;
mod summary;

mod background;
mod dialogue;
mod immediate;
mod instance;
mod malformed;
pub(crate) mod subprompt;
mod tool_run;

use async_trait::async_trait;

use crate::agent::{Attempt, Conversation, Failure, Invocation, ProtocolSettings, Root, Treatment};
use crate::model::{Protocol, ToolUse};
use crate::tool::ToolSet;
use agent_turn::AgentTurnError;

/// A protocol at work: what it makes of the root of an attempt. What the replies of its agents do is said by their
/// [`Turns`](crate::agent::Turns).
#[async_trait]
pub(crate) trait RootAgent: Send + Sync {
    /// Why no run can have this treatment, if so.
    fn check(&self, _treatment: &Treatment) -> Result<(), AgentTurnError> {
        Ok(())
    }

    /// The tools that the root may have, where those of the run are these.
    fn tools(&self, of_run: &ToolSet) -> ToolSet {
        of_run.clone()
    }

    /// What the requests of a root with these tools offer as native ones.
    fn offers(&self, _treatment: &Treatment, _tools: &ToolSet) -> ToolUse {
        ToolUse::default()
    }

    /// The settings of protocols that its agents meet, where those of the run are these.
    fn settings(&self, _of_run: &ProtocolSettings) -> ProtocolSettings {
        ProtocolSettings::default()
    }

    /// What kind of agent the root is.
    fn root(&self, treatment: &Treatment) -> Root {
        Root::of(treatment)
    }

    /// Puts what the root is shown first into its conversation.
    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation);

    /// Runs the root, and with it the whole tree.
    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure>;
}

include!(concat!(env!("OUT_DIR"), "/root_agents.rs"));
