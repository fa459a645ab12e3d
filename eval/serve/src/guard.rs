//! Protects a server on this machine from pages of other sites and from clients without a key.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;

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

/// Listens on an address, whose port may be 0 for any free port. Returns the address with the port
/// that is used.
///
/// # Errors
/// Returns [`ServeError::OpenToAll`] if other machines could use the server without a key, and
/// [`ServeError::Listen`] if the address cannot be used.
pub async fn listen(
    address: SocketAddr,
    clients: &Clients,
) -> Result<(TcpListener, SocketAddr), ServeError> {
    if !address.ip().is_loopback() && !clients.need_keys() {
        return Err(ServeError::OpenToAll(address));
    }
    let error = |reason| ServeError::Listen { address, reason };
    let listener = TcpListener::bind(address).await.map_err(error)?;
    let address = listener.local_addr().map_err(error)?;
    Ok((listener, address))
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
        let (own, port) = (address.to_string(), format!(":{}", address.port()));
        let own = own.strip_suffix(&port).unwrap_or_default();
        let host = text(HOST).unwrap_or_default();
        // Clients leave out the default port of HTTP.
        let without_port = (address.port() == 80).then_some(host);
        let name = host.strip_suffix(&port).or(without_port);
        if !name.is_some_and(|name| ["127.0.0.1", "localhost", "[::1]", own].contains(&name)) {
            return Some(ApiError::forbidden(format!(
                "invalid `Host`: expected {own} or localhost with this server's port"
            )));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_own_names() {
        for (address, host, is_accepted) in [
            ("127.0.0.1:8000", "127.0.0.1:8000", true),
            ("127.0.0.1:8000", "localhost:8000", true),
            ("127.0.0.1:8000", "localhost", false),
            ("127.0.0.1:8000", "localhost:80", false),
            ("127.0.0.1:8000", "127.0.0.2:8000", false),
            ("127.0.0.1:8000", "evil.example:8000", false),
            ("127.0.0.1:80", "127.0.0.1", true),
            ("127.0.0.1:80", "localhost:80", true),
            ("127.0.0.1:80", "localhost:8000", false),
            ("127.0.0.1:80", "evil.example", false),
            ("127.0.0.2:8000", "127.0.0.2:8000", true),
            ("127.0.0.2:8000", "127.0.0.3:8000", false),
            ("[::1]:80", "[::1]", true),
            ("[::1]:8000", "[::1]:8000", true),
            ("192.0.2.1:8000", "evil.example", true),
        ] {
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            let address: SocketAddr = address.parse().expect("a valid address");
            let refused = refusal(address, &headers);
            assert_eq!(refused.is_none(), is_accepted, "{host} at {address}");
        }
    }
}
