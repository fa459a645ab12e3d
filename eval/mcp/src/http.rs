//! Serves clients over streamable HTTP.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use rmcp::transport::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serve::{ServeError, check_address, protected};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::handler::{Disconnected, Handler, Shared};
use super::interface::HttpSettings;
use super::toolbox::Toolbox;

/// Idle time after which a session ends. Longer than an agent may run without sending a message.
const SESSION_SILENCE: Duration = Duration::from_hours(24);
/// Maximum time for connections to close after the server stops.
const STOP_GRACE: Duration = Duration::from_secs(2);
const PATH: &str = "/mcp";

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
    /// Returns [`ServeError::OpenToAll`] if other machines could use the server without a key, and
    /// [`ServeError::Listen`] if the address cannot be used.
    pub async fn bind(
        settings: HttpSettings,
        toolbox: Arc<dyn Toolbox>,
    ) -> Result<Self, ServeError> {
        let address = settings.address;
        check_address(address, &settings.clients)?;
        let error = |reason| ServeError::Listen { address, reason };
        let listener = TcpListener::bind(address).await.map_err(error)?;
        let address = listener.local_addr().map_err(error)?;
        let stopping = CancellationToken::new();
        // `protected` checks `Host` and `Origin` more strictly than the library does.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(settings.max_message_bytes)
            .with_cancellation_token(stopping.clone());
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_SILENCE);
        let shared = Arc::new(Shared::new(toolbox, "anyone"));
        let of_session = Arc::clone(&shared);
        let service = StreamableHttpService::new(
            move || Ok(Handler(Arc::clone(&of_session))),
            Arc::new(sessions),
            config,
        );
        let router = Router::new()
            .route_service(PATH, service)
            .layer(from_fn(note_disconnect));
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
            () = shared.idle() => {}
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

/// Middleware that cancels the request's [`Disconnected`] token when the connection ends before the
/// response is complete.
///
/// The protocol lets a client reconnect for the rest of a response. But an agent without a waiting
/// client would keep its slot and keep spending, so it is stopped instead.
async fn note_disconnect(mut request: Request, next: Next) -> Response {
    let token = CancellationToken::new();
    let guard = token.clone().drop_guard();
    request.extensions_mut().insert(Disconnected(token));
    let response = next.run(request).await;
    response.map(|body| {
        Body::new(Watched {
            body,
            _guard: guard,
        })
    })
}

/// Response body that cancels a token when dropped.
struct Watched {
    body: Body,
    _guard: DropGuard,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}
