//! Limits the rate of requests to an endpoint over all workers. Each worker gets the start times of
//! several request slots at a time.
//!
//! This is the generic cell rate algorithm (ITU-T I.371), which `governor` implements for one
//! process. Its state is a single message that is changed by compare-and-set. The slots of a worker
//! that has died expire unused.

use serde::{Deserialize, Serialize};

use crate::envelope::{VERSION, impl_message};

/// State of the request rate of one endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    /// Version of the message, [`VERSION`].
    pub v: u32,
    /// Time of the next free slot, in milliseconds since 1970: the theoretical arrival time of the
    /// algorithm.
    pub due_ms: f64,
}

impl_message! {
    Pace: ;
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            v: VERSION,
            due_ms: 0.0,
        }
    }
}

impl Pace {
    /// Assigns the next `number` slots at a rate of `per_second`, and returns their start times in
    /// milliseconds since 1970. After a pause, up to `burst` slots are free immediately: they lie
    /// in the past and start now.
    pub fn take(&mut self, per_second: f64, burst: u32, number: u32, now_ms: f64) -> Vec<f64> {
        let apart_ms = 1000.0 / per_second;
        let earliest = now_ms - f64::from(burst.saturating_sub(1)) * apart_ms;
        let first_ms = self.due_ms.max(earliest);
        self.due_ms = first_ms + f64::from(number) * apart_ms;
        (0..number)
            .map(|n| (first_ms + f64::from(n) * apart_ms).max(now_ms))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_keep_the_rate_over_all_workers() {
        let mut pace = Pace::default();
        let mut all = Vec::new();
        for (now, number) in [(0.0, 3), (0.0, 2), (10.0, 1), (5000.0, 4)] {
            all.extend(pace.take(10.0, 1, number, now));
        }
        let wanted = [
            0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 5000.0, 5100.0, 5200.0, 5300.0,
        ];
        assert_eq!(all, wanted);
    }

    #[test]
    fn admits_a_burst_after_a_pause() {
        let mut pace = Pace::default();
        let starts = pace.take(1.0, 5, 6, 10_000.0);
        assert!((pace.due_ms - 12_000.0).abs() < 1e-9);
        let wanted = [10_000.0, 10_000.0, 10_000.0, 10_000.0, 10_000.0, 11_000.0];
        assert_eq!(starts, wanted);
        assert_eq!(pace.take(1.0, 5, 1, 10_000.0), [12_000.0]);
    }
}
