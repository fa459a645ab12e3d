//! Transport over a reader and a writer with one JSON-RPC message per line.
//!
//! A line that is too long or cannot be parsed is discarded. Unless it is a notification or a
//! response, the client gets an error with the id of the message, if known, so that it does not
//! wait. Only the end of the input ends the connection.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// JSON-RPC error code for input that is not JSON.
const PARSE_ERROR: i32 = -32_700;
/// JSON-RPC error code for JSON that is not a valid message.
const INVALID_REQUEST: i32 = -32_600;

/// A connection over a reader and a writer.
pub(crate) struct Lines<R, W> {
    reader: BufReader<R>,
    writer: Arc<Mutex<Option<W>>>,
    /// Errors that are being written.
    refusals: JoinSet<io::Result<()>>,
    line: Vec<u8>,
    /// Maximum bytes of a line.
    longest: usize,
    /// Whether the rest of an overlong line is being skipped.
    is_skipping: bool,
    /// Whether a request has arrived. Until then, other messages are ignored.
    is_begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub(crate) fn new(reader: R, writer: W, longest: usize) -> Self {
        Self {
            reader: BufReader::new(reader),
            writer: Arc::new(Mutex::new(Some(writer))),
            refusals: JoinSet::new(),
            line: Vec::new(),
            longest,
            is_skipping: false,
            is_begun: false,
        }
    }

    /// Reads until `line` contains a complete line. Returns `false` at the end of the input.
    /// Cancel-safe: the bytes read so far stay in `line`.
    async fn read(&mut self) -> bool {
        loop {
            let Ok(bytes) = self.reader.fill_buf().await else {
                return false;
            };
            if bytes.is_empty() {
                return false;
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            if !self.is_skipping {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.reader.consume(taken);
            if self.line.len() > self.longest {
                self.line = Vec::new();
                self.is_skipping = true;
                let most = self.longest;
                let problem = format!("the message has more than {most} bytes; name files instead");
                self.refuse(&Value::Null, INVALID_REQUEST, &problem);
            }
            if end.is_some() && !std::mem::take(&mut self.is_skipping) {
                return true;
            }
        }
    }

    /// Sends an error in the background, so that reading can be cancelled at any time.
    fn refuse(&mut self, id: &Value, code: i32, problem: &str) {
        let error = json!({"code": code, "message": problem});
        let message = json!({"jsonrpc": "2.0", "id": id, "error": error});
        let writer = Arc::clone(&self.writer);
        // Written errors must not accumulate.
        while self.refusals.try_join_next().is_some() {}
        // A write error means that the client is gone, which the reader also detects.
        self.refusals
            .spawn(async move { write(&writer, message.to_string()).await });
    }

    fn parse(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        let Ok(value) = serde_json::from_slice::<Value>(text) else {
            self.refuse(
                &Value::Null,
                PARSE_ERROR,
                "the message is not JSON in UTF-8",
            );
            return None;
        };
        let is_call = value.get("method").is_some();
        let id = value.get("id").cloned();
        let is_notification = id.is_none() && value.get("method").is_some_and(Value::is_string);
        let has_result = value.get("result").or(value.get("error")).is_some();
        let is_response = !is_call && has_result;
        match serde_json::from_value(value) {
            Ok(message) => {
                self.is_begun |= is_call && id.is_some();
                self.is_begun.then_some(message)
            }
            // Unknown notifications and responses without a matching request need no answer.
            Err(_) if is_notification || is_response => None,
            Err(error) => {
                let problem = format!("invalid request: {error}");
                self.refuse(&id.unwrap_or_default(), INVALID_REQUEST, &problem);
                None
            }
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: &Mutex<Option<W>>,
    mut line: String,
) -> io::Result<()> {
    line.push('\n');
    let mut writer = writer.lock().await;
    let Some(writer) = writer.as_mut() else {
        return Err(io::ErrorKind::NotConnected.into());
    };
    writer.write_all(line.as_bytes()).await?;
    writer.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move { write(&writer, serde_json::to_string(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.read().await {
            if let Some(message) = self.parse() {
                return Some(message);
            }
        }
        // The end of the input closes the writer.
        while self.refusals.join_next().await.is_some() {}
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.lock().await.take());
        Ok(())
    }
}
