//! Retries requests after transient errors, and limits the time of a call.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};

use super::call::report_wait;
use super::{
    CallEvent, CallSink, Forecast, Provider, ProviderError, Request, Response, WaitReason,
};

/// Limits and delays of retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Maximum delay before the first retry. It doubles with each retry.
    pub base: Duration,
    /// Maximum delay, unless the server requests one.
    pub cap: Duration,
    /// Upper bound for a delay that the server requests. Longer requested delays are shortened.
    pub retry_after_cap: Duration,
    /// Maximum time of a call including retries, without waits for a rate limit or a connection.
    pub call_time: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 6,
            base: Duration::from_secs(1),
            cap: Duration::from_secs(60),
            retry_after_cap: Duration::from_secs(120),
            call_time: Duration::from_secs(1800),
        }
    }
}

impl RetryPolicy {
    /// Returns the delay before a retry. `retry` is its 0-based index; `random` is from 0 to 1.
    ///
    /// The delay is uniform from 0 to `min(cap, base · 2^retry)`, which is exponential backoff with
    /// full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog (2015). If
    /// the server requests a delay, returns that delay (limited to `retry_after_cap`) plus a random
    /// part of `base`, so that clients with the same response do not all retry at the same time.
    fn delay(&self, retry: u32, asked: Option<Duration>, random: f64) -> Duration {
        if let Some(asked) = asked {
            return asked.min(self.retry_after_cap) + self.base.mul_f64(random);
        }
        let most = self.base.saturating_mul(2_u32.saturating_pow(retry));
        most.min(self.cap).mul_f64(random)
    }
}

/// A provider with retries.
pub struct Retry {
    inner: Arc<dyn Provider>,
    policy: RetryPolicy,
}

impl Retry {
    /// Adds retries to a provider.
    pub const fn new(inner: Arc<dyn Provider>, policy: RetryPolicy) -> Self {
        Self { inner, policy }
    }
}

#[async_trait]
impl Provider for Retry {
    async fn complete(
        &self,
        request: &Request,
        calls: &dyn CallSink,
    ) -> Result<Response, ProviderError> {
        let clock = Clock::new(calls);
        let work = self.send(request, &clock);
        tokio::pin!(work);
        let limit = self.policy.call_time;
        loop {
            let left = limit.saturating_sub(clock.charged());
            tokio::select! {
                result = &mut work => return result,
                () = tokio::time::sleep(left.max(Duration::from_millis(1))) => {}
            }
            if clock.charged() >= limit {
                return Err(ProviderError::Timeout {
                    provider: request.model.clone(),
                    what: "response, including retries".to_owned(),
                    after: limit,
                });
            }
        }
    }

    fn forecast(&self, request: &Request) -> Option<Forecast> {
        self.inner.forecast(request)
    }
}

impl Retry {
    async fn send(&self, request: &Request, clock: &Clock<'_>) -> Result<Response, ProviderError> {
        let mut retry = 0;
        loop {
            let error = match self.inner.complete(request, clock).await {
                Err(error) if error.is_transient() && retry < self.policy.max_retries => error,
                result => return result,
            };
            let delay = self
                .policy
                .delay(retry, error.retry_after(), rand::random());
            // Return the server's error instead if the call's time or budget does not allow the
            // retry.
            if clock.charged() + delay >= self.policy.call_time || !clock.may_send_again().await {
                return Err(error);
            }
            clock.calls.note(CallEvent::Retried { error, delay });
            if delay > Duration::ZERO {
                let wait = tokio::time::sleep(delay);
                report_wait(clock.calls, WaitReason::Backoff, wait).await;
            }
            retry += 1;
        }
    }
}

/// Clock of a call, which stops during waits for a rate limit or a connection.
struct Clock<'a> {
    calls: &'a dyn CallSink,
    began: Instant,
    waits: Mutex<Waits>,
}

#[derive(Default)]
struct Waits {
    since: Option<Instant>,
    over: Duration,
}

impl<'a> Clock<'a> {
    fn new(calls: &'a dyn CallSink) -> Self {
        Self {
            calls,
            began: Instant::now(),
            waits: Mutex::default(),
        }
    }

    fn charged(&self) -> Duration {
        let waits = self.lock();
        let now = waits.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.began.elapsed().saturating_sub(waits.over + now)
    }

    fn lock(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock()
    }
}

#[async_trait]
impl CallSink for Clock<'_> {
    fn note(&self, event: CallEvent) {
        match &event {
            CallEvent::Waiting { .. } => self.lock().since = Some(Instant::now()),
            CallEvent::Waited { duration, .. } => {
                let mut waits = self.lock();
                waits.since = None;
                waits.over += *duration;
            }
            CallEvent::Retried { .. } | CallEvent::Billed { .. } => {}
        }
        self.calls.note(event);
    }

    async fn may_send_again(&self) -> bool {
        self.calls.may_send_again().await
    }
}
