//! How the model speaks with the harness.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How the model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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
