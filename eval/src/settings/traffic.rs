//! Flags of requests to models: retries and rate limits.

use std::str::FromStr;

use clap::{ArgAction, Args};
use harness::provider::{Pace, Rate, RetryPolicy};
use serde::{Serialize, Serializer};

use super::values::{Seconds, whole};

/// Retries and rate limits of requests to models.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArgs {
    /// Maximum retries of a request after an error that may be temporary
    #[arg(long, value_parser = whole::<u32>(0..=100), default_value_t = 6, value_name = "N")]
    pub max_retries: u32,

    /// Timeout of one model call in seconds, including retries; waiting for the rate limit or a
    /// connection does not count
    #[arg(long, default_value_t = Seconds::of(1800), value_name = "SECONDS")]
    pub call_timeout: Seconds,

    /// Maximum requests to one endpoint per minute; 5/s and 3000/h are also accepted [default: no
    /// limit]
    #[arg(long, value_name = "RATE")]
    pub rate_limit: Option<RateLimit>,

    /// Requests that may be sent in a burst before --rate-limit applies
    #[arg(long, value_parser = whole::<u32>(1..=100_000), default_value_t = 1, value_name = "N")]
    pub rate_burst: u32,

    /// Maximum concurrent requests to one endpoint [default: 64, or --concurrency or
    /// --max-concurrency if that is higher]
    #[arg(long, value_parser = whole::<u32>(1..=10_000), value_name = "N")]
    pub max_connections: Option<u32>,

    /// Whether to reduce concurrent requests after status 429 or 529: their number is halved, and
    /// grows by one after each round of successes
    #[arg(long, default_value_t = true, action = ArgAction::Set, value_name = "BOOL")]
    pub adaptive: bool,
}

impl TrafficArgs {
    /// Returns the retry policy.
    pub fn retry(&self) -> RetryPolicy {
        RetryPolicy {
            max_retries: self.max_retries,
            call_time: *self.call_timeout,
            ..RetryPolicy::default()
        }
    }

    /// Returns the limits on requests to an endpoint: their rate and how many run concurrently.
    pub fn pace(&self) -> Pace {
        Pace {
            rate: self.rate_limit.as_ref().map(|limit| Rate {
                per_second: limit.per_second,
                burst: self.rate_burst,
            }),
            connections: self.max_connections.unwrap_or(DEFAULT_MAX_CONNECTIONS),
            adaptive: self.adaptive,
        }
    }

    /// Raises the default limit of connections, so that it does not limit concurrent attempts.
    pub fn allow_concurrent(&mut self, attempts: usize) {
        let attempts = u32::try_from(attempts).unwrap_or(u32::MAX);
        if attempts > DEFAULT_MAX_CONNECTIONS {
            self.max_connections.get_or_insert(attempts);
        }
    }
}

/// Default of `--max-connections`, unless the concurrency is higher.
const DEFAULT_MAX_CONNECTIONS: u32 = 64;

/// Request rate: `90` and `90/m` are 1.5 requests per second, `5/s` is 5.
#[derive(Debug, Clone)]
pub struct RateLimit {
    typed: String,
    per_second: f64,
}

impl FromStr for RateLimit {
    type Err = &'static str;

    fn from_str(typed: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "expected requests per minute, or per second or hour: 60, 5/s, 3000/h";
        let (number, seconds) = match typed.trim().split_once('/') {
            None => (typed, 60.0),
            Some((number, "s")) => (number, 1.0),
            Some((number, "m")) => (number, 60.0),
            Some((number, "h")) => (number, 3600.0),
            Some(_) => return Err(WRONG),
        };
        let number: f64 = number.trim().parse().map_err(|_| WRONG)?;
        let per_second = number / seconds;
        // Accept one request per hour to 100,000 per second, more than any server accepts.
        let is_possible = (1.0 / 3600.0..=100_000.0).contains(&per_second);
        let typed = typed.to_owned();
        is_possible
            .then_some(Self { typed, per_second })
            .ok_or(WRONG)
    }
}

/// Serializes the limit as typed.
impl Serialize for RateLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.typed)
    }
}

#[cfg(test)]
mod tests {
    use super::RateLimit;

    #[test]
    fn parses_rates_per_minute_by_default() {
        let rows = [
            ("60", Some(1.0)),
            ("90/m", Some(1.5)),
            (" 0.5/s", Some(0.5)),
            ("3600/h", Some(1.0)),
            ("0", None),
            ("-1", None),
            ("x", None),
            ("5/d", None),
            ("5/", None),
            ("NaN", None),
            ("inf/s", None),
        ];
        for (text, wanted) in rows {
            let rate: Option<RateLimit> = text.parse().ok();
            assert_eq!(rate.map(|rate| rate.per_second), wanted, "{text}");
        }
    }
}
