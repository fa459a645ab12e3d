//! Serves the generated site of one attempt on its own loopback port.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use benchmarks::{SiteRequest, SiteResponse};
use browser::Origin;
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::form_urlencoded;

use super::loopback_server::LoopbackServer;

/// Site of a sample, shared with its server.
type SharedSite = Arc<Mutex<Box<dyn benchmarks::Site>>>;

/// Server of a generated site, which stops when dropped.
pub(super) struct Site {
    server: LoopbackServer,
    state: SharedSite,
}

impl Site {
    /// Starts serving the site of a sample.
    ///
    /// # Errors
    /// [`std::io::Error`] if no port is available.
    pub(super) async fn serve(site: Box<dyn benchmarks::Site>) -> std::io::Result<Self> {
        let state = Arc::new(Mutex::new(site));
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&state));
        let server = LoopbackServer::open(router).await?;
        Ok(Self { server, state })
    }

    pub(super) fn origin(&self) -> Origin {
        self.server.origin.clone()
    }

    pub(super) fn state(&self) -> Value {
        self.state.lock().state()
    }
}

async fn answer(
    State(site): State<SharedSite>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let shown = headers
        .get("sec-fetch-dest")
        .is_some_and(|dest| dest == "document");
    let asked = SiteRequest {
        post: method == Method::POST,
        path: percent_decode_str(uri.path())
            .decode_utf8_lossy()
            .into_owned(),
        shown,
        fields: form_urlencoded::parse(&body).into_owned().collect(),
    };
    let answered = site.lock().answer(asked);
    response(answered)
}

fn response(answered: SiteResponse) -> Response {
    let status = StatusCode::from_u16(answered.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = HeaderValue::from_static(answered.content_type);
    // Prevent caching, so that navigating back requests the page again.
    let kept = HeaderValue::from_static("no-store");
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, kept)];
    let mut response = (status, headers, answered.body).into_response();
    if let Some(location) = answered.location {
        let location = HeaderValue::from_static(location);
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
