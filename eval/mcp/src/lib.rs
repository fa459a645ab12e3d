//! The Model Context Protocol, in both directions.
//!
//! ```text
//! stdio or HTTP → handler ─→ Toolbox (the caller's): rlm, llm_map, …
//! an agent's tool call → Server ─→ process of an MCP server that the user named
//! ```
//!
//! What a tool does is a trait ([`Toolbox`]): nothing in this crate knows models, prompts or run
//! directories. Everything that a peer sends is untrusted: its size is bounded, and a message that
//! cannot be parsed is answered or dropped, but never ends the connection. A request that its
//! client cancels, or whose connection ends, is dropped with the work behind it.

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

/// Whether this was built with the protocol.
pub const IS_BUILT: bool = cfg!(feature = "mcp");

#[cfg(not(feature = "mcp"))]
pub use absent::{HttpServer, Server, serve_stdio};
#[cfg(feature = "mcp")]
pub use http::HttpServer;
pub use interface::{HttpSettings, ServerError, ServerTool, Spawn, Spawned};
#[cfg(feature = "mcp")]
pub use server::Server;
#[cfg(feature = "mcp")]
pub use stdio::serve_stdio;
pub use toolbox::{Caller, OnReport, Reply, ToolInfo, Toolbox};
