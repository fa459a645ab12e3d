//! Serves routes on a loopback port of their own.

use std::net::Ipv4Addr;

use axum::Router;
use browser::Origin;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A server, which stops when dropped.
pub(super) struct LoopbackServer {
    pub(super) origin: Origin,
    _serving: JoinSet<()>,
}

impl LoopbackServer {
    /// Starts serving.
    ///
    /// # Errors
    /// [`std::io::Error`] if no port is available.
    pub(super) async fn open(router: Router) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let origin = Origin::loopback(listener.local_addr()?.port());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            // Runs until its task is aborted.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self {
            origin,
            _serving: serving,
        })
    }
}
