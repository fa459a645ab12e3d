//! What happens in an attempt's world on the web, as its trajectory holds it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something that happened in a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum WebEvent {
    /// A response of the JSON action protocol was read.
    JsonAction {
        /// The action that was chosen: `answer`, `launch_app`, `list_apps`, `list_docs`; none where the response was malformed.
        action: Option<String>,
        /// What had to be overlooked, one protocol fault each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repairs: Vec<String>,
        /// What made it malformed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// An app asked for a document. What it held is not recorded.
    DocumentRead {
        /// The document, as the app named it.
        uri: String,
        /// Whether it is open.
        found: bool,
        /// Characters that the app was given.
        chars: u64,
    },
    /// The state by which the attempt is judged.
    State {
        /// As the world tells it.
        state: Value,
    },
}
