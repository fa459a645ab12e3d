//! Converts a tree of values to a definition and collects faults.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::properties::{Definition, Kind, Source};
use super::reader::{Reader, defaults};
use super::schema::InputSchema;
use super::shape::{CALL, ENTRY, PART, Property, SUBAGENT, SUBPROMPT, Shape, TOOL};
use super::tool_settings::{ToolForm, ToolReference};
use super::tree::{Content, Node};

/// The text below the front matter of a Markdown file.
pub(super) struct Body<'a> {
    pub text: &'a str,
    pub line: u64,
}

/// Parses a definition and adds its faults to the reader. Returns `None` if `node` is not a map or
/// contains no name.
pub(super) fn definition(
    reader: &mut Reader<'_>,
    node: &Node,
    body: Option<&Body<'_>>,
    source: &Source,
    digest: String,
) -> Option<Definition> {
    if !matches!(node.content, Content::Map(_)) {
        reader.expected(node, "", "a map of properties");
        return None;
    }
    let of_prompts = Kind::Prompt.properties();
    let of_fragments = Kind::Fragment.properties();
    let is_in = |properties: &[Property], name: &str| properties.iter().any(|p| p.name == name);
    let (kind, known) = if node.get("type").is_some() {
        (Kind::Agent, Kind::Agent.properties())
    } else if (node.entries().iter())
        .any(|entry| is_in(of_prompts, &entry.key) && !is_in(of_fragments, &entry.key))
    {
        (Kind::Prompt, of_prompts)
    } else {
        (Kind::Fragment, of_prompts)
    };
    reader.unknown(node, "", known);
    let mut values = defaults(of_prompts);
    values.insert("prompt".to_owned(), json!(""));
    values.extend(reader.properties(node, "", kind.properties()));
    check_name(reader, node);
    let mut lines = BTreeMap::new();
    node.add_lines("", &mut lines);
    let mut sides = None;
    if kind == Kind::Agent {
        if let Some(body) = body {
            let problem = "an agent with two sides does not have a prompt: its sides are prompts (`sideA`, `sideB`)";
            reader.fault(Some(body.line), "prompt", problem);
        }
        if kind_of(node) == Some("dual_ai") && node.get("sideB").is_none() {
            let problem = "missing, expected the name of a prompt";
            reader.fault(node.line, "sideB", problem);
        }
        sides = reader.convert(node, "", values.clone());
    } else {
        if let (None, Some(body)) = (node.get("prompt"), body) {
            lines.insert("prompt".to_owned(), body.line);
        }
        if let Some(prompt) = prompt(reader, node, body) {
            values.insert("prompt".to_owned(), prompt);
        }
    }
    let required_schema = required_schema(reader, node);
    let tools = tools(reader, node);
    let mut definition = Definition {
        kind,
        sides,
        required_schema,
        tools,
        source: source.clone(),
        digest,
        lines,
        ..reader.convert(node, "", values)?
    };
    check_variables(reader, node, &definition);
    definition
        .variables
        .retain(|variable| !variable.name.is_empty());
    (!definition.name.is_empty()).then_some(definition)
}

/// Maximum characters of a tool's name. The APIs of all models accept this length.
const LONGEST_NAME: usize = 64;

fn check_name(reader: &mut Reader<'_>, node: &Node) {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if let Some(node) = node.get("name")
        && let Content::Text(name) = &node.content
        && !name.trim().is_empty()
        && (name.len() > LONGEST_NAME || !name.chars().all(is_valid))
    {
        let problem =
            format!("invalid name `{name}`: expected at most 64 letters, digits, `_` or `-`");
        reader.fault(node.line, "name", problem);
    }
}

fn check_variables(reader: &mut Reader<'_>, node: &Node, definition: &Definition) {
    let items = node.get("variables").map(Node::items).unwrap_or_default();
    let variables = &definition.variables;
    for (at, (variable, item)) in variables.iter().zip(items).enumerate() {
        let name = &variable.name;
        if !name.is_empty() && variables[..at].iter().any(|earlier| earlier.name == *name) {
            let field = format!("variables[{at}].name");
            reader.fault(item.line, &field, format!("`{name}` is declared twice"));
        }
    }
}

fn prompt(reader: &mut Reader<'_>, node: &Node, body: Option<&Body<'_>>) -> Option<Value> {
    let expected =
        "text, or a list of parts `{type: text, content: …}` and `{type: include, prompt: NAME}`";
    match (node.get("prompt"), body) {
        (Some(node), Some(_)) => {
            let problem = "is given twice, in the front matter and as the text below it";
            reader.fault(node.line, "prompt", problem);
            None
        }
        (None, Some(body)) => Some(json!(body.text)),
        (None, None) => {
            reader.fault(node.line, "prompt", format!("missing, expected {expected}"));
            None
        }
        (Some(node), None) => match &node.content {
            Content::Text(text) => Some(json!(text)),
            Content::List(items) => {
                let parts = (0..).zip(items).map(|(at, item)| {
                    // An empty part keeps the indices of the others correct.
                    let empty = || json!({"type": "text", "content": ""});
                    part(reader, item, &format!("prompt[{at}]")).unwrap_or_else(empty)
                });
                Some(parts.collect())
            }
            _ => {
                reader.expected(node, "prompt", "text or a list of parts");
                None
            }
        },
    }
}

