//! The protocols: how a model interacts with the harness, and the properties that each protocol
//! declares.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Declares the protocols in the order of help texts. Its input is the output of `build.rs`: the
/// folder of each protocol, and the content of its `protocol.yaml`.
macro_rules! protocols {
    ($($(#[$about:meta])* $variant:ident = $folder:literal, $word:literal, $($field:ident: $value:expr,)*;)*) => {
        /// How a model interacts with the harness.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Protocol {
            $($(#[$about])* $variant,)*
        }

        impl Protocol {
            /// All protocols, in the order of help texts.
            pub const ALL: [Self; <[&str]>::len(&[$($folder),*])] = [$(Self::$variant),*];

            /// Returns the name used in flags, files and CSV columns.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// Returns the name of its source folder, which files use as the role of its root.
            pub(super) const fn folder(self) -> &'static str {
                match self {
                    $(Self::$variant => $folder,)*
                }
            }

            /// Returns the properties of the protocol.
            pub const fn capabilities(self) -> Capabilities {
                match self {
                    $(Self::$variant => Capabilities { $($field: $value),* },)*
                }
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/protocols.rs"));

/// Properties of a protocol. The engine assembles its agents from them (`Treatment::plan`), so they
/// determine which settings the protocol supports.
#[derive(Debug, Clone, Copy)]
pub struct Capabilities {
    /// Description of what its agents receive, as a sentence for messages.
    pub summary: &'static str,
    /// Kinds of tasks that it supports.
    pub inputs: &'static [InputKind],
    /// Where its root acts between requests.
    pub action_surface: ActionSurface,
    /// Whether its root answers in a single response.
    pub one_call: bool,
}

/// Where an agent acts between its requests to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionSurface {
    /// Nowhere: the agent only writes text.
    None,
    /// In a REPL that can call children and the run's tools.
    Repl,
    /// In a REPL that can call the run's tools, but not children.
    LoneRepl,
    /// In a REPL that runs its program, which calls agents and the run's tools.
    Program,
    /// By native calls of the run's tools.
    NativeTools,
    /// On a web page, configured by the settings of the web agent.
    Page,
    /// In apps and documents.
    Apps,
}

/// Kind of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A query with a context.
    Texts,
    /// A site opened in a browser.
    Pages,
    /// Apps and documents.
    Apps,
}

impl ActionSurface {
    /// Whether the agent acts in a REPL.
    pub const fn is_repl(self) -> bool {
        matches!(self, Self::Repl | Self::LoneRepl | Self::Program)
    }

    /// Whether the agent has one conversation that grows with each turn.
    pub const fn keeps_turns(self) -> bool {
        self.is_repl() || matches!(self, Self::NativeTools)
    }
}

impl Capabilities {
    /// Whether its root has a REPL.
    pub const fn has_repl(self) -> bool {
        self.action_surface.is_repl()
    }

    /// Whether its root's prompt has modes.
    pub const fn has_modes(self) -> bool {
        matches!(self.action_surface, ActionSurface::Repl)
    }

    /// Whether its root calls children from code.
    pub const fn calls_children(self) -> bool {
        matches!(
            self.action_surface,
            ActionSurface::Repl | ActionSurface::Program
        )
    }

    /// Whether its root can call the run's tools, from its REPL or natively.
    pub const fn calls_tools(self) -> bool {
        self.action_surface.is_repl() || matches!(self.action_surface, ActionSurface::NativeTools)
    }

    /// Whether trajectories can contain screenshots of what its root sees.
    pub fn supports_screenshots(self) -> bool {
        self.inputs
            .iter()
            .any(|subject| *subject != InputKind::Texts)
    }
}

impl InputKind {
    /// Returns the name used in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Texts => "texts",
            Self::Pages => "web pages",
            Self::Apps => "apps",
        }
    }
}

impl Protocol {
    /// Returns the properties of the protocol with this name, or `None` if there is no such
    /// protocol.
    pub fn capabilities_of(word: &str) -> Option<Capabilities> {
        word.parse().ok().map(Self::capabilities)
    }

    /// Returns the protocols that support this kind of task.
    pub fn supporting(subject: InputKind) -> Vec<Self> {
        let works = |protocol: &Self| protocol.capabilities().inputs.contains(&subject);
        Self::ALL.into_iter().filter(works).collect()
    }
}

/// Returns the first protocol in the order of help texts.
impl Default for Protocol {
    fn default() -> Self {
        Self::ALL[0]
    }
}

/// Formats protocols as a list in a sentence: `rlm, direct or tools`.
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

/// Error for a word that is not the name of a protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol `{0}`: expected {known}", known = quoted_words())]
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
