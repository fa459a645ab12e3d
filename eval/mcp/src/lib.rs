//! The Model Context Protocol, in both directions.
//!
//! ```text
//! stdio or HTTP → handler ─→ Toolbox (the caller's): rlm, llm_map, …
//! an agent's tool call → Server ─→ process of an MCP server that the user named
//! ```
//!
//! What a tool does is a trait ([`Toolbox`]): nothing in this crate knows models, prompts or run
//! directories. Everything that a peer sends is untrusted: its size is bounded, and a message that
//! cannot be parsed is answered or dropped, but never ends the connection. A request that its client
//! cancels, or whose connection ends, is dropped with the work behind it.

mod toolbox;

mod handler;

mod http;
mod lines;
mod stdio;

mod server;
mod server_process;

pub use http::{HttpServer, HttpSettings};
pub use server::{Server, ServerError, ServerTool, Spawn, Spawned};
pub use stdio::serve_stdio;
pub use toolbox::{Caller, OnReport, Reply, ToolInfo, Toolbox};
