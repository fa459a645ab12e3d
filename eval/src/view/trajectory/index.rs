//! The index of a trajectory file: where each event stands, and the tree of agents. It grows as the file does.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

use super::agent::Agent;
use super::cut::cut_strings;

/// Bytes of a string that the index keeps: what a list shows of a query or an answer.
const KEPT: usize = 400;

/// Where the events of a trajectory stand in its file, grouped by agent and iteration.
#[derive(Debug, Default)]
pub struct Index {
    agents: Vec<Agent>,
    by_id: HashMap<String, usize>,
    places: Vec<AgentPlaces>,
    /// Bytes that are indexed: whole lines.
    offset: u64,
    /// Bytes of the file when it was last looked at.
    length: u64,
    events: u64,
    /// Lines that are no events.
    malformed: u64,
    now_ms: f64,
    /// Whether any event says when it was.
    timed: bool,
    ended: bool,
}

/// Where the events of an agent stand.
#[derive(Debug, Default)]
pub(super) struct AgentPlaces {
    /// The event that tells how the agent began, and the one that tells how it ended.
    pub(super) start: Option<Place>,
    pub(super) end: Option<Place>,
    /// By iteration, in order. A flat agent, which has none, has its call as the first.
    pub(super) iterations: Vec<IterationPlaces>,
}

/// Where the events of an iteration stand.
#[derive(Debug)]
pub(super) struct IterationPlaces {
    pub(super) number: u64,
    pub(super) events: Vec<Place>,
}

/// A line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) length: usize,
}

/// How much of a trajectory is indexed.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Progress {
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes that are indexed.
    pub indexed_bytes: u64,
    /// Whether all whole lines are: what then lacks to `bytes` is a line that is not written to its end.
    pub whole: bool,
    /// Events.
    pub events: u64,
    /// Lines that are no events, and are left out.
    pub malformed: u64,
    /// Whether the attempt has ended.
    pub ended: bool,
    /// Milliseconds from the attempt's begin to its last event.
    pub now_ms: f64,
    /// Whether the events say when they were.
    pub timed: bool,
}

impl Index {
    /// Reads on from where it stopped, until the last whole line or `until`. A file that was begun anew is read anew.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn advance(&mut self, path: &Path, until: Instant) -> io::Result<Progress> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        if length < self.offset {
            *self = Self::default();
        }
        self.length = length;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut line = Vec::new();
        let mut whole = self.offset == length;
        // At least one line a call, so that it ends however long the lines are.
        while !whole {
            line.clear();
            file.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                whole = true;
                break;
            }
            self.take(&line);
            self.offset += line.len() as u64;
            if Instant::now() >= until {
                whole = self.offset >= length;
                break;
            }
        }
        Ok(Progress {
            bytes: length,
            indexed_bytes: self.offset,
            whole,
            events: self.events,
            malformed: self.malformed,
            ended: self.ended,
            now_ms: self.now_ms,
            timed: self.timed,
        })
    }

    /// The agents in the order in which they began, as they are now.
    pub fn agents(&self) -> Vec<Agent> {
        self.agents
            .iter()
            .map(|agent| agent.at(self.now_ms))
            .collect()
    }

    pub(super) fn agent(&self, id: &str) -> Option<&AgentPlaces> {
        self.by_id.get(id).map(|agent| &self.places[*agent])
    }

    /// Whether the bytes from `from` to `to` lie within what is indexed.
    pub(super) fn holds(&self, from: u64, to: u64) -> bool {
        from <= to && to <= self.offset
    }

    fn take(&mut self, line: &[u8]) {
        let parsed = serde_json::from_slice(&cut_strings(line, self.offset, KEPT));
        let Ok::<Value, _>(event) = parsed else {
            self.malformed += 1;
            return;
        };
        let Some(id) = event["invocation"].as_str() else {
            self.malformed += 1;
            return;
        };
        self.events += 1;
        // A recording that another system made may know no times.
        let at_ms = event["at_ms"].as_f64();
        self.timed |= at_ms.is_some();
        let at_ms = at_ms.unwrap_or(self.now_ms);
        self.now_ms = self.now_ms.max(at_ms);
        let kind = &event["kind"];
        let name = kind["type"].as_str().unwrap_or_default();
        // Events of the attempt carry the root's id, and may come before the root begins.
        if name == "attempt_start" {
            return;
        }
        if name == "attempt_end" {
            self.ended = true;
            return;
        }
        // A judge is no agent of the attempt.
        if name.starts_with("judge_") {
            return;
        }
        let agent = *self.by_id.entry(id.to_owned()).or_insert_with(|| {
            let parent = event["parent"].as_str();
            let depth = event["depth"].as_u64().unwrap_or_default();
            self.agents.push(Agent::new(id, parent, depth, at_ms));
            self.places.push(AgentPlaces::default());
            self.agents.len() - 1
        });
        let place = Place {
            offset: self.offset,
            length: line.len(),
        };
        let places = &mut self.places[agent];
        places.take(name, kind["iteration"].as_u64(), place);
        self.agents[agent].iterations = places.iterations.len();
        self.agents[agent].take(at_ms, kind);
    }
}

impl AgentPlaces {
    fn take(&mut self, name: &str, iteration: Option<u64>, place: Place) {
        match name {
            "invocation_start" => self.start = Some(place),
            "invocation_end" => self.end = Some(place),
            "iteration_start" => {
                let number = iteration.unwrap_or(self.iterations.len() as u64 + 1);
                let events = vec![place];
                self.iterations.push(IterationPlaces { number, events });
            }
            _ => {
                if self.iterations.is_empty() {
                    let events = Vec::new();
                    self.iterations.push(IterationPlaces { number: 1, events });
                }
                if let Some(last) = self.iterations.last_mut() {
                    last.events.push(place);
                }
            }
        }
    }
}
