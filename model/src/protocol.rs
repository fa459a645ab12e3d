//! Protocols and their properties. A protocol determines how a model interacts with the harness.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Declares the protocols. Each row is a variant with its documentation and its [`Capabilities`].
macro_rules! protocols {
    ($($(#[$about:meta])* $protocol:ident $capabilities:tt)*) => {
        /// How a model interacts with the harness.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Protocol {
            $($(#[$about])* $protocol,)*
        }

        impl Protocol {
            /// All protocols, in the order of help texts.
            pub const ALL: [Self; [$(Self::$protocol),*].len()] = [$(Self::$protocol),*];

            /// Returns the properties of the protocol.
            pub const fn capabilities(self) -> Capabilities {
                match self {
                    $(Self::$protocol => Capabilities $capabilities,)*
                }
            }
        }
    };
}

// The order of the rows is the order of help texts. The engine implements each protocol in the
// folder of its name.
protocols! {
    /// An agent runs the code of its replies in a REPL until the code returns.
    Rlm {
        name: "rlm",
        way: "with code in a REPL",
        role: "root",
        summary: "an agent of the rlm protocol works in a REPL, from which it calls children and \
            the tools of the run",
        inputs: &[InputKind::Texts, InputKind::Pages],
        action_surface: ActionSurface::Repl,
        one_call: false,
        for_contexts: true,
        takes_follow_ups: true,
    }

    /// The whole response to a single call is the answer.
    Direct {
        name: "direct",
        way: "in one call with the whole context in the message",
        role: "direct",
        summary: "the direct protocol is one call with the whole context, without a REPL, \
            children or tools",
        inputs: &[InputKind::Texts],
        action_surface: ActionSurface::None,
        one_call: true,
        for_contexts: false,
        takes_follow_ups: false,
    }

    /// An agent calls native tools until it replies without a call.
    Tools {
        name: "tools",
        way: "with native tool calls",
        role: "tools",
        summary: "the tools protocol has one prompt of its own and native tool calls, without a \
            REPL",
        inputs: &[InputKind::Texts],
        action_surface: ActionSurface::NativeTools,
        one_call: false,
        for_contexts: false,
        takes_follow_ups: false,
    }

    /// Each turn is one call of `agent_turn` with actions on a web page.
    AgentTurn {
        name: "agent-turn",
        way: "as a web agent",
        role: "agent_turn",
        summary: "the agent-turn protocol has the prompt and the actions of --web-agent, without \
            a REPL, children or tools",
        inputs: &[InputKind::Pages],
        action_surface: ActionSurface::Page,
        one_call: false,
        for_contexts: false,
        takes_follow_ups: true,
    }

    /// The model answers, launches an app, or requests a list in each turn.
    JsonAction {
        name: "json-action",
        way: "with JSON actions",
        role: "json_action",
        summary: "the json-action protocol has one prompt and answers by JSON actions, without a \
            REPL, children or tools",
        inputs: &[InputKind::Apps],
        action_surface: ActionSurface::Apps,
        one_call: false,
        for_contexts: false,
        takes_follow_ups: true,
    }

    /// The model writes a program that runs agents, and accepts the program's result as the answer.
    Workflow {
        name: "workflow",
        way: "with a program that runs agents",
        role: "workflow",
        summary: "an agent of the workflow protocol writes one program, which runs agents with a \
            REPL and calls the tools of the run",
        inputs: &[InputKind::Texts],
        action_surface: ActionSurface::Program,
        one_call: false,
        for_contexts: true,
        takes_follow_ups: false,
    }

    /// An agent runs code in a REPL without `rlm()` or `llm()` until it returns.
    Codeact {
        name: "codeact",
        way: "with code but without other models",
        role: "codeact",
        summary: "the codeact protocol is one agent with a REPL, which can call the tools of the \
            run and no other model",
        inputs: &[InputKind::Texts],
        action_surface: ActionSurface::LoneRepl,
        one_call: false,
        for_contexts: true,
        takes_follow_ups: true,
    }

    /// One call with the passages that match the question best, by BM25.
    Retrieve {
        name: "retrieve",
        way: "in one call with passages found by a search",
        role: "retrieve",
        summary: "the retrieve protocol is one call with the passages that a search finds, \
            without a REPL, children or tools",
        inputs: &[InputKind::Texts],
        action_surface: ActionSurface::None,
        one_call: true,
        for_contexts: true,
        takes_follow_ups: false,
    }

    /// An agent reads the context in pieces, takes notes, and answers from the notes.
    Summary {
        name: "summary",
        way: "by reading the context in pieces",
        role: "summary",
        summary: "the summary protocol reads the context in pieces, carries notes from one to the \
            next, and answers from them, without a REPL, children or tools",
        inputs: &[InputKind::Texts],
        action_surface: ActionSurface::None,
        one_call: false,
        for_contexts: true,
        takes_follow_ups: false,
    }
}

/// Properties of a protocol. They determine which settings the protocol supports.
#[derive(Debug, Clone, Copy)]
pub struct Capabilities {
    /// Name in flags, files and CSV columns.
    pub name: &'static str,
    /// Name of the root's role in files: the name of the protocol with `_`, except for `rlm`.
    pub role: &'static str,
    /// How the model works, for help texts: words that follow "the model works".
    pub way: &'static str,
    /// Description of the protocol, as a clause for messages.
    pub summary: &'static str,
    /// Kinds of input that the protocol supports.
    pub inputs: &'static [InputKind],
    /// Where the root acts between requests.
    pub action_surface: ActionSurface,
    /// Whether the root answers in a single response.
    pub one_call: bool,
    /// Whether the protocol is designed for a query with a context.
    pub for_contexts: bool,
    /// Whether the user may send further messages after an answer.
    pub takes_follow_ups: bool,
}

/// Where an agent acts between its requests to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionSurface {
    /// Nowhere: the agent only writes text.
    None,
    /// In a REPL that can call children and the run's tools.
    Repl,
    /// In a REPL that can call the run's tools, but not children.
    LoneRepl,
    /// In a REPL that runs the agent's program, which can call other agents and the run's tools.
    Program,
    /// Through native calls to the run's tools.
    NativeTools,
    /// On a web page, configured by the settings of the web agent.
    Page,
    /// In apps and documents.
    Apps,
}

/// Kind of input that a task provides.
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
    /// Whether this surface is a REPL.
    pub const fn is_repl(self) -> bool {
        matches!(self, Self::Repl | Self::LoneRepl | Self::Program)
    }

    /// Whether the agent has one conversation that grows with each turn.
    pub const fn keeps_turns(self) -> bool {
        self.is_repl() || matches!(self, Self::NativeTools)
    }
}

impl Capabilities {
    /// Whether the root has a REPL.
    pub const fn has_repl(self) -> bool {
        self.action_surface.is_repl()
    }

    /// Whether the prompt mode (solver or coordinator) changes the prompt of the root.
    pub const fn has_modes(self) -> bool {
        matches!(self.action_surface, ActionSurface::Repl)
    }

    /// Whether the root calls children from code.
    pub const fn calls_children(self) -> bool {
        matches!(
            self.action_surface,
            ActionSurface::Repl | ActionSurface::Program
        )
    }

    /// Whether the root can call the run's tools, from its REPL or natively.
    pub const fn calls_tools(self) -> bool {
        self.action_surface.is_repl() || matches!(self.action_surface, ActionSurface::NativeTools)
    }

    /// Whether the root builds and launches apps.
    pub const fn builds_apps(&self) -> bool {
        matches!(self.action_surface, ActionSurface::Apps)
    }

    /// Whether trajectories can contain screenshots of what the root sees.
    pub fn supports_screenshots(self) -> bool {
        self.inputs.iter().any(|input| *input != InputKind::Texts)
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
    /// Returns the name used in flags, files and CSV columns.
    pub const fn as_str(self) -> &'static str {
        self.capabilities().name
    }

    /// Returns the properties of the protocol with this name, or `None` if there is no such
    /// protocol.
    pub fn capabilities_of(word: &str) -> Option<Capabilities> {
        word.parse().ok().map(Self::capabilities)
    }

    /// Returns the protocols that support this kind of input.
    pub fn supporting(input: InputKind) -> Vec<Self> {
        Self::all_with(|capabilities| capabilities.inputs.contains(&input))
    }

    /// Returns the protocols whose properties satisfy a condition.
    pub fn all_with(condition: impl Fn(&Capabilities) -> bool) -> Vec<Self> {
        let satisfies = |protocol: &Self| condition(&protocol.capabilities());
        Self::ALL.into_iter().filter(satisfies).collect()
    }
}

/// Returns the first protocol in the order of help texts.
impl Default for Protocol {
    fn default() -> Self {
        Self::ALL[0]
    }
}

/// Returns a sentence about how the model works in each protocol, for help texts.
pub fn protocol_help() -> String {
    let ways =
        Protocol::ALL.map(|protocol| format!("{} ({protocol})", protocol.capabilities().way));
    format!("How the model works: {}", in_a_sentence(&ways))
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

#[cfg(test)]
mod tests {
    use super::Protocol;

    #[test]
    fn serialized_name_is_displayed_name() {
        for protocol in Protocol::ALL {
            let json = serde_json::to_value(protocol).unwrap();
            assert_eq!(json, protocol.as_str());
        }
    }
}
