//! How the model speaks with the harness: a folder for each protocol, which says of itself what its agents get.

pub mod agent_turn;
mod direct;
mod json_action;
mod rlm;
pub(crate) mod tools;

pub(crate) mod subprompt;
mod tool_run;

use async_trait::async_trait;

use crate::agent::{Attempt, Conversation, Failure, Invocation, Root, Treatment};
use crate::model::Protocol;
use agent_turn::WebAgent;

/// What a task consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A query with a context.
    Texts,
    /// A site that a browser opens.
    Pages,
    /// Apps and documents.
    Apps,
}

impl Subject {
    /// The words for it in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Texts => "texts",
            Self::Pages => "web pages",
            Self::Apps => "apps",
        }
    }
}

/// What a protocol says of itself. Whether anything can be combined with it follows from what its agents are sent, which
/// is assembled from this ([`Treatment::sent`](crate::treatment::Treatment::sent)).
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own that others ask"
)]
pub struct ProtocolNature {
    /// What its agents get, in one sentence for messages.
    pub summary: &'static str,
    /// What its root can work on.
    pub subjects: &'static [Subject],
    /// Whether its root works in a REPL, from which it calls children.
    pub has_repl: bool,
    /// Whether its root calls the tools of the run: in its REPL, or natively.
    pub calls_tools: bool,
    /// Whether its root answers in one response.
    pub is_one_call: bool,
    /// Whether pictures of what its root sees can go into trajectories.
    pub takes_pictures: bool,
}

/// A protocol at work: what it makes of the root of an attempt.
#[async_trait]
pub(crate) trait RootAgent: Send + Sync {
    /// What kind of agent the root is.
    fn root(&self, treatment: &Treatment) -> Root {
        Root::of(treatment)
    }

    /// Puts what the root is shown first into its conversation.
    fn open(&self, attempt: &Attempt<'_>, root: &Invocation, conversation: &mut Conversation);

    /// Runs the root, and with it the whole tree.
    async fn run(&self, attempt: &Attempt<'_>, root: &Invocation) -> Result<String, Failure>;
}

/// A protocol, as the table below has it.
pub(crate) struct Entry {
    /// What it says of itself.
    pub nature: ProtocolNature,
    /// What it makes of the root. The web agent is that of the engine.
    pub root: fn(&WebAgent) -> &dyn RootAgent,
}

impl Protocol {
    /// The protocol's folder.
    pub(crate) const fn entry(self) -> &'static Entry {
        match self {
            Self::Rlm => &rlm::ENTRY,
            Self::Direct => &direct::ENTRY,
            Self::Tools => &tools::ENTRY,
            Self::AgentTurn => &agent_turn::ENTRY,
            Self::JsonAction => &json_action::ENTRY,
        }
    }

    /// What the protocol says of itself.
    pub const fn nature(self) -> ProtocolNature {
        self.entry().nature
    }

    /// The protocols that work on this.
    pub fn that_work_on(subject: Subject) -> Vec<Self> {
        let works = |protocol: &Self| protocol.nature().subjects.contains(&subject);
        Self::ALL.into_iter().filter(works).collect()
    }
}
