//! A worker's share of a run's budget and request rate.
//!
//! All workers of a run share the budget and the request rate in the queue's accounts. Each worker
//! requests slices of both, reports its spending, and returns unused amounts.
//!
//! The limits are those of the newest manifest, so a changed budget also applies to attempts in
//! progress. A worker reports its spending even without limits, because a budget that is set later
//! covers it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use harness::provider::{ProviderError, Rate, SharedPace};
use harness::{Expense, ExternalBudget, Hold, SharedBudget, Spent};
use parking_lot::Mutex;
use queue::accounts::{Amounts, BudgetAccounts, Call, Claim, LeaseReply};
use queue::message::Manifest;
use queue::rate::Pace;
use queue::{QueueError, RunQueue, name, now_ms};
use tokio::sync::{Mutex as AsyncMutex, Notify, watch};

/// Time to wait for amounts that other workers may return.
const RETRY_DELAY: Duration = Duration::from_millis(300);

/// Minimum time between two spending reports of a worker.
const MIN_REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// Minimum time between two spending reports for each worker of the run: 200 workers report once a
/// second, so that they do not write constantly.
const MIN_REPORT_INTERVAL_PER_WORKER: Duration = Duration::from_millis(5);

/// Time from the start of a request slot until it expires unused, in milliseconds.
const SLOT_EXPIRY_MS: f64 = 1500.0;

/// A worker's share of the budget and request rate of a run.
pub(super) struct Lease {
    queue: RunQueue,
    worker: String,
    manifest: watch::Receiver<Manifest>,
    ttl_ms: u64,
    /// Amounts spent by the engine.
    spent: SharedBudget,
    state: Arc<Mutex<State>>,
    /// Wakes calls that wait for a reservation to end.
    released: Arc<Notify>,
    /// Serializes requests to the queue.
    request_lock: AsyncMutex<()>,
    /// Start times of the unused request slots of each endpoint, in milliseconds of the server's
    /// clock.
    slots: AsyncMutex<HashMap<String, VecDeque<f64>>>,
    workers: AtomicU32,
    /// Offset of the server's clock from this machine's, in milliseconds.
    clock_ms: f64,
}

#[derive(Default)]
struct State {
    /// Amounts that had been spent when the lease began.
    before: Amounts<f64>,
    /// Amounts last reported.
    reported: Amounts<f64>,
    reported_at: Option<Instant>,
    /// Amounts that count as spent if the lease expires.
    booked: Amounts<f64>,
    /// Amounts reserved for calls in flight, except the number of calls, which is in `admitted`.
    reserved: Amounts<f64>,
    under_way: usize,
    /// Amounts that may be spent and reserved, counted from the start of the lease.
    granted: Amounts<f64>,
    /// Number of calls admitted.
    admitted: f64,
    /// Index of the limit that is used up (0 cost, 1 tokens, 2 calls), and the error for further
    /// calls.
    exhausted: Option<(usize, ProviderError)>,
}

/// Reservation of a call in flight.
struct CallReservation {
    state: Arc<Mutex<State>>,
    released: Arc<Notify>,
    most: Amounts<f64>,
}

impl Drop for CallReservation {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        state.under_way -= 1;
        state.reserved = if state.under_way == 0 {
            // Subtracting sums leaves rounding errors.
            Amounts::default()
        } else {
            state.reserved.minus(self.most)
        };
        drop(state);
        self.released.notify_waiters();
    }
}

fn amounts(spent: Spent) -> Amounts<f64> {
    Amounts {
        cost_usd: spent.cost_usd,
        tokens: spent.tokens as f64,
        calls: spent.calls as f64,
    }
}

