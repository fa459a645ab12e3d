//! Statistics of scores. Each formula names its source.
//!
//! Invariants: pure functions of numbers, which know no run, no file and no terminal. The same numbers in another order
//! give the same figures, to the last bit: attempts finish in any order (a race has an order of its own). Whatever is random has a fixed seed.
//!
//! `docs/concepts/statistics.md` says what users see of it; `eval/statistics/tests/reference.py` computes the figures that the
//! tests hold, with SciPy and statsmodels.

mod estimate;
mod paired;

mod betting;
mod race;
mod stopped;

mod attempts;
mod cluster;
mod difference_interval;
mod exact;
mod holm;
mod mcnemar;
mod power;
mod quantile;
mod score_interval;
mod spread;

pub use attempts::{best_of, pass_at_k, pass_hat_k};
pub use betting::{Group, Wealth, confidence_sequence};
pub use cluster::{Clustered, clustered};
pub use estimate::{Estimate, Interval, NoInterval, OfAttempts, estimate, estimate_of_attempts};
pub use holm::holm;
pub use mcnemar::mcnemar;
pub use paired::{Pair, Paired, p_value, paired};
pub use power::{POWER, detectable};
pub use race::{Race, Rivals, Rules, Standing, Unit, Verdict};
pub use score_interval::{FEW_CLUSTERS, MIN_ALONE, MIN_CLUSTERS, score_interval};
pub use stopped::Stopped;
