//! Converts a tree of values to a definition and collects faults.

use std::collections::BTreeMap;

use serde_json::Value;

use super::parse_tools::tools;
use super::properties::{
    AgentType, Definition, Effort, Kind, MAX_MESSAGES, PromptContent, PromptPart,
    RECENT_IMAGE_THRESHOLD, Reasoning, Sides, Source, ToolStrategy, Variable, VariableType,
};
use super::reader::{Fields, Reader};
use super::schema::InputSchema;
use super::tree::{Content, Entry, Node};

/// Properties of prompts, in the order of the specification.
const PROPERTIES: [&str; 15] = [
    "name",
    "toolDescription",
    "prompt",
    "model",
    "includeChat",
    "includePastTools",
    "parallelToolCalls",
    "toolChoice",
    "requiredSchema",
    "tools",
    "variables",
    "env",
    "reasoning",
    "recentImageThreshold",
    "hooks",
];
/// Properties of an agent with two sides.
const OF_AGENTS: [&str; 8] = [
    "name",
    "toolDescription",
    "type",
    "sideA",
    "sideB",
    "maxMessages",
    "stopPhrase",
    "requiredSchema",
];
/// Properties of a fragment. A file with any other property is a prompt.
const OF_FRAGMENTS: [&str; 2] = ["name", "prompt"];

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
    let is_agent = matches!(&node.content, Content::Map(entries)
        if entries.iter().any(|Entry { key, .. }| key == "type"));
    if is_agent {
        return agent(reader, node, body, source, digest);
    }
    let fields = reader.fields(node, "", &PROPERTIES)?;
    let mut of_prompts = PROPERTIES
        .iter()
        .filter(|name| !OF_FRAGMENTS.contains(name));
    let kind = if of_prompts.any(|name| fields.get(name).is_some()) {
        Kind::Prompt
    } else {
        Kind::Fragment
    };
    let name = name(reader, &fields);
    let (tool_description, model) = match kind {
        Kind::Prompt => (
            reader.required_name(&fields, "toolDescription"),
            reader.required_name(&fields, "model"),
        ),
        Kind::Fragment | Kind::Agent => (Some(String::new()), Some(String::new())),
    };
    let prompt = prompt(reader, &fields, body);
    let words = ToolStrategy::ALL.map(|choice| (choice.as_str(), choice));
    let tool_choice = reader.word(&fields, "toolChoice", &words);
    let required_schema = required_schema(reader, &fields);
    let definition = Definition {
        include_chat: reader.flag(&fields, "includeChat", false),
        include_past_tools: reader.flag(&fields, "includePastTools", false),
        parallel_tool_calls: reader.flag(&fields, "parallelToolCalls", false),
        tool_choice: tool_choice.unwrap_or_default(),
        required_schema,
        tools: tools(reader, &fields),
        variables: variables(reader, &fields),
        env: reader.texts(&fields, "env"),
        reasoning: reasoning(reader, &fields),
        recent_image_threshold: reader
            .count(&fields, "recentImageThreshold")
            .unwrap_or(RECENT_IMAGE_THRESHOLD),
        hooks: reader.names(&fields, "hooks"),
        name: name?,
        kind,
        sides: None,
        // Missing properties have been reported as faults.
        tool_description: tool_description.unwrap_or_default(),
        prompt: prompt.unwrap_or_else(|| PromptContent::Text(String::new())),
        model: model.unwrap_or_default(),
        source: source.clone(),
        digest,
        lines: reader.lines.clone(),
    };
    Some(definition)
}

/// Parses an agent with two sides.
fn agent(
    reader: &mut Reader<'_>,
    node: &Node,
    body: Option<&Body<'_>>,
    source: &Source,
    digest: String,
) -> Option<Definition> {
    let fields = reader.fields(node, "", &OF_AGENTS)?;
    if let Some(body) = body.filter(|body| !body.text.trim().is_empty()) {
        let problem = "an agent with two sides does not have a prompt: its sides are prompts (`sideA`, `sideB`)";
        reader.fault(Some(body.line), "prompt", problem);
    }
    let name = name(reader, &fields);
    let tool_description = reader.required_name(&fields, "toolDescription");
    let kinds = AgentType::ALL.map(|kind| (kind.as_str(), kind));
    let kind = reader.word(&fields, "type", &kinds);
    let side_a = reader.required_name(&fields, "sideA");
    let side_b = reader.name(&fields, "sideB");
    if kind == Some(AgentType::DualAi) && fields.get("sideB").is_none() {
        reader.missing(&fields, "sideB", "the name of a prompt");
    }
    let max_messages = reader.count(&fields, "maxMessages");
    let stop_phrase = reader.name(&fields, "stopPhrase");
    let required_schema = required_schema(reader, &fields);
    Some(Definition {
        name: name?,
        kind: Kind::Agent,
        tool_description: tool_description.unwrap_or_default(),
        sides: Some(Sides {
            kind: kind.unwrap_or(AgentType::AiHuman),
            side_a: side_a.unwrap_or_default(),
            side_b,
            max_messages: max_messages.unwrap_or(MAX_MESSAGES),
            stop_phrase,
        }),
        required_schema,
        prompt: PromptContent::Text(String::new()),
        model: String::new(),
        include_chat: false,
        include_past_tools: false,
        parallel_tool_calls: false,
        tool_choice: ToolStrategy::Auto,
        tools: Vec::new(),
        variables: Vec::new(),
        env: BTreeMap::new(),
        reasoning: None,
        recent_image_threshold: RECENT_IMAGE_THRESHOLD,
        hooks: None,
        source: source.clone(),
        digest,
        lines: reader.lines.clone(),
    })
}

