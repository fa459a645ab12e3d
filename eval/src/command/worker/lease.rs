//! A worker's share of a run's budget and request rate.
//!
//! All workers of a run share the budget and the rate in the queue's books. Each requests slices of
//! both, reports its spending, and returns unused amounts.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use harness::provider::{ProviderError, Rate, SharedPace};
use harness::{ExternalBudget, SharedBudget};
use parking_lot::Mutex;
use queue::accounts::{Amounts, BudgetAccounts, LeaseReply};
use queue::rate::Pace;
use queue::{QueueError, RunQueue, name, now_ms};
use tokio::sync::Mutex as AsyncMutex;

/// Time to wait for amounts that other workers may give back.
const PATIENCE: Duration = Duration::from_millis(300);

/// Minimum time between two spending reports.
const REPORT: Duration = Duration::from_millis(500);

/// Additional report interval for each worker, so that many workers do not write constantly.
const REPORT_EACH: Duration = Duration::from_millis(5);

/// Age in milliseconds after which unused request slots expire.
const STALE_MS: f64 = 1500.0;

/// A worker's share of the budget and request rate of a run.
pub(super) struct Lease {
    queue: RunQueue,
    worker: String,
    limits: Amounts<Option<f64>>,
    ttl_ms: u64,
    /// Amounts spent by the engine.
    spent: SharedBudget,
    state: Mutex<State>,
    /// Serializes requests to the queue.
    asking: AsyncMutex<()>,
    turns: AsyncMutex<HashMap<String, VecDeque<f64>>>,
    workers: AtomicU32,
    /// Clock offset of the server relative to this machine, in milliseconds.
    clock_ms: f64,
}

#[derive(Default)]
struct State {
    /// Amounts spent when the lease began.
    before: Amounts<f64>,
    /// Amounts last reported.
    reported: Amounts<f64>,
    reported_at: Option<Instant>,
    /// Amounts that may be spent, counted from the start of the lease.
    granted: Amounts<f64>,
    /// Number of calls admitted.
    admitted: f64,
    exhausted: Option<ProviderError>,
}

impl Lease {
    pub(super) fn new(
        queue: RunQueue,
        worker: String,
        limits: Amounts<Option<f64>>,
        ttl: Duration,
        spent: SharedBudget,
        clock_ms: f64,
    ) -> Self {
        Self {
            queue,
            worker,
            limits,
            ttl_ms: u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX),
            spent,
            state: Mutex::default(),
            asking: AsyncMutex::default(),
            turns: AsyncMutex::default(),
            workers: AtomicU32::new(1),
            clock_ms,
        }
    }

    /// Returns what this worker has spent for the run.
    pub(super) fn spent(&self) -> Amounts<f64> {
        let spent = self.spent.spent();
        Amounts {
            cost_usd: spent.cost_usd,
            tokens: spent.tokens as f64,
            calls: spent.calls as f64,
        }
    }

    pub(super) fn has_limits(&self) -> bool {
        self.limits.all().iter().any(Option::is_some)
    }

    /// Returns the time until the next report.
    pub(super) fn pause(&self) -> Duration {
        REPORT.max(REPORT_EACH * self.processes())
    }

    /// Whether nothing was spent since the last report and that report is recent.
    pub(super) fn is_quiet(&self) -> bool {
        let spent = self.spent();
        let state = self.state.lock();
        let calls = spent.calls.max(state.admitted);
        let unchanged = Amounts { calls, ..spent } == state.reported;
        let lately = state
            .reported_at
            .is_some_and(|at| at.elapsed() < Duration::from_millis(self.ttl_ms / 3));
        unchanged && lately
    }

    pub(super) fn set_workers(&self, workers: u32) {
        self.workers.store(workers.max(1), Ordering::Relaxed);
    }

    fn now_ms(&self) -> f64 {
        now_ms() as f64 + self.clock_ms
    }

    /// Reports spending and requests more if necessary.
    pub(super) async fn report(&self, needs: bool) -> Result<bool, QueueError> {
        let _one = self.asking.lock().await;
        let mut used = self.spent();
        let (before, reported) = {
            let mut state = self.state.lock();
            // An admitted call counts before the engine has booked it.
            used.calls = used.calls.max(state.admitted);
            if !needs {
                // The report gives the rest back, so nothing more may be admitted against it
                // meanwhile.
                state.granted = used.minus(state.before);
            }
            (state.before, state.reported)
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time since 1970"
        )]
        let now = self.now_ms() as u64;
        let (worker, limits) = (&self.worker, self.limits);
        let asked = self.queue.change("books", |books: Option<BudgetAccounts>| {
            let mut books = books.unwrap_or_else(|| BudgetAccounts::new(Amounts::default()));
            // A revoked lease starts again with what was spent since its last report.
            let begins = if books.leases.contains_key(worker) {
                before
            } else {
                reported
            };
            let verdict = books.report(
                worker,
                used.minus(begins),
                needs,
                limits,
                now + self.ttl_ms,
                now,
            );
            (books, (begins, verdict))
        });
        let (begins, verdict) = asked.await?;
        let mut state = self.state.lock();
        state.before = begins;
        state.reported = used;
        state.reported_at = Some(Instant::now());
        match verdict {
            LeaseReply::Granted(granted) => {
                state.granted = granted;
                Ok(true)
            }
            LeaseReply::Wait => {
                state.granted = used.minus(begins);
                Ok(false)
            }
            LeaseReply::Exhausted(kind, spent) => {
                state.exhausted = Some(over_budget(kind, spent, self.limits));
                Ok(false)
            }
        }
    }

    /// Ends the lease, which returns the unused amounts.
    pub(super) async fn end(&self) -> Result<(), QueueError> {
        if !self.has_limits() {
            return Ok(());
        }
        self.report(false).await?;
        let worker = &self.worker;
        let ended = self.queue.change("books", |books: Option<BudgetAccounts>| {
            let mut books = books.unwrap_or_else(|| BudgetAccounts::new(Amounts::default()));
            books.end(worker);
            (books, ())
        });
        ended.await
    }
}

