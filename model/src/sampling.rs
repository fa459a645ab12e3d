//! Sampling settings that a request sends to a model's server.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Sampling settings of a request. For each missing setting, the server uses its default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Sampling temperature; 0 selects the most likely token.
    pub temperature: Option<f64>,
    /// Random seed, for servers that support reproducible sampling.
    pub seed: Option<u64>,
    /// Maximum output tokens.
    pub max_tokens: Option<u32>,
    /// Stop sequences, which end the response.
    pub stop: Vec<String>,
    /// Reasoning effort.
    pub effort: Option<Effort>,
    /// Maximum tokens of reasoning.
    pub reasoning_tokens: Option<u32>,
    /// Whether the model must write code in a forced tool call instead of fenced blocks.
    pub code_via_tool: bool,
    /// Number of fenced code blocks after which reading of a response stops; `None` to read each
    /// response to its end.
    #[serde(default)]
    pub stop_after_blocks: Option<u32>,
    /// Fields added to the request's body unchanged.
    pub extra: Map<String, Value>,
}

/// Reasoning effort of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No reasoning.
    None,
    /// As little reasoning as possible.
    Minimal,
    /// Low effort.
    Low,
    /// Medium effort.
    Medium,
    /// High effort.
    High,
    /// Very high effort.
    Xhigh,
    /// Maximum effort of the model.
    Max,
}

impl Effort {
    /// All efforts, in ascending order.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::Xhigh,
        Self::Max,
    ];

    /// Returns the name used in settings and requests.
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
