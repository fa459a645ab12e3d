//! The index of a trajectory file: the location of each event, and the tree of agents. The index
//! grows with the file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;
use std::time::Instant;

use model::{Event, EventKind};
use records::trajectory::{Fold, cut_strings, heads};
use serde::Serialize;
use serde_json::Value;

use super::agent::{Agent, Timeline};
use super::file_parts::{LineLocation, TextPart, text_part};
use super::iteration_marks::IterationMarks;
use crate::answer_match::Match;
use crate::file_digest::digest_before;

/// Maximum bytes of a string in the index: the part of a query or an answer that lists show.
const KEPT: usize = 400;

/// Locations of a trajectory's events in its file, grouped by agent and iteration.
#[derive(Debug, Default)]
pub struct Index {
    fold: Fold,
    /// Timelines of the agents in `fold`; `places` has the same order.
    timelines: Vec<Timeline>,
    places: Vec<AgentLocations>,
    /// Progress so far. The indexed bytes end with a complete line.
    progress: Progress,
    /// Hash of indexed bytes, for detecting that the file was replaced.
    digest: String,
    /// Results of comparing answers with expected texts, so that each answer is read only once. The
    /// key is the location of the answer and a hash of the texts.
    answer_matches: RefCell<HashMap<(u64, u64), Option<Match>>>,
}

/// Locations of an agent's events.
#[derive(Debug, Default)]
pub(super) struct AgentLocations {
    /// Location of the agent's `invocation_start` event.
    pub(super) start: Option<LineLocation>,
    pub(super) end: Option<LineLocation>,
    /// Iterations in order. An agent without a REPL has no iterations, so its call counts as the
    /// first.
    pub(super) iterations: Vec<IterationLocations>,
    /// Number of messages received; 0 for an agent that does not accept messages.
    messages: usize,
    /// Whether the last iteration so far consists only of the message that begins it.
    is_message: bool,
}

/// Locations of an iteration's events.
#[derive(Debug)]
pub(super) struct IterationLocations {
    pub(super) number: u64,
    pub(super) events: Vec<LineLocation>,
    pub(super) marks: IterationMarks,
}

impl IterationLocations {
    fn new(number: u64) -> Self {
        Self {
            number,
            events: Vec::new(),
            marks: IterationMarks::default(),
        }
    }
}

/// Progress of indexing a trajectory.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Progress {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of indexed bytes.
    pub indexed_bytes: u64,
    /// Whether all complete lines are indexed; the remaining bytes, if any, are a truncated line.
    pub whole: bool,
    /// Number of events.
    pub events: u64,
    /// Number of skipped lines that are not events.
    pub malformed: u64,
    /// Whether the attempt has ended.
    pub ended: bool,
    /// Milliseconds from the start of the attempt to its last event.
    pub now_ms: f64,
    /// Whether any event has a timestamp.
    pub timed: bool,
    /// Number of responses that were replayed from the attempt's journal, if an earlier process
    /// began the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<u64>,
    /// Reason why the attempt restarted instead of resuming.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarted: Option<String>,
}

