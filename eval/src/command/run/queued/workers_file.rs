//! Writes `workers.json` to the folder of a queued run, so that the viewer can show its workers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use queue::message::{State, WorkerHeartbeat};
use queue::{Counts, now_ms};
use records::run_dir;
use serde_json::{Value, json};

use crate::process::terminal;

/// Version of the file format.
const VERSION: u32 = 1;

/// Writer of `workers.json`, with the latest report of each worker.
pub(super) struct WorkersFile {
    path: PathBuf,
    workers: BTreeMap<String, (WorkerHeartbeat, u64)>,
    /// First report of each worker: the number of attempts that it had finished, and the server's
    /// time in milliseconds since 1970.
    first_reports: BTreeMap<String, (u64, u64)>,
    last_error: Option<String>,
}

impl WorkersFile {
    pub(super) fn new(dir: &Path) -> Self {
        Self {
            path: dir.join("workers.json"),
            workers: BTreeMap::new(),
            first_reports: BTreeMap::new(),
            last_error: None,
        }
    }

    /// Whether this is the worker's first report, or its ability to work on the run changed.
    pub(super) fn is_news(&self, heartbeat: &WorkerHeartbeat) -> bool {
        let before = self.workers.get(&heartbeat.worker);
        before.is_none_or(|(before, _)| before.unfit != heartbeat.unfit)
    }

    pub(super) fn take(&mut self, heartbeat: WorkerHeartbeat, at_ms: u64) {
        let name = heartbeat.worker.clone();
        self.first_reports
            .entry(name.clone())
            .or_insert((heartbeat.finished, at_ms));
        self.workers.insert(name, (heartbeat, at_ms));
    }

    /// Writes the file. An error is only a warning, because the run does not depend on the file; a
    /// repeated error is reported once.
    pub(super) fn write(&mut self, state: &State, counts: Option<Counts>, left: usize) {
        let each = self
            .workers
            .values()
            .map(|(heartbeat, at_ms)| self.one(heartbeat, *at_ms));
        let file = json!({
            "v": VERSION,
            "at_ms": now_ms(),
            "state": state,
            "left": left,
            "waiting": counts.map(|counts| counts.waiting),
            "under_way": counts.map(|counts| counts.under_way),
            "queue_bytes": counts.map(|counts| counts.bytes),
            "workers": each.collect::<Vec<_>>(),
        });
        let text = serde_json::to_vec_pretty(&file).unwrap_or_default();
        if let Err(error) = run_dir::write_whole(&self.path, &text) {
            let text = error.to_string();
            if self.last_error.as_ref() != Some(&text) {
                terminal::warning(&text);
            }
            self.last_error = Some(text);
        }
    }

    fn one(&self, heartbeat: &WorkerHeartbeat, at_ms: u64) -> Value {
        let mut one = serde_json::to_value(heartbeat).unwrap_or_default();
        one["heard_ms"] = json!(at_ms);
        if let Some((finished, since)) = self.first_reports.get(&heartbeat.worker)
            && at_ms > *since
        {
            let minutes = (at_ms - since) as f64 / 60_000.0;
            let finished = heartbeat.finished.saturating_sub(*finished) as f64;
            one["per_minute"] = json!(finished / minutes);
        }
        one
    }
}
