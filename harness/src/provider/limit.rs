//! Limits the rate and the concurrency of requests to an endpoint, for all its models together.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::Mutex;

use super::call::report_wait;
use super::connections::{Connection, Connections};
use super::{CallSink, Forecast, Provider, ProviderError, Request, Response, WaitReason};

/// Limits for the requests to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Rate limit; `None` for no limit.
    pub rate: Option<Rate>,
    /// Maximum concurrent requests; at least 1.
    pub connections: u32,
    /// Whether to reduce the concurrency when the endpoint is out of capacity.
    pub adaptive: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            rate: None,
            connections: 64,
            adaptive: true,
        }
    }
}

/// Rate limit that permits bursts after a pause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Mean requests per second.
    pub per_second: f64,
    /// Maximum number of requests sent without delay after a pause; at least 1.
    pub burst: u32,
}

/// Limits shared by several processes.
#[async_trait]
pub trait SharedPace: Send + Sync {
    /// Waits until this process may send its next request to an endpoint. `rate` limits all
    /// processes together.
    async fn turn(&self, endpoint: &str, rate: Rate);

    /// Returns the number of processes that share the limits, including this one; at least 1.
    fn processes(&self) -> u32;
}

/// Optional limits shared by several processes.
#[derive(Clone, Default)]
pub struct MaybeShared(pub Option<Arc<dyn SharedPace>>);

impl std::fmt::Debug for MaybeShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "shared" } else { "own" })
    }
}

/// Limiter of one endpoint, used for all of its models.
pub struct Limiter {
    rate: Option<Limit>,
    connections: Arc<Connections>,
    shared: Option<(String, Pace, Arc<dyn SharedPace>)>,
}

struct Limit {
    bucket: DefaultDirectRateLimiter,
    clock: DefaultClock,
    /// Held while waiting for the rate limit, so that waiting requests are served in order.
    turn: Mutex<()>,
    /// Number of requests that wait for the rate limit. The lock does not tell, because of two
    /// requests that arrive together, one would take the other for one that waits.
    waiting: AtomicUsize,
}

/// Counts a request as waiting until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Limiter {
    /// Creates a limiter for this process only.
    pub fn new(pace: Pace) -> Self {
        let rate = pace.rate.and_then(|rate| {
            let period = Duration::try_from_secs_f64(1.0 / rate.per_second).ok()?;
            let burst = NonZeroU32::new(rate.burst)?;
            let quota = Quota::with_period(period)?.allow_burst(burst);
            Some(Limit {
                bucket: RateLimiter::direct(quota),
                clock: DefaultClock::default(),
                turn: Mutex::new(()),
                waiting: AtomicUsize::new(0),
            })
        });
        Self {
            rate,
            connections: Connections::new(pace.connections.max(1), pace.adaptive),
            shared: None,
        }
    }

    /// Creates a limiter whose limits several processes share. `with` limits the rate, and this
    /// process gets an equal share of the connections.
    pub fn shared(endpoint: &str, pace: Pace, with: &MaybeShared) -> Self {
        let own = Self::new(pace);
        match &with.0 {
            None => own,
            Some(shared) => Self {
                shared: Some((endpoint.to_owned(), pace, Arc::clone(shared))),
                ..own
            },
        }
    }

    /// Waits until a request may be sent.
    async fn admit(&self, calls: &dyn CallSink) -> Connection {
        if let Some((_, pace, shared)) = &self.shared {
            let share = pace.connections / shared.processes().max(1);
            self.connections.set_maximum(share);
        }
        let connection = match self.connections.take() {
            Ok(connection) => connection,
            Err(place) => match report_wait(calls, WaitReason::Connection, place).await {
                Ok(connection) => connection,
                // Cannot happen: the queue lives as long as `self` and serves every waiting
                // request.
                Err(_) => std::future::pending().await,
            },
        };
        if let Some((endpoint, pace, shared)) = &self.shared {
            if let Some(rate) = pace.rate {
                let turn = shared.turn(endpoint, rate);
                report_wait(calls, WaitReason::RateLimit, turn).await;
            }
        } else if let Some(limit) = &self.rate
            && !limit.is_free()
        {
            report_wait(calls, WaitReason::RateLimit, limit.turn()).await;
        }
        connection
    }
}

impl Limit {
    /// Whether a request may be sent without waiting. If so, counts the request.
    fn is_free(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) == 0 && self.bucket.check().is_ok()
    }

    async fn turn(&self) {
        let _waiting = Waiting::new(&self.waiting);
        let _turn = self.turn.lock().await;
        while let Err(early) = self.bucket.check() {
            tokio::time::sleep(early.wait_time_from(self.clock.now())).await;
        }
    }
}

/// A provider whose requests wait for a limiter.
pub struct Limited {
    inner: Arc<dyn Provider>,
    limiter: Arc<Limiter>,
}

impl Limited {
    /// Adds the limiter of a provider's endpoint to the provider.
    pub const fn new(inner: Arc<dyn Provider>, limiter: Arc<Limiter>) -> Self {
        Self { inner, limiter }
    }
}

#[async_trait]
impl Provider for Limited {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let connection = self.limiter.admit(calls).await;
        let result = self.inner.complete(request, calls).await;
        match &result {
            Ok(_) => connection.succeeded(),
            // Some servers report overload with status 529.
            Err(ProviderError::RateLimited { .. } | ProviderError::Server { status: 529, .. }) => {
                connection.refused();
            }
            Err(_) => {}
        }
        result
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        self.inner.forecast(request)
    }
}

#[cfg(test)]
mod tests {
    use super::{Limiter, Pace, Rate, Waiting};

    #[tokio::test]
    async fn only_waiting_requests_make_others_wait() {
        let limiter = Limiter::new(Pace {
            rate: Some(Rate {
                per_second: 0.001,
                burst: 2,
            }),
            ..Pace::default()
        });
        let limit = limiter.rate.unwrap();
        // A request that holds the lock, but does not wait, does not make others wait.
        let _turn = limit.turn.lock().await;
        assert!(limit.is_free());
        let waiting = Waiting::new(&limit.waiting);
        assert!(!limit.is_free());
        drop(waiting);
        assert!(limit.is_free());
        assert!(!limit.is_free());
    }
}
