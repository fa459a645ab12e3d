//! Names, kinds and defaults of all properties, in the order of the specification.

use serde_json::{Value, json};

use super::properties::Kind;

/// A property of a map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Property {
    pub name: &'static str,
    pub shape: Shape,
    pub presence: Presence,
}

/// What happens without a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    /// The shape's default applies.
    Default,
    Optional,
}

/// Valid values of a property.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A value that is read separately.
    Separate,
    /// A string, which may be blank.
    Text,
    /// A non-blank string.
    Name,
    /// A boolean, with its default.
    Flag(bool),
    /// A positive integer, with its default.
    Count(u32),
    /// One of several words. The first is the default.
    Word(&'static [&'static str]),
    /// A list of non-blank strings.
    Names,
    /// A map of strings.
    Texts,
    /// A map of any values.
    Options,
    Map(&'static [Property]),
    /// A list of maps.
    Maps(&'static [Property]),
    /// `false` or a map.
    FalseOrMap(&'static [Property]),
    /// `false`, a map, or `true`, which means an empty map.
    FlagOrMap(&'static [Property]),
}

use Presence::{Default, Optional, Required};
use Shape::{
    Count, FalseOrMap, Flag, FlagOrMap, Map, Maps, Name, Names, Options, Separate, Text, Texts,
    Word,
};

const fn property(name: &'static str, presence: Presence, shape: Shape) -> Property {
    Property {
        name,
        shape,
        presence,
    }
}

const PROMPT: &[Property] = &[
    property("name", Required, Name),
    property("toolDescription", Required, Name),
    property("prompt", Optional, Separate),
    property("model", Required, Name),
    property("includeChat", Default, Flag(false)),
    property("includePastTools", Default, Flag(false)),
    property("parallelToolCalls", Default, Flag(false)),
    property("toolChoice", Default, Word(&["auto", "none", "required"])),
    property("requiredSchema", Optional, Separate),
    property("tools", Optional, Separate),
    property("variables", Default, Maps(VARIABLE)),
    property("env", Default, Texts),
    property("reasoning", Optional, Map(REASONING)),
    property("recentImageThreshold", Default, Count(10)),
    property("hooks", Optional, Names),
];

const FRAGMENT: &[Property] = &[
    property("name", Required, Name),
    property("prompt", Optional, Separate),
];

const AGENT: &[Property] = &[
    property("name", Required, Name),
    property("toolDescription", Required, Name),
    property("type", Required, Word(&["dual_ai", "ai_human"])),
    property("sideA", Required, Name),
    property("sideB", Optional, Name),
    property("maxMessages", Default, Count(10)),
    property("stopPhrase", Optional, Name),
    property("requiredSchema", Optional, Separate),
];

const VARIABLE: &[Property] = &[
    property("name", Required, Name),
    property("type", Required, Word(&["text", "secret"])),
    property("required", Required, Flag(true)),
    property("description", Required, Text),
];

const REASONING: &[Property] = &[
    property("effort", Optional, Word(&["low", "medium", "high"])),
    property("maxTokens", Optional, Count(1)),
    property("exclude", Default, Flag(false)),
    property("include", Default, Flag(false)),
];

/// Properties of a part of a structured prompt.
pub(super) const PART: &[Property] = &[
    property("type", Required, Word(&["text", "include"])),
    property("content", Optional, Text),
    property("prompt", Optional, Name),
];

/// Properties of an entry of `tools`.
pub(super) const ENTRY: &[Property] = &[property("name", Required, Name)];

/// Properties of entries for tools.
pub(super) const TOOL: &[Property] = &[
    property("env", Default, Texts),
    property("options", Default, Options),
];

/// Properties of entries for prompts that are called like functions.
pub(super) const SUBPROMPT: &[Property] = &[
    property("includeTextResponse", Default, Flag(true)),
    property("includeToolCalls", Default, Flag(true)),
    property("includeErrors", Default, Flag(true)),
];

/// Properties of entries for prompts and agents.
pub(super) const CALL: &[Property] = &[
    property("initUserMessageProperty", Optional, Name),
    property("initAttachmentsProperty", Optional, Name),
];

/// Properties of entries for child agents.
pub(super) const SUBAGENT: &[Property] = &[
    property("blocking", Default, Flag(true)),
    property("initAgentNameProperty", Optional, Name),
    property("immediate", Optional, FlagOrMap(IMMEDIATE)),
    property("optional", Optional, Name),
    property("resumable", Optional, FalseOrMap(RESUMABLE)),
];

const IMMEDIATE: &[Property] = &[
    property("nameEnv", Optional, Name),
    property("descriptionEnv", Optional, Name),
    property("scopedEnv", Default, Names),
];

const RESUMABLE: &[Property] = &[
    property("receives_messages", Required, Word(&["side_a", "side_b"])),
    property("maxInstances", Optional, Count(1)),
    property(
        "parentCommunication",
        Optional,
        Word(&["implicit", "explicit"]),
    ),
];

impl Kind {
    /// Returns the properties of this kind.
    pub(super) const fn properties(self) -> &'static [Property] {
        match self {
            Self::Prompt => PROMPT,
            Self::Fragment => FRAGMENT,
            Self::Agent => AGENT,
        }
    }
}

impl Property {
    /// Returns the value that replaces a missing or invalid one, if it is not optional.
    pub fn default(&self) -> Option<Value> {
        (self.presence != Optional).then(|| match self.shape {
            Separate => Value::Null,
            Text | Name => json!(""),
            Flag(value) => json!(value),
            Count(value) => json!(value),
            Word(words) => json!(words[0]),
            Names | Maps(_) => json!([]),
            Texts | Options | Map(_) | FalseOrMap(_) | FlagOrMap(_) => json!({}),
        })
    }
}

impl Shape {
    /// Describes a missing value for error messages.
    pub fn missing(self) -> String {
        match self {
            Name => "a non-empty string".to_owned(),
            Word(words) => quoted(words.iter().copied(), " or "),
            _ => self.expected(),
        }
    }

    /// Describes valid values for error messages.
    pub fn expected(self) -> String {
        let fields = |properties: &[Property]| quoted(properties.iter().map(|p| p.name), ", ");
        match self {
            Separate => "a value".to_owned(),
            Text | Name => "text".to_owned(),
            Flag(_) => "`true` or `false`".to_owned(),
            Count(_) => "a positive integer".to_owned(),
            Word(words) => format!("one of {}", quoted(words.iter().copied(), ", ")),
            Names | Maps(_) => "a list".to_owned(),
            Texts => "a map of texts".to_owned(),
            Options => "a map of options".to_owned(),
            Map(_) => "a map of properties".to_owned(),
            FalseOrMap(of) => format!("`false`, or a map of {};", fields(of)),
            FlagOrMap(of) => format!("`true`, `false`, or a map of {};", fields(of)),
        }
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>, separator: &str) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    words.join(separator)
}
