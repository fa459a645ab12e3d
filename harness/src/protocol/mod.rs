//! How the model speaks with the harness: a folder for each protocol, which says of itself what its agents get.

pub mod agent_turn;
pub(crate) mod direct;
pub(crate) mod json_action;
pub(crate) mod rlm;
pub(crate) mod tools;

use crate::model::Protocol;

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
}

impl Protocol {
    /// What the protocol says of itself.
    pub const fn nature(self) -> ProtocolNature {
        match self {
            Self::Rlm => rlm::NATURE,
            Self::Direct => direct::NATURE,
            Self::Tools => tools::NATURE,
            Self::AgentTurn => agent_turn::NATURE,
            Self::JsonAction => json_action::NATURE,
        }
    }

    /// The protocols that work on this.
    pub fn that_work_on(subject: Subject) -> Vec<Self> {
        let works = |protocol: &Self| protocol.nature().subjects.contains(&subject);
        Self::ALL.into_iter().filter(works).collect()
    }
}
