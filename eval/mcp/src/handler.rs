//! Answers the requests of MCP clients, whatever the transport.

use std::sync::{Arc, OnceLock, Weak};

use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serve::Client;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::toolbox::{Caller, OnReport, Toolbox};

/// Extension of an HTTP request: the response that will be sent.
#[derive(Clone)]
pub(crate) struct HttpResponse {
    /// Cancelled when the response is complete or the connection ends.
    pub disconnected: CancellationToken,
    /// Call that the response answers; dropped when the response is complete.
    pub call: Weak<OnceLock<InProgress>>,
}

/// State shared by all sessions of a server.
pub(crate) struct Shared {
    pub toolbox: Arc<dyn Toolbox>,
    /// Client of requests that have no `Client` extension, as over stdio.
    pub client: Arc<Client>,
    /// Cancelled when the server stops accepting calls.
    pub draining: CancellationToken,
    /// Closed while no call is in progress and, over HTTP, all responses are complete.
    pub calls: watch::Sender<()>,
}

/// Guard that counts a call as in progress until dropped.
type InProgress = watch::Receiver<()>;

impl Shared {
    pub(crate) fn new(toolbox: Arc<dyn Toolbox>, client: &str) -> Self {
        Self {
            toolbox,
            client: Arc::new(Client::new(client)),
            draining: CancellationToken::new(),
            calls: watch::Sender::new(()),
        }
    }
}

/// Server side of an MCP session.
#[derive(Clone)]
pub(crate) struct Handler(pub Arc<Shared>);

impl Handler {
    fn listed(&self) -> Vec<Tool> {
        let tools = self.0.toolbox.tools().iter();
        let listed = tools.map(|tool| {
            let hints = ToolAnnotations::new().read_only(tool.is_read_only);
            let input = Arc::new(tool.input_schema.clone());
            Tool::new(tool.name, tool.description.clone(), input)
                .with_title(tool.title.clone())
                .with_raw_output_schema(Arc::new(tool.output_schema.clone()))
                .with_annotations(hints)
        });
        listed.collect()
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(tools)
            .with_server_info(Implementation::new("rlm-eval", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.0.toolbox.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listed()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.listed().into_iter().find(|tool| tool.name == name)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // The library reports a known method with invalid parameters as an unknown method.
        Err(if method == "tools/call" {
            let problem =
                "invalid parameters: expected `name`, a string, and `arguments`, an object";
            ErrorData::invalid_params(problem, None)
        } else {
            let problem = format!("unknown method {method:?}");
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, problem, None)
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let shared = &self.0;
        if self.get_tool(&request.name).is_none() {
            let names: Vec<&str> = shared
                .toolbox
                .tools()
                .iter()
                .map(|tool| tool.name)
                .collect();
            let problem = format!(
                "unknown tool {:?}: expected one of {}",
                request.name,
                names.join(", ")
            );
            return Err(ErrorData::invalid_params(problem, None));
        }
        if shared.draining.is_cancelled() {
            return Ok(failed("the server is stopping").into());
        }
        let parts = context.extensions.get::<Parts>();
        let of_request = parts.and_then(|parts| parts.extensions.get::<Arc<Client>>());
        let client = of_request.unwrap_or(&shared.client);
        let response = parts.and_then(|parts| parts.extensions.get::<HttpResponse>());
        let of_response = response.and_then(|response| response.call.upgrade());
        let in_progress = of_response.unwrap_or_default();
        in_progress.get_or_init(|| shared.calls.subscribe());
        let disconnected = response.map(|response| response.disconnected.clone());
        let disconnected = disconnected.unwrap_or_default();
        let (reports, mut reported) = mpsc::unbounded_channel();
        let token = context.meta.get_progress_token();
        let is_wanted = token.is_some();
        let report: OnReport = Arc::new(move |line| {
            if is_wanted {
                drop(reports.send(line));
            }
        });
        let mut done = 0_u32;
        let mut notify = async |line: String| {
            let Some(token) = token.clone() else { return };
            done += 1;
            let progress = ProgressNotificationParam::new(token, f64::from(done));
            // An error means that the client is gone; the transport then ends the session.
            let _ = context
                .peer
                .notify_progress(progress.with_message(line))
                .await;
        };
        let caller = Caller {
            client: Arc::clone(client),
            report,
        };
        let call =
            shared
                .toolbox
                .call(&request.name, request.arguments.unwrap_or_default(), caller);
        tokio::pin!(call);
        let result = loop {
            tokio::select! {
                biased;
                () = context.ct.cancelled() => return Err(cancelled()),
                () = disconnected.cancelled() => return Err(cancelled()),
                result = &mut call => break result,
                Some(line) = reported.recv() => notify(line).await,
            }
        };
        while let Ok(line) = reported.try_recv() {
            notify(line).await;
        }
        Ok(match result {
            Err(problem) => failed(&problem).into(),
            Ok(reply) => {
                let content = vec![ContentBlock::text(reply.text)];
                let mut result = if reply.is_error {
                    CallToolResult::error(content)
                } else {
                    CallToolResult::success(content)
                };
                result.structured_content = Some(reply.structured);
                result.into()
            }
        })
    }
}

fn failed(problem: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(problem)])
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("the call was cancelled", None)
}
