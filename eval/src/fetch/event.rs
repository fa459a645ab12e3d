//! The progress of a fetch.

/// Progress of a fetch.
#[derive(Debug)]
pub enum FetchEvent<'a> {
    /// The files to fetch are known.
    Planned {
        /// Number of files.
        files: usize,
        /// Total size in bytes, if the source reports it.
        bytes: Option<u64>,
    },
    /// Some files are in Parquet format, which this build cannot read.
    Unreadable,
    /// Bytes to add to the count: received now or left by an earlier fetch.
    Bytes(u64),
    /// Bytes to subtract from the count, because they are downloaded again or have the wrong
    /// checksum.
    Again(u64),
    /// A request failed and will be retried.
    Retry {
        /// Delay before the retry, in seconds.
        wait: u64,
        /// Reason for the retry.
        reason: &'a str,
    },
}
