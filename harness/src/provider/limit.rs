//! The pace of requests to one endpoint, shared by all models of it: so many in a time, and so many at once.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::Mutex;

use super::connections::{Connection, Connections};
use super::{
    CallEvent, CallSink, Estimate, Provider, ProviderError, Recording, Request, Response,
    WaitReason,
};

/// How many requests go to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// So many in a time; none for no limit.
    pub rate: Option<Rate>,
    /// So many at once; at least 1.
    pub connections: u32,
    /// Whether fewer may be under way after the endpoint was out of capacity.
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

/// So many requests in a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// On average.
    pub per_second: f64,
    /// At once after a pause; at least 1.
    pub burst: u32,
}

/// The pace of an endpoint that several processes keep together.
#[async_trait]
pub trait SharedPace: Send + Sync {
    /// Ends when this process may send its next request to an endpoint at this rate of all.
    async fn turn(&self, endpoint: &str, rate: Rate);

    /// Processes that share the endpoint now, this one included; at least 1.
    fn processes(&self) -> u32;
}

/// A pace that is shared, or none.
#[derive(Clone, Default)]
pub struct MaybeShared(pub Option<Arc<dyn SharedPace>>);

impl std::fmt::Debug for MaybeShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "shared" } else { "own" })
    }
}

/// The limiter of one endpoint. Every model of it goes through the same one.
pub struct Limiter {
    rate: Option<Limit>,
    connections: Arc<Connections>,
    shared: Option<(String, Pace, Arc<dyn SharedPace>)>,
}

struct Limit {
    bucket: DefaultDirectRateLimiter,
    clock: DefaultClock,
    /// Held by the one who waits for the next request to be let through: first come, first served.
    turn: Mutex<()>,
}

impl Limiter {
    /// A limiter that has let nothing through yet.
    pub fn new(pace: Pace) -> Self {
        let rate = pace.rate.and_then(|rate| {
            let period = Duration::try_from_secs_f64(1.0 / rate.per_second).ok()?;
            let burst = NonZeroU32::new(rate.burst)?;
            let quota = Quota::with_period(period)?.allow_burst(burst);
            Some(Limit {
                bucket: RateLimiter::direct(quota),
                clock: DefaultClock::default(),
                turn: Mutex::new(()),
            })
        });
        Self {
            rate,
            connections: Connections::new(pace.connections.max(1), pace.adaptive),
            shared: None,
        }
    }

    /// A limiter of an endpoint whose pace is that of all processes together: the rate is handed out elsewhere, and of the
    /// connections this process has its share.
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

    /// Lets one request through, when it is its turn.
    async fn admit(&self, calls: &dyn CallSink) -> Connection {
        if let Some((_, pace, shared)) = &self.shared {
            let share = pace.connections / shared.processes().max(1);
            self.connections.set_most(share);
        }
        let connection = match self.connections.take() {
            Ok(connection) => connection,
            Err(place) => {
                let wait = Wait::begin(calls, WaitReason::Connection);
                let connection = match place.await {
                    Ok(connection) => connection,
                    // The queue lives as long as `self`, and gives a place to each who waits.
                    Err(_) => std::future::pending().await,
                };
                wait.end();
                connection
            }
        };
        if let Some((endpoint, pace, shared)) = &self.shared {
            if let Some(rate) = pace.rate {
                let wait = Wait::begin(calls, WaitReason::RateLimit);
                shared.turn(endpoint, rate).await;
                wait.end();
            }
        } else if let Some(limit) = &self.rate
            && !limit.is_free()
        {
            let wait = Wait::begin(calls, WaitReason::RateLimit);
            limit.turn().await;
            wait.end();
        }
        connection
    }
}

impl Limit {
    /// Whether a request may go at once; then it counts as gone.
    fn is_free(&self) -> bool {
        self.turn.try_lock().is_ok() && self.bucket.check().is_ok()
    }

    async fn turn(&self) {
        let _turn = self.turn.lock().await;
        while let Err(early) = self.bucket.check() {
            tokio::time::sleep(early.wait_time_from(self.clock.now())).await;
        }
    }
}

/// A wait whose beginning and end are reported.
struct Wait<'a> {
    calls: &'a dyn CallSink,
    reason: WaitReason,
    began: Instant,
}

impl<'a> Wait<'a> {
    fn begin(calls: &'a dyn CallSink, reason: WaitReason) -> Self {
        calls.note(CallEvent::Waiting { reason });
        Self {
            calls,
            reason,
            began: Instant::now(),
        }
    }

    fn end(self) {
        self.calls.note(CallEvent::Waited {
            reason: self.reason,
            duration: self.began.elapsed(),
        });
    }
}

/// A limiter in front of a provider.
pub struct Limited<P> {
    inner: P,
    limiter: Arc<Limiter>,
}

impl<P> Limited<P> {
    /// Puts the limiter of its endpoint in front of a provider.
    pub const fn new(inner: P, limiter: Arc<Limiter>) -> Self {
        Self { inner, limiter }
    }
}

#[async_trait]
impl<P: Provider> Provider for Limited<P> {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let connection = self.limiter.admit(calls).await;
        let result = self.inner.complete(request, calls).await;
        match &result {
            Ok(_) => connection.succeeded(),
            // 529 is how an overloaded server says the same.
            Err(ProviderError::RateLimited { .. } | ProviderError::Server { status: 529, .. }) => {
                connection.refused();
            }
            Err(_) => {}
        }
        result
    }

    fn recording(&self) -> Option<Recording> {
        self.inner.recording()
    }

    fn estimate(&self, request: &Request) -> Option<Estimate> {
        self.inner.estimate(request)
    }
}
