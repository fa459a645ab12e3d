//! The Model Context Protocol, in both directions.
//!
//! ```text
//! stdio or HTTP → handler ─→ Toolbox (the caller's): rlm, llm_map, …
//! an agent's tool call → Server ─→ process of an MCP server that the user named
//! ```
//!
//! The caller implements the tools behind the trait [`Toolbox`]: this crate does not know models,
//! prompts or run directories. All input from peers is untrusted: message sizes are limited, and a
//! message that cannot be parsed is answered or dropped, but does not end the connection. When a
//! client cancels a request or disconnects, the work on the request stops.

mod interface;
mod toolbox;

#[cfg(feature = "mcp")]
mod handler;
#[cfg(feature = "mcp")]
mod http;
#[cfg(feature = "mcp")]
mod lines;
#[cfg(feature = "mcp")]
mod stdio;

#[cfg(feature = "mcp")]
mod server;
#[cfg(feature = "mcp")]
mod server_process;

#[cfg(not(feature = "mcp"))]
mod absent;

/// Whether this program was built with the feature `mcp`.
pub const IS_BUILT: bool = cfg!(feature = "mcp");

#[cfg(not(feature = "mcp"))]
pub use absent::{HttpServer, Server, serve_stdio};
#[cfg(feature = "mcp")]
pub use http::HttpServer;
pub use interface::{HttpSettings, Listing, ServerError, ServerTool, Spawn, Spawned};
#[cfg(feature = "mcp")]
pub use server::Server;
#[cfg(feature = "mcp")]
pub use stdio::{serve_lines, serve_stdio};
pub use toolbox::{Caller, OnReport, Reply, ToolInfo, Toolbox};
