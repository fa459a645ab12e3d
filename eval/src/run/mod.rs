//! Runs: their events, and what stores, resumes, merges and imports them.
//!
//! Invariant: nothing here depends on settings or makes an attempt; [`runner`](crate::runner) does.

pub mod event;

pub mod journal;
pub mod request_recorder;
pub mod store;

pub mod resume;

pub mod import;
pub mod merge;

pub mod protocol_fit;
