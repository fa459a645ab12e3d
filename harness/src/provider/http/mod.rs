//! A provider that runs models over HTTP, with one client for all endpoints and one file for each
//! wire format.
//!
//! Retries, limits and caches are layers around this provider.

mod finish_reason;
mod endpoint;
mod endpoint_table;
mod exchange;
mod fallback;
mod fault;
mod header;
mod json_fields;
mod messages;
mod overflow;
mod parsed_response;
mod partial;
mod proxy;
mod reasoning;
mod reported_usage;
mod request_log;
mod secret;
mod settings;
mod sse;
mod structured;
mod tokens;
mod wire;

mod anthropic;
mod openai_chat;
mod openai_responses;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use crate::model::ToolCall;

use super::{
    CallEvent, CallSink, Estimate, Forecast, Provider, ProviderError, Request, Response, label,
    response_mut,
};
use fallback::Fallbacks;
use json_fields::text;
use parsed_response::{ParsedResponse, ResponseEnd, make_call_ids_unique, unless_blank};
use reported_usage::cost;
use tokens::ResponseLengthStats;
use wire::Wire;

pub use endpoint_table::{Endpoint, endpoint, endpoints};
pub use header::{ExtraHeader, HeaderError};
pub use request_log::RequestLog;
pub use secret::{Secret, redact};
pub use settings::Unsupported;
pub(crate) use tokens::tool_tokens;
pub use tokens::{IMAGE_TOKENS, estimate_tokens};

/// Timeouts of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Maximum time to establish a connection.
    pub connect: Duration,
    /// Maximum time between two pieces of a response, and before the first piece of a streamed
    /// response.
    pub idle: Duration,
    /// Maximum time of a request, from connecting to the last byte of the response.
    pub request: Duration,
}

/// Connections and timeouts shared by all HTTP providers of a program. Cheap to clone.
#[derive(Clone)]
pub struct HttpClient {
    client: reqwest::Client,
    timeouts: Timeouts,
    /// Number of output tokens of the longest response in earlier processes. Responses to requests
    /// without an output token limit are expected to use at least this number.
    pub longest_response: Option<u64>,
    /// Log that receives every request.
    pub log: Option<Arc<dyn RequestLog>>,
}

/// Error when creating an HTTP client or configuring an endpoint: TLS setup failed, or the base URL
/// or the API key is invalid.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HttpError(String);

/// A model in an endpoint's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// Name of the model, without the endpoint's prefix.
    pub id: String,
    /// Display name, if the server provides one.
    pub description: Option<String>,
}

/// Provider of an endpoint's models.
pub struct HttpProvider {
    endpoint: Endpoint,
    base_url: String,
    /// Query of the base URL, which is added to every request's URL.
    query: Option<String>,
    /// Host and port, for errors.
    address: String,
    /// Address of the proxy, for errors.
    proxy: Option<String>,
    key: Option<Secret>,
    headers: Vec<ExtraHeader>,
    http: HttpClient,
    /// Whether to stream all responses, not only those that may be stopped early.
    stream: bool,
    experience: ResponseLengthStats,
    fallbacks: Fallbacks,
}

/// Permitted query parameters of a base URL. Others are rejected because they may contain a key,
/// and the base URL is stored with the run.
const OPEN_PARAMETERS: [&str; 1] = ["api-version"];

/// Request paths, which a base URL must not include.
const REQUESTS: [&str; 3] = ["/chat/completions", "/responses", "/messages"];

impl HttpClient {
    /// Creates a client. It respects `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. It does not follow
    /// redirects, because they could send a key to another host.
    ///
    /// # Errors
    /// Returns [`HttpError`] if TLS setup fails, for example because no root certificates were
    /// found.
    pub fn new(timeouts: Timeouts) -> Result<Self, HttpError> {
        // Has an effect only for the first client of a process.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("eval/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(timeouts.connect);
        if proxy::is_off() {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| HttpError(format!("cannot create an HTTP client: {error}")))?;
        Ok(Self {
            client,
            timeouts,
            longest_response: None,
            log: None,
        })
    }
}

