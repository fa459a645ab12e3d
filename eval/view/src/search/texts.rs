//! Extracts the searchable texts from a line of a trajectory.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::outcome::value_text;

/// Number of leading characters by which an output is recognized if a message repeats it. Shorter
/// outputs are indexed again.
const REPEATED: usize = 200;

/// Kind of a searchable text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Code of a cell or arguments of a call.
    Code,
    /// Output of a cell, a tool or a page.
    Output,
    /// Error of a cell, a call or an agent.
    Error,
    /// Message from or to a model, or an agent's query.
    Message,
    /// Value returned by an agent.
    Answer,
    /// A system prompt.
    Prompt,
}

impl Kind {
    /// All kinds, in display order. The index stores their positions.
    pub const ALL: [Self; 6] = [
        Self::Code,
        Self::Output,
        Self::Error,
        Self::Message,
        Self::Answer,
        Self::Prompt,
    ];

    /// Returns the name used in URLs and in the index.
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
}

/// A line of a trajectory, reduced to the fields that contain texts.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    invocation: String,
    kind: Fields,
}

/// Text fields of all types of events.
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
    new_messages: Vec<SentMessage>,
    event: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentMessage {
    content: String,
}

/// A text found in a line.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundText {
    pub kind: Kind,
    pub text: String,
}

/// State from earlier lines that is needed to parse the next line.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Reading {
    agents: HashMap<String, AgentReading>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct AgentReading {
    iteration: u32,
    /// Beginning of the agent's last output.
    output: String,
}

/// The texts in a line, and the line's agent and iteration.
#[derive(Debug, Default)]
pub struct LineTexts {
    /// Invocation id of the agent.
    pub agent: String,
    /// Number of the iteration; 0 before the first iteration.
    pub iteration: u32,
    /// Texts of the line, except repeated outputs.
    pub found: Vec<FoundText>,
    /// Whether the line is a model's reply. If its code runs, a later line repeats the code.
    pub is_reply: bool,
}

impl Reading {
    /// Parses the next line. Returns `None` if the line is not an event.
    pub fn take(&mut self, line: &[u8]) -> Option<LineTexts> {
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
        // Short outputs are cheap to index twice, and may occur in a message by chance.
        if is_request && agent.output.len() >= REPEATED {
            found.retain(|one| !one.text.contains(agent.output.as_str()));
        }
        if let Some(output) = output {
            agent.output = output;
        }
        Some(LineTexts {
            agent: line.invocation,
            iteration,
            found,
            is_reply,
        })
    }
}

/// Returns the invocation id of a line's agent, and the line's texts of one kind joined by line
/// breaks.
pub fn shown(line: &[u8], kind: Kind) -> Option<(String, String)> {
    let line: Line = serde_json::from_slice(line).ok()?;
    let found = texts(line.kind).into_iter().filter(|one| one.kind == kind);
    let found: Vec<String> = found.map(|one| one.text).collect();
    Some((line.invocation, found.join("\n")))
}

fn texts(fields: Fields) -> Vec<FoundText> {
    let mut found = Vec::new();
    let mut add = |kind: Kind, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            found.push(FoundText { kind, text });
        }
    };
    match fields.name.as_str() {
        // Other events contain the same texts.
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
    let text = |value: &Value| (!value.is_null()).then(|| value_text(value));
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

/// Normalizes non-ASCII characters for indexing and searching: converts letters to lowercase, and
/// replaces characters other than letters and digits with spaces.
pub fn folded(text: &str) -> Cow<'_, str> {
    // For ASCII, the index itself ignores case and punctuation.
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

/// Returns the words of a text as indexed.
pub fn words(text: &str) -> Vec<String> {
    let folded = folded(text).to_ascii_lowercase();
    let parts = folded.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
