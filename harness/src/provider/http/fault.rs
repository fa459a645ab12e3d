//! Converts HTTP statuses, error objects and transport errors to typed errors.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use regex::Regex;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::endpoint_table::no_credit;
use super::json_fields::{items, text};
use super::overflow::{self, Length};
use super::sse::SseEvent;
use crate::model::lenient_json;
use crate::provider::ProviderError;

/// Value of `what` in [`ProviderError::Timeout`] if connecting timed out, before anything was sent.
pub(super) const CONNECTION: &str = "connection";

/// Maximum characters of a server's message in an error.
const QUOTED: usize = 500;

/// Returns the error of a response with an error status.
pub(super) fn status_error(
    provider: &str,
    status: u16,
    headers: &HeaderMap,
    body: &str,
    now: SystemTime,
) -> ProviderError {
    let parsed = lenient_json::from_str(body).unwrap_or(Value::Null);
    let said = said(&parsed).unwrap_or_else(|| body.to_owned());
    let message = match quote(&said) {
        blank if blank.is_empty() => "no error message".to_owned(),
        message => message,
    };
    let provider = provider.to_owned();
    let error = parsed.get(0).unwrap_or(&parsed);
    let error = error.get("error").unwrap_or(error);
    let length = overflow::read(status, error, body);
    let retry_after = retry_after(headers, now).or_else(|| delay_in_body(status, error, &message));
    let refused = |provider, message| ProviderError::Refused {
        provider,
        status,
        message,
    };
    match status {
        402 => ProviderError::NoCredit { provider, message },
        400 | 403 | 429 if lacks_credit(&parsed, &message) => {
            ProviderError::NoCredit { provider, message }
        }
        _ if length == Length::Overflow => ProviderError::ContextOverflow { message },
        413 | 429 if exceeds_limit(&message) => refused(provider, message),
        _ if length == Length::RateLimit => ProviderError::RateLimited {
            provider,
            message,
            retry_after,
        },
        400 | 403 if filters(&parsed) => ProviderError::Filtered { provider, message },
        401 => ProviderError::Unauthorized { provider, message },
        429 => ProviderError::RateLimited {
            provider,
            message,
            retry_after,
        },
        // Google uses 499 for operations cancelled under load, and Groq 498 for a lack of capacity.
        408 | 409 | 425 | 498 | 499 | 500.. => ProviderError::Server {
            provider,
            status,
            message,
            retry_after,
        },
        300..400 => {
            let to = headers.get("location").and_then(|to| to.to_str().ok());
            let message = to.map_or(message, |to| {
                format!("redirected to {}; use that as the base URL", quote(to))
            });
            refused(provider, message)
        }
        _ => refused(provider, message),
    }
}

/// Returns the error in the body of a response with a success status, if any.
pub(super) fn error_object_error(provider: &str, body: &Value) -> Option<ProviderError> {
    let body = body.get(0).unwrap_or(body);
    let wrapped;
    let body = match body.get("error") {
        Some(error) if reports_error(error) => body,
        // Format of vLLM, and of error events in the Responses API.
        _ if body["object"] == "error"
            || body["type"] == "error"
            || body["type"] == "response.error" =>
        {
            wrapped = json!({"error": body});
            &wrapped
        }
        _ => return None,
    };
    let error = &body["error"];
    let status = [&error["code"], &error["type"], &error["status"]]
        .into_iter()
        .find_map(status_of);
    let Some(status) = status else {
        return Some(ProviderError::Server {
            provider: provider.to_owned(),
            status: 200,
            message: quote(&said(body).unwrap_or_else(|| error.to_string())),
            retry_after: None,
        });
    };
    let nothing = HeaderMap::new();
    Some(status_error(
        provider,
        status,
        &nothing,
        &body.to_string(),
        SystemTime::UNIX_EPOCH,
    ))
}

/// Whether an error field reports an error. Without an error, some servers set the field to `{}`,
/// or to code 0 without a message.
pub(super) fn reports_error(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(said) => *said,
        Value::Number(code) => code.as_f64() != Some(0.0),
        Value::String(words) => !words.trim().is_empty(),
        Value::Array(all) => all.iter().any(reports_error),
        Value::Object(fields) => fields.values().any(reports_error),
    }
}

/// Returns the error in an event of a stream, if its name or content indicates one.
pub(super) fn event_error(provider: &str, event: &SseEvent) -> Option<ProviderError> {
    let is_named = event.name == "error";
    if !is_named && !event.data.contains("error\"") {
        return None;
    }
    let data = lenient_json::from_str(&event.data).unwrap_or_else(|_| json!(event.data));
    let error = error_object_error(provider, &data);
    if error.is_some() || !is_named {
        return error;
    }
    let named = error_object_error(provider, &json!({"error": data}));
    named.or_else(|| error_object_error(provider, &json!({"error": "no error message"})))
}

