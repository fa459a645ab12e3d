//! Serves a client over a reader and a writer, such as the stdin and stdout of this process.

use std::sync::Arc;

use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::handler::{Handler, Shared};
use super::lines::Lines;
use super::toolbox::Toolbox;

/// Serves the client that started this process, over stdin and stdout, as [`serve_lines`] does.
/// Until this function returns, nothing else may write to stdout.
///
/// # Errors
/// Returns a description of the problem if the client does not speak the protocol.
pub async fn serve_stdio(
    toolbox: Arc<dyn Toolbox>,
    max_message_bytes: usize,
    stop: impl Future<Output = ()>,
) -> Result<(), String> {
    let (reader, writer) = (tokio::io::stdin(), tokio::io::stdout());
    serve_lines(toolbox, reader, writer, max_message_bytes, stop).await
}

/// Answers requests, one per line, until the reader ends or `stop` completes. Calls in progress
/// then have a few seconds to finish.
///
/// # Errors
/// Returns a description of the problem if the client does not speak the protocol.
pub async fn serve_lines<R, W>(
    toolbox: Arc<dyn Toolbox>,
    reader: R,
    writer: W,
    max_message_bytes: usize,
    stop: impl Future<Output = ()>,
) -> Result<(), String>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let handler = Handler(Arc::new(Shared::new(toolbox, "stdio")));
    let lines = Lines::new(reader, writer, max_message_bytes);
    let stopping = CancellationToken::new();
    let serve = async {
        match serve_server_with_ct(handler, lines, stopping.clone()).await {
            Ok(session) => {
                // If the task panicked, the message has already been printed.
                let _ = session.waiting().await;
                Ok(())
            }
            // The client disconnected before it initialized a session.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        }
    };
    tokio::pin!(serve);
    tokio::select! {
        ended = &mut serve => ended,
        () = stop => {
            stopping.cancel();
            serve.await
        }
    }
}
