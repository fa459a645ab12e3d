//! Serves clients over streamable HTTP.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use http_body_util::BodyExt as _;
use parking_lot::Mutex;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serve::{Client, ServeError, listen, protected};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::handler::{Handler, HttpResponse, Shared};
use super::interface::HttpSettings;
use super::toolbox::Toolbox;

/// Idle time after which a session ends. Longer than an agent may run without sending a message.
const SESSION_SILENCE: Duration = Duration::from_hours(24);
/// Maximum time for connections to close after the server stops.
const STOP_GRACE: Duration = Duration::from_secs(2);
const PATH: &str = "/mcp";
/// Header with the id of a session.
const SESSION_ID: &str = "mcp-session-id";
/// Id that no session has.
const NO_SESSION: &str = "none";

/// An HTTP server that listens but does not answer requests yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
    shared: Arc<Shared>,
    stopping: CancellationToken,
    shutdown_timeout: Duration,
}

impl HttpServer {
    /// Listens on the configured address.
    ///
    /// # Errors
    /// Like [`listen`].
    pub async fn bind(
        settings: HttpSettings,
        toolbox: Arc<dyn Toolbox>,
    ) -> Result<Self, ServeError> {
        let (listener, address) = listen(settings.address, &settings.clients).await?;
        let stopping = CancellationToken::new();
        // `protected` checks `Host` and `Origin` more strictly than the library does.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(settings.max_message_bytes)
            .with_cancellation_token(stopping.clone());
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_SILENCE);
        let sessions = Arc::new(sessions);
        let owners = Arc::new(SessionOwners {
            sessions: Arc::clone(&sessions),
            clients: Mutex::default(),
        });
        let shared = Arc::new(Shared::new(toolbox, "anyone"));
        let of_session = Arc::clone(&shared);
        let service = StreamableHttpService::new(
            move || Ok(Handler(Arc::clone(&of_session))),
            sessions,
            config,
        );
        let router = Router::new()
            .route_service(PATH, service)
            .layer(from_fn(note_end))
            .layer(from_fn_with_state(owners, check_owner));
        Ok(Self {
            listener,
            address,
            router: protected(router, address, settings.clients),
            shared,
            stopping,
            shutdown_timeout: settings.shutdown_timeout,
        })
    }

    /// Returns the URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Answers requests until `stop` completes. Then rejects new calls and waits until the calls in
    /// progress finish, `stop_now` completes, or the shutdown timeout passes.
    ///
    /// # Errors
    /// Returns [`ServeError::Serve`] if the server cannot accept further connections.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()>,
        stop_now: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let Self {
            shared, stopping, ..
        } = self;
        let serve = axum::serve(self.listener, self.router)
            .with_graceful_shutdown(stopping.clone().cancelled_owned())
            .into_future();
        tokio::pin!(serve);
        tokio::select! {
            ended = &mut serve => return ended.map_err(ServeError::Serve),
            () = stop => shared.draining.cancel(),
        }
        tokio::select! {
            ended = &mut serve => return ended.map_err(ServeError::Serve),
            () = shared.calls.closed() => {}
            () = tokio::time::sleep(self.shutdown_timeout) => {}
            () = stop_now => {}
        }
        stopping.cancel();
        // Abandon connections whose clients do not read.
        match timeout(STOP_GRACE, &mut serve).await {
            Ok(ended) => ended.map_err(ServeError::Serve),
            Err(_) => Ok(()),
        }
    }
}

/// The clients that opened the sessions. An id alone does not give access to a session, because ids
/// occur in logs of proxies and clients.
struct SessionOwners {
    sessions: Arc<LocalSessionManager>,
    /// Name of the client by session id. Ids of ended sessions are removed when a session is
    /// opened.
    clients: Mutex<HashMap<String, String>>,
}

impl SessionOwners {
    fn may_use(&self, session: &str, client: &str) -> bool {
        let clients = self.clients.lock();
        clients.get(session).is_none_or(|owner| owner == client)
    }

    async fn add(&self, session: &str, client: String) {
        let open = self.sessions.sessions.read().await;
        let mut clients = self.clients.lock();
        clients.retain(|session, _| open.contains_key(session.as_str()));
        clients.entry(session.to_owned()).or_insert(client);
    }
}

/// Middleware that answers requests for another client's session like requests for an unknown one.
async fn check_owner(
    State(owners): State<Arc<SessionOwners>>,
    mut request: Request,
    next: Next,
) -> Response {
    let client = request.extensions().get::<Arc<Client>>();
    let client = client.map_or("", |client| client.name.as_str()).to_owned();
    if session_id(request.headers()).is_some_and(|session| !owners.may_use(session, &client)) {
        let headers = request.headers_mut();
        headers.insert(SESSION_ID, HeaderValue::from_static(NO_SESSION));
    }
    let response = next.run(request).await;
    if let Some(session) = session_id(response.headers()) {
        owners.add(session, client).await;
    }
    response
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION_ID)?.to_str().ok()
}

/// Middleware that ends the request's call when its response is complete or the connection closes.
///
/// The protocol lets a client reconnect for the rest of a response. But an agent without a waiting
/// client would keep its slot and keep spending, so it is stopped instead.
async fn note_end(mut request: Request, next: Next) -> Response {
    let disconnected = CancellationToken::new();
    let guard = disconnected.clone().drop_guard();
    let call = Arc::default();
    request.extensions_mut().insert(HttpResponse {
        disconnected,
        call: Arc::downgrade(&call),
    });
    let response = next.run(request).await;
    // The body owns both, so that they are dropped with it.
    let owned = (guard, call);
    response.map(|body| {
        Body::new(body.map_err(move |error| {
            let _ = &owned;
            error
        }))
    })
}
