//! Errors of the server, and errors of requests in `OpenAI`'s format.

use std::io;
use std::net::SocketAddr;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Reason why the server cannot start or has stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is in use or not permitted.
    #[error("cannot listen on {address}: {reason}")]
    Listen {
        /// Address to listen on.
        address: SocketAddr,
        /// Error of the operating system.
        reason: io::Error,
    },
    /// The server can no longer accept connections.
    #[error("cannot serve: {0}")]
    Serve(io::Error),
    /// Clients on other machines could use the server without a key.
    #[error("other machines can reach {0}, but clients do not need a key")]
    OpenToAll(SocketAddr),
}

/// An error in the format of `OpenAI`'s interface.
///
/// Reference: <https://platform.openai.com/docs/guides/error-codes/api-errors>.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    status: StatusCode,
    kind: &'static str,
    code: Option<&'static str>,
    param: Option<String>,
    message: String,
    /// Seconds after which the client's library retries. `None` if it must not retry automatically,
    /// because the retry would pay for the agent's work again or fail in the same way.
    retry_after_s: Option<u64>,
}

impl ApiError {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            kind,
            code: None,
            param: None,
            message: message.into(),
            retry_after_s: None,
        }
    }

    fn code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// Creates the error for an invalid field.
    pub(crate) fn invalid(param: impl Into<String>, message: impl Into<String>) -> Self {
        let mut error = Self::of_request(message);
        error.param = Some(param.into());
        error
    }

    /// Creates the error for an invalid request.
    pub(crate) fn of_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    /// Creates the error for a feature that agents do not support.
    pub(crate) fn unsupported(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(param, message).code("unsupported_parameter")
    }

    pub(crate) fn too_large(most: usize) -> Self {
        let message =
            format!("the request exceeds this server's limit of {most} bytes (--max-request-size)");
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "invalid_request_error",
            message,
        )
    }

    pub(crate) fn no_key() -> Self {
        let message =
            "missing or unknown client key: send a valid one as `Authorization: Bearer KEY`";
        Self::new(StatusCode::UNAUTHORIZED, "authentication_error", message).code("invalid_api_key")
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "permission_error", message)
    }

    pub(crate) fn no_model(name: &str, known: &[String]) -> Self {
        let message = format!(
            "unknown model `{name}`; this server offers {}",
            if known.is_empty() {
                "none for this client".to_owned()
            } else {
                known.join(", ")
            }
        );
        let mut error = Self::new(StatusCode::NOT_FOUND, "invalid_request_error", message);
        error.param = Some("model".to_owned());
        error.code("model_not_found")
    }

    pub(crate) fn no_route(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "invalid_request_error", message).code("unknown_url")
    }

    pub(crate) fn wrong_method(message: impl Into<String>) -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "invalid_request_error",
            message,
        )
    }

    pub(crate) fn too_many(message: impl Into<String>, after_s: u64) -> Self {
        let mut error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", message)
            .code("rate_limit_exceeded");
        error.retry_after_s = Some(after_s);
        error
    }

    pub(crate) fn out_of_budget(message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "insufficient_quota", message)
            .code("insufficient_quota")
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", message)
    }

    pub(crate) fn stopping() -> Self {
        let mut error = Self::unavailable("the server is stopping").code("server_stopping");
        error.retry_after_s = Some(5);
        error
    }

    /// Creates the error for an agent that failed in spite of the server's own retries.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_GATEWAY, "server_error", message).code("agent_failed")
    }

    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the response body. A stream that has begun sends it as an event.
    pub(crate) fn to_json(&self) -> Value {
        json!({"error": {
            "message": self.message,
            "type": self.kind,
            "param": self.param,
            "code": self.code,
        }})
    }

    /// Returns `{code, message}`, as in a failed response of the Responses interface.
    pub(crate) fn of_response(&self) -> Value {
        json!({"code": self.code.unwrap_or(self.kind), "message": self.message})
    }
}

/// Creates a response with a JSON body.
pub(crate) fn json_response(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json_response(&self.to_json());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        // OpenAI's libraries obey this header, regardless of the status.
        let should_retry = HeaderName::from_static("x-should-retry");
        match self.retry_after_s {
            None => headers.insert(should_retry, HeaderValue::from_static("false")),
            Some(seconds) => {
                headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
                headers.insert(should_retry, HeaderValue::from_static("true"))
            }
        };
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderName::from_static("www-authenticate");
            headers.insert(challenge, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
