//! Messages of a conversation with a model.

use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolResult};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Author of the message.
    pub role: MessageRole,
    /// Text of the message.
    pub content: String,
    /// Images that belong to the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Tool calls of the model. The next message of the harness contains a result for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Results of the calls in the model's last message. They precede the text and the images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_results: Vec<ToolResult>,
    /// Opaque value that the server must receive back with this message: the `reasoning_signature`
    /// of its response.
    #[serde(rename = "carry", default, skip_serializing_if = "Option::is_none")]
    pub reasoning_signature: Option<String>,
}

/// An image in a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Image {
    /// Media type supported by all APIs: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub media_type: String,
    /// Content in base64.
    pub data: String,
}

impl Image {
    /// Returns the size of the decoded content in bytes.
    pub fn bytes(&self) -> u64 {
        self.data.trim_end_matches('=').len() as u64 * 3 / 4
    }
}

/// Author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// Message from the harness.
    User,
    /// Message from the model.
    Assistant,
}

impl Message {
    /// Creates a message from the harness.
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

    /// Creates a message from the model.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: MessageRole::Assistant,
            ..Self::user(content)
        }
    }

    /// Returns the number of messages that represent this one in most APIs: one for each tool
    /// result, and one for the text and the images.
    pub fn api_message_count(&self) -> usize {
        let has_own = !self.content.is_empty() || !self.images.is_empty();
        self.tool_results.len() + usize::from(has_own || self.tool_results.is_empty())
    }

    /// Returns all text of the message: the tool results, then `content`, separated by line breaks.
    pub fn all_text(&self) -> String {
        let results = self
            .tool_results
            .iter()
            .map(|result| result.content.as_str());
        let own = Some(self.content.as_str()).filter(|content| !content.is_empty());
        results.chain(own).collect::<Vec<_>>().join("\n")
    }
}
