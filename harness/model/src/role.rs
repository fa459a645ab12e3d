//! What kind of agent an invocation is.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Protocol, Workplace};

/// What kind of agent an invocation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The root of an attempt, as its protocol has it.
    Root(Protocol),
    /// A child with a REPL and the standard prompt.
    Child,
    /// A child with a REPL and a prompt of its caller's.
    Specialist,
    /// A child with native tool calls and a prompt of its own: a definition that must call a tool.
    ToolSpecialist,
    /// An agent of the `rlm` protocol at the depth limit: one call.
    Flat,
    /// The answer to `llm()`: one call.
    OneShot,
    /// Two agents that talk with each other: the agent itself asks no model, its two sides do.
    DualAi,
    /// An agent that talks with a person, or with an agent in a person's place.
    AiHuman,
    /// An app's request for a model's answer: one call, with the prompt as the app wrote it.
    App,
    /// No agent: whoever summarises the older turns of one.
    Compaction,
    /// No agent: whoever judges an agent's answer.
    Judge,
}

impl Role {
    /// The roles besides roots.
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

    /// Where such an agent works.
    pub const fn workplace(self) -> Workplace {
        match self {
            Self::Root(protocol) => protocol.nature().workplace,
            Self::Child | Self::Specialist => Workplace::Repl,
            Self::ToolSpecialist => Workplace::NativeTools,
            Self::Flat
            | Self::OneShot
            | Self::DualAi
            | Self::AiHuman
            | Self::App
            | Self::Compaction
            | Self::Judge => Workplace::None,
        }
    }

    /// Whether such an agent has a REPL.
    pub const fn has_repl(self) -> bool {
        self.workplace().is_repl()
    }

    /// The word for the role in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Root(Protocol::Rlm) => "root",
            Self::Root(protocol) => protocol.folder(),
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
                "unknown role `{word}`, expected one of {}",
                known.join(", ")
            ))
        })
    }
}
