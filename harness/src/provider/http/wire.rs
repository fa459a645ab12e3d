//! Common interface to the wire formats, which creates requests and parses responses.

use serde_json::{Value, json};

use super::endpoint_table::Dialect;
use super::json_fields::text;
use super::parsed_response::{Assembly, ParsedResponse};
use super::reasoning::{self, Api};
use super::reported_usage::{cost, counted};
use super::settings::Unsupported;
use super::{anthropic, openai_chat, openai_responses};
use crate::model::{Sampling, Usage};
use crate::provider::Request;

/// Format of requests and responses, including the server's dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// Chat completions API of `OpenAI` and compatible servers.
    Chat(Dialect),
    /// Responses API of `OpenAI`.
    Responses,
    /// Messages API of Anthropic.
    Messages,
}

impl Wire {
    /// Returns the request path, relative to the base URL.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat(_) => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/v1/messages",
        }
    }

    /// Returns the path of the list of models, relative to the base URL.
    pub const fn models_path(self) -> &'static str {
        match self {
            Self::Chat(_) | Self::Responses => "/models",
            Self::Messages => "/v1/models?limit=1000",
        }
    }

    /// Returns the name and value of the header with the API key.
    pub fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Messages => ("x-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }
    }

    /// Returns the fields of a request that users must not set, because the harness needs them to
    /// parse the response or because the run's recorded settings would be wrong.
    pub const fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::Chat(_) => openai_chat::OWN_FIELDS,
            Self::Responses => openai_responses::OWN_FIELDS,
            Self::Messages => anthropic::OWN_FIELDS,
        }
    }

    /// Checks that the format supports the settings.
    ///
    /// # Errors
    /// Returns [`Unsupported`] for the first setting that is not supported.
    pub fn check(self, model: &str, sampling: &Sampling) -> Result<(), Unsupported> {
        let own = self.own_fields().iter();
        if let Some(field) = own
            .copied()
            .find(|field| sampling.extra.contains_key(*field))
        {
            return Err(Unsupported {
                setting: "extra",
                reason: format!("the harness sets the field `{field}`, so it cannot be overridden"),
            });
        }
        if let Some(api) = self.reasoning_api() {
            reasoning::check(api, model, sampling)?;
        }
        match self {
            Self::Chat(dialect) => openai_chat::check(dialect, sampling),
            Self::Responses => openai_responses::check(sampling),
            Self::Messages => anthropic::check(model, sampling),
        }
    }

    /// Returns the API whose reasoning settings the server accepts; `None` if the server translates
    /// them or its API is unknown.
    const fn reasoning_api(self) -> Option<Api> {
        match self {
            Self::Chat(Dialect::Openai) | Self::Responses => Some(Api::Openai),
            Self::Chat(Dialect::Google) => Some(Api::Google),
            Self::Messages => Some(Api::Anthropic),
            Self::Chat(Dialect::Openrouter | Dialect::Compatible) => None,
        }
    }

    /// Returns the body of a request.
    pub fn body(self, request: &Request, stream: bool) -> Value {
        let mut body = match self {
            Self::Chat(dialect) => openai_chat::body(dialect, request, stream),
            Self::Responses => openai_responses::body(request),
            Self::Messages => anthropic::body(request),
        };
        if stream {
            body["stream"] = json!(true);
        }
        body
    }

    /// Parses a response.
    ///
    /// # Errors
    /// Returns a description of the problem and its place in the response.
    pub fn read(self, body: &Value) -> Result<ParsedResponse, String> {
        match self {
            Self::Chat(_) => openai_chat::read(body),
            Self::Responses => openai_responses::read(body),
            Self::Messages => anthropic::read(body),
        }
    }

    /// Returns the error in the used choice of a body, if the format is chat completions.
    pub fn inner_error(self, body: &Value) -> Option<Value> {
        let Self::Chat(_) = self else { return None };
        let error = openai_chat::used_choice(body)?.get("error")?;
        Some(json!({"error": error}))
    }

    /// Returns the usage and the cost in US dollars that a body reports, even if the body is
    /// otherwise invalid.
    pub fn bill(self, body: &Value) -> Option<(Usage, Option<f64>)> {
        let usage = &body["usage"];
        match self {
            Self::Chat(_) => counted(usage, ["prompt_tokens", "completion_tokens"]),
            Self::Responses => counted(usage, ["input_tokens", "output_tokens"]),
            Self::Messages => anthropic::usage(usage),
        }
        .map(|counted| (counted, cost(usage)))
    }

    /// Returns the finish reason as reported by the server.
    pub fn finish_reason(self, body: &Value) -> &str {
        match self {
            Self::Chat(_) => {
                openai_chat::used_choice(body).map_or("", |it| text(&it["finish_reason"]))
            }
            Self::Responses => match text(&body["incomplete_details"]["reason"]) {
                "" => text(&body["status"]),
                reason => reason,
            },
            Self::Messages => text(&body["stop_reason"]),
        }
    }

    /// Starts assembling a streamed response.
    pub fn assembly(self) -> Box<dyn Assembly> {
        match self {
            Self::Chat(_) => Box::<openai_chat::Chunks>::default(),
            Self::Responses => Box::<openai_responses::Events>::default(),
            Self::Messages => Box::<anthropic::Events>::default(),
        }
    }
}