/// Replaces the parts of a URL that may be secret (user, password, query and fragment) with `…`.
fn redact_url(url: &str) -> String {
    let Some(parsed) = reqwest::Url::parse(url).ok().filter(reqwest::Url::has_host) else {
        return match url.split_once("://") {
            _ if !url.contains(['@', '?', '#']) => url.to_owned(),
            Some((scheme, _)) => format!("{scheme}://…"),
            None => "…".to_owned(),
        };
    };
    let has_user = !parsed.username().is_empty() || parsed.password().is_some();
    let port = parsed.port().map(|port| format!(":{port}"));
    let rest = [("?", parsed.query()), ("#", parsed.fragment())];
    let rest = rest.iter().filter(|(_, part)| part.is_some());
    format!(
        "{}://{}{}{}{}{}",
        parsed.scheme(),
        if has_user { "…@" } else { "" },
        parsed.host_str().unwrap_or_default(),
        port.unwrap_or_default(),
        parsed.path(),
        rest.map(|(mark, _)| format!("{mark}…")).collect::<String>()
    )
}

/// Returns the host and port of a URL.
fn address(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

impl HttpProvider {
    /// Creates the provider for an endpoint at a base URL, without sending a request.
    ///
    /// # Errors
    /// Returns [`HttpError`] if the base URL or the API key is invalid.
    pub fn open(
        endpoint: &Endpoint,
        base_url: &str,
        key: Option<Secret>,
        headers: Vec<ExtraHeader>,
        http: HttpClient,
        stream: bool,
    ) -> Result<Self, HttpError> {
        let wrong = |problem: &str| {
            let url = redact_url(base_url);
            HttpError(format!(
                "invalid base URL `{url}`: {problem}; expected, for example, https://host/v1"
            ))
        };
        let url = reqwest::Url::parse(base_url).map_err(|error| wrong(&error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it contains a user name or password"));
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("its scheme is not http or https"));
        }
        let is_open = |(name, _): (Cow<str>, Cow<str>)| OPEN_PARAMETERS.contains(&&*name);
        if !url.query_pairs().all(is_open) || url.fragment().is_some() {
            let problem = "it has a fragment, or a query parameter other than `api-version`";
            return Err(wrong(problem));
        }
        let path = url.path().trim_end_matches('/');
        if let Some(ending) = REQUESTS.iter().find(|ending| path.ends_with(**ending)) {
            let problem = format!("omit {ending}, which is appended to it");
            return Err(wrong(&problem));
        }
        let sendable = |key: &Secret| reqwest::header::HeaderValue::from_str(key.reveal()).is_ok();
        if !key.as_ref().is_none_or(sendable) {
            return Err(HttpError(format!(
                "the key for {} contains characters that are invalid in HTTP headers",
                endpoint.name
            )));
        }
        let before_query = base_url.split('?').next().unwrap_or_default();
        Ok(Self {
            endpoint: endpoint.clone(),
            base_url: before_query.trim_end_matches('/').to_owned(),
            query: url.query().map(str::to_owned),
            address: address(&url),
            proxy: proxy::of(&url),
            key,
            headers,
            experience: ResponseLengthStats::new(http.longest_response),
            fallbacks: Fallbacks::default(),
            http,
            stream,
        })
    }

    /// Requests the list of the endpoint's models, sorted by name.
    ///
    /// # Errors
    /// Returns [`ProviderError`] if the request fails.
    pub async fn models(&self) -> Result<Vec<ListedModel>, ProviderError> {
        let wire = self.endpoint.wire("");
        let body = self.get(wire, wire.models_path()).await;
        let body = body.map_err(|error| error.map_message(redact))?;
        let data = body["data"]
            .as_array()
            .ok_or_else(|| self.garbled("`data` is missing"))?;
        let mut models: Vec<ListedModel> = data
            .iter()
            .filter_map(|model| {
                let name = ["display_name", "name"].map(|field| model[field].as_str());
                Some(ListedModel {
                    id: model["id"]
                        .as_str()?
                        .trim_start_matches("models/")
                        .to_owned(),
                    description: name.into_iter().flatten().next().map(str::to_owned),
                })
            })
            .collect();
        models.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(models)
    }

    /// Converts a rejection to a context overflow if the prompt is much longer than any that the
    /// server has accepted. Returns other errors unchanged.
    fn possible_overflow(&self, request: &Request, error: ProviderError) -> ProviderError {
        match error {
            ProviderError::Refused {
                status: status @ (400 | 413),
                message,
                ..
            } if self.experience.is_much_longer(request) => ProviderError::ContextOverflow {
                message: format!(
                    "{} rejected a prompt much longer than any it has accepted ({status}): {message}",
                    self.name()
                ),
            },
            error => error,
        }
    }

    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn garbled(&self, problem: impl Into<String>) -> ProviderError {
        ProviderError::Garbled {
            provider: self.name().to_owned(),
            problem: problem.into(),
        }
    }

    /// Converts a complete response to the result of the request. If the result is an error,
    /// reports the usage that is billed nevertheless.
    fn outcome(
        &self,
        wire: Wire,
        request: &Request,
        body: &Value,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let result = self.read(wire, request, body);
        if let Err(error) = &result
            && !matches!(error, ProviderError::Truncated { .. })
            && let Some((usage, cost_usd)) = wire.bill(body)
        {
            let response = wire.read(body).map(|answer| answer.response);
            let usage = tokens::completed(Some(usage), request, &response.unwrap_or_default());
            calls.note(CallEvent::Billed { usage, cost_usd });
        }
        result
    }

    fn read(&self, wire: Wire, request: &Request, body: &Value) -> Result<Response, ProviderError> {
        let inside = || fault::error_object_error(self.name(), &wire.inner_error(body)?);
        if let Some(error) = fault::error_object_error(self.name(), body).or_else(inside) {
            return Err(error);
        }
        let ParsedResponse { mut response, end } =
            wire.read(body).map_err(|problem| self.garbled(problem))?;
        make_call_ids_unique(&mut response, request);
        response.request_id = label(text(&body["id"]));
        response.finish_reason = label(wire.finish_reason(body));
        response.served_model = unless_blank(text(&body["model"]).to_owned());
        response.cost_usd = cost(&body["usage"]);
        let counted = wire.bill(body).map(|(usage, _)| usage);
        response.usage = Some(tokens::completed(counted, request, &response));
        match end {
            ResponseEnd::Complete => Ok(response),
            ResponseEnd::Length => Err(ProviderError::Truncated {
                response: Box::new(response),
            }),
            ResponseEnd::ContextFull => Err(ProviderError::ContextOverflow {
                message: "the response reached the end of the context window".to_owned(),
            }),
            ResponseEnd::Filter(message) => Err(ProviderError::Filtered {
                provider: self.name().to_owned(),
                message: fault::quote(&message),
            }),
            ResponseEnd::Failed(message) => Err(ProviderError::Server {
                provider: self.name().to_owned(),
                status: 200,
                message: fault::quote(&message),
                retry_after: None,
            }),
            ResponseEnd::Unfinished(message) => Err(ProviderError::Unfinished {
                provider: self.name().to_owned(),
                message: fault::quote(&message),
            }),
        }
    }
}

/// Redacts all keys in an assembled response. Redacting the pieces of a streamed response misses
/// keys that are split between pieces.
fn safe_response(response: Response) -> Response {
    Response {
        text: redact(response.text),
        reasoning: response.reasoning.map(redact),
        tool_calls: response.tool_calls.into_iter().map(safe_call).collect(),
        reasoning_signature: response.reasoning_signature.map(redact),
        served_model: response.served_model.map(redact),
        request_id: response.request_id.map(redact),
        finish_reason: response.finish_reason.map(redact),
        ..response
    }
}

fn safe_call(call: ToolCall) -> ToolCall {
    ToolCall {
        id: redact(call.id),
        name: redact(call.name),
        arguments: redact(call.arguments),
    }
}

#[async_trait]
impl Provider for HttpProvider {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let limit = self.http.timeouts.request;
        let exchange = self.exchange(request, calls);
        let result = tokio::time::timeout(limit, exchange).await;
        let mut result = result.unwrap_or_else(|_| {
            Err(ProviderError::Timeout {
                provider: self.name().to_owned(),
                what: "complete response".to_owned(),
                after: limit,
            })
        });
        if let Some(response) = response_mut(&mut result) {
            self.experience.learn(request, response);
            *response = safe_response(std::mem::take(response));
        }
        // Redacted again after parsing, because escapes could hide keys in the raw body.
        result.map_err(|error| self.possible_overflow(request, error).map_message(redact))
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        let unpriced = |usage| Estimate {
            usage,
            cost_usd: None,
        };
        let likely = self.experience.expect(request);
        Some(Forecast {
            likely: unpriced(likely),
            most: unpriced(self.experience.most(request, likely)),
        })
    }
}
