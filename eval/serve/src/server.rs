//! The HTTP server: its address, its routes and its shutdown.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderMap};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

use super::admission::AdmissionQueue;
use super::agents::{Agents, Offer};
use super::chat::Chat;
use super::conversation::question;
use super::error::{ApiError, ServeError, json_response};
use super::guard::{guard, listen};
use super::handler::{ParsedRequest, Phase, RequestHandler};
use super::interface::Interface;
use super::keys::{Client, Clients};
use super::metrics::{MEDIA_TYPE, Metrics};
use super::request::Fields;
use super::responses::Responses;

/// Maximum time that stopped requests may take to end.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Settings of a server.
#[derive(Debug)]
pub struct Settings {
    /// Address to listen on; port 0 means any free port.
    pub address: SocketAddr,
    /// Clients that may use the server.
    pub clients: Clients,
    /// Maximum concurrent root agents, each with its children.
    pub max_concurrency: usize,
    /// Maximum waiting requests.
    pub max_queue: usize,
    /// Maximum bytes of a request body.
    pub max_request_bytes: usize,
    /// Maximum characters of a text in the query; a longer text is moved to the context.
    pub long_text: usize,
    /// Maximum time that current requests may take to finish on shutdown.
    pub shutdown_timeout: Duration,
}

/// A server that is bound to its address but does not answer requests yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// State shared by handlers.
struct Shared {
    handler: Arc<RequestHandler>,
    settings: Settings,
}

impl Server {
    /// Listens on the configured address.
    ///
    /// # Errors
    /// Like [`listen`].
    pub async fn bind(settings: Settings, agents: Arc<dyn Agents>) -> Result<Self, ServeError> {
        let (listener, address) = listen(settings.address, &settings.clients).await?;
        let handler = Arc::new(RequestHandler {
            agents,
            admission: AdmissionQueue::new(settings.max_concurrency, settings.max_queue),
            metrics: Arc::new(Metrics::new()),
            phase: watch::Sender::new(Phase::Open),
        });
        Ok(Self {
            listener,
            address,
            shared: Arc::new(Shared { handler, settings }),
        })
    }

    /// Returns the base URL for clients.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Answers requests until `stop` completes. Then rejects new requests and waits for the current
    /// ones until `stop_now` completes or the shutdown timeout expires.
    ///
    /// # Errors
    /// Returns [`ServeError::Serve`] if the server can no longer accept connections.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
        stop_now: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let phase = self.shared.handler.phase.clone();
        let shutdown_timeout = self.shared.settings.shutdown_timeout;
        let router = router(self.shared, self.address);
        let mut watched = phase.subscribe();
        let draining = phase.clone();
        let serve = axum::serve(self.listener, router).with_graceful_shutdown(async move {
            stop.await;
            draining.send_replace(Phase::Draining);
        });
        let serve = serve.into_future();
        tokio::pin!(serve);
        tokio::select! {
            ended = &mut serve => return ended.map_err(ServeError::Serve),
            _ = watched.wait_for(|phase| *phase != Phase::Open) => {}
        }
        tokio::select! {
            ended = timeout(shutdown_timeout, &mut serve) => {
                if let Ok(ended) = ended {
                    return ended.map_err(ServeError::Serve);
                }
            }
            () = stop_now => {}
        }
        phase.send_replace(Phase::Stopping);
        // Connections whose clients do not read are abandoned.
        match timeout(STOP_GRACE, &mut serve).await {
            Ok(ended) => ended.map_err(ServeError::Serve),
            Err(_) => Ok(()),
        }
    }
}

fn router(shared: Arc<Shared>, address: SocketAddr) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(answer::<Chat>))
        .route("/v1/responses", post(answer::<Responses>))
        .route("/v1/models", get(models))
        .route("/v1/models/{*name}", get(model))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .fallback(async |method: Method, uri: Uri| {
            ApiError::no_route(format!("unknown route {method} {}", uri.path()))
        })
        .method_not_allowed_fallback(async |method: Method, uri: Uri| {
            ApiError::wrong_method(format!("{} does not support {method}", uri.path()))
        })
        .layer(middleware::from_fn_with_state(address, guard))
        .with_state(shared)
}

impl Shared {
    /// Parses a request into a question.
    async fn read<I: Interface>(&self, request: Request) -> Result<(ParsedRequest, I), ApiError> {
        let client = self.settings.clients.of(request.headers())?;
        // Key and limits are checked before the body is read, so that rejected clients cannot make
        // the server buffer it.
        let permit = client.admit()?;
        let max_bytes = self.settings.max_request_bytes;
        let body = to_bytes(request.into_body(), max_bytes).await;
        let body = body.map_err(|_| ApiError::too_large(max_bytes))?;
        let mut fields = Fields::of(&body)?;
        drop(body);
        let model = self.offer(&mut fields, &client)?;
        let is_stream = fields.flag("stream")?;
        let extension = fields.extension()?;
        let (turns, interface) = I::parse(&mut fields)?;
        let show = extension.show;
        let question = question(turns, extension, self.settings.long_text, I::MESSAGES)?;
        Ok((
            ParsedRequest {
                client,
                model,
                question,
                ignored: fields.ignored(),
                is_stream,
                show,
                permit,
            },
            interface,
        ))
    }

    /// Returns the requested model name, if the model exists and the client may use it.
    fn offer(&self, fields: &mut Fields, client: &Client) -> Result<String, ApiError> {
        let model = fields.text("model")?;
        let name = model.ok_or_else(|| ApiError::invalid("model", "`model` is missing"))?;
        let known = self.offers_of(client);
        if known.iter().any(|offer| offer.name == name) {
            return Ok(name);
        }
        let known: Vec<String> = known.into_iter().map(|offer| offer.name.clone()).collect();
        Err(ApiError::no_model(&name, &known))
    }

    fn offers_of(&self, client: &Client) -> Vec<&Offer> {
        let offers = self.handler.agents.offers().iter();
        offers.filter(|offer| client.may_use(&offer.name)).collect()
    }
}

async fn answer<I: Interface>(
    State(shared): State<Arc<Shared>>,
    request: Request,
) -> Result<Response, ApiError> {
    let (asked, interface) = shared.read::<I>(request).await?;
    Ok(shared.handler.answer(asked, interface).await)
}

async fn models(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let client = shared.settings.clients.of(&headers)?;
    let offers = shared.offers_of(&client);
    let data: Vec<Value> = offers.into_iter().map(shown).collect();
    Ok(json_response(&json!({"object": "list", "data": data})))
}

async fn model(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let client = shared.settings.clients.of(&headers)?;
    let offers = shared.offers_of(&client);
    if let Some(offer) = offers.iter().find(|offer| offer.name == name) {
        return Ok(json_response(&shown(offer)));
    }
    let known: Vec<String> = offers.iter().map(|offer| offer.name.clone()).collect();
    Err(ApiError::no_model(&name, &known))
}

fn shown(offer: &Offer) -> Value {
    json!({
        "id": offer.name,
        "object": "model",
        "created": 0,
        "owned_by": "rlm-eval",
        "description": offer.description,
    })
}

async fn health(State(shared): State<Arc<Shared>>) -> Response {
    let is_open = *shared.handler.phase.borrow() == Phase::Open;
    let (status, word) = if is_open {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping")
    };
    (status, json_response(&json!({"status": word}))).into_response()
}

async fn metrics(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    shared.settings.clients.of(&headers)?;
    let handler = &shared.handler;
    let text = handler.metrics.text(handler.admission.waiting());
    Ok(([(CONTENT_TYPE, MEDIA_TYPE)], text).into_response())
}
