//! Parses the property `tools`. Each entry is a name, or a tool, prompt or agent with its
//! configuration.

use serde_json::{Map, Value};

use super::properties::{
    Immediate, ParentCommunication, Resumable, Side, SubagentSettings, SubpromptSettings, ToolForm,
    ToolReference, ToolSettings,
};
use super::reader::{Fields, Reader};
use super::tree::{Content, Node};

/// Properties of tools only.
const OF_TOOLS: [&str; 2] = ["env", "options"];
/// Properties of called prompts only.
const OF_SUBPROMPTS: [&str; 3] = ["includeTextResponse", "includeToolCalls", "includeErrors"];
/// Properties of child agents only.
const OF_SUBAGENTS: [&str; 5] = [
    "blocking",
    "initAgentNameProperty",
    "immediate",
    "optional",
    "resumable",
];
/// All properties of an entry, in the order of the specification.
const OF_ENTRIES: [&str; 13] = [
    "name",
    "env",
    "options",
    "includeTextResponse",
    "includeToolCalls",
    "includeErrors",
    "initUserMessageProperty",
    "initAttachmentsProperty",
    "blocking",
    "initAgentNameProperty",
    "immediate",
    "optional",
    "resumable",
];

/// Parses the entries. A duplicate name is a fault. An invalid entry is replaced by one without a
/// name, so that the indices of later entries stay correct.
pub(super) fn tools(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<ToolReference> {
    let mut tools: Vec<ToolReference> = Vec::new();
    for (path, item) in reader.list(fields, "tools").unwrap_or_default() {
        let none = || ToolReference {
            name: String::new(),
            form: ToolForm::Plain,
        };
        let tool = entry(reader, item, &path).unwrap_or_else(none);
        if !tool.name.is_empty() && tools.iter().any(|earlier| earlier.name == tool.name) {
            let problem = format!("duplicate `{}`", tool.name);
            reader.fault(item.line, &path, problem);
            tools.push(none());
        } else {
            tools.push(tool);
        }
    }
    tools
}

fn entry(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<ToolReference> {
    if let Content::Text(name) = &node.content {
        if name.trim().is_empty() {
            reader.fault(node.line, path, "is empty, expected a name");
            return None;
        }
        return Some(ToolReference {
            name: name.clone(),
            form: ToolForm::Plain,
        });
    }
    if !matches!(node.content, Content::Map(_)) {
        let problem = format!(
            "expected a name or a map with `name`, found {}",
            node.kind()
        );
        reader.fault(node.line, path, problem);
        return None;
    }
    let fields = reader.fields(node, path, &OF_ENTRIES)?;
    let name = reader.required_name(&fields, "name");
    let subprompt_like = ["initUserMessageProperty", "initAttachmentsProperty"];
    let of_tool = fields.has_any(&OF_TOOLS);
    let of_subprompt = fields.has_any(&OF_SUBPROMPTS);
    let of_subagent = fields.has_any(&OF_SUBAGENTS);
    let forms = [
        (of_tool, "a tool (`env`, `options`)"),
        (
            of_subprompt,
            "a prompt (`includeTextResponse`, `includeToolCalls`, `includeErrors`)",
        ),
        (
            of_subagent,
            "an agent (`blocking`, `initAgentNameProperty`, `immediate`, `optional`, `resumable`)",
        ),
        (
            of_tool && fields.has_any(&subprompt_like),
            "a prompt or agent (`initUserMessageProperty`, `initAttachmentsProperty`)",
        ),
    ];
    let mixed: Vec<&str> = forms
        .iter()
        .filter(|(given, _)| *given)
        .map(|(_, what)| *what)
        .collect();
    if mixed.len() > 1 {
        let problem = format!("mixes properties of {}", mixed.join(" and of "));
        reader.fault(node.line, path, problem);
        return None;
    }
    let form = if of_tool {
        ToolForm::Tool(ToolSettings {
            env: reader.texts(&fields, "env"),
            options: options(reader, &fields),
        })
    } else if of_subagent {
        ToolForm::Subagent(subagent(reader, &fields))
    } else if of_subprompt || fields.has_any(&subprompt_like) {
        ToolForm::Subprompt(subprompt(reader, &fields))
    } else {
        ToolForm::Plain
    };
    Some(ToolReference { name: name?, form })
}

fn options(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Map<String, Value> {
    let Some(node) = fields.get("options") else {
        return Map::new();
    };
    if let Value::Object(options) = node.to_value() {
        return options;
    }
    let problem = format!("expected a map of options, found {}", node.kind());
    reader.fault(node.line, &fields.path("options"), problem);
    Map::new()
}

fn subprompt(reader: &mut Reader<'_>, fields: &Fields<'_>) -> SubpromptSettings {
    SubpromptSettings {
        include_text_response: reader.flag(fields, "includeTextResponse", true),
        include_tool_calls: reader.flag(fields, "includeToolCalls", true),
        include_errors: reader.flag(fields, "includeErrors", true),
        init_user_message_property: reader.name(fields, "initUserMessageProperty"),
        init_attachments_property: reader.name(fields, "initAttachmentsProperty"),
    }
}

fn subagent(reader: &mut Reader<'_>, fields: &Fields<'_>) -> SubagentSettings {
    SubagentSettings {
        blocking: reader.flag(fields, "blocking", true),
        init_user_message_property: reader.name(fields, "initUserMessageProperty"),
        init_attachments_property: reader.name(fields, "initAttachmentsProperty"),
        init_agent_name_property: reader.name(fields, "initAgentNameProperty"),
        immediate: immediate(reader, fields),
        optional: reader.name(fields, "optional"),
        resumable: resumable(reader, fields),
    }
}

fn immediate(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<Immediate> {
    let node = fields.get("immediate")?;
    let path = fields.path("immediate");
    match &node.content {
        Content::Bool(starts) => starts.then(Immediate::default),
        Content::Map(_) => {
            let known = ["nameEnv", "descriptionEnv", "scopedEnv"];
            let immediate = reader.fields(node, &path, &known)?;
            Some(Immediate {
                name_env: reader.name(&immediate, "nameEnv"),
                description_env: reader.name(&immediate, "descriptionEnv"),
                scoped_env: reader.names(&immediate, "scopedEnv").unwrap_or_default(),
            })
        }
        _ => {
            let problem = format!(
                "expected `true`, `false`, or a map of `nameEnv`, `descriptionEnv`, `scopedEnv`; found {}",
                node.kind()
            );
            reader.fault(node.line, &path, problem);
            None
        }
    }
}

fn resumable(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<Resumable> {
    let node = fields.get("resumable")?;
    let path = fields.path("resumable");
    if let Content::Bool(false) = node.content {
        return None;
    }
    if !matches!(node.content, Content::Map(_)) {
        let problem = format!(
            "expected `false`, or a map of `receives_messages`, `maxInstances`, `parentCommunication`; found {}",
            node.kind()
        );
        reader.fault(node.line, &path, problem);
        return None;
    }
    let known = ["receives_messages", "maxInstances", "parentCommunication"];
    let resumable = reader.fields(node, &path, &known)?;
    if resumable.get("receives_messages").is_none() {
        reader.missing(&resumable, "receives_messages", "`side_a` or `side_b`");
    }
    let sides = [("side_a", Side::A), ("side_b", Side::B)];
    let ways = [
        ("implicit", ParentCommunication::Implicit),
        ("explicit", ParentCommunication::Explicit),
    ];
    let max_instances = reader.count(&resumable, "maxInstances");
    let parent_communication = reader.word(&resumable, "parentCommunication", &ways);
    Some(Resumable {
        receives_messages: reader.word(&resumable, "receives_messages", &sides)?,
        max_instances,
        parent_communication,
    })
}
