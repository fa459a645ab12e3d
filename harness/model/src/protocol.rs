//! The protocols: how a model speaks with the harness, and what each says of itself.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Declares the protocols in the order of help texts, as `build.rs` finds them: each with its folder, and what its
/// `protocol.yaml` says.
macro_rules! protocols {
    ($($(#[$about:meta])* $variant:ident = $folder:literal, $word:literal, $($field:ident: $value:expr,)*;)*) => {
        /// How the model speaks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Protocol {
            $($(#[$about])* $variant,)*
        }

        impl Protocol {
            /// Every protocol, in the order of help texts.
            pub const ALL: [Self; <[&str]>::len(&[$($folder),*])] = [$(Self::$variant),*];

            /// The word for the protocol in flags, files and CSV columns.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The name of its folder in the sources, which its root has in trajectories.
            pub(super) const fn folder(self) -> &'static str {
                match self {
                    $(Self::$variant => $folder,)*
                }
            }

            /// What the protocol says of itself.
            pub const fn nature(self) -> ProtocolNature {
                match self {
                    $(Self::$variant => ProtocolNature { $($field: $value),* },)*
                }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/protocols.rs"));

/// What a protocol says of itself. Whether anything can be combined with it follows from what its agents are sent, which
/// is assembled from this (`Treatment::sent` of the engine).
#[derive(Debug, Clone, Copy)]
pub struct ProtocolNature {
    /// What its agents get, in one sentence for messages.
    pub summary: &'static str,
    /// What its root can work on.
    pub subjects: &'static [Subject],
    /// Where its root works.
    pub workplace: Workplace,
    /// Whether its root answers in one response.
    pub one_call: bool,
}

/// Where an agent works between its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workplace {
    /// Nowhere: all that it does is to write.
    None,
    /// In a REPL, from which it calls children and the tools of the run.
    Repl,
    /// In a REPL, from which it calls the tools of the run, and no children.
    LoneRepl,
    /// In a REPL that runs its program, which calls agents and the tools of the run.
    Program,
    /// With the tools of the run, which it calls natively.
    NativeTools,
    /// On a web page, as the settings of the web agent have it.
    Page,
    /// Among apps and documents.
    Apps,
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

impl Workplace {
    /// Whether it is a REPL.
    pub const fn is_repl(self) -> bool {
        matches!(self, Self::Repl | Self::LoneRepl | Self::Program)
    }

    /// Whether an agent that works there goes on turn after turn in one conversation, which grows.
    pub const fn keeps_turns(self) -> bool {
        self.is_repl() || matches!(self, Self::NativeTools)
    }
}

impl ProtocolNature {
    /// Whether its root works in a REPL.
    pub const fn has_repl(self) -> bool {
        self.workplace.is_repl()
    }

    /// Whether its root's prompt has modes.
    pub const fn has_modes(self) -> bool {
        matches!(self.workplace, Workplace::Repl)
    }

    /// Whether its root calls children by code.
    pub const fn calls_children(self) -> bool {
        matches!(self.workplace, Workplace::Repl | Workplace::Program)
    }

    /// Whether its root calls the tools of the run: in its REPL, or natively.
    pub const fn calls_tools(self) -> bool {
        self.workplace.is_repl() || matches!(self.workplace, Workplace::NativeTools)
    }

    /// Whether pictures of what its root sees can go into trajectories.
    pub fn takes_pictures(self) -> bool {
        self.subjects
            .iter()
            .any(|subject| *subject != Subject::Texts)
    }
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

impl Protocol {
    /// What the protocol of this word says of itself; none if there is no such protocol in this version.
    pub fn nature_of(word: &str) -> Option<ProtocolNature> {
        word.parse().ok().map(Self::nature)
    }

    /// The protocols that work on this.
    pub fn that_work_on(subject: Subject) -> Vec<Self> {
        let works = |protocol: &Self| protocol.nature().subjects.contains(&subject);
        Self::ALL.into_iter().filter(works).collect()
    }
}

/// The first one.
impl Default for Protocol {
    fn default() -> Self {
        Self::ALL[0]
    }
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
