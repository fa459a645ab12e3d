//! What one caller, an agent or a judge, asked of models and used by it.

use std::ops::AddAssign;

use model::Estimate;
use model::{EventKind, Usage};
use serde::Serialize;

/// The calls of one caller.
#[derive(Debug, Default)]
pub struct Calls {
    asked: u64,
    cached: u64,
    of_sent: Used,
    of_cached: Used,
    /// Calls that were sent and ended of which some cost is not known.
    unknown: u64,
    longest: Option<u64>,
    /// The last request, until it is answered.
    request: Option<Request>,
    /// Whether a try of the last request was billed without a price.
    is_unpriced: bool,
    /// Whether the next response comes from a cache.
    is_cached: bool,
}

/// Tokens and dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Used {
    /// Tokens; none if none are counted.
    pub usage: Option<Usage>,
    /// US dollars, where they are known; none if they are known of nothing.
    pub cost_usd: Option<f64>,
    /// Responses and billed tries whose cost is not known; by [`Calls::spent`], calls.
    pub unpriced_calls: u64,
}

/// A request.
#[derive(Debug)]
struct Request {
    /// What it is expected to take.
    estimate: Option<Estimate>,
    /// Whether a server may be at work on it.
    is_under_way: bool,
}

impl Calls {
    /// Requests to models, those included that a cache answered.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Requests that were sent.
    pub fn sent(&self) -> u64 {
        self.asked.saturating_sub(self.cached)
    }

    /// What responses, those of a cache included, and billed tries took.
    pub fn used(&self) -> Used {
        let mut used = self.of_sent;
        used += self.of_cached;
        used
    }

    /// What the requests that were sent took. One that is under way takes what was expected: whoever was asked goes on, and
    /// charges for it, also where nobody waits any more.
    pub fn spent(&self) -> Used {
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

    /// Output tokens of the longest response, as its server counted them; none where none was counted.
    pub fn longest_response(&self) -> Option<u64> {
        self.longest
    }

    /// Takes the caller's next event.
    pub(super) fn take(&mut self, kind: &EventKind) {
        match kind {
            EventKind::LlmRequest { estimate, .. } | EventKind::JudgeRequest { estimate } => {
                self.asked += 1;
                self.request = Some(Request {
                    estimate: *estimate,
                    is_under_way: true,
                });
            }
            // After an error it is sent again, as another call; what is shorter takes no more than before.
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
            // The bill is of a try that has ended.
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
        self.longest = self.longest.max(counted.map(|usage| usage.output_tokens));
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

impl Used {
    fn add(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        *self += Self {
            usage,
            cost_usd,
            unpriced_calls: u64::from(cost_usd.is_none()),
        };
    }
}

impl AddAssign for Used {
    fn add_assign(&mut self, other: Self) {
        if let Some(usage) = other.usage {
            *self.usage.get_or_insert_default() += usage;
        }
        if let Some(cost) = other.cost_usd {
            *self.cost_usd.get_or_insert_default() += cost;
        }
        self.unpriced_calls += other.unpriced_calls;
    }
}
