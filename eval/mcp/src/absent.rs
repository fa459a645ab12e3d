//! Stand-ins for [`Server`], [`HttpServer`] and [`serve_stdio`] in builds without the feature
//! `mcp`.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use serve::ServeError;

use super::interface::{HttpSettings, Listing, ServerError, Spawn};
use super::toolbox::Toolbox;

/// An MCP server with tools for agents; cannot exist in this build.
pub struct Server {
    /// Never read.
    pub listing: Listing,
    never: Infallible,
}

/// An HTTP server for MCP clients; cannot exist in this build.
pub struct HttpServer(Infallible);

impl Server {
    /// Always fails.
    ///
    /// # Errors
    /// Always returns [`ServerError::NotBuilt`].
    pub fn start(_: Spawn, _: Duration, _: Duration) -> Result<Self, ServerError> {
        Err(ServerError::NotBuilt)
    }

    /// Never called.
    ///
    /// # Errors
    /// Never returns an error, because it is never called.
    #[expect(clippy::unused_async, reason = "same signature as with the feature")]
    pub async fn call(&self, _: &str, _: Map<String, Value>) -> Result<Value, ServerError> {
        match self.never {}
    }
}

impl HttpServer {
    /// Always fails.
    ///
    /// # Errors
    /// Always returns [`ServeError::Serve`].
    #[expect(clippy::unused_async, reason = "same signature as with the feature")]
    pub async fn bind(_: HttpSettings, _: Arc<dyn Toolbox>) -> Result<Self, ServeError> {
        Err(ServeError::Serve(io::ErrorKind::Unsupported.into()))
    }

    /// Never called.
    pub fn url(&self) -> String {
        match self.0 {}
    }

    /// Never called.
    ///
    /// # Errors
    /// Never returns an error, because it is never called.
    #[expect(clippy::unused_async, reason = "same signature as with the feature")]
    pub async fn serve(
        self,
        _: impl Future<Output = ()>,
        _: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        match self.0 {}
    }
}

/// Always fails.
///
/// # Errors
/// Always returns the text of [`ServerError::NotBuilt`].
pub async fn serve_stdio(
    _: Arc<dyn Toolbox>,
    _: usize,
    _: impl Future<Output = ()>,
) -> Result<(), String> {
    Err(ServerError::NotBuilt.to_string())
}
