//! Settings for calling a prompt as a tool.

use serde_json::{Map, Value, json};

use crate::prompt::definition::{SubagentSettings, SubpromptSettings};

/// Settings for calling a specialist, such as the names of its arguments and the contents of its
/// result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent switches of the specification"
)]
pub struct CallSettings {
    pub(crate) include_text: bool,
    pub(crate) include_calls: bool,
    pub(crate) include_errors: bool,
    pub(crate) message: Option<String>,
    pub(crate) attachments: Option<String>,
    pub(crate) agent_name: Option<String>,
    /// Whether the caller waits for the answer.
    pub(crate) blocking: bool,
}

impl CallSettings {
    /// Returns a string that identifies these settings, for the digest of a tool set.
    pub(crate) fn version(&self) -> String {
        format!("{self:?}")
    }

    /// Returns the JSON Schema of the arguments that these settings name, for prompts without a
    /// `requiredSchema`.
    pub(crate) fn parameters(&self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for property in [&self.message, &self.agent_name].into_iter().flatten() {
            let text = json!({ "type": "string", "minLength": 1 });
            properties.insert(property.clone(), text);
            required.push(property.clone());
        }
        if let Some(property) = &self.attachments {
            let paths = json!({ "type": ["string", "array"], "items": { "type": "string" } });
            properties.insert(property.clone(), paths);
        }
        json!({ "type": "object", "properties": properties, "required": required })
    }
}

impl From<&SubpromptSettings> for CallSettings {
    fn from(settings: &SubpromptSettings) -> Self {
        Self {
            include_text: settings.include_text_response,
            include_calls: settings.include_tool_calls,
            include_errors: settings.include_errors,
            message: settings.init_user_message_property.clone(),
            attachments: settings.init_attachments_property.clone(),
            agent_name: None,
            blocking: true,
        }
    }
}

impl From<&SubagentSettings> for CallSettings {
    /// Converts the settings. Results of agents always include text and errors.
    fn from(settings: &SubagentSettings) -> Self {
        Self {
            include_text: true,
            include_calls: false,
            include_errors: true,
            message: settings.init_user_message_property.clone(),
            attachments: settings.init_attachments_property.clone(),
            agent_name: settings.init_agent_name_property.clone(),
            blocking: settings.blocking,
        }
    }
}