impl Index {
    /// Continues indexing up to the last complete line or until the time `until`. If the file was
    /// replaced, as when its attempt is run again, it is read from the beginning.
    pub fn advance(&mut self, path: &Path, until: Instant) -> io::Result<Progress> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut file = BufReader::with_capacity(1 << 18, file);
        if digest_before(&mut file, self.progress.indexed_bytes)? != self.digest {
            *self = Self::default();
            file.rewind()?;
        }
        let mut line = Vec::new();
        let mut whole = self.progress.indexed_bytes == length;
        // Read at least one line per call, so that indexing progresses even if lines are very long.
        while !whole {
            line.clear();
            file.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                whole = true;
                break;
            }
            self.take(&line);
            self.progress.indexed_bytes += line.len() as u64;
            if Instant::now() >= until {
                whole = self.progress.indexed_bytes >= length;
                break;
            }
        }
        self.digest = digest_before(&mut file, self.progress.indexed_bytes)?;
        self.progress.bytes = length;
        self.progress.whole = whole;
        self.progress.ended = self.fold.has_ended;
        Ok(self.progress.clone())
    }

    /// Returns the current state of the agents, in the order in which they started. An agent whose
    /// end was not recorded ends with its caller.
    pub fn agents(&self) -> Vec<Agent<'_>> {
        let now_ms = self.progress.now_ms;
        let attempt_end = self.fold.has_ended.then_some(now_ms);
        let mut ends: Vec<Option<f64>> = Vec::new();
        let agents = self.fold.agents.iter().zip(&self.timelines);
        let agents = agents.zip(&self.places);
        agents
            .map(|((agent, timeline), places)| {
                let caller = agent.parent.as_deref().and_then(|id| self.fold.place(id));
                // A caller's first event comes before those of its children.
                let caller_end = caller.and_then(|caller| ends.get(caller).copied().flatten());
                let stopped_ms = caller_end.or(attempt_end);
                ends.push(timeline.ended_ms().or(stopped_ms));
                let iterations = places.iterations.len();
                let messages = places.messages;
                Agent::at(now_ms, stopped_ms, agent, timeline, iterations, messages)
            })
            .collect()
    }

    /// Compares an agent's answer with the texts in `wanted`. `answer` is an answer from
    /// [`agents`](Self::agents). If it is truncated, the full answer is read from the file.
    pub fn answer_holds(
        &self,
        path: &Path,
        answer: &Value,
        wanted: Option<&[String]>,
    ) -> io::Result<Option<Match>> {
        let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else {
            return Ok(None);
        };
        if let Some(text) = answer.as_str() {
            return Ok(Match::of(text, wanted));
        }
        let (Some(from), Some(to)) = (answer["from"].as_u64(), answer["to"].as_u64()) else {
            return Ok(None);
        };
        let mut hasher = DefaultHasher::new();
        wanted.hash(&mut hasher);
        let key = (from, hasher.finish());
        if let Some(known) = self.answer_matches.borrow().get(&key) {
            return Ok(*known);
        }
        let part = self.text_part(path, from, to)?;
        let found = part.and_then(|part| Match::of(&part.text, wanted));
        self.answer_matches.borrow_mut().insert(key, found);
        Ok(found)
    }

    /// Returns the string whose JSON occupies the bytes from `from` to `to`, or its first part if
    /// it is long.
    ///
    /// Returns `None` if the bytes are not indexed or not part of a string.
    pub fn text_part(&self, path: &Path, from: u64, to: u64) -> io::Result<Option<TextPart>> {
        if from > to || to > self.progress.indexed_bytes {
            return Ok(None);
        }
        text_part(path, from, to)
    }

    /// Returns the agents' ids with the locations of their events.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, &AgentLocations)> {
        let agents = self.fold.agents.iter().zip(&self.places);
        agents.map(|(agent, places)| (agent.id.as_str(), places))
    }

    pub(super) fn agent(&self, id: &str) -> Option<&AgentLocations> {
        self.fold.place(id).map(|place| &self.places[place])
    }

    fn take(&mut self, line: &[u8]) {
        let progress = &mut self.progress;
        let short = heads(line, KEPT);
        let event: Option<Event> = serde_json::from_slice(&short).ok();
        let (agent, at_ms) = if let Some(event) = &event {
            (self.fold.take(event), event.at_ms)
        } else {
            // The event may come from a later version of the program, so it is shown as is.
            let other: Value = serde_json::from_slice(&short).unwrap_or_default();
            let Some(id) = other["invocation"].as_str() else {
                progress.malformed += 1;
                return;
            };
            let depth = other["depth"].as_u64().unwrap_or_default();
            let depth = u32::try_from(depth).unwrap_or(u32::MAX);
            let agent = self.fold.agent(id, other["parent"].as_str(), depth);
            (Some(agent), other["at_ms"].as_f64())
        };
        progress.events += 1;
        // A recording from another system may lack times.
        progress.timed |= at_ms.is_some();
        let at_ms = at_ms.unwrap_or(progress.now_ms);
        progress.now_ms = progress.now_ms.max(at_ms);
        let Some(agent) = agent else {
            match event.map(|event| event.kind) {
                Some(EventKind::AttemptResumed { responses }) => progress.resumed = Some(responses),
                Some(EventKind::AttemptRestarted { reason }) => progress.restarted = Some(reason),
                _ => {}
            }
            return;
        };
        if agent == self.places.len() {
            self.timelines.push(Timeline::new(at_ms));
            self.places.push(AgentLocations::default());
        }
        let place = LineLocation {
            offset: progress.indexed_bytes,
            length: line.len(),
        };
        let kind = event.as_ref().map(|event| &event.kind);
        self.places[agent].take(kind, place);
        self.timelines[agent].take(at_ms, kind);
        let texts_of = match kind {
            Some(EventKind::InvocationStart { .. } | EventKind::InvocationEnd { .. }) => agent,
            Some(EventKind::DelegationError { child, .. }) => {
                let Some(child) = self.stopped_child(child) else {
                    return;
                };
                self.timelines[child].stop(at_ms);
                child
            }
            _ => return,
        };
        let texts = cut_strings(line, place.offset, KEPT);
        let mut texts: Value = serde_json::from_slice(&texts).unwrap_or_default();
        self.timelines[texts_of].keep(&mut texts["kind"]);
    }

    /// Returns the index of an agent that is running although the call to it failed. An agent that
    /// accepts messages can answer further ones.
    fn stopped_child(&self, id: &str) -> Option<usize> {
        let child = self.fold.place(id)?;
        let is_running = self.timelines[child].ended_ms().is_none();
        (is_running && self.places[child].messages == 0).then_some(child)
    }
}

