//! Statistical methods, and the number of clusters that intervals and tests require.

use serde::{Deserialize, Serialize};

/// Minimum number of clusters for an interval or a test.
pub const MIN_CLUSTERS: usize = 3;

/// Number of clusters below which tables add a warning to the interval.
pub const FEW_CLUSTERS: usize = 10;

/// Method of an interval and, for a difference, of its test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Wilson's score interval of a proportion: every value is 0 or 1, and each value is its own
    /// cluster.
    Wilson,
    /// Wilson's interval with the cluster-robust variance instead of the variance of a proportion.
    ClusterWilson,
    /// Tango's score test of a paired difference: every score is 0 or 1, and each sample is its own
    /// cluster.
    Tango,
    /// Student's t test of the samples' differences.
    T,
    /// Student's t test with a cluster-robust standard error.
    ClusterT,
    /// Score test for differences (or scores) without any spread.
    NoSpread,
}

impl Method {
    /// Returns the name for tables and sentences.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wilson => "Wilson's score interval",
            Self::ClusterWilson => "Wilson's interval with a cluster-robust variance",
            Self::Tango => "Tango's score test",
            Self::T => "t test",
            Self::ClusterT => "t test, cluster-robust",
            Self::NoSpread => "score test without spread",
        }
    }
}