/// Returns the HTTP status for an error object's code, which is a number or a known word.
fn status_of(code: &Value) -> Option<u16> {
    let number = code.as_u64().and_then(|number| u16::try_from(number).ok());
    if let Some(number) = number {
        return (400..600).contains(&number).then_some(number);
    }
    let word = code.as_str()?;
    if no_credit().codes.iter().any(|known| known == word) {
        return Some(402);
    }
    Some(match word {
        "invalid_request_error"
        | "context_length_exceeded"
        | "exceed_context_size_error"
        | "INVALID_ARGUMENT"
        | "BadRequestError"
        | "content_filter"
        | "content_policy_violation"
        | "invalid_prompt" => 400,
        // Codes of the Responses API for an unusable image.
        word if word.contains("image") => 400,
        "authentication_error" | "invalid_api_key" | "UNAUTHENTICATED" => 401,
        "permission_error" | "PERMISSION_DENIED" => 403,
        "not_found_error" | "model_not_found" | "NOT_FOUND" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
        "timeout" => 408,
        "capacity_exceeded" => 498,
        "CANCELLED" => 499,
        "api_error"
        | "server_error"
        | "INTERNAL"
        | "InternalServerError"
        | "vector_store_timeout" => 500,
        "UNAVAILABLE" | "service_unavailable" => 503,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        other => {
            return other
                .parse()
                .ok()
                .filter(|status| (400..600).contains(status));
        }
    })
}

/// Whether the account is out of credit, according to the error's code or the beginning of its
/// message. Skips error names that a proxy has put before the message
/// (`RateLimitError: OpenAIException - You exceeded …`). Ignores the rest of the message, which may
/// quote text that a model wrote.
fn lacks_credit(body: &Value, message: &str) -> bool {
    let body = body.get(0).unwrap_or(body);
    let table = no_credit();
    let is_code = |code: &Value| table.codes.iter().any(|known| code == known.as_str());
    let message = message.to_lowercase();
    let begins = |text: &String| {
        let mut places = message.match_indices(text.as_str());
        places.any(|(at, _)| {
            let before = &message[..at];
            before.is_empty() || names_error(before)
        })
    };
    is_code(&body["error"]["code"])
        || is_code(&body["error"]["type"])
        || table.messages.iter().any(begins)
}

/// Whether a filter rejected the request, according to the codes of Azure and `OpenAI` or
/// `OpenRouter`'s list of reasons.
fn filters(body: &Value) -> bool {
    let error = &body["error"];
    let code = text(&error["code"]);
    code == "content_filter"
        || code.contains("content_policy_violation")
        || !items(&error["metadata"]["reasons"]).is_empty()
}

/// Whether a lowercase text ends with the name of an error and the separator before its message.
fn names_error(text: &str) -> bool {
    let name = text.strip_suffix(": ").or_else(|| text.strip_suffix(" - "));
    name.is_some_and(|name| name.ends_with("error") || name.ends_with("exception"))
}

/// Returns the message in an error's body. Providers put it in different fields.
fn said(body: &Value) -> Option<String> {
    let body = body.get(0).unwrap_or(body);
    let error = &body["error"];
    let places = [
        &error["message"],
        error,
        &body["message"],
        &body["detail"],
        &body["errors"][0]["message"],
    ];
    let found = places.into_iter().find_map(|place| match place {
        Value::String(words) => Some(words.clone()),
        _ => None,
    });
    let found = found.or_else(|| invalid_fields(&body["message"]["detail"]));
    // Routers such as OpenRouter put the upstream provider's error message here.
    let behind = text(&error["metadata"]["raw"]);
    match found {
        Some(words) if !behind.is_empty() => Some(format!("{words}: {behind}")),
        None if body["detail"].is_array() => Some(body["detail"].to_string()),
        found => found,
    }
}

/// Formats Mistral's list of invalid fields.
fn invalid_fields(detail: &Value) -> Option<String> {
    let fields = items(detail).iter().filter_map(|fault| {
        let place = items(&fault["loc"]).last()?;
        let place = place
            .as_str()
            .map_or_else(|| place.to_string(), str::to_owned);
        Some(format!("{place}: {}", fault["msg"].as_str()?))
    });
    let fields: Vec<String> = fields.collect();
    (!fields.is_empty()).then(|| fields.join("; "))
}

/// Whether a message says that the request alone exceeds a rate limit, so waiting does not help,
/// for example "Limit 6000, Requested 12328".
fn exceeds_limit(message: &str) -> bool {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\blimit:? (\d+), (?:used:? \d+, )?requested:? (\d+)").ok()
    });
    let found = PATTERN
        .as_ref()
        .and_then(|pattern| pattern.captures(message));
    found.is_some_and(|found| {
        let [limit, requested] = [1, 2].map(|group| found[group].parse::<u64>().ok());
        limit
            .zip(requested)
            .is_some_and(|(limit, requested)| requested > limit)
    })
}

