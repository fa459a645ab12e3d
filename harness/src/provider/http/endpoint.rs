//! The endpoints: which servers there are, which format each speaks, and where its key is found.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use globset::Glob;
use serde::Deserialize;
use serde_json::Value;

use super::wire::Wire;
use crate::model::Sampling;
use crate::provider::Request;

/// A server of models.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// The prefix of its models.
    pub name: String,
    /// How a reference to one of its models is written.
    pub form: String,
    /// What it is, and where its key comes from.
    pub description: String,
    format: Format,
    #[serde(default)]
    dialect: Dialect,
    /// Where it is, unless the user says otherwise; none if only the user can know.
    #[serde(default)]
    pub base_url: Option<String>,
    /// What an address of it looks like, where it has none of its own.
    #[serde(default)]
    pub base_url_example: Option<String>,
    /// The environment variable that replaces the base URL.
    pub base_url_variable: String,
    /// The environment variable that holds its key; none if it needs none.
    #[serde(default)]
    pub key: Option<String>,
    /// Whether it may want no key.
    #[serde(default)]
    pub key_is_optional: bool,
    #[serde(default)]
    key_header: Option<String>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    responses: Vec<String>,
    #[serde(default)]
    known_by: Vec<String>,
    /// Globs of the models that take the schema of an answer; by default all of those of `OpenAI`'s formats, and none of others.
    #[serde(default)]
    answer_schemas: Option<Vec<String>>,
}

/// How requests and responses are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    OpenaiChat,
    OpenaiResponses,
    Anthropic,
}

/// How a server of chat completions wants the same things said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Dialect {
    #[default]
    Openai,
    Openrouter,
    Google,
    Compatible,
}

/// A setting that a format has no words for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// The setting, as the field of [`Sampling`] is named.
    pub setting: &'static str,
    /// Why it cannot be said, and what would be right.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    endpoints: Vec<Endpoint>,
    sealed_reasoning: Vec<String>,
    no_credit: NoCredit,
}

/// How servers say that an account has nothing left to pay with.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoCredit {
    /// As the code or the type of an error.
    pub codes: Vec<String>,
    /// As the beginning of a message, in lower case.
    pub messages: Vec<String>,
}

/// Bundled, and read by a test of this module: it always parses.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../../endpoints.yaml")).unwrap_or(Table {
        endpoints: Vec::new(),
        sealed_reasoning: Vec::new(),
        no_credit: NoCredit::default(),
    })
});

/// All endpoints, in the order of the table.
pub fn endpoints() -> &'static [Endpoint] {
    &TABLE.endpoints
}

/// The endpoint of this name.
pub fn endpoint(name: &str) -> Option<&'static Endpoint> {
    endpoints().iter().find(|endpoint| endpoint.name == name)
}

/// Whether a model of the Responses API seals its reasoning.
pub(super) fn seals_reasoning(model: &str) -> bool {
    TABLE.sealed_reasoning.iter().any(|glob| fits(glob, model))
}

fn fits(glob: &str, model: &str) -> bool {
    Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(model))
}

/// How servers say that an account has nothing left to pay with.
pub(super) fn no_credit() -> &'static NoCredit {
    &TABLE.no_credit
}

impl Endpoint {
    /// Whether the settings can be said in the format that serves this model.
    ///
    /// # Errors
    /// [`Unsupported`] for the first that cannot.
    pub fn check(&self, model: &str, sampling: &Sampling) -> Result<(), Unsupported> {
        self.wire(model).check(model, sampling)
    }

    /// Whether a model that is named alone is most likely one of this endpoint.
    pub fn is_known_by(&self, model: &str) -> bool {
        self.known_by.iter().any(|glob| fits(glob, model))
    }

