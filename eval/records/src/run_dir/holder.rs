//! `running.json`: the process that is working on a run.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Content of `running.json`, which shows people which process is working on the run. The file has
/// no effect: only the operating system's lock excludes other processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Host name; empty if the system does not report it.
    pub host: String,
    /// Time when the process locked the run, in RFC 3339.
    pub since: String,
}

impl Holder {
    /// Returns the content for this process, with the current time.
    pub(super) fn this_process() -> Self {
        let host = ["/proc/sys/kernel/hostname", "/etc/hostname"]
            .iter()
            .find_map(|path| fs::read_to_string(path).ok())
            .unwrap_or_default();
        Self {
            pid: std::process::id(),
            host: host.trim().to_owned(),
            since: Timestamp::now().to_string(),
        }
    }

    /// Reads `running.json`. Returns `None` if the other process has taken the lock but has not
    /// written the file yet.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}
