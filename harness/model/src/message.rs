//! Messages of a conversation with a model.

use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolResult};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: MessageRole,
    /// The text.
    pub content: String,
    /// Images that belong to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Calls that the model made; the harness's next message holds a result for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the tools say that the model's last message called; the text and the images follow them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_results: Vec<ToolResult>,
    /// What the model's server wants back with this message: see `reasoning_signature` of a response.
    #[serde(rename = "carry", default, skip_serializing_if = "Option::is_none")]
    pub reasoning_signature: Option<String>,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Image {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`: what all formats take.
    pub media_type: String,
    /// The bytes in base64.
    pub data: String,
}

impl Image {
    /// How many bytes it has: base64 has four characters for three of them.
    pub fn bytes(&self) -> u64 {
        self.data.trim_end_matches('=').len() as u64 * 3 / 4
    }
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// The harness.
    User,
    /// The model.
    Assistant,
}

impl Message {
    /// A message of the harness.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: MessageRole::User,
            content: content.into(),
            images: Vec::new(),
            tool_calls: Vec::new(),
            tool_results: Vec::new(),
            reasoning_signature: None,
        }
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: MessageRole::Assistant,
            ..Self::user(content)
        }
    }

    /// All of its text: what tools said, then its own, each on a line of its own.
    pub fn all_text(&self) -> String {
        let results = self
            .tool_results
            .iter()
            .map(|result| result.content.as_str());
        let own = Some(self.content.as_str()).filter(|content| !content.is_empty());
        results.chain(own).collect::<Vec<_>>().join("\n")
    }
}
