//! Known servers (endpoints), from the table `harness/endpoints.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use globset::Glob;
use serde::Deserialize;

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
    pub(super) format: Format,
    #[serde(default)]
    pub(super) dialect: Dialect,
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
    pub(super) key_header: Option<String>,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) responses: Vec<String>,
    #[serde(default)]
    pub(super) known_by: Vec<String>,
    /// Globs of the models that support answer schemas. If omitted, all models in the formats of
    /// `OpenAI` and `OpenRouter` do, and no others.
    #[serde(default)]
    pub(super) answer_schemas: Option<Vec<String>>,
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

#[derive(Default, Deserialize)]
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
    serde_saphyr::from_str(include_str!("../../../endpoints.yaml")).unwrap_or_default()
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
    matches_any(&TABLE.sealed_reasoning, model)
}

/// Whether a model accepts the field `parallel_tool_calls`.
pub(super) fn accepts_parallel_field(model: &str) -> bool {
    !matches_any(&TABLE.no_parallel_field, model)
}

/// Whether a model matches one of the globs. An invalid glob matches no model.
pub(super) fn matches_any(globs: &[String], model: &str) -> bool {
    let mut globs = globs.iter().filter_map(|glob| Glob::new(glob).ok());
    globs.any(|glob| glob.compile_matcher().is_match(model))
}

/// Returns the codes and messages that mean that an account is out of credit.
pub(super) fn no_credit() -> &'static NoCredit {
    &TABLE.no_credit
}

#[cfg(test)]
mod tests {
    use super::Table;

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
}
