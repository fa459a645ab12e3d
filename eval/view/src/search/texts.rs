//! The texts of a line of a trajectory that can be searched.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Characters of an output by which a message that repeats it is known.
const REPEATED: usize = 200;

/// What kind of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Code of a cell, arguments of a call.
    Code,
    /// What a cell printed, a tool gave, a page showed.
    Output,
    /// Why something failed.
    Error,
    /// What a model said, and what it was sent.
    Message,
    /// What an agent returned.
    Answer,
    /// A system prompt.
    Prompt,
}

impl Kind {
    /// All of them, in the order of a page.
    pub const ALL: [Self; 6] = [
        Self::Code,
        Self::Output,
        Self::Error,
        Self::Message,
        Self::Answer,
        Self::Prompt,
    ];

    /// The word for it in addresses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Output => "output",
            Self::Error => "error",
            Self::Message => "message",
            Self::Answer => "answer",
            Self::Prompt => "prompt",
        }
    }

    /// Its place in [`Kind::ALL`].
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|one| *one == self).unwrap_or(0)
    }
}

/// A line, as far as its texts go.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    invocation: String,
    kind: Fields,
}

/// The fields of all types of events that hold texts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields {
    #[serde(rename = "type")]
    name: String,
    iteration: Option<u32>,
    text: Option<String>,
    reasoning: Option<String>,
    code: Option<String>,
    output: Option<String>,
    error: Option<String>,
    returned: Option<String>,
    query: Option<String>,
    system_prompt: Option<String>,
    answer: Option<String>,
    arguments: Option<String>,
    result: Option<String>,
    is_error: bool,
    note: Option<String>,
    new_messages: Vec<Sent>,
    event: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sent {
    content: String,
}

/// A text of a line.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// The text.
    pub text: String,
}

/// What has to be known of the lines before to read the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Reading {
    agents: HashMap<String, AgentReading>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct AgentReading {
    iteration: u32,
    /// The beginning of its last output.
    output: String,
}

/// The texts of a line and the iteration that it is in.
#[derive(Debug, Default)]
pub struct Read {
    /// Who.
    pub agent: String,
    /// 0 before the first.
    pub iteration: u32,
    /// Its texts, those that repeat an earlier one left out.
    pub found: Vec<Found>,
    /// Whether it is a model's reply, whose code comes again when it has run.
    pub is_reply: bool,
}

impl Reading {
    /// Takes the next line. Nothing for one that is no event.
    pub fn take(&mut self, line: &[u8]) -> Option<Read> {
        let line: Line = serde_json::from_slice(line).ok()?;
        let agent = self.agents.entry(line.invocation.clone()).or_default();
        if let Some(iteration) = line.kind.iteration {
            agent.iteration = iteration;
        }
        let name = line.kind.name.as_str();
        let (is_request, is_reply) = (name == "llm_request", name == "llm_response");
        let output = ["iteration_end", "tool_call"].contains(&name).then(|| {
            let output = line.kind.output.as_ref().or(line.kind.result.as_ref());
            let output = output.map(String::as_str).unwrap_or_default();
            output.trim().chars().take(REPEATED).collect::<String>()
        });
        let iteration = agent.iteration;
        let mut found = texts(line.kind);
        // A short output is cheap to have twice, and may stand in a message by chance.
        if is_request && agent.output.len() >= REPEATED {
            found.retain(|one| !one.text.contains(agent.output.as_str()));
        }
        if let Some(output) = output {
            agent.output = output;
        }
        Some(Read {
            agent: line.invocation,
            iteration,
            found,
            is_reply,
        })
    }
}

/// The agent of a line and its texts of a kind, to show where words stand in them.
pub fn shown(line: &[u8], kind: Kind) -> Option<(String, String)> {
    let line: Line = serde_json::from_slice(line).ok()?;
    let found = texts(line.kind).into_iter().filter(|one| one.kind == kind);
    let found: Vec<String> = found.map(|one| one.text).collect();
    Some((line.invocation, found.join("\n")))
}

fn texts(fields: Fields) -> Vec<Found> {
    let mut found = Vec::new();
    let mut add = |kind: Kind, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            found.push(Found { kind, text });
        }
    };
    match fields.name.as_str() {
        // The root's query and answer are in its own events.
        "attempt_start" | "attempt_end" | "message_answered" => {}
        "llm_request" => {
            for message in fields.new_messages {
                add(Kind::Message, Some(message.content));
            }
        }
        "tool_call" => {
            add(Kind::Code, fields.arguments);
            let kind = if fields.is_error {
                Kind::Error
            } else {
                Kind::Output
            };
            add(kind, fields.result);
        }
        "web" => web(&fields.event.unwrap_or_default(), &mut add),
        _ => {
            add(Kind::Message, fields.query);
            add(Kind::Message, fields.reasoning);
            add(Kind::Message, fields.text);
            add(Kind::Message, fields.note);
            add(Kind::Code, fields.code);
            add(Kind::Output, fields.output);
            add(Kind::Error, fields.error);
            add(Kind::Answer, fields.returned);
            add(Kind::Answer, fields.answer);
            add(Kind::Prompt, fields.system_prompt);
        }
    }
    found
}

fn web(event: &Value, add: &mut impl FnMut(Kind, Option<String>)) {
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    };
    let kinds = [
        ("arguments", Kind::Code),
        ("result", Kind::Output),
        ("results", Kind::Output),
        ("addresses", Kind::Output),
        ("error", Kind::Error),
        ("problem", Kind::Error),
        ("envelope", Kind::Message),
    ];
    for (name, kind) in kinds {
        add(kind, text(&event[name]));
    }
    for name in ["url", "title", "tree"] {
        add(Kind::Output, text(&event["dump"][name]));
    }
}

/// A text as it is indexed and looked for: in lower case, with every character that stands in no word as a space.
pub fn folded(text: &str) -> Cow<'_, str> {
    // Case and marks of ASCII are left to the index.
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            folded.push(character);
        } else if character.is_alphanumeric() {
            folded.extend(character.to_lowercase());
        } else {
            folded.push(' ');
        }
    }
    Cow::Owned(folded)
}

/// The words of a text, as the index has them.
pub fn words(text: &str) -> Vec<String> {
    let folded = folded(text).to_ascii_lowercase();
    let parts = folded.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