    /// The endpoint that sends the same for a model without choosing a format by its name.
    pub fn plain(&'static self, model: &str) -> &'static Self {
        let is_it = |other: &&Self| {
            other.format == Format::OpenaiResponses && other.base_url == self.base_url
        };
        match self.wire(model) {
            Wire::Responses => endpoints().iter().find(is_it).unwrap_or(self),
            _ => self,
        }
    }

    /// The name and the value of the header that carries a key of any of its models.
    pub(super) fn key_header(&self, key: &str) -> (&str, String) {
        match &self.key_header {
            Some(name) => (name, key.to_owned()),
            None => self.wire("").key_header(key),
        }
    }

    /// Whether this header, its name in lower case, is where a key goes.
    pub fn carries_key_in(&self, header: &str) -> bool {
        self.key_header("").0 == header || header == "authorization"
    }

    /// Where requests for this model go, below the base URL.
    pub fn requests_path(&self, model: &str) -> &'static str {
        self.wire(model).path()
    }

    /// The body of a request, without the schema of its answer where the model takes none.
    pub(super) fn body(&self, request: &Request, stream: bool) -> Value {
        let wire = self.wire(&request.model);
        if request.answer_schema.is_none() || self.takes_schemas(&request.model) {
            return wire.body(request, stream);
        }
        let without = Request {
            answer_schema: None,
            ..request.clone()
        };
        wire.body(&without, stream)
    }

    fn takes_schemas(&self, model: &str) -> bool {
        match &self.answer_schemas {
            Some(globs) => globs.iter().any(|glob| fits(glob, model)),
            None => matches!(
                self.wire(model),
                Wire::Responses | Wire::Chat(Dialect::Openai | Dialect::Openrouter)
            ),
        }
    }

    /// How requests for this model are written.
    pub(super) fn wire(&self, model: &str) -> Wire {
        let matches = |glob: &String| fits(glob, model);
        match self.format {
            Format::OpenaiChat if self.responses.iter().any(matches) => Wire::Responses,
            Format::OpenaiChat => Wire::Chat(self.dialect),
            Format::OpenaiResponses => Wire::Responses,
            Format::Anthropic => Wire::Messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Table, Wire, endpoint};

    #[test]
    fn the_table_is_read() {
        let table: Table = serde_saphyr::from_str(include_str!("../../../endpoints.yaml")).unwrap();
        let names: Vec<&str> = table
            .endpoints
            .iter()
            .map(|each| each.name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "openai",
                "openai-responses",
                "anthropic",
                "openrouter",
                "google",
                "ollama",
                "vllm",
                "llama.cpp",
                "lm-studio",
                "litellm",
                "azure",
                "bedrock",
                "vertex"
            ]
        );
        assert!(
            table
                .endpoints
                .iter()
                .all(|each| each.base_url.is_some() != each.base_url_example.is_some())
        );
        assert!(
            table
                .no_credit
                .messages
                .iter()
                .all(|text| *text == text.to_lowercase())
        );
    }

    #[test]
    fn models_choose_the_format() {
        let cases = [
            ("openai", "gpt-5", Wire::Chat(Dialect::Openai)),
            ("openai", "gpt-4.1-mini", Wire::Chat(Dialect::Openai)),
            ("openai", "gpt-5-pro", Wire::Responses),
            ("openai", "gpt-5.2-pro-2026-01-01", Wire::Responses),
            ("openai", "gpt-5.1-codex-mini", Wire::Responses),
            ("openai", "o3", Wire::Chat(Dialect::Openai)),
            ("openai", "o3-pro", Wire::Responses),
            ("openai", "o4-mini-deep-research", Wire::Responses),
            ("openai-responses", "gpt-5", Wire::Responses),
            ("anthropic", "claude-opus-4-6", Wire::Messages),
            (
                "openrouter",
                "openai/gpt-5-pro",
                Wire::Chat(Dialect::Openrouter),
            ),
            ("google", "gemini-3-pro", Wire::Chat(Dialect::Google)),
            ("ollama", "qwen3:8b", Wire::Chat(Dialect::Compatible)),
        ];
        for (name, model, expected) in cases {
            assert_eq!(
                endpoint(name).unwrap().wire(model),
                expected,
                "{name}/{model}"
            );
        }
    }
}
