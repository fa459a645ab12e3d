//! Known servers (endpoints), with their wire formats and the sources of their API keys.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use globset::Glob;
use serde::Deserialize;
use serde_json::Value;

use super::wire::Wire;
use crate::model::Sampling;
use crate::provider::Request;

/// A model server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// Name of the server, and prefix in references to its models.
    pub name: String,
    /// Format of references to the server's models, such as `openai/MODEL`.
    pub form: String,
    /// Description of the server and of the source of its API key.
    pub description: String,
    format: Format,
    #[serde(default)]
    dialect: Dialect,
    /// Default base URL; `None` if the user must set it.
    #[serde(default)]
    pub base_url: Option<String>,
    /// Example of a base URL, if there is no default.
    #[serde(default)]
    pub base_url_example: Option<String>,
    /// Environment variable that overrides the base URL.
    pub base_url_variable: String,
    /// Environment variable with the API key; `None` if the server needs no key.
    #[serde(default)]
    pub key: Option<String>,
    /// Whether the server may accept requests without a key.
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
    /// Globs of the models that support answer schemas. If omitted, all models in the formats of
    /// `OpenAI` and `OpenRouter` do, and no others.
    #[serde(default)]
    answer_schemas: Option<Vec<String>>,
}

/// Format of requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    OpenaiChat,
    OpenaiResponses,
    Anthropic,
}

/// Variant of the chat completions format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Dialect {
    #[default]
    Openai,
    Openrouter,
    Google,
    Compatible,
}

/// A setting that a format does not support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Name of the setting's field in [`Sampling`].
    pub setting: &'static str,
    /// Reason why it is not supported, and what would be valid.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    endpoints: Vec<Endpoint>,
    sealed_reasoning: Vec<String>,
    no_parallel_field: Vec<String>,
    no_credit: NoCredit,
}

/// Codes and messages of errors that mean that the account is out of credit.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoCredit {
    /// Error codes or types.
    pub codes: Vec<String>,
    /// Beginnings of error messages, in lowercase.
    pub messages: Vec<String>,
}

/// The bundled table. A test of this module checks that it parses.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    serde_saphyr::from_str(include_str!("../../../endpoints.yaml")).unwrap_or(Table {
        endpoints: Vec::new(),
        sealed_reasoning: Vec::new(),
        no_parallel_field: Vec::new(),
        no_credit: NoCredit::default(),
    })
});

/// Returns all endpoints, in the order of the table.
pub fn endpoints() -> &'static [Endpoint] {
    &TABLE.endpoints
}

/// Returns the endpoint with this name.
pub fn endpoint(name: &str) -> Option<&'static Endpoint> {
    endpoints().iter().find(|endpoint| endpoint.name == name)
}

/// Whether the Responses API returns encrypted reasoning for a model.
pub(super) fn seals_reasoning(model: &str) -> bool {
    TABLE
        .sealed_reasoning
        .iter()
        .any(|glob| matches_glob(glob, model))
}

/// Whether a model accepts the field `parallel_tool_calls`.
pub(super) fn accepts_parallel_field(model: &str) -> bool {
    !TABLE
        .no_parallel_field
        .iter()
        .any(|glob| matches_glob(glob, model))
}

fn matches_glob(glob: &str, model: &str) -> bool {
    Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(model))
}

/// Returns the codes and messages that mean that an account is out of credit.
pub(super) fn no_credit() -> &'static NoCredit {
    &TABLE.no_credit
}

impl Endpoint {
    /// Checks that the format of a model supports the settings.
    ///
    /// # Errors
    /// Returns [`Unsupported`] for the first setting that is not supported.
    pub fn check(&self, model: &str, sampling: &Sampling) -> Result<(), Unsupported> {
        self.wire(model).check(model, sampling)
    }

    /// Whether the model may ignore a required tool call, because the API does not allow forcing a
    /// call with these settings.
    pub fn cannot_force_tools(&self, model: &str, sampling: &Sampling) -> bool {
        self.wire(model).cannot_force(model, sampling)
    }

    /// Whether a model that is named without an endpoint most likely belongs to this endpoint.
    pub fn is_known_by(&self, model: &str) -> bool {
        self.known_by.iter().any(|glob| matches_glob(glob, model))
    }

    /// Returns this server's endpoint that uses this model's format for all models.
    pub fn plain(&'static self, model: &str) -> &'static Self {
        let is_it = |other: &&Self| {
            other.format == Format::OpenaiResponses && other.base_url == self.base_url
        };
        match self.wire(model) {
            Wire::Responses => endpoints().iter().find(is_it).unwrap_or(self),
            _ => self,
        }
    }

    /// Returns the name and value of the header with the API key. The header is the same for all
    /// models.
    pub(super) fn key_header(&self, key: &str) -> (&str, String) {
        match &self.key_header {
            Some(name) => (name, key.to_owned()),
            None => self.wire("").key_header(key),
        }
    }

    /// Whether the header with this lowercase name may contain an API key.
    pub fn carries_key_in(&self, header: &str) -> bool {
        self.key_header("").0 == header || header == "authorization"
    }

    /// Returns the request path for a model, relative to the base URL.
    pub fn requests_path(&self, model: &str) -> &'static str {
        self.wire(model).path()
    }

    /// Returns the body of a request. Omits the answer schema if the model does not support it.
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
            Some(globs) => globs.iter().any(|glob| matches_glob(glob, model)),
            None => matches!(
                self.wire(model),
                Wire::Responses | Wire::Chat(Dialect::Openai | Dialect::Openrouter)
            ),
        }
    }

    /// Returns the wire format for a model.
    pub(super) fn wire(&self, model: &str) -> Wire {
        let matches = |glob: &String| matches_glob(glob, model);
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
    fn table_is_valid() {
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
    fn selects_format_by_model() {
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
