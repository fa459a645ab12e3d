//! Decides which requests may access the server, and what the page may do.
//!
//! The server rejects requests from other sites, with other host names, or with methods other than
//! GET and HEAD. It also rejects requests without the token, which is part of the printed address:
//! other users of the machine can reach the port, but cannot see the address.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE,
    HOST, HeaderMap, HeaderName, HeaderValue, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::served::POLICY;

/// Headers of every response, including rejections.
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

/// Token and host names that the server accepts.
#[derive(Debug, Clone)]
pub struct Access {
    port: u16,
    token: Arc<str>,
    /// Additional accepted values of `Host`, in lowercase.
    hosts: Arc<[String]>,
}

impl Access {
    /// Creates an unguessable token. `hosts` are accepted in addition to 127.0.0.1 and localhost:
    /// `NAME:PORT`, or `NAME` for all ports.
    pub fn new(port: u16, hosts: &[String]) -> Self {
        let token = format!("{:032x}", rand::random::<u128>());
        Self {
            port,
            token: token.into(),
            hosts: hosts.iter().map(|host| host.to_lowercase()).collect(),
        }
    }

    /// Returns the URL of the page, including the token.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Whether the server accepts this value of `Host`.
    fn answers_to(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
        let local = ["127.0.0.1", "localhost", "[::1]"];
        let is_local = || local.contains(&name) && host == format!("{name}:{}", self.port);
        is_local() || self.is_allowed(&host)
    }

    /// Whether `hosts` contains this value of `Host`, with or without the port.
    fn is_allowed(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let name = host.rsplit_once(':').map_or(&*host, |(name, _)| name);
        let mut hosts = self.hosts.iter();
        hosts.any(|known| *known == host || known == name)
    }

    /// Returns the name of the cookie for the token. The name includes the port, because all ports
    /// of a host share cookies.
    fn cookie(&self) -> String {
        format!("rlm_eval_view_{}", self.port)
    }

    /// Whether a request contains the token: in its URL, in the cookie, or as a bearer token.
    fn has_token(&self, request: &Request) -> bool {
        let text = |name: HeaderName| {
            let value = request.headers().get(name);
            value
                .and_then(|value| value.to_str().ok())
                .unwrap_or_default()
        };
        let cookie = format!("{}={}", self.cookie(), self.token);
        self.has_token_in_address(request)
            || text(COOKIE).split(';').any(|one| one.trim() == cookie)
            || text(AUTHORIZATION).strip_prefix("Bearer ") == Some(&*self.token)
    }

    fn has_token_in_address(&self, request: &Request) -> bool {
        let wanted = format!("token={}", self.token);
        let query = request.uri().query().unwrap_or_default();
        query.split('&').any(|part| part == wanted)
    }

    /// Returns a redirect to `/` that stores the token as a cookie, so that the address bar no
    /// longer shows it.
    fn redirect_with_cookie(&self) -> Response {
        let cookie = format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/",
            self.cookie(),
            self.token
        );
        let headers = [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

/// Accepts only requests from the page itself, and from local programs that present an accepted
/// host name and the token.
///
/// Pages of other sites can send requests to this port, but cannot forge `Host`, `Origin` or
/// `Sec-Fetch-Site`. After DNS rebinding, `Host` contains the name of the other site.
pub async fn guard(State(access): State<Access>, request: Request, next: Next) -> Response {
    let refusal = refusal(&access, request.method(), request.headers());
    let mut response = match refusal {
        Some((status, why)) => plain(status, why),
        None if !access.has_token(&request) => plain(
            StatusCode::FORBIDDEN,
            "refused: open the address that `rlm-eval view` printed, which contains a token",
        ),
        None if request.uri().path() == "/" && access.has_token_in_address(&request) => {
            access.redirect_with_cookie()
        }
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.remove(ACCESS_CONTROL_ALLOW_ORIGIN);
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // The policy consists of letters, digits and punctuation, which are valid in a header.
    if let Ok(policy) = HeaderValue::try_from(POLICY.as_str()) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Returns a plain-text response to show to the user.
pub fn plain(status: StatusCode, text: impl Into<String>) -> Response {
    (status, format!("{}\n", text.into())).into_response()
}

fn refusal(
    access: &Access,
    method: &Method,
    headers: &HeaderMap,
) -> Option<(StatusCode, &'static str)> {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let host = text(HOST).unwrap_or_default();
    if headers.get_all(HOST).iter().count() != 1 || !access.answers_to(host) {
        return Some((
            StatusCode::FORBIDDEN,
            "refused: this server answers only to 127.0.0.1 and localhost with its own port; for a forwarded port, start `rlm-eval view` with --allow-host HOST",
        ));
    }
    if let Some(origin) = text(ORIGIN)
        && origin != format!("http://{host}")
        // A port-forwarding service may use TLS.
        && !(access.is_allowed(host) && origin == format!("https://{host}"))
    {
        return Some((StatusCode::FORBIDDEN, "refused: request from another site"));
    }
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site"))
        && !["same-origin", "none"].contains(&site)
    {
        return Some((
            StatusCode::FORBIDDEN,
            "refused: request from another site; to follow a link, paste it into the address bar",
        ));
    }
    if ![Method::GET, Method::HEAD].contains(method) {
        return Some((
            StatusCode::METHOD_NOT_ALLOWED,
            "refused: the viewer is read-only",
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Access;

    #[test]
    fn accepts_local_and_allowed_hosts_in_any_case() {
        let hosts = ["localhost:8080", "Me.app.github.dev"].map(str::to_owned);
        let access = Access::new(9951, &hosts);
        for (host, is_right) in [
            ("localhost:9951", true),
            ("LOCALHOST:9951", true),
            ("[::1]:9951", true),
            ("127.0.0.1", false),
            ("localhost:8080", true),
            ("localhost:8081", false),
            ("me.app.github.dev", true),
            ("ME.app.github.dev:443", true),
            ("other.app.github.dev", false),
            ("", false),
        ] {
            assert_eq!(access.answers_to(host), is_right, "{host:?}");
        }
    }
}