/// Returns the delay that the body of a 429 or 503 requests: in Google's field `retryDelay`, or in
/// words such as "retry in 26.66s" or "try again in 1m2.5s".
fn delay_in_body(status: u16, error: &Value, message: &str) -> Option<Duration> {
    static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:retry|try again) (?:in|after) ((?:\d[\d.]* ?[a-z]+)+)").ok()
    });
    if !matches!(status, 429 | 503) {
        return None;
    }
    let details = items(&error["details"]).iter();
    let field = details.map(|detail| text(&detail["retryDelay"]));
    if let Some(delay) = field.into_iter().find_map(duration) {
        return Some(delay);
    }
    let found = PATTERN.as_ref()?.captures(message)?;
    duration(&found[1])
}

/// Parses a duration such as `26.66s`, `1m2.5s`, `250ms` or `20 seconds`.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let is_number = |char: char| char.is_ascii_digit() || char == '.';
        let unit = rest.find(|char| !is_number(char))?;
        let number: f64 = rest[..unit].parse().ok()?;
        let from = rest[unit..].trim_start();
        let end = from.find(is_number).unwrap_or(from.len());
        let factor = match from[..end].trim() {
            "ms" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        seconds += number * factor;
        rest = &from[end..];
    }
    (!text.trim().is_empty()).then(|| Duration::try_from_secs_f64(seconds).ok())?
}

/// Collapses whitespace in a text and truncates it to [`QUOTED`] characters.
pub(super) fn quote(said: &str) -> String {
    let words: Vec<&str> = said.split_whitespace().take(QUOTED).collect();
    let line = words.join(" ");
    let length = line.chars().count();
    if length <= QUOTED {
        return line;
    }
    let start: String = line.chars().take(QUOTED).collect();
    format!("{start}…")
}

/// Returns the delay that the server requests: `retry-after-ms`, or `retry-after` in seconds or as
/// a date (<https://www.rfc-editor.org/rfc/rfc9110#field.retry-after>). A date in the past means no
/// delay.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = |name| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let number = |text: &str| text.parse::<f64>().ok();
    if let Some(ms) = value("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let text = value("retry-after")?;
    if let Some(seconds) = number(text) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

/// Returns the error of a request that received no response, because the connection failed or was
/// reset. `server` contains the name of the provider and its address.
pub(super) fn transport_error(
    server: String,
    error: &reqwest::Error,
    connect: Duration,
) -> ProviderError {
    if error.is_connect() && error.is_timeout() {
        return ProviderError::Timeout {
            provider: server,
            what: CONNECTION.to_owned(),
            after: connect,
        };
    }
    let mut message = cause(error);
    if message.contains("UnknownIssuer") {
        message.push_str("; set SSL_CERT_FILE to a file with the certificates to trust");
    }
    ProviderError::Connection {
        provider: server,
        message,
    }
}

pub(super) fn interrupted_error(provider: &str, error: &reqwest::Error) -> ProviderError {
    ProviderError::Cut {
        provider: provider.to_owned(),
        message: cause(error),
    }
}

/// Returns the message of the innermost cause. The outer messages only add the URL and the kind of
/// error.
fn cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    quote(&cause.to_string())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
    use serde::Deserialize;
    use serde_json::Value;

    use super::{ProviderError, error_object_error, status_error};

    /// A row of `fault_cases.json`: a status, headers and body, and the expected error.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        status: u16,
        #[serde(default)]
        headers: Vec<(String, String)>,
        body: Value,
        error: Option<String>,
        #[serde(default)]
        transient: bool,
        #[serde(default)]
        wait_s: Option<f64>,
    }

    #[test]
    fn converts_error_responses() {
        let rows: Vec<Row> = serde_json::from_str(include_str!("fault_cases.json")).unwrap();
        // 2015-10-21 07:28:00 UTC.
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_480);
        for row in rows {
            let mut headers = HeaderMap::new();
            for (name, value) in &row.headers {
                let name: HeaderName = name.parse().unwrap();
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
            let body = match &row.body {
                Value::String(text) => text.clone(),
                json => json.to_string(),
            };
            let error = if row.status == 200 {
                error_object_error("acme", &row.body)
            } else {
                Some(status_error("acme", row.status, &headers, &body, now))
            };
            let got = error.as_ref().map(ToString::to_string);
            let transient = error.as_ref().is_some_and(ProviderError::is_transient);
            let wait_s = error
                .and_then(|error| error.retry_after())
                .map(|wait| wait.as_secs_f64());
            assert_eq!(
                (got, transient, wait_s),
                (row.error, row.transient, row.wait_s),
                "{} {body}",
                row.status
            );
        }
    }
}
