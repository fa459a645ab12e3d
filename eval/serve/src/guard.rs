//! Protects a server on this machine from pages of other sites and from clients without a key.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use super::error::{ApiError, ServeError};
use super::keys::Clients;

/// Adds this protection to the routes of another server. Each request gets its client
/// (`Arc<Client>`) as an extension.
pub fn protected(router: Router, address: SocketAddr, clients: Clients) -> Router {
    let clients = Arc::new(clients);
    let with_client = move |mut request: Request, next: Next| {
        let clients = Arc::clone(&clients);
        async move {
            match clients.of(request.headers()) {
                Ok(client) => {
                    request.extensions_mut().insert(client);
                    next.run(request).await
                }
                Err(error) => error.into_response(),
            }
        }
    };
    router
        .layer(from_fn(with_client))
        .layer(from_fn_with_state(address, guard))
}

/// Checks that other machines cannot use a server at this address without a key.
///
/// # Errors
/// Returns [`ServeError::OpenToAll`] if they can.
pub fn check_address(address: SocketAddr, clients: &Clients) -> Result<(), ServeError> {
    if address.ip().is_loopback() || clients.need_keys() {
        return Ok(());
    }
    Err(ServeError::OpenToAll(address))
}

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