/// Returns the property `type` of a map, if it is text.
fn kind_of(node: &Node) -> Option<&str> {
    match &node.get("type")?.content {
        Content::Text(kind) => Some(kind),
        _ => None,
    }
}

fn part(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<Value> {
    let part = reader.value(node, path, Shape::Map(PART))?;
    let (own, other) = match kind_of(node)? {
        "text" => ("content", "prompt"),
        "include" => ("prompt", "content"),
        _ => return None,
    };
    if let Some(node) = node.get(other) {
        let problem = format!("does not belong to this type of part, which has `{own}`");
        reader.fault(node.line, &format!("{path}.{other}"), problem);
    }
    if node.get(own).is_none() {
        let field = format!("{path}.{own}");
        reader.fault(node.line, &field, "missing, expected text");
    }
    part.get(own).is_some().then_some(part)
}

fn required_schema(reader: &mut Reader<'_>, node: &Node) -> Option<InputSchema> {
    let node = node.get("requiredSchema")?;
    InputSchema::new(node.to_value())
        .map_err(|problem| reader.fault(node.line, "requiredSchema", problem))
        .ok()
}

/// Parses the entries of `tools`. A duplicate name is a fault. An invalid entry is replaced by one
/// without a name, so that the indices of later entries stay correct.
fn tools(reader: &mut Reader<'_>, node: &Node) -> Vec<ToolReference> {
    let mut tools: Vec<ToolReference> = Vec::new();
    let Some(node) = node.get("tools") else {
        return tools;
    };
    if !matches!(node.content, Content::List(_)) {
        reader.expected(node, "tools", "a list");
    }
    for (at, item) in node.items().iter().enumerate() {
        let path = format!("tools[{at}]");
        let mut tool = entry(reader, item, &path);
        if let Some(ToolReference { name, .. }) = &tool
            && tools.iter().any(|earlier| earlier.name == *name)
        {
            reader.fault(item.line, &path, format!("duplicate `{name}`"));
            tool = None;
        }
        tools.push(tool.unwrap_or_else(|| ToolReference {
            name: String::new(),
            form: ToolForm::Plain,
        }));
    }
    tools
}

/// Parses an entry of `tools`: a name, or a tool, prompt or agent with its settings.
fn entry(reader: &mut Reader<'_>, node: &Node, path: &str) -> Option<ToolReference> {
    match &node.content {
        Content::Map(_) => {}
        Content::Text(_) => {
            let name = reader.name(node, path, "a name")?;
            let form = ToolForm::Plain;
            return Some(ToolReference { name, form });
        }
        _ => {
            reader.expected(node, path, "a name or a map with `name`");
            return None;
        }
    }
    reader.unknown(
        node,
        path,
        &[ENTRY, TOOL, SUBPROMPT, CALL, SUBAGENT].concat(),
    );
    let entry = reader.properties(node, path, ENTRY);
    let has = |properties: &[Property]| properties.iter().any(|p| node.get(p.name).is_some());
    let (of_tool, of_subprompt, of_subagent) = (has(TOOL), has(SUBPROMPT), has(SUBAGENT));
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
            of_tool && has(CALL),
            "a prompt or agent (`initUserMessageProperty`, `initAttachmentsProperty`)",
        ),
    ];
    let mixed = forms.iter().filter(|(given, _)| *given);
    let mixed: Vec<&str> = mixed.map(|(_, what)| *what).collect();
    if mixed.len() > 1 {
        let problem = format!("mixes properties of {}", mixed.join(" and of "));
        reader.fault(node.line, path, problem);
        return None;
    }
    let form = if of_tool {
        ToolForm::Tool(settings(reader, node, path, &[TOOL])?)
    } else if of_subagent {
        ToolForm::Subagent(settings(reader, node, path, &[CALL, SUBAGENT])?)
    } else if of_subprompt || has(CALL) {
        ToolForm::Subprompt(settings(reader, node, path, &[SUBPROMPT, CALL])?)
    } else {
        ToolForm::Plain
    };
    let name = entry["name"].as_str().filter(|name| !name.is_empty())?;
    Some(ToolReference {
        name: name.to_owned(),
        form,
    })
}

fn settings<T: DeserializeOwned>(
    reader: &mut Reader<'_>,
    node: &Node,
    path: &str,
    properties: &[&[Property]],
) -> Option<T> {
    let values = reader.properties(node, path, &properties.concat());
    reader.convert(node, path, values)
}
