//! Roles of the agents in an attempt.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ActionSurface, Protocol};

/// Role of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The root of an attempt that uses this protocol.
    Root(Protocol),
    /// A child with a REPL and the standard prompt.
    Child,
    /// A child with a REPL and a system prompt from its caller.
    Specialist,
    /// A child with native tool calls, whose prompt definition sets `toolChoice` to `required`.
    ToolSpecialist,
    /// An agent at the depth limit of the `rlm` protocol, which makes a single call.
    Flat,
    /// The agent behind `llm()`: a single call without a REPL.
    OneShot,
    /// An agent that consists of a dialogue between two prompts. Only its sides make model calls.
    DualAi,
    /// An agent that consists of a dialogue between a prompt and either a person or an agent that
    /// represents one.
    AiHuman,
    /// An app's request to a model: a single call with the app's prompt.
    App,
    /// Summarizer of an agent's older turns. Not counted as an agent.
    Compaction,
    /// Judge of an agent's answer. Not counted as an agent.
    Judge,
}

impl Role {
    /// All roles other than roots.
    const OTHERS: [Self; 10] = [
        Self::Child,
        Self::Specialist,
        Self::ToolSpecialist,
        Self::Flat,
        Self::OneShot,
        Self::DualAi,
        Self::AiHuman,
        Self::App,
        Self::Compaction,
        Self::Judge,
    ];

    /// Returns where an agent with this role acts.
    pub const fn action_surface(self) -> ActionSurface {
        match self {
            Self::Root(protocol) => protocol.capabilities().action_surface,
            Self::Child | Self::Specialist => ActionSurface::Repl,
            Self::ToolSpecialist => ActionSurface::NativeTools,
            Self::Flat
            | Self::OneShot
            | Self::DualAi
            | Self::AiHuman
            | Self::App
            | Self::Compaction
            | Self::Judge => ActionSurface::None,
        }
    }

    /// Whether an agent with this role has a REPL.
    pub const fn has_repl(self) -> bool {
        self.action_surface().is_repl()
    }

    /// Returns the name used in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root(protocol) => protocol.capabilities().role,
            Self::Child => "child",
            Self::Specialist => "specialist",
            Self::ToolSpecialist => "tool_specialist",
            Self::Flat => "flat",
            Self::OneShot => "one_shot",
            Self::DualAi => "dual_ai",
            Self::AiHuman => "ai_human",
            Self::App => "app",
            Self::Compaction => "compaction",
            Self::Judge => "judge",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Role {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let all = || {
            Protocol::ALL
                .map(Self::Root)
                .into_iter()
                .chain(Self::OTHERS)
        };
        all().find(|role| role.as_str() == word).ok_or_else(|| {
            let known: Vec<String> = all().map(|role| format!("`{role}`")).collect();
            D::Error::custom(format_args!(
                "unknown role `{word}`: expected one of {}",
                known.join(", ")
            ))
        })
    }
}
