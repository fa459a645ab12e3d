//! The HTTP server on the loopback interface.

use std::future::Future;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use records::run_dir::RunDirError;
use tokio::net::TcpListener;

use super::api;
use super::error::ViewError;
use super::guard::{Access, guard, plain};
use super::library::Library;
use super::query::Query;
use super::served::SERVED;

/// A server that listens but does not yet answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    access: Access,
    library: Arc<Library>,
}

impl Server {
    /// Listens on 127.0.0.1 at `port`, or at a free port if `port` is 0. Also accepts requests to
    /// the names in `hosts`.
    ///
    /// # Errors
    /// Returns [`ViewError::Listen`] if the port is in use or not permitted.
    pub async fn bind(library: Library, port: u16, hosts: &[String]) -> Result<Self, ViewError> {
        let error = |reason| ViewError::Listen { port, reason };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let listener = listener.map_err(error)?;
        let port = listener.local_addr().map_err(error)?.port();
        Ok(Self {
            listener,
            access: Access::new(port, hosts),
            library: Arc::new(library),
        })
    }

    /// Returns the URL of the page, including the token that grants access.
    pub fn address(&self) -> String {
        self.access.address()
    }

    /// Answers requests until `stop` completes.
    ///
    /// # Errors
    /// Returns [`ViewError::Serve`] if the server cannot accept further requests.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), ViewError> {
        let router = Router::new()
            .route("/", get(async || with_type(SERVED.as_str(), "text/html")))
            .route("/api/{name}", get(answer))
            .fallback(async || plain(StatusCode::NOT_FOUND, "page not found"))
            .layer(middleware::from_fn_with_state(self.access, guard))
            .with_state(self.library);
        let serve = axum::serve(self.listener, router).into_future();
        // Graceful shutdown is not needed: browsers keep connections open, and closing them loses
        // nothing.
        tokio::select! {
            ended = serve => ended.map_err(ViewError::Serve),
            () = stop => Ok(()),
        }
    }
}

async fn answer(
    State(library): State<Arc<Library>>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    // Reading and scanning files would block the server's async threads.
    let answered = tokio::task::spawn_blocking(move || {
        let query = Query::new(&query.unwrap_or_default());
        api::answer(&library, &name, &query)
    });
    match answered.await {
        Ok(Some(Ok(json))) => with_type(json, "application/json"),
        Ok(Some(Err(error))) => plain(status(&error), error.to_string()),
        Ok(None) => plain(StatusCode::NOT_FOUND, "page not found"),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the viewer failed"),
    }
}

fn with_type(body: impl IntoResponse, media_type: &str) -> Response {
    let header = (CONTENT_TYPE, format!("{media_type}; charset=utf-8"));
    ([header], body).into_response()
}

fn status(error: &ViewError) -> StatusCode {
    match error {
        ViewError::NotFound { .. } | ViewError::Run(RunDirError::NoScores { .. }) => {
            StatusCode::NOT_FOUND
        }
        ViewError::Parameter { .. } => StatusCode::BAD_REQUEST,
        ViewError::Outside { .. } => StatusCode::FORBIDDEN,
        ViewError::Folder { .. }
        | ViewError::Listen { .. }
        | ViewError::Serve(_)
        | ViewError::Run(_)
        | ViewError::NotOneRun { .. }
        | ViewError::Index { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
