//! Converts definitions to JSON, with all properties and defaults.

use serde_json::{Map, Value, json};

use super::properties::{
    Definition, Kind, ParentCommunication, PromptContent, PromptPart, Side, ToolForm,
    ToolReference, VariableType,
};
use super::schema::InputSchema;

impl Definition {
    /// Returns the properties under the names used in files. Missing properties have their default,
    /// or are omitted if they have none. A fragment has only `name` and `prompt`.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        let mut put = |name: &str, value: Value| {
            json.insert(name.to_owned(), value);
        };
        put("name", json!(self.name));
        put("prompt", prompt(&self.prompt));
        if self.kind == Kind::Fragment {
            return Value::Object(json);
        }
        put("toolDescription", json!(self.tool_description));
        if let Some(sides) = &self.sides {
            json.shift_remove("prompt");
            let mut put = |name: &str, value: Value| {
                if !value.is_null() {
                    json.insert(name.to_owned(), value);
                }
            };
            put("type", json!(sides.kind.as_str()));
            put("sideA", json!(sides.side_a));
            put("sideB", json!(sides.side_b));
            put("maxMessages", json!(sides.max_messages));
            put("stopPhrase", json!(sides.stop_phrase));
            let schema = self.required_schema.as_ref();
            put("requiredSchema", json!(schema.map(InputSchema::json)));
            return Value::Object(json);
        }
        put("model", json!(self.model));
        put("includeChat", json!(self.include_chat));
        put("includePastTools", json!(self.include_past_tools));
        put("parallelToolCalls", json!(self.parallel_tool_calls));
        put("toolChoice", json!(self.tool_choice.as_str()));
        if let Some(schema) = &self.required_schema {
            put("requiredSchema", schema.json().clone());
        }
        put("tools", self.tools.iter().map(tool).collect());
        put(
            "variables",
            self.variables
                .iter()
                .map(|variable| {
                    let kind = match variable.kind {
                        VariableType::Text => "text",
                        VariableType::Secret => "secret",
                    };
                    json!({
                        "name": variable.name,
                        "type": kind,
                        "required": variable.required,
                        "description": variable.description,
                    })
                })
                .collect(),
        );
        put("env", json!(self.env));
        if let Some(reasoning) = &self.reasoning {
            let mut settings = Map::new();
            if let Some(effort) = reasoning.effort {
                settings.insert("effort".to_owned(), json!(effort.as_str()));
            }
            if let Some(tokens) = reasoning.max_tokens {
                settings.insert("maxTokens".to_owned(), json!(tokens));
            }
            settings.insert("exclude".to_owned(), json!(reasoning.exclude));
            settings.insert("include".to_owned(), json!(reasoning.include));
            put("reasoning", Value::Object(settings));
        }
        put("recentImageThreshold", json!(self.recent_image_threshold));
        if let Some(hooks) = &self.hooks {
            put("hooks", json!(hooks));
        }
        Value::Object(json)
    }
}

fn prompt(content: &PromptContent) -> Value {
    match content {
        PromptContent::Text(text) => json!(text),
        PromptContent::Parts(parts) => parts
            .iter()
            .map(|part| match part {
                PromptPart::Text(text) => json!({"type": "text", "content": text}),
                PromptPart::Include(name) => json!({"type": "include", "prompt": name}),
            })
            .collect(),
    }
}

fn tool(reference: &ToolReference) -> Value {
    let mut json = Map::new();
    json.insert("name".to_owned(), json!(reference.name));
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            json.insert(name.to_owned(), value);
        }
    };
    match &reference.form {
        ToolForm::Plain => return json!(reference.name),
        ToolForm::Tool(settings) => {
            put("env", json!(settings.env));
            put("options", json!(settings.options));
        }
        ToolForm::Subprompt(settings) => {
            put("includeTextResponse", json!(settings.include_text_response));
            put("includeToolCalls", json!(settings.include_tool_calls));
            put("includeErrors", json!(settings.include_errors));
            put(
                "initUserMessageProperty",
                json!(settings.init_user_message_property),
            );
            put(
                "initAttachmentsProperty",
                json!(settings.init_attachments_property),
            );
        }
        ToolForm::Subagent(settings) => {
            put("blocking", json!(settings.blocking));
            put(
                "initUserMessageProperty",
                json!(settings.init_user_message_property),
            );
            put(
                "initAttachmentsProperty",
                json!(settings.init_attachments_property),
            );
            put(
                "initAgentNameProperty",
                json!(settings.init_agent_name_property),
            );
            let immediate = settings
                .immediate
                .as_ref()
                .map_or(json!(false), |immediate| {
                    json!({
                        "nameEnv": immediate.name_env,
                        "descriptionEnv": immediate.description_env,
                        "scopedEnv": immediate.scoped_env,
                    })
                });
            put("immediate", immediate);
            put("optional", json!(settings.optional));
            let resumable = settings
                .resumable
                .as_ref()
                .map_or(json!(false), |resumable| {
                    json!({
                        "receives_messages": match resumable.receives_messages {
                            Side::A => "side_a",
                            Side::B => "side_b",
                        },
                        "maxInstances": resumable.max_instances,
                        "parentCommunication": resumable.parent_communication.map(|way| match way {
                            ParentCommunication::Implicit => "implicit",
                            ParentCommunication::Explicit => "explicit",
                        }),
                    })
                });
            put("resumable", resumable);
        }
    }
    Value::Object(json)
}
