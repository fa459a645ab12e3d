//! Flags of how requests go to models: retries, their pace, and what stands in for them.

use clap::{ArgAction, Args};
use serde::{Deserialize, Serialize};

use super::number::{decimal, whole};

/// How requests go to models.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArgs {
    /// Times that a request is sent again that failed but may succeed later
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 6,
        value_name = "N"
    )]
    pub max_retries: u32,

    /// Seconds of one call to a model, its retries included; waiting for the rate limit or a connection is not
    /// counted
    #[arg(
        long,
        value_parser = decimal,
        default_value_t = 1800.0,
        value_name = "SECONDS"
    )]
    pub call_timeout: f64,

    /// Requests to one endpoint per minute; 5/s and 3000/h are understood [default: no limit]
    #[arg(long, value_name = "RATE")]
    pub rate_limit: Option<String>,

    /// Requests that may go at once before --rate-limit holds them back
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 1,
        value_name = "N"
    )]
    pub rate_burst: u32,

    /// Requests to one endpoint that may be under way at once
    #[arg(
        long,
        value_parser = whole::<u32>,
        default_value_t = 64,
        value_name = "N"
    )]
    pub max_connections: u32,

    /// Whether fewer requests may be under way after the server said 429 or 529: half as many, and one more with
    /// each round of successes
    #[arg(
        long,
        default_value_t = true,
        action = ArgAction::Set,
        value_name = "BOOL"
    )]
    pub adaptive: bool,
}
