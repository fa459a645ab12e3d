//! The budget accounts of a run over all workers. The budget is leased to workers in slices for a
//! limited time. When a worker falls silent, the unused part of its lease returns; what it reported
//! as used stays spent.
//!
//! The accounts are a single message that is changed by compare-and-set, so that two workers never
//! get the same slice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::message::VERSION;

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

    /// Creates amounts from the order of the fields.
    pub const fn of([cost_usd, tokens, calls]: [T; 3]) -> Self {
        Self {
            cost_usd,
            tokens,
            calls,
        }
    }
}

impl Amounts<f64> {
    /// Returns the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (a, b) = (self.all(), other.all());
        Self::of(std::array::from_fn(|i| a[i] + b[i]))
    }

    /// Returns the difference, but never less than zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let (a, b) = (self.all(), other.all());
        Self::of(std::array::from_fn(|i| (a[i] - b[i]).max(0.0)))
    }
}

/// The part of the budget that a worker holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// Amount that it may spend, counted from the start of the lease.
    pub granted: Amounts<f64>,
    /// Amount that it has spent.
    pub used: Amounts<f64>,
    /// Expiry time unless the worker reports again, in milliseconds since 1970.
    pub until_ms: u64,
}

/// Budget accounts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetAccounts {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Amounts spent by leases that have ended, and before the run was submitted.
    pub spent: Amounts<f64>,
    /// Current leases, by worker.
    pub leases: BTreeMap<String, Lease>,
}

/// Reply to a worker's report.
#[derive(Debug, Clone, PartialEq)]
pub enum LeaseReply {
    /// The worker may spend this amount in total since the start of its lease.
    Granted(Amounts<f64>),
    /// Everything is leased, but some may return.
    Wait,
    /// A budget is used up: its index (`cost_usd`, `tokens` or `calls`, from 0) and the amount
    /// spent.
    Exhausted(usize, f64),
}

/// A slice is the limit divided by this number and by the number of workers.
const PARTS: f64 = 4.0;

impl BudgetAccounts {
    /// Creates the accounts of a run that has already spent this amount.
    pub fn new(spent: Amounts<f64>) -> Self {
        Self {
            v: VERSION,
            spent,
            leases: BTreeMap::new(),
        }
    }

    /// Returns the total spending, as far as reported.
    pub fn total(&self) -> Amounts<f64> {
        let used = self.leases.values().map(|lease| lease.used);
        used.fold(self.spent, Amounts::plus)
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
            self.end(&worker);
        }
    }

    /// Ends a lease, which returns its unused part.
    pub fn end(&mut self, worker: &str) {
        if let Some(lease) = self.leases.remove(worker) {
            self.spent = self.spent.plus(lease.used);
        }
    }

    /// Processes a worker's report: what it has used since its lease began, and whether it needs
    /// more than it holds. Returns `None` if its lease has expired; the worker then starts a new
    /// one with what it has used since its last report.
    pub fn report(
        &mut self,
        worker: &str,
        used: Amounts<f64>,
        needs: bool,
        limits: Amounts<Option<f64>>,
        until_ms: u64,
        now_ms: u64,
    ) -> LeaseReply {
        let known = self.leases.entry(worker.to_owned()).or_default();
        known.used = used;
        known.until_ms = until_ms;
        self.reap(now_ms);
        let workers = self.leases.len() as f64;
        let others = self.leases.iter().filter(|(name, _)| *name != worker);
        let unused = others
            .map(|(_, lease)| lease.granted.minus(lease.used))
            .fold(Amounts::default(), Amounts::plus)
            .all();
        let total = self.total().all();
        let Some(lease) = self.leases.get_mut(worker) else {
            return LeaseReply::Wait;
        };
        let mut granted = lease.granted.all();
        let mut verdict = None;
        for (kind, limit) in limits.all().into_iter().enumerate() {
            let own = lease.used.all()[kind];
            let Some(limit) = limit else {
                granted[kind] = f64::INFINITY;
                continue;
            };
            let left = limit - total[kind];
            if left <= 1e-9 {
                granted[kind] = own;
                verdict = Some(LeaseReply::Exhausted(kind, total[kind]));
                continue;
            }
            if !needs {
                // What the worker does not need may help others.
                granted[kind] = granted[kind].min(own.max(0.0)).max(own);
                continue;
            }
            let free = (left - unused[kind]).max(0.0);
            let mut slice = (limit / (PARTS * workers)).min(free);
            if kind == 2 {
                // The number of calls is an integer.
                slice = slice.max(1.0).min(free).floor();
            }
            granted[kind] = own + slice;
            if slice <= 0.0 && !matches!(verdict, Some(LeaseReply::Exhausted(..))) {
                verdict = Some(LeaseReply::Wait);
            }
        }
        // JSON cannot represent infinity, so an unlimited budget is stored as a grant of 0. The
        // worker knows that the budget is unlimited.
        let finite = granted.map(|amount| if amount.is_finite() { amount } else { 0.0 });
        lease.granted = Amounts::of(finite);
        verdict.unwrap_or(LeaseReply::Granted(Amounts::of(granted)))
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

    const TEN: Amounts<Option<f64>> = Amounts {
        cost_usd: None,
        tokens: None,
        calls: Some(10.0),
    };

    fn granted(verdict: &LeaseReply) -> f64 {
        match verdict {
            LeaseReply::Granted(amounts) => amounts.calls,
            _ => -1.0,
        }
    }

    #[test]
    fn leases_never_exceed_the_limit() {
        // Every worker spends one call whenever it may; a worker that waits asks again.
        for workers in [1_usize, 2, 3, 8, 20] {
            let mut books = BudgetAccounts::new(calls(1.0));
            let mut used = vec![0.0; workers];
            let mut done = false;
            for now in 0..1000_u64 {
                let at = usize::try_from(now).unwrap() % workers;
                let verdict =
                    books.report(&at.to_string(), calls(used[at]), true, TEN, now + 100, now);
                match verdict {
                    LeaseReply::Granted(may) if used[at] < may.calls => used[at] += 1.0,
                    LeaseReply::Exhausted(2, spent) => {
                        assert!((spent - 10.0).abs() < 1e-9);
                        done = true;
                        break;
                    }
                    // An idle worker returns what it holds.
                    _ => {
                        books.report(&at.to_string(), calls(used[at]), false, TEN, now + 100, now);
                    }
                }
            }
            assert!(done, "{workers} workers");
            assert!((used.iter().sum::<f64>() - 9.0).abs() < 1e-9, "{used:?}");
        }
    }

    #[test]
    fn expired_leases_return_only_unspent_amounts() {
        let mut books = BudgetAccounts::new(Amounts::default());
        let first = books.report("a", calls(0.0), true, TEN, 100, 0);
        assert!(
            (granted(&first) - 2.0).abs() < 1e-9,
            "a quarter, in whole calls"
        );
        books.report("a", calls(1.0), false, TEN, 100, 1);
        let second = books.report("b", calls(0.0), true, TEN, 300, 200);
        assert!(granted(&second) >= 2.0);
        assert_eq!(books.leases.len(), 1);
        assert_eq!(books.total(), calls(1.0));
    }
}