impl Lease {
    pub(super) fn new(
        queue: RunQueue,
        worker: String,
        manifest: watch::Receiver<Manifest>,
        ttl: Duration,
        spent: SharedBudget,
        clock_ms: f64,
    ) -> Self {
        Self {
            queue,
            worker,
            manifest,
            ttl_ms: u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX),
            spent,
            state: Arc::default(),
            released: Arc::default(),
            request_lock: AsyncMutex::default(),
            slots: AsyncMutex::default(),
            workers: AtomicU32::new(1),
            clock_ms,
        }
    }

    fn limits(&self) -> Amounts<Option<f64>> {
        self.manifest.borrow().limits
    }

    /// Returns the amounts that this worker has spent on the run.
    pub(super) fn spent(&self) -> Amounts<f64> {
        amounts(self.spent.spent())
    }

    /// Returns the amounts spent, counting admitted calls. The caller holds the lock of `state`, so
    /// that a call that ends concurrently counts twice rather than not at all.
    fn used(&self, state: &State) -> Amounts<f64> {
        let spent = self.spent();
        // Count an admitted call before the engine has booked it.
        let calls = spent.calls.max(state.admitted);
        Amounts { calls, ..spent }
    }

    /// Reserves the expense of a call if it fits into the lease.
    fn hold(&self, most: Amounts<f64>) -> Result<Option<CallReservation>, ProviderError> {
        let mut state = self.state.lock();
        // A retry belongs to an admitted call, so a limit on calls does not stop it.
        if let Some((kind, error)) = &state.exhausted
            && (*kind != 2 || most.calls > 0.0)
        {
            return Err(error.clone());
        }
        let spent = self.used(&state);
        let needed = spent.minus(state.before).plus(state.reserved).plus(most);
        let (limits, needed, granted) = (self.limits().all(), needed.all(), state.granted.all());
        let fits = (0..3).all(|kind| match (limits[kind], most.all()[kind] > 0.0) {
            (None, _) => true,
            (Some(_), true) => needed[kind] <= granted[kind] + 1e-9,
            // A retry belongs to a call that has been admitted. Any other call of unknown expense
            // needs some unused amount in the lease, as a local call needs some unused budget.
            (Some(_), false) => kind == 2 || needed[kind] < granted[kind] - 1e-9,
        });
        // A lease that expires counts as spent in full, so no call starts if it was not renewed
        // recently.
        let half = Duration::from_millis(self.ttl_ms / 2);
        let is_held = state.reported_at.is_some_and(|at| at.elapsed() < half);
        if !fits || !is_held {
            return Ok(None);
        }
        state.admitted = spent.calls + most.calls;
        state.under_way += 1;
        let most = Amounts { calls: 0.0, ..most };
        state.reserved = state.reserved.plus(most);
        Ok(Some(CallReservation {
            state: Arc::clone(&self.state),
            released: Arc::clone(&self.released),
            most,
        }))
    }

    fn has_limits(&self) -> bool {
        self.limits().all().iter().any(Option::is_some)
    }

    /// Returns the time between two reports.
    pub(super) fn report_interval(&self) -> Duration {
        MIN_REPORT_INTERVAL.max(MIN_REPORT_INTERVAL_PER_WORKER * self.processes())
    }

    /// Whether a report would change nothing. A worker of a run with limits also reports regularly
    /// to keep its lease.
    pub(super) fn is_quiet(&self) -> bool {
        let state = self.state.lock();
        let used = self.used(&state);
        let own = used.minus(state.before).plus(state.reserved).all();
        let (granted, limits) = (state.granted.all(), self.limits().all());
        let has_rest =
            (0..3).any(|kind| limits[kind].is_some() && granted[kind] > own[kind] + 1e-9);
        let lately = state
            .reported_at
            .is_some_and(|at| at.elapsed() < Duration::from_millis(self.ttl_ms / 3));
        used == state.reported && !has_rest && (lately || !self.has_limits())
    }

    pub(super) fn set_workers(&self, workers: u32) {
        self.workers.store(workers.max(1), Ordering::Relaxed);
    }

    fn now_ms(&self) -> f64 {
        now_ms() as f64 + self.clock_ms
    }

    /// Reports spending and returns amounts that calls in flight do not need.
    pub(super) async fn report(&self) -> Result<(), QueueError> {
        let _one = self.request_lock.lock().await;
        self.request_amounts(None).await.map(drop)
    }

    /// Reports spending and requests the amounts for the next call, if any. Returns whether they
    /// were granted. The caller must hold `request_lock`.
    async fn request_amounts(&self, next: Option<Call>) -> Result<bool, QueueError> {
        let (used, reserved, before, booked, is_first) = {
            let mut state = self.state.lock();
            let used = self.used(&state);
            // The report returns the unused amounts, so no call may be admitted against them
            // meanwhile.
            state.granted = used.minus(state.before).plus(state.reserved);
            let is_first = state.reported_at.is_none();
            (used, state.reserved, state.before, state.booked, is_first)
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time since 1970"
        )]
        let now = self.now_ms() as u64;
        let (worker, limits) = (&self.worker, self.limits());
        let asked = self.queue.change("books", |accounts: &mut BudgetAccounts| {
            if is_first {
                // A lease that already exists was left by an earlier worker of this name.
                accounts.expire(worker);
            }
            // The amounts of an expired lease already count as spent.
            let begins = if is_first || accounts.leases.contains_key(worker) {
                before
            } else {
                let (used, booked) = (used.all(), booked.all());
                Amounts::of(std::array::from_fn(|i| used[i].min(booked[i])))
            };
            let claim = Claim {
                used: used.minus(begins),
                reserved,
                next,
            };
            let verdict = accounts.report(worker, claim, limits, now + self.ttl_ms, now);
            let held = accounts.leases.get(worker).map(|lease| lease.granted);
            (begins, verdict, held.unwrap_or_default())
        });
        let (begins, verdict, held) = asked.await?;
        let mut state = self.state.lock();
        state.before = begins;
        state.reported = used;
        state.booked = begins.plus(held);
        state.reported_at = Some(Instant::now());
        state.granted = held;
        match verdict {
            LeaseReply::Granted(_) => return Ok(true),
            LeaseReply::Wait => {}
            LeaseReply::Exhausted(kind, spent) => {
                state.exhausted = Some((kind, over_budget(kind, spent, None, limits)));
            }
            LeaseReply::Refused(kind, spent, next) => {
                state.exhausted = Some((kind, over_budget(kind, spent, Some(next), limits)));
            }
        }
        Ok(false)
    }

    /// Ends the lease and returns the unused amounts.
    pub(super) async fn end(&self) -> Result<(), QueueError> {
        self.report().await?;
        let end = |accounts: &mut BudgetAccounts| accounts.end(&self.worker);
        self.queue.change("books", end).await
    }
}

