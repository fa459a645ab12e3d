//! `requests/`: the requests of each attempt as sent to servers, if the run records them.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use super::links::without_links;
use super::{REQUESTS, RunDirError, name};
use crate::is_zero;

/// Version of the line format; every line carries it as `v`.
const VERSION: u32 = 1;

/// A request as sent to a server.
#[derive(Debug, Clone, Copy)]
pub struct SentRequest<'a> {
    /// Id of the sample.
    pub sample: &'a str,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Invocation id of the agent, or `judge`.
    pub invocation: &'a str,
    /// Number of the request within the invocation, 1-based.
    pub turn: u32,
    /// Number of times that the conversation was shortened for this request.
    pub trims: u32,
    /// Body of the request, as JSON text.
    pub body: &'a str,
}

/// Appends requests to the files of a run.
#[derive(Debug)]
pub struct RequestFiles {
    folder: PathBuf,
    /// Newest request of each agent, to number its tries.
    newest: Mutex<HashMap<Agent, Newest>>,
}

/// Key of an agent: sample, attempt and invocation id.
type Agent = (String, u32, String);

#[derive(Debug, Default)]
struct Newest {
    turn: u32,
    trims: u32,
    tries: u32,
}

/// One line of a request file.
#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    invocation: &'a str,
    turn: u32,
    #[serde(skip_serializing_if = "is_zero")]
    trims: u32,
    r#try: u32,
    at: String,
    body: &'a RawValue,
}

impl RequestFiles {
    /// Returns the request files of the run in a folder. The files are created when requests are
    /// appended.
    pub fn of(run: &Path) -> Self {
        Self {
            folder: run.join(REQUESTS),
            newest: Mutex::default(),
        }
    }

    /// Appends a request to the file of its attempt, with the current time and the number of the
    /// try.
    ///
    /// # Errors
    /// Returns [`RunDirError::Write`] if the file cannot be written.
    pub fn append(&self, request: &SentRequest<'_>) -> Result<(), RunDirError> {
        let name = name::trajectory(request.sample, request.attempt);
        let path = self.folder.join(name);
        self.write(&path, request)
            .map_err(|reason| RunDirError::Write { path, reason })
    }

    fn write(&self, path: &Path, request: &SentRequest<'_>) -> io::Result<()> {
        // The lock is held while the line is written, so that lines of concurrent agents do not
        // interleave.
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(&Line {
            v: VERSION,
            invocation: request.invocation,
            turn: request.turn,
            trims: request.trims,
            r#try: count(&mut newest, request),
            at: Timestamp::now().to_string(),
            body: serde_json::from_str(request.body)?,
        })?;
        fs::create_dir_all(&self.folder)?;
        let mut file = without_links(OpenOptions::new().append(true).create(true)).open(path)?;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

/// Counts a try of a request, and returns its 1-based number.
fn count(newest: &mut HashMap<Agent, Newest>, request: &SentRequest<'_>) -> u32 {
    let agent = (
        request.sample.to_owned(),
        request.attempt,
        request.invocation.to_owned(),
    );
    let newest = newest.entry(agent).or_default();
    if (newest.turn, newest.trims) != (request.turn, request.trims) {
        *newest = Newest {
            turn: request.turn,
            trims: request.trims,
            tries: 0,
        };
    }
    newest.tries += 1;
    newest.tries
}
