//! The protocols by their words: how a model speaks with the harness.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Declares the protocols in the order of help texts: each with its word in flags, files and CSV columns, and that for its
/// root in trajectories.
macro_rules! protocols {
    ($($(#[$about:meta])* $variant:ident = $word:literal, root $root:literal;)*) => {
        /// How the model speaks.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
        )]
        pub enum Protocol {
            $($(#[$about])* #[serde(rename = $word)] $variant,)*
        }

        impl Protocol {
            /// Every protocol, in the order of help texts.
            pub const ALL: [Self; <[&str]>::len(&[$($word),*])] = [$(Self::$variant),*];

            /// The word for the protocol in flags, files and CSV columns.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The word for the protocol's root in trajectories.
            pub(super) const fn root_word(self) -> &'static str {
                match self {
                    $(Self::$variant => $root,)*
                }
            }
        }
    };
}

protocols! {
    /// Code in a REPL, with children.
    #[default]
    Rlm = "rlm", root "root";
    /// One call with the query and the whole context: the baseline of every comparison.
    Direct = "direct", root "direct";
    /// Native tool calls, without a REPL.
    Tools = "tools", root "tools";
    /// An agent on a web page: one envelope of actions a turn.
    AgentTurn = "agent-turn", root "agent_turn";
    /// An agent that answers by JSON actions, and builds apps.
    JsonAction = "json-action", root "json_action";
}

/// Protocols in a sentence: `rlm, direct or tools`.
pub fn protocol_words(protocols: &[Protocol]) -> String {
    let words: Vec<&str> = protocols.iter().map(|protocol| protocol.as_str()).collect();
    in_a_sentence(&words)
}

fn in_a_sentence(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
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
#[error("unknown protocol `{0}`, expected {known}", known = quoted_words())]
pub struct UnknownProtocol(String);

fn quoted_words() -> String {
    in_a_sentence(&Protocol::ALL.map(|protocol| format!("`{protocol}`")))
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(word: &str) -> Result<Self, UnknownProtocol> {
        Self::ALL
            .into_iter()
            .find(|protocol| protocol.as_str() == word)
            .ok_or_else(|| UnknownProtocol(word.to_owned()))
    }
}
