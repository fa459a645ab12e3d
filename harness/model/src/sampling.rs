//! How a model is to answer: the settings that a request carries to its server.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Settings of a request. What is absent is left to the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// From 0 for the likeliest token.
    pub temperature: Option<f64>,
    /// For servers that sample reproducibly.
    pub seed: Option<u64>,
    /// Most output tokens.
    pub max_tokens: Option<u32>,
    /// Texts at which the answer ends.
    pub stop: Vec<String>,
    /// How hard the model thinks.
    pub effort: Option<Effort>,
    /// Most tokens of reasoning.
    pub reasoning_tokens: Option<u32>,
    /// Whether code comes by a forced tool call instead of in fenced blocks.
    pub code_via_tool: bool,
    /// Code blocks after which the request is stopped, where code comes in blocks; none to read every response
    /// to its end.
    #[serde(default)]
    pub stop_after_blocks: Option<u32>,
    /// Fields put into the request's body as they are.
    pub extra: Map<String, Value>,
}

/// How hard a model thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No reasoning.
    None,
    /// As little reasoning as there is.
    Minimal,
    /// Little.
    Low,
    /// The middle.
    Medium,
    /// Much.
    High,
    /// More than much.
    Xhigh,
    /// As much as the model can.
    Max,
}

impl Effort {
    /// Every effort, the least first.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::Xhigh,
        Self::Max,
    ];

    /// Returns the name by which users and servers know it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}
