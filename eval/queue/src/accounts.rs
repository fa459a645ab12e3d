//! The budget accounts of a run, shared by all workers. Each worker leases slices of the budget for
//! a limited time. Its regular reports return what its calls in flight do not need. When a worker
//! stops reporting, its whole lease counts as spent, because its calls may have used it.
//!
//! The limits are not part of the accounts: those of the newest manifest apply. Workers also report
//! their spending on a run without limits, and each submission raises the accounts to what the run
//! directory has spent, so that a limit that is set later covers all earlier spending.
//!
//! The accounts are a single message that is changed by compare-and-set, so that two workers never
//! get the same slice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::envelope::{VERSION, impl_message};

/// One amount for each kind of budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Amounts<T> {
    /// US dollars.
    pub cost_usd: T,
    /// Tokens.
    pub tokens: T,
    /// Requests to models.
    pub calls: T,
}

impl<T: Copy> Amounts<T> {
    /// Returns the amounts in the order of the fields.
    pub const fn all(&self) -> [T; 3] {
        [self.cost_usd, self.tokens, self.calls]
    }

    /// Creates amounts from values in field order.
    pub const fn of([cost_usd, tokens, calls]: [T; 3]) -> Self {
        Self {
            cost_usd,
            tokens,
            calls,
        }
    }
}

impl Amounts<f64> {
    /// Adds the amounts of each kind.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = (self.all(), other.all());
        Self::of(std::array::from_fn(|i| a[i] + b[i]))
    }

    /// Subtracts the amounts of each kind; results are at least 0.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let (a, b) = (self.all(), other.all());
        Self::of(std::array::from_fn(|i| (a[i] - b[i]).max(0.0)))
    }
}

/// The part of the budget that is leased to a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// Amount that the worker may spend, counted from the start of the lease.
    pub granted: Amounts<f64>,
    /// Amount that the worker has spent since the start of the lease.
    pub used: Amounts<f64>,
    /// Time when the lease expires unless the worker reports again, in milliseconds since 1970.
    pub until_ms: u64,
}

impl Lease {
    /// Returns the most that the worker may have spent: the larger of granted and used.
    fn most(&self) -> Amounts<f64> {
        let (granted, used) = (self.granted.all(), self.used.all());
        Amounts::of(std::array::from_fn(|i| granted[i].max(used[i])))
    }
}

/// Amounts to reserve for a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Call {
    /// Amounts for the likely usage.
    pub likely: Amounts<f64>,
    /// Amounts for the highest plausible usage; 0 where it is unknown, and 0 calls for a retry.
    pub most: Amounts<f64>,
}

/// A worker's report, which may request amounts for a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Claim {
    /// Amount spent since the start of the lease.
    pub used: Amounts<f64>,
    /// Amount reserved for calls in flight.
    pub reserved: Amounts<f64>,
    /// Next call, if it does not fit into the current lease.
    pub next: Option<Call>,
}

/// Budget accounts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetAccounts {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Amounts charged for leases that have ended, plus amounts spent before the run was submitted.
    pub spent: Amounts<f64>,
    /// Current leases, by name of the worker.
    pub leases: BTreeMap<String, Lease>,
}

impl_message! {
    BudgetAccounts: ;
}

/// Reply to a worker's report.
#[derive(Debug, Clone, PartialEq)]
pub enum LeaseReply {
    /// Total amount that the worker may spend and reserve since the start of its lease.
    Granted(Amounts<f64>),
    /// The whole budget is leased, but a part may be returned later.
    Wait,
    /// One kind of budget is used up: its index (0 for `cost_usd`, 1 for `tokens`, 2 for `calls`)
    /// and the amount spent.
    Exhausted(usize, f64),
    /// The next call does not fit although no other call is in flight: index of the budget, amount
    /// spent, and likely amount for the call.
    Refused(usize, f64, f64),
}

/// Tolerance for rounding errors in sums of amounts.
const ROUNDING: f64 = 1e-9;

/// Number of slices into which each worker's share of a limit is divided.
const PARTS: f64 = 4.0;

impl Default for BudgetAccounts {
    fn default() -> Self {
        Self {
            v: VERSION,
            spent: Amounts::default(),
            leases: BTreeMap::new(),
        }
    }
}

impl BudgetAccounts {
    /// Returns the total amounts spent, as far as workers have reported them.
    pub fn total(&self) -> Amounts<f64> {
        let used = self.leases.values().map(|lease| lease.used);
        used.fold(self.spent, Amounts::plus)
    }

    /// Raises the amounts spent to at least those of the run directory, which also contains
    /// attempts made without the queue.
    pub fn raise_to(&mut self, spent: Amounts<f64>) {
        self.spent = self.spent.plus(spent.minus(self.total()));
    }