fn over_budget(
    kind: usize,
    spent: f64,
    next: Option<f64>,
    limits: Amounts<Option<f64>>,
) -> ProviderError {
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
    let next = match (kind, next) {
        (_, None) => String::new(),
        (0, Some(next)) => format!("; the next call may cost ${next:.4}"),
        (_, Some(next)) => format!("; the next call may use {next} tokens"),
    };
    ProviderError::OverBudget {
        budget: budget.to_owned(),
        spent,
        limit: limit + &next,
    }
}

#[async_trait]
impl ExternalBudget for Lease {
    async fn reserve(&self, expense: Expense) -> Result<Hold, ProviderError> {
        if !self.has_limits() {
            return Ok(Box::new(()));
        }
        let call = Call {
            likely: amounts(expense.likely),
            most: amounts(expense.most),
        };
        loop {
            let released = self.released.notified();
            let request_lock = self.request_lock.lock().await;
            if let Some(held) = self.hold(call.most)? {
                return Ok(Box::new(held));
            }
            // Admit no calls while the server cannot be reached.
            let _ = self.request_amounts(Some(call)).await;
            if let Some(held) = self.hold(call.most)? {
                return Ok(Box::new(held));
            }
            drop(request_lock);
            // Other workers' reservations end without a signal.
            let _ = tokio::time::timeout(RETRY_DELAY, released).await;
        }
    }

    fn exhausted(&self) -> Option<ProviderError> {
        let state = self.state.lock();
        state.exhausted.as_ref().map(|(_, error)| error.clone())
    }
}

#[async_trait]
impl SharedPace for Lease {
    async fn turn(&self, endpoint: &str, rate: Rate) {
        let mut all = self.slots.lock().await;
        let slots = all.entry(endpoint.to_owned()).or_default();
        let at = loop {
            let now = self.now_ms();
            while slots.front().is_some_and(|at| *at < now - SLOT_EXPIRY_MS) {
                slots.pop_front();
            }
            if let Some(at) = slots.pop_front() {
                break at;
            }
            // Request this worker's share for about one second.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within 1 and 100"
            )]
            let number = (rate.per_second / f64::from(self.processes())).clamp(1.0, 100.0) as u32;
            let place = format!("pace.{}", &name::hash(endpoint)[..16]);
            let taken = self.queue.change(&place, |pace: &mut Pace| {
                // Under contention, this runs several times, and slots of the first time expire.
                pace.take(rate.per_second, rate.burst, number, self.now_ms())
            });
            match taken.await {
                Ok(starts) => slots.extend(starts),
                // Send no requests while the rate is unknown.
                Err(_) => tokio::time::sleep(RETRY_DELAY).await,
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
