//! Statistics of scores. Each formula names its source.
//!
//! Invariants: all functions are pure functions of numbers and do not know runs, files or
//! terminals. Except in races, figures are bit-identical for any order of the input, because
//! attempts finish in any order. Random numbers have a fixed seed. The interval and the p value of
//! a difference come from one [`Inference`], so they cannot disagree.
//!
//! `docs/concepts/statistics.md` describes what users see. `eval/statistics/tests/reference.py`
//! computes the reference figures of the tests with SciPy and statsmodels.

mod estimate;
mod inference;
mod paired;

mod betting;
mod race;
mod stopped;

mod attempts;
mod cluster;
mod holm;
mod mcnemar;
mod method;
mod power;
mod quantile;
mod tango;
mod wilson;

pub use attempts::{best_of, pass_at_k, pass_hat_k};
pub use betting::{ClusterSum, Wealth, confidence_sequence};
pub use cluster::{Clustered, clustered};
pub use estimate::{Estimate, Interval, estimate, sample_means};
pub use holm::holm;
pub use inference::Inference;
pub use mcnemar::mcnemar;
pub use method::{FEW_CLUSTERS, MIN_CLUSTERS, Method};
pub use paired::{Pair, Paired, paired};
pub use power::{POWER, detectable};
pub use race::{Race, RaceOpponents, Rules, SampleCluster, Standing, Verdict};
pub use stopped::StoppedDifference;
pub use tango::Tango;