    /// Ends the leases that have expired.
    pub fn reap(&mut self, now_ms: u64) {
        let over: Vec<String> = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.until_ms < now_ms)
            .map(|(worker, _)| worker.clone())
            .collect();
        for worker in over {
            self.expire(&worker);
        }
    }

    /// Ends a lease and returns its unused part to the budget.
    pub fn end(&mut self, worker: &str) {
        if let Some(lease) = self.leases.remove(worker) {
            self.spent = self.spent.plus(lease.used);
        }
    }

    /// Ends the lease of a worker that stopped reporting. The whole lease counts as spent, because
    /// the worker's calls in flight may have used it.
    pub fn expire(&mut self, worker: &str) {
        if let Some(lease) = self.leases.remove(worker) {
            self.spent = self.spent.plus(lease.most());
        }
    }

    /// Processes a worker's report and sets its new lease, which expires at `until_ms`. Without a
    /// next call, the lease shrinks to the amounts used and reserved.
    ///
    /// The sum of all leases exceeds a limit only if no call is in flight on any worker and the
    /// likely amount for the next call fits.
    pub fn report(
        &mut self,
        worker: &str,
        Claim {
            used,
            reserved,
            next,
        }: Claim,
        limits: Amounts<Option<f64>>,
        until_ms: u64,
        now_ms: u64,
    ) -> LeaseReply {
        let own = used.plus(reserved);
        self.leases.insert(
            worker.to_owned(),
            Lease {
                granted: own,
                used,
                until_ms,
            },
        );
        self.reap(now_ms);
        let held = self
            .leases
            .values()
            .map(|lease| lease.most().minus(lease.used))
            .fold(Amounts::default(), Amounts::plus)
            .all();
        let Some(next) = next else {
            return LeaseReply::Granted(own);
        };
        let workers = self.leases.len() as f64;
        let total = self.total().all();
        let mut granted = own.all();
        let (mut waits, mut refused) = (false, None);
        for (kind, limit) in limits.all().into_iter().enumerate() {
            let Some(limit) = limit else {
                continue;
            };
            let (likely, most) = (next.likely.all()[kind], next.most.all()[kind]);
            // A retry does not count as another call.
            if kind == 2 && most <= 0.0 {
                continue;
            }
            let left = limit - total[kind];
            if left <= ROUNDING {
                return LeaseReply::Exhausted(kind, total[kind]);
            }
            let free = left - held[kind];
            let fits = |amount: f64| amount <= 0.0 || amount <= free + ROUNDING;
            if most <= 0.0 && free <= ROUNDING {
                // A call of unknown usage needs some free budget, but none is left.
                waits = true;
            } else if fits(most) {
                let mut slice = (limit / (PARTS * workers)).min(free);
                if kind == 2 {
                    // The number of calls is an integer.
                    slice = slice.floor();
                }
                granted[kind] += slice.max(most);
            } else if held.iter().any(|amount| *amount > ROUNDING) {
                waits = true;
            } else if fits(likely) {
                granted[kind] += most;
            } else {
                refused = Some(LeaseReply::Refused(kind, total[kind], likely));
            }
        }
        if let Some(refused) = refused {
            return refused;
        }
        if waits {
            return LeaseReply::Wait;
        }
        let granted = Amounts::of(granted);
        if let Some(lease) = self.leases.get_mut(worker) {
            lease.granted = granted;
        }
        LeaseReply::Granted(granted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(n: f64) -> Amounts<f64> {
        Amounts {
            calls: n,
            ..Amounts::default()
        }
    }

    fn having_spent(number: f64) -> BudgetAccounts {
        BudgetAccounts {
            spent: calls(number),
            ..BudgetAccounts::default()
        }
    }

    const TEN: Amounts<Option<f64>> = Amounts {
        cost_usd: None,
        tokens: None,
        calls: Some(10.0),
    };

    /// Returns a report of `used` calls. With `needs`, it requests one more call.
    fn claim(used: f64, needs: bool) -> Claim {
        let one = Call {
            likely: calls(1.0),
            most: calls(1.0),
        };
        Claim {
            used: calls(used),
            next: needs.then_some(one),
            ..Claim::default()
        }
    }

    fn granted(verdict: &LeaseReply) -> f64 {
        match verdict {
            LeaseReply::Granted(amounts) => amounts.calls,
            _ => -1.0,
        }
    }

    #[test]
    fn leases_never_exceed_the_limit() {
        // In turn, each worker makes one call if its lease allows it, or else returns its lease.
        for workers in [1_usize, 2, 3, 8, 20] {
            let mut accounts = having_spent(1.0);
            let mut used = vec![0.0; workers];
            let mut done = false;
            for now in 0..1000_u64 {
                let at = usize::try_from(now).unwrap() % workers;
                let verdict =
                    accounts.report(&at.to_string(), claim(used[at], true), TEN, now + 100, now);
                match verdict {
                    LeaseReply::Granted(may) if used[at] < may.calls => used[at] += 1.0,
                    LeaseReply::Exhausted(2, spent) => {
                        assert!((spent - 10.0).abs() < 1e-9);
                        done = true;
                        break;
                    }
                    _ => {
                        accounts.report(
                            &at.to_string(),
                            claim(used[at], false),
                            TEN,
                            now + 100,
                            now,
                        );
                    }
                }
            }
            assert!(done, "{workers} workers");
            assert!((used.iter().sum::<f64>() - 9.0).abs() < 1e-9, "{used:?}");
        }
    }

    #[test]
    fn expired_leases_return_only_unspent_amounts() {
        let mut accounts = BudgetAccounts::default();
        let first = accounts.report("a", claim(0.0, true), TEN, 100, 0);
        assert!(
            (granted(&first) - 2.0).abs() < 1e-9,
            "a quarter of the limit, rounded down"
        );
        accounts.report("a", claim(1.0, false), TEN, 100, 1);
        let second = accounts.report("b", claim(0.0, true), TEN, 300, 200);
        assert!(granted(&second) >= 2.0);
        assert_eq!(accounts.leases.len(), 1);
        assert_eq!(accounts.total(), calls(1.0));
    }

    #[test]
    fn run_directory_raises_amounts_spent() {
        // (spent and leased before, spent by the run directory, total)
        for ([spent, leased], of_dir, total) in [
            ([0.0, 0.0], 3.0, 3.0),
            ([1.0, 2.0], 5.0, 5.0),
            ([1.0, 2.0], 3.0, 3.0),
            ([1.0, 2.0], 2.0, 3.0),
        ] {
            let mut accounts = having_spent(spent);
            accounts.report("a", claim(leased, false), TEN, 100, 0);
            accounts.raise_to(calls(of_dir));
            assert_eq!(accounts.total(), calls(total), "{spent} {leased} {of_dir}");
        }
    }

    #[test]
    fn calls_in_flight_of_all_workers_fit_into_the_limit() {
        let limits = Amounts {
            cost_usd: Some(1.0),
            ..Amounts::default()
        };
        let cost = |cost_usd| Amounts {
            cost_usd,
            ..Amounts::default()
        };
        let next = |likely, most| {
            Some(Call {
                likely: cost(likely),
                most: cost(most),
            })
        };
        let mut accounts = BudgetAccounts::default();
        let mut report = |worker: &str, used, reserved, next, now| {
            let claim = Claim {
                used: cost(used),
                reserved: cost(reserved),
                next,
            };
            accounts.report(worker, claim, limits, now + 100, now)
        };
        // (worker, used, reserved, next call, time in ms, verdict)
        let rows = [
            (
                "a",
                0.0,
                0.0,
                next(0.6, 0.6),
                0,
                LeaseReply::Granted(cost(0.6)),
            ),
            // The other worker's call is in flight.
            ("b", 0.0, 0.0, next(0.5, 0.5), 1, LeaseReply::Wait),
            ("b", 0.0, 0.0, next(0.1, 0.5), 2, LeaseReply::Wait),
            // Worker a's call cost less than expected.
            ("a", 0.3, 0.0, None, 3, LeaseReply::Granted(cost(0.3))),
            (
                "b",
                0.0,
                0.0,
                next(0.5, 0.5),
                4,
                LeaseReply::Granted(cost(0.5)),
            ),
            // Worker b stopped reporting, so its lease counts as spent.
            (
                "a",
                0.3,
                0.0,
                next(0.3, 0.3),
                200,
                LeaseReply::Refused(0, 0.8, 0.3),
            ),
            // A call of unknown usage gets a slice.
            (
                "a",
                0.3,
                0.0,
                next(0.0, 0.0),
                201,
                LeaseReply::Granted(cost(0.5)),
            ),
            ("a", 0.3, 0.2, next(0.0, 0.0), 202, LeaseReply::Wait),
            ("a", 0.3, 0.0, None, 203, LeaseReply::Granted(cost(0.3))),
            // Nothing is in flight, so only the likely expense has to fit.
            (
                "a",
                0.3,
                0.0,
                next(0.1, 0.9),
                204,
                LeaseReply::Granted(cost(1.2)),
            ),
            (
                "a",
                0.5,
                0.0,
                next(0.1, 0.1),
                205,
                LeaseReply::Exhausted(0, 1.0),
            ),
        ];
        for (worker, used, reserved, next, now, wanted) in rows {
            let verdict = report(worker, used, reserved, next, now);
            let text = |verdict: &LeaseReply| match verdict {
                LeaseReply::Granted(amounts) => format!("granted {:.6}", amounts.cost_usd),
                LeaseReply::Wait => "wait".to_owned(),
                LeaseReply::Exhausted(kind, spent) => format!("exhausted {kind} {spent:.6}"),
                LeaseReply::Refused(kind, spent, next) => {
                    format!("refused {kind} {spent:.6} {next:.6}")
                }
            };
            assert_eq!(text(&verdict), text(&wanted), "{worker} at {now}");
        }
    }
}
