//! One process of an MCP server, from its start to its end.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams,
};
use rmcp::service::{RunningService, serve_client};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Child;
use tokio::time::timeout;

use super::interface::{Listing, ServerError, ServerTool, Spawned};

/// Maximum bytes of a message from the server.
const LONGEST_MESSAGE: usize = 16_000_000;
/// Maximum pages of the server's tool list.
const MOST_PAGES: usize = 20;
/// Maximum tools of a server.
const MOST_TOOLS: usize = 200;
/// Maximum bytes of stderr output that an error quotes.
const STDERR_TAIL_BYTES: usize = 500;
/// Time for the process to exit and print a reason after its input is closed.
const END: Duration = Duration::from_millis(500);

/// A server process with an established connection.
pub(super) struct ServerProcess {
    pub listing: Listing,
    service: RunningService<RoleClient, ClientConfig>,
    said: StderrTail,
    process: Mutex<Option<(Child, Box<dyn Any>)>>,
}

impl ServerProcess {
    /// Initializes an MCP session with a process and lists its tools.
    pub(super) async fn start(spawned: Spawned, limit: Duration) -> Result<Self, ServerError> {
        let Spawned { mut child, guard } = spawned;
        let failed = |problem: String| ServerError::NotStarted(problem);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed(
                "its stdin, stdout or stderr is not a pipe".to_owned(),
            ));
        };
        let said = StderrTail::default();
        tokio::task::spawn_local(said.clone().listen(stderr));
        let client = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("rlm-eval", env!("CARGO_PKG_VERSION")),
        );
        let transport =
            AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(LONGEST_MESSAGE);
        let greet = async {
            let service = serve_client(client, transport).await;
            let service = service.map_err(|error| error.to_string())?;
            let tools = list(&service).await?;
            Ok::<_, String>((service, tools))
        };
        let (service, tools) = match timeout(limit, greet).await {
            Ok(Ok(greeted)) => greeted,
            Ok(Err(problem)) => {
                tokio::time::sleep(END).await;
                return Err(failed(format!("{problem}{}", said.quoted())));
            }
            Err(_) => {
                let seconds = limit.as_secs();
                let words = said.quoted();
                return Err(failed(format!("no answer after {seconds} s{words}")));
            }
        };
        let info = service.peer_info();
        let info = info.and_then(|info| info.server_info.clone());
        let version = info.map(|info| format!("{} {}", info.name, info.version));
        Ok(Self {
            listing: Listing {
                tools,
                version: version.unwrap_or_default(),
            },
            service,
            said,
            process: Mutex::new(Some((child, guard))),
        })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.service.is_transport_closed()
    }

    /// Whether [`Self::end`] has ended the process because its tools have changed.
    pub(super) fn is_stopped(&self) -> bool {
        self.process.lock().is_none()
    }

    /// Waits for the process to print a reason, then returns the end of its stderr output as a
    /// suffix for an error message.
    pub(super) async fn stderr_tail(&self) -> String {
        tokio::time::sleep(END).await;
        self.said.quoted()
    }

    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        limit: Duration,
    ) -> Result<Value, ServerError> {
        if self.is_stopped() {
            return Err(ServerError::ToolsChanged);
        }
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let call = self.service.peer().call_tool(params);
        match timeout(limit, call).await {
            Ok(Ok(result)) => serde_json::to_value(result)
                .map_err(|error| ServerError::Refused(error.to_string())),
            Ok(Err(ServiceError::McpError(error))) => {
                Err(ServerError::Refused(error.message.into_owned()))
            }
            Ok(Err(ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                Err(ServerError::Ended(self.stderr_tail().await))
            }
            Ok(Err(error)) => Err(ServerError::Refused(error.to_string())),
            Err(_) => Err(ServerError::Timeout(limit)),
        }
    }

    /// Closes the process's input, waits briefly, and kills the process.
    pub(super) async fn end(&self) {
        let process = self.process.lock().take();
        self.service.cancellation_token().cancel();
        if let Some((mut child, guard)) = process {
            // Dropping `child` and `guard` kills the process, if it is still running, and its
            // children.
            let _ = timeout(END, child.wait()).await;
            drop((child, guard));
        }
    }
}

/// Lists the server's tools. Too many tools or pages are an error.
async fn list(
    service: &RunningService<RoleClient, ClientConfig>,
) -> Result<Vec<ServerTool>, String> {
    let mut tools = Vec::new();
    let mut page = None;
    for _ in 0..MOST_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(page);
        let listed = service.peer().list_tools(Some(params)).await;
        let listed = listed.map_err(|error| format!("its tools: {error}"))?;
        tools.extend(listed.tools.into_iter().map(|tool| ServerTool {
            name: tool.name.into_owned(),
            description: tool.description.unwrap_or_default().into_owned(),
            input_schema: Value::Object(tool.input_schema.as_ref().clone()),
        }));
        if tools.len() > MOST_TOOLS {
            return Err(format!("it offers more than {MOST_TOOLS} tools"));
        }
        page = listed.next_cursor;
        if page.is_none() {
            return Ok(tools);
        }
    }
    Err(format!("its tool list has more than {MOST_PAGES} pages"))
}

/// Last bytes that a process printed to stderr.
#[derive(Clone, Default)]
struct StderrTail(Arc<Mutex<VecDeque<u8>>>);

impl StderrTail {
    async fn listen(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let mut said = self.0.lock();
            said.extend(&buffer[..read]);
            let excess = said.len().saturating_sub(STDERR_TAIL_BYTES);
            said.drain(..excess);
        }
    }

    fn quoted(&self) -> String {
        let said: Vec<u8> = self.0.lock().iter().copied().collect();
        let text = String::from_utf8_lossy(&said);
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            return String::new();
        }
        format!("; it printed: {}", words.join(" "))
    }
}
