//! Clusters of samples whose scores are correlated.

use records::AttemptRecord;

/// Unit of independent sampling: attempts in the same cluster are correlated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cluster<'a> {
    /// Samples of a named cluster.
    Named(&'a str),
    /// Attempts at a single sample.
    Sample(&'a str),
}

impl<'a> Cluster<'a> {
    /// Returns the cluster of the attempts at a sample.
    pub fn of(sample: &'a str, cluster: Option<&'a str>) -> Self {
        cluster.map_or(Self::Sample(sample), Self::Named)
    }

    /// Returns the cluster of an attempt.
    pub(super) fn of_record(record: &'a AttemptRecord) -> Self {
        Self::of(&record.id, record.cluster.as_deref())
    }
}