fn name(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<String> {
    let name = reader.required_name(fields, "name");
    if let Some(name) = &name
        && (name.len() > LONGEST_NAME || !name.chars().all(is_name_character))
    {
        let line = fields.get("name").and_then(|node| node.line);
        let problem =
            format!("invalid name `{name}`: expected at most 64 letters, digits, `_` or `-`");
        reader.fault(line, "name", problem);
    }
    name
}

/// Maximum characters of a tool's name. The APIs of all models accept this length.
const LONGEST_NAME: usize = 64;

const fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

fn prompt(
    reader: &mut Reader<'_>,
    fields: &Fields<'_>,
    body: Option<&Body<'_>>,
) -> Option<PromptContent> {
    let property = fields.get("prompt");
    match (property, body) {
        (Some(node), Some(_)) => {
            let problem = "is given twice, in the front matter and as the text below it";
            reader.fault(node.line, "prompt", problem);
            None
        }
        (None, Some(body)) => {
            reader.lines.insert("prompt".to_owned(), body.line);
            Some(PromptContent::Text(body.text.to_owned()))
        }
        (None, None) => {
            reader.missing(
                fields,
                "prompt",
                "text, or a list of parts `{type: text, content: …}` and `{type: include, prompt: NAME}`",
            );
            None
        }
        (Some(node), None) => match &node.content {
            Content::Text(text) => Some(PromptContent::Text(text.clone())),
            Content::List(_) => parts(reader, fields),
            _ => {
                let problem = format!("expected text or a list of parts, found {}", node.kind());
                reader.fault(node.line, "prompt", problem);
                None
            }
        },
    }
}

fn parts(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<PromptContent> {
    let mut parts = Vec::new();
    for (path, item) in reader.list(fields, "prompt")? {
        // Replace an invalid part with an empty one, so that the indices of the other parts stay
        // correct.
        let none = || PromptPart::Text(String::new());
        parts.push(part(reader, item, &path).unwrap_or_else(none));
    }
    Some(PromptContent::Parts(parts))
}

fn part(reader: &mut Reader<'_>, item: &Node, path: &str) -> Option<PromptPart> {
    let part = reader.fields(item, path, &["type", "content", "prompt"])?;
    if part.get("type").is_none() {
        reader.missing(&part, "type", "`text` or `include`");
        return None;
    }
    let is_text = reader.word(&part, "type", &[("text", true), ("include", false)])?;
    let (own, other) = if is_text {
        ("content", "prompt")
    } else {
        ("prompt", "content")
    };
    if let Some(node) = part.get(other) {
        let path = part.path(other);
        let problem = format!("does not belong to this type of part, which has `{own}`");
        reader.fault(node.line, &path, problem);
    }
    if part.get(own).is_none() {
        reader.missing(&part, own, "text");
    }
    if is_text {
        reader.text(&part, own).map(PromptPart::Text)
    } else {
        reader.name(&part, own).map(PromptPart::Include)
    }
}

fn required_schema(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<InputSchema> {
    let node = fields.get("requiredSchema")?;
    note_lines(reader, node, "requiredSchema");
    let json: Value = node.to_value();
    match InputSchema::new(json) {
        Ok(schema) => Some(schema),
        Err(problem) => {
            reader.fault(node.line, "requiredSchema", problem);
            None
        }
    }
}

fn note_lines(reader: &mut Reader<'_>, node: &Node, path: &str) {
    if let Content::Map(entries) = &node.content {
        for Entry { key, value } in entries {
            let path = format!("{path}.{key}");
            if let Some(line) = value.line {
                reader.lines.insert(path.clone(), line);
            }
            note_lines(reader, value, &path);
        }
    }
}

fn variables(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    for (path, item) in reader.list(fields, "variables").unwrap_or_default() {
        let known = ["name", "type", "required", "description"];
        let Some(entry) = reader.fields(item, &path, &known) else {
            continue;
        };
        let name = reader.required_name(&entry, "name");
        if entry.get("type").is_none() {
            reader.missing(&entry, "type", "`text` or `secret`");
        }
        let kinds = [
            ("text", VariableType::Text),
            ("secret", VariableType::Secret),
        ];
        let kind = reader.word(&entry, "type", &kinds);
        if entry.get("required").is_none() {
            reader.missing(&entry, "required", "`true` or `false`");
        }
        let required = reader.flag(&entry, "required", true);
        if entry.get("description").is_none() {
            reader.missing(&entry, "description", "text");
        }
        let description = reader.text(&entry, "description");
        let (Some(name), Some(kind), Some(description)) = (name, kind, description) else {
            continue;
        };
        if variables.iter().any(|earlier| earlier.name == name) {
            let problem = format!("`{name}` is declared twice");
            reader.fault(item.line, &entry.path("name"), problem);
        }
        variables.push(Variable {
            name,
            kind,
            required,
            description,
        });
    }
    variables
}

fn reasoning(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<Reasoning> {
    let known = ["effort", "maxTokens", "exclude", "include"];
    let reasoning = reader.fields(fields.get("reasoning")?, "reasoning", &known)?;
    let efforts = Effort::ALL.map(|effort| (effort.as_str(), effort));
    Some(Reasoning {
        effort: reader.word(&reasoning, "effort", &efforts),
        max_tokens: reader.count(&reasoning, "maxTokens"),
        exclude: reader.flag(&reasoning, "exclude", false),
        include: reader.flag(&reasoning, "include", false),
    })
}
