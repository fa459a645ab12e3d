//! What a definition puts on the wire: the tools that its model may call, and what it is when it is a tool itself.

use serde_json::{Map, Value, json};

use super::library::Library;
use super::properties::{Definition, Kind, ToolForm, ToolReference, ToolStrategy};
use crate::tool_call::ToolSpec;

impl Library {
    /// The tools that a request made from a definition carries, in its order; none where `toolChoice` is `none`.
    /// `host` describes the tools that are no prompts; a name that is neither is left to [`Library::check`].
    pub fn exposed_tools(
        &self,
        definition: &Definition,
        host: impl Fn(&str) -> Option<ToolSpec>,
    ) -> Vec<ToolSpec> {
        if definition.tool_choice == ToolStrategy::None {
            return Vec::new();
        }
        let exposed = |reference: &ToolReference| {
            host(&reference.name).or_else(|| {
                let prompt = self.find(&reference.name)?;
                (prompt.kind == Kind::Prompt).then(|| as_tool(prompt, &reference.form))
            })
        };
        definition.tools.iter().filter_map(exposed).collect()
    }
}

/// A prompt as a tool: its `toolDescription`, and its `requiredSchema` as the arguments. One without a schema takes the
/// arguments that its caller's configuration names, as text.
fn as_tool(prompt: &Definition, form: &ToolForm) -> ToolSpec {
    let parameters = prompt
        .required_schema
        .as_ref()
        .map_or_else(|| inputs_of(form), |schema| schema.json().clone());
    ToolSpec {
        name: prompt.name.clone(),
        description: prompt.tool_description.clone(),
        parameters,
    }
}

fn inputs_of(form: &ToolForm) -> Value {
    let (message, attachments, name) = match form {
        ToolForm::Plain | ToolForm::Tool(_) => (None, None, None),
        ToolForm::Subprompt(settings) => (
            settings.init_user_message_property.as_ref(),
            settings.init_attachments_property.as_ref(),
            None,
        ),
        ToolForm::Subagent(settings) => (
            settings.init_user_message_property.as_ref(),
            settings.init_attachments_property.as_ref(),
            settings.init_agent_name_property.as_ref(),
        ),
    };
    let paths = json!({"anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
    ]});
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (property, schema, needed) in [
        (message, json!({"type": "string"}), true),
        (attachments, paths, false),
        (name, json!({"type": "string", "minLength": 1}), false),
    ] {
        if let Some(property) = property {
            properties.insert(property.clone(), schema);
            if needed {
                required.push(property.clone());
            }
        }
    }
    json!({"type": "object", "properties": properties, "required": required})
}