impl AgentLocations {
    fn take(&mut self, kind: Option<&EventKind>, place: LineLocation) {
        match kind {
            Some(EventKind::InvocationStart { .. }) => self.start = Some(place),
            Some(EventKind::InvocationEnd { .. }) => self.end = Some(place),
            Some(EventKind::MessageReceived { .. }) => {
                self.messages += 1;
                self.is_message = true;
                // Events before the first message are shown with it.
                if self.iterations.is_empty() || self.messages > 1 {
                    let number = self.iterations.last().map_or(1, |last| last.number + 1);
                    self.iterations.push(IterationLocations::new(number));
                }
                self.add(kind, place);
            }
            Some(EventKind::IterationStart { iteration }) => {
                let number = u64::from(*iteration);
                if !std::mem::take(&mut self.is_message) {
                    self.iterations.push(IterationLocations::new(number));
                } else if let Some(last) = self.iterations.last_mut() {
                    last.number = number;
                }
                self.add(kind, place);
            }
            _ => {
                if self.iterations.is_empty() {
                    self.iterations.push(IterationLocations::new(1));
                }
                self.add(kind, place);
            }
        }
    }

    fn add(&mut self, kind: Option<&EventKind>, place: LineLocation) {
        if let Some(last) = self.iterations.last_mut() {
            last.events.push(place);
            if let Some(kind) = kind {
                last.marks.take(kind, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};

    use super::Index;

    /// A message begins the iteration that follows it, or a separate iteration if none follows.
    #[test]
    fn messages_begin_iterations() {
        let agents = [
            (
                "repl",
                "message_received iteration_start message_answered message_received iteration_start \
                 iteration_start message_answered",
                vec![3, 2, 2],
                2,
            ),
            (
                "flat",
                "message_received llm_cached message_answered message_received llm_cached",
                vec![3, 2],
                2,
            ),
            (
                "two sides",
                "iteration_end message_received iteration_end message_answered message_received",
                vec![4, 1],
                2,
            ),
            ("called", "iteration_start iteration_start", vec![1, 1], 0),
        ];
        let folder = tempfile::tempdir().unwrap();
        for (name, kinds, expected, messages) in agents {
            let mut iteration = 0;
            let lines = kinds.split_whitespace().map(|kind| {
                iteration += u32::from(kind == "iteration_start");
                let kind = json!({"type": kind, "iteration": iteration, "number": 1, "text": "t",
                    "status": "ok", "answer": "a", "error": null});
                json!({"v": 1, "run_id": "r", "sample": "s", "attempt": 1, "at_ms": 1.0, "invocation": name,
                    "parent": null, "depth": 0, "kind": kind})
                .to_string()
            });
            let path = folder.path().join(name);
            fs::write(&path, lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
            let mut index = Index::default();
            let soon = Instant::now() + Duration::from_secs(60);
            index.advance(&path, soon).unwrap();
            let places = index.agent(name).unwrap();
            let events: Vec<usize> = places
                .iterations
                .iter()
                .map(|one| one.events.len())
                .collect();
            assert_eq!((events, places.messages), (expected, messages), "{name}");
            let numbers: Vec<u64> = places.iterations.iter().map(|one| one.number).collect();
            assert!(
                numbers.is_sorted() && numbers.first() == Some(&1),
                "{name}: {numbers:?}"
            );
        }
    }

    #[test]
    fn starts_over_if_file_was_replaced() {
        let lines = |at_ms: f64, count: u32| -> String {
            let lines = (1..=count).map(|iteration| {
                let kind = json!({"type": "iteration_start", "iteration": iteration});
                let event = json!({"v": 1, "run_id": "r", "sample": "s", "attempt": 1,
                    "at_ms": at_ms, "invocation": "root", "parent": null, "depth": 0, "kind": kind});
                format!("{event}\n")
            });
            lines.collect()
        };
        let rows = [
            ("grown", lines(1.0, 9), 9, 9),
            ("longer", lines(2.0, 9), 9, 9),
            ("as long", lines(2.0, 5), 5, 5),
            ("shorter", lines(2.0, 3), 3, 3),
            ("empty", String::new(), 0, 0),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.1.jsonl");
        for (name, replacement, iterations, events) in rows {
            let mut index = Index::default();
            for text in [lines(1.0, 5), replacement] {
                fs::write(&path, text).unwrap();
                let soon = Instant::now() + Duration::from_secs(60);
                index.advance(&path, soon).unwrap();
            }
            let found = index.agent("root").map_or(0, |root| root.iterations.len());
            assert_eq!(
                (found, index.progress.events),
                (iterations, events),
                "{name}"
            );
        }
    }

    /// The trajectory does not contain the end of an agent that was stopped.
    #[test]
    fn stopped_agents_have_ended() {
        let lines = [
            (0.0, "root", "invocation_start", ""),
            (1.0, "cancelled", "invocation_start", ""),
            (2.0, "cancelled", "llm_request", ""),
            (2.0, "below", "invocation_start", "cancelled"),
            (3.0, "limited", "invocation_start", ""),
            (4.0, "limited", "invocation_end", ""),
            (5.0, "root", "delegation_error", "limited"),
            (6.0, "root", "delegation_error", "cancelled"),
            // The request fails after the agent that sent it was stopped.
            (7.0, "cancelled", "llm_error", ""),
            (8.0, "instance", "invocation_start", ""),
            (8.0, "instance", "message_received", ""),
            (9.0, "root", "delegation_error", "instance"),
            (10.0, "root", "iteration_start", ""),
            (12.0, "root", "invocation_end", ""),
        ];
        let lines = lines.map(|(at_ms, agent, kind, other)| {
            let parent = match (agent, other) {
                ("root", _) => None,
                (_, "") => Some("root"),
                (_, parent) => Some(parent),
            };
            let error = (kind != "invocation_start").then_some("stopped");
            let kind = json!({"type": kind, "role": "child", "query": "q", "model": "m",
                "max_iterations": 1, "new_messages": [], "messages": 1, "child": other,
                "error": error, "status": "limit", "answer": null, "iterations": 1,
                "iteration": 1, "number": 1, "text": "t", "ms": 1.0});
            json!({"v": 1, "run_id": "r", "sample": "s", "attempt": 1, "at_ms": at_ms,
                "invocation": agent, "parent": parent, "depth": u32::from(agent != "root"),
                "kind": kind})
            .to_string()
        });
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.1.jsonl");
        let shown = |lines: &[String]| -> Vec<String> {
            fs::write(&path, lines.join("\n") + "\n").unwrap();
            let mut index = Index::default();
            let soon = Instant::now() + Duration::from_secs(60);
            index.advance(&path, soon).unwrap();
            let agents = index.agents();
            let agents = agents.iter().map(|agent| {
                let (status, error) = (json!(agent.status), agent.error);
                format!("{} {status} {} {error}", agent.id, agent.end_ms)
            });
            agents.collect()
        };
        let stopped = [
            "cancelled \"cancelled\" 6 \"stopped\"",
            "below \"cancelled\" 6 null",
            "limited \"limit\" 4 \"stopped\"",
        ];
        // An agent that accepts messages runs on after a message failed.
        let running = ["root null 10 null", "instance null 10 null"];
        let ended = [
            "root \"limit\" 12 \"stopped\"",
            "instance \"cancelled\" 12 null",
        ];
        for (count, [root, instance]) in [(13, running), (14, ended)] {
            let wanted = [root, stopped[0], stopped[1], stopped[2], instance];
            assert_eq!(shown(&lines[..count]), wanted);
        }
    }

    #[test]
    fn keeps_unknown_events_and_cuts_long_texts() {
        let event = |kind: Value| {
            json!({"v": 1, "run_id": "r", "sample": "s", "attempt": 1, "at_ms": 1.0, "invocation": "root",
                "parent": null, "depth": 0, "kind": kind})
            .to_string()
        };
        let lines = [
            event(
                json!({"type": "invocation_start", "role": "root", "query": "q".repeat(500), "model": "m",
                "max_iterations": 3, "system_prompt": "s".repeat(500)}),
            ),
            event(json!({"type": "iteration_start", "iteration": 1})),
            event(json!({"type": "llm_request", "new_messages": [], "messages": 1})),
            event(json!({"type": "llm_error", "error": "too long", "ms": 1.0})),
            event(json!({"type": "context_trimmed", "messages": [0], "chars": 9})),
            event(json!({"type": "of_a_later_version"})),
            event(json!({"type": "judge_request"})),
            json!({"invocation": "later", "kind": {"type": "of_a_later_version"}}).to_string(),
            "no event".to_owned(),
            "{\"torn".to_owned(),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.1.jsonl");
        fs::write(&path, lines.join("\n")).unwrap();
        let mut index = Index::default();
        let soon = Instant::now() + Duration::from_secs(60);
        let progress = index.advance(&path, soon).unwrap();
        assert_eq!((progress.events, progress.malformed), (8, 1));
        let agents = json!(index.agents());
        let shown = |agent: usize| {
            let fields = ["id", "role", "llm_calls", "iterations"];
            fields.map(|field| agents[agent][field].clone())
        };
        assert_eq!(shown(0), [json!("root"), json!("root"), json!(2), json!(1)]);
        assert_eq!(shown(1), [json!("later"), json!(""), json!(0), json!(1)]);
        assert_eq!(agents[2], Value::Null);
        assert_eq!(agents[0]["query"]["bytes"], 500);
        let events = index.agent("root").unwrap().iterations[0].events.len();
        assert_eq!(events, 5);
    }
}
