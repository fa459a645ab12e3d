//! How the model speaks with the harness: a folder for each protocol, which says of itself what its agents get.

pub mod agent_turn;
pub(crate) mod direct;
pub(crate) mod json_action;
pub(crate) mod rlm;
pub(crate) mod tools;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How the model speaks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Code in a REPL, with children.
    #[default]
    Rlm,
    /// One call with the query and the whole context: the baseline of every comparison.
    Direct,
    /// An agent on a web page: one envelope of actions a turn.
    AgentTurn,
    /// Native tool calls, without a REPL.
    Tools,
    /// An agent that answers by JSON actions, and builds apps.
    JsonAction,
}

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
    /// Every protocol, in the order of help texts.
    pub const ALL: [Self; 5] = [
        Self::Rlm,
        Self::Direct,
        Self::Tools,
        Self::AgentTurn,
        Self::JsonAction,
    ];

    /// The word for the protocol in flags, files and CSV columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rlm => "rlm",
            Self::Direct => "direct",
            Self::AgentTurn => "agent-turn",
            Self::Tools => "tools",
            Self::JsonAction => "json-action",
        }
    }

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

/// Protocols in a sentence: `rlm, direct or tools`.
pub fn protocol_words(protocols: &[Protocol]) -> String {
    let words: Vec<&str> = protocols.iter().map(|protocol| protocol.as_str()).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol `{0}`, expected `rlm`, `direct`, `tools`, `agent-turn` or `json-action`")]
pub struct UnknownProtocol(String);

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(word: &str) -> Result<Self, UnknownProtocol> {
        Self::ALL
            .into_iter()
            .find(|protocol| protocol.as_str() == word)
            .ok_or_else(|| UnknownProtocol(word.to_owned()))
    }
}
