//! Wire format, path, body and key header of the requests to an endpoint.

use serde_json::Value;

use super::anthropic;
use super::endpoint_table::{Dialect, Endpoint, Format, endpoints, matches_any};
use super::settings::Unsupported;
use super::wire::Wire;
use crate::model::Sampling;
use crate::provider::Request;

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
        self.wire(model) == Wire::Messages && anthropic::cannot_force(model, sampling)
    }

    /// Whether a model that is named without an endpoint most likely belongs to this endpoint.
    pub fn is_known_by(&self, model: &str) -> bool {
        matches_any(&self.known_by, model)
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
            Some(globs) => matches_any(globs, model),
            None => matches!(
                self.wire(model),
                Wire::Responses | Wire::Chat(Dialect::Openai | Dialect::Openrouter)
            ),
        }
    }

    /// Returns the wire format for a model.
    pub(super) fn wire(&self, model: &str) -> Wire {
        match self.format {
            Format::OpenaiChat if matches_any(&self.responses, model) => Wire::Responses,
            Format::OpenaiChat => Wire::Chat(self.dialect),
            Format::OpenaiResponses => Wire::Responses,
            Format::Anthropic => Wire::Messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Wire};
    use crate::provider::http::endpoint_table::endpoint;

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
