//! Who may ask, and what the page may do: other sites, other host names and other methods are refused.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST,
    HeaderMap, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::served::POLICY;

/// Headers of every answer, refusals too.
const HEADERS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Passes requests of the page itself and of programs on this machine that name the right host, and refuses the rest.
///
/// A page of another site can send requests to this port but can neither forge `Host`, `Origin` nor `Sec-Fetch-Site`; one
/// whose name was rebound to 127.0.0.1 sends its own name as `Host`.
pub async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    let refusal = refusal(port, request.method(), request.headers());
    let mut response = match refusal {
        Some((status, why)) => plain(status, why),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.remove(ACCESS_CONTROL_ALLOW_ORIGIN);
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A policy of letters, digits and marks, which a header may hold.
    if let Ok(policy) = HeaderValue::try_from(POLICY.as_str()) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// A short text for people.
pub fn plain(status: StatusCode, text: impl Into<String>) -> Response {
    let mut response = Response::new(Body::from(format!("{}\n", text.into())));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn refusal(port: u16, method: &Method, headers: &HeaderMap) -> Option<(StatusCode, &'static str)> {
    let names = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let host = text(HOST).unwrap_or_default();
    if headers.get_all(HOST).iter().count() != 1 || !names.iter().any(|name| name == host) {
        return Some((
            StatusCode::FORBIDDEN,
            "refused: this server answers to 127.0.0.1 and localhost with its port alone",
        ));
    }
    if let Some(origin) = text(ORIGIN)
        && origin != format!("http://{host}")
    {
        return Some((StatusCode::FORBIDDEN, "refused: a request of another site"));
    }
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site"))
        && !["same-origin", "none"].contains(&site)
    {
        return Some((
            StatusCode::FORBIDDEN,
            "refused: a request of another site; to follow a link, paste it into the address bar",
        ));
    }
    if ![Method::GET, Method::HEAD].contains(method) {
        return Some((
            StatusCode::METHOD_NOT_ALLOWED,
            "refused: nothing can be changed here",
        ));
    }
    None
}
