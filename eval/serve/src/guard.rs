//! Rejects requests that pages of other sites send to the loopback address.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::error::ApiError;

/// Rejects requests that a browser sends for a page of another site.
///
/// A page of another site can send requests to this port, but cannot forge `Host`, `Origin` or
/// `Sec-Fetch-Site`. A site whose name was rebound to 127.0.0.1 sends that name as `Host`. A
/// non-loopback address may have any name, so it is protected by the key, which pages do not have.
pub(crate) async fn guard(
    State(address): State<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(address, request.headers()) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    response
}

fn refusal(address: SocketAddr, headers: &HeaderMap) -> Option<ApiError> {
    let text = |name: HeaderName| {
        let value = headers.get(name)?;
        Some(value.to_str().unwrap_or_default())
    };
    if address.ip().is_loopback() {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let host = text(HOST).unwrap_or_default();
        let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
        if !names.contains(&name) || port != address.port().to_string() {
            return Some(ApiError::forbidden(
                "invalid `Host`: expected 127.0.0.1 or localhost with this server's port",
            ));
        }
    }
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if site.is_some_and(|site| !["same-origin", "none"].contains(&site)) || text(ORIGIN).is_some() {
        return Some(ApiError::forbidden(
            "this server accepts requests from programs, not from pages in a browser",
        ));
    }
    None
}
