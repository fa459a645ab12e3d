//! A running HTTP server, raw requests to it, and the work behind it, for tests.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::time::Duration;

mod gate;
mod http_client;
mod response;
mod running_server;

pub use gate::{Event, Events, Gate, Work};
pub use http_client::HttpClient;
pub use response::{PendingResponse, Response};
pub use running_server::{RunningServer, Signal};

/// Time after which a test that waits is considered hung.
pub const HUNG: Duration = Duration::from_secs(60);
