//! Counts the model calls of one caller (an agent or a judge) and their usage.

use std::ops::AddAssign;

use model::Estimate;
use model::{EventKind, Usage};
use serde::Serialize;

/// Running totals over the model calls of one caller.
#[derive(Debug, Default)]
pub struct Calls {
    /// Number of requests to models, including those answered from a cache.
    pub asked: u64,
    cached: u64,
    of_sent: CallUsage,
    of_cached: CallUsage,
    /// Number of finished calls, excluding cached ones, whose cost is partly or entirely unknown.
    unknown: u64,
    /// Output tokens of the longest response as counted by its server; `None` if none was counted.
    pub longest_response: Option<u64>,
    /// The last request, if it has not been answered yet.
    request: Option<Request>,
    /// Whether a try of the last request was billed without a price.
    is_unpriced: bool,
    /// Whether the next response comes from a cache.
    is_cached: bool,
}

/// Usage and cost of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CallUsage {
    /// Tokens; `None` if none were counted.
    pub usage: Option<Usage>,
    /// Known cost in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of responses and billed tries of unknown cost. In the result of [`Calls::spent`],
    /// number of calls whose cost is partly or entirely unknown.
    pub unpriced_calls: u64,
    /// Number of responses and billed tries without counted tokens.
    pub uncounted_calls: u64,
}

#[derive(Debug)]
struct Request {
    /// Estimated usage and cost.
    estimate: Option<Estimate>,
    /// Whether a server may still be working on the request.
    is_under_way: bool,
}

impl Calls {
    /// Returns the number of requests that were sent to a server.
    pub fn sent(&self) -> u64 {
        self.asked.saturating_sub(self.cached)
    }

    /// Returns the usage of all responses, including those from a cache, and of billed tries.
    pub fn used(&self) -> CallUsage {
        let mut used = self.of_sent;
        used += self.of_cached;
        used
    }

    /// Returns the usage of the requests that were sent to a server. A request in flight counts
    /// with its estimate, because the server completes and bills it even if nobody waits for the
    /// response.
    pub fn spent(&self) -> CallUsage {
        let mut spent = self.of_sent;
        let mut is_unpriced = self.is_unpriced;
        if let Some(request) = self.request.as_ref().filter(|one| one.is_under_way) {
            let cost_usd = request.estimate.and_then(|estimate| estimate.cost_usd);
            spent.add(request.estimate.map(|estimate| estimate.usage), cost_usd);
            is_unpriced |= cost_usd.is_none();
        }
        spent.unpriced_calls = self.unknown + u64::from(is_unpriced);
        spent
    }

    /// Processes the caller's next event.
    pub(super) fn take(&mut self, kind: &EventKind) {
        match kind {
            EventKind::LlmRequest { estimate, .. } | EventKind::JudgeRequest { estimate } => {
                self.asked += 1;
                self.request = Some(Request {
                    estimate: *estimate,
                    is_under_way: true,
                });
            }
            // After an error, the conversation is sent again as another call. The shortened
            // conversation does not use more than the estimate.
            EventKind::ContextTrimmed { .. }
            | EventKind::ContextCompacted {
                sent_again: true, ..
            } => {
                self.asked += u64::from(self.request.is_some());
                self.set_under_way(true);
            }
            EventKind::LlmRetry { .. } => self.set_under_way(true),
            EventKind::LlmCached => {
                self.cached += 1;
                self.request = None;
                self.is_cached = true;
            }
            EventKind::LlmResponse {
                usage, cost_usd, ..
            }
            | EventKind::JudgeResponse { usage, cost_usd } => self.answer(*usage, *cost_usd),
            EventKind::LlmError { .. } | EventKind::JudgeError { .. } => {
                self.unknown += u64::from(std::mem::take(&mut self.is_unpriced));
                self.set_under_way(false);
            }
            // This event bills a try that has ended.
            EventKind::LlmBilled { usage, cost_usd }
            | EventKind::JudgeBilled { usage, cost_usd } => {
                self.of_sent.add(Some(*usage), *cost_usd);
                self.is_unpriced |= cost_usd.is_none();
                self.set_under_way(false);
            }
            _ => {}
        }
    }

    fn answer(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        let counted = usage.filter(|usage| !usage.estimated);
        let tokens = counted.map(|usage| usage.output_tokens);
        self.longest_response = self.longest_response.max(tokens);
        if std::mem::take(&mut self.is_cached) {
            self.of_cached.add(usage, cost_usd);
            return;
        }
        self.request = None;
        self.of_sent.add(usage, cost_usd);
        let is_unpriced = std::mem::take(&mut self.is_unpriced) || cost_usd.is_none();
        self.unknown += u64::from(is_unpriced);
    }

    fn set_under_way(&mut self, is_under_way: bool) {
        if let Some(request) = &mut self.request {
            request.is_under_way = is_under_way;
        }
    }
}

impl CallUsage {
    fn add(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        *self += Self {
            usage,
            cost_usd,
            unpriced_calls: u64::from(cost_usd.is_none()),
            uncounted_calls: u64::from(usage.is_none()),
        };
    }
}

impl AddAssign for CallUsage {
    fn add_assign(&mut self, other: Self) {
        if let Some(usage) = other.usage {
            *self.usage.get_or_insert_default() += usage;
        }
        if let Some(cost) = other.cost_usd {
            *self.cost_usd.get_or_insert_default() += cost;
        }
        self.unpriced_calls += other.unpriced_calls;
        self.uncounted_calls += other.uncounted_calls;
    }
}