fn over_budget(kind: usize, spent: f64, limits: Amounts<Option<f64>>) -> ProviderError {
    let limit = limits.all()[kind].unwrap_or_default();
    let (budget, spent, limit) = match kind {
        0 => ("--max-cost", format!("${spent:.4}"), format!("${limit}")),
        1 => (
            "--max-tokens",
            format!("{spent} tokens"),
            format!("{limit} tokens"),
        ),
        _ => (
            "--max-llm-calls",
            format!("{spent} calls"),
            format!("{limit} calls"),
        ),
    };
    ProviderError::OverBudget {
        budget: budget.to_owned(),
        spent,
        limit,
    }
}

#[async_trait]
impl ExternalBudget for Lease {
    async fn admit(&self) -> Result<(), ProviderError> {
        if !self.has_limits() {
            return Ok(());
        }
        loop {
            {
                let spent = self.spent();
                let mut state = self.state.lock();
                if let Some(error) = &state.exhausted {
                    return Err(error.clone());
                }
                let used = Amounts {
                    calls: spent.calls.max(state.admitted),
                    ..spent
                }
                .minus(state.before);
                let kinds = self.limits.all();
                let has_room = (0..3).all(|kind| {
                    kinds[kind].is_none() || used.all()[kind] < state.granted.all()[kind]
                });
                // Another worker may have what a lease held that was not renewed in time.
                let half = Duration::from_millis(self.ttl_ms / 2);
                let is_held = state.reported_at.is_some_and(|at| at.elapsed() < half);
                if has_room && is_held {
                    state.admitted = spent.calls.max(state.admitted) + 1.0;
                    return Ok(());
                }
            }
            // Nothing is spent while the server cannot be reached.
            if !matches!(self.report(true).await, Ok(true)) && self.exhausted().is_none() {
                tokio::time::sleep(PATIENCE).await;
            }
        }
    }

    fn exhausted(&self) -> Option<ProviderError> {
        self.state.lock().exhausted.clone()
    }
}

#[async_trait]
impl SharedPace for Lease {
    async fn turn(&self, endpoint: &str, rate: Rate) {
        let mut all = self.turns.lock().await;
        let turns = all.entry(endpoint.to_owned()).or_default();
        let at = loop {
            let now = self.now_ms();
            while turns.front().is_some_and(|at| *at < now - STALE_MS) {
                turns.pop_front();
            }
            if let Some(at) = turns.pop_front() {
                break at;
            }
            // Request about one second's worth of this worker's share.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within 1 and 100"
            )]
            let number = (rate.per_second / f64::from(self.processes())).clamp(1.0, 100.0) as u32;
            let place = format!("pace.{}", &name::hash(endpoint)[..16]);
            let taken = self.queue.change(&place, |pace: Option<Pace>| {
                let mut pace = pace.unwrap_or_default();
                let turns = pace.take(rate.per_second, rate.burst, number, now);
                (pace, turns)
            });
            match taken.await {
                Ok(slice) => {
                    let each =
                        (0..slice.number).map(|n| slice.first_ms + f64::from(n) * slice.apart_ms);
                    turns.extend(each);
                }
                // No request is sent while the rate is unknown.
                Err(_) => tokio::time::sleep(PATIENCE).await,
            }
        };
        drop(all);
        let wait = (at - self.now_ms()).max(0.0);
        tokio::time::sleep(Duration::from_secs_f64(wait / 1000.0)).await;
    }

    fn processes(&self) -> u32 {
        self.workers.load(Ordering::Relaxed)
    }
}
