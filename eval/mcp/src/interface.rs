//! Types that callers share with this crate, with or without the feature `mcp`.

use std::any::Any;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use serve::Clients;
use tokio::process::Child;

/// Settings of an HTTP server.
#[derive(Debug)]
pub struct HttpSettings {
    /// Address to listen on; port 0 means any free port.
    pub address: SocketAddr,
    /// Clients that may use the server, with their keys.
    pub clients: Clients,
    /// Maximum bytes of a message.
    pub max_message_bytes: usize,
    /// Maximum time for calls in progress to finish on shutdown.
    pub shutdown_timeout: Duration,
}

/// An MCP server process, whose stdin, stdout and stderr are pipes.
pub struct Spawned {
    /// The process.
    pub child: Child,
    /// Guard that ends the process's own children when dropped.
    pub guard: Box<dyn Any>,
}

/// Starts a server process. Called on a thread with a tokio runtime.
pub type Spawn = Box<dyn Fn() -> io::Result<Spawned> + Send>;

/// A tool as described by an MCP server, which is not trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerTool {
    /// Name of the tool, as used in calls.
    pub name: String,
    /// Description for models.
    pub description: String,
    /// JSON Schema of the tool's arguments.
    pub input_schema: Value,
}

/// Tools and version that a server reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Tools of the server.
    pub tools: Vec<ServerTool>,
    /// Name and version of the server.
    pub version: String,
}

/// Reason why a server cannot be used, or why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The process did not start, did not answer in time, or does not speak the protocol.
    #[error("the server did not start: {0}")]
    NotStarted(String),
    /// The process ended during a call.
    #[error("the server ended during the call{0}; the next call starts it again")]
    Ended(String),
    /// The process ended again after it was restarted.
    #[error("the server ended a second time{0}; it is not started again")]
    EndedAgain(String),
    /// The restarted server offers other tools than before.
    #[error("the server offers other tools since it was started again")]
    ToolsChanged,
    /// The server did not answer a call in time.
    #[error("no answer after {} s", .0.as_secs())]
    Timeout(Duration),
    /// The server answered with a protocol error.
    #[error("{0}")]
    Refused(String),
    /// This program was built without the feature `mcp`.
    #[error("this program was built without the feature `mcp`")]
    NotBuilt,
}
