//! Parses the costs of the responses in a journal.

use model::{Event, EventKind, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::Spent;

/// A request in a journal, which got a response or failed.
#[derive(Debug)]
pub struct PaidResponse {
    /// Invocation id of the agent that made the request.
    pub invocation: String,
    cached: bool,
    /// Whether the record of an earlier, failed start of the attempt includes the response.
    is_recorded: bool,
    /// Whether the request failed, so that there is no response.
    is_failed: bool,
    /// Usage and cost in US dollars, where known, of each billed try and of the response.
    parts: Vec<(Option<Usage>, Option<f64>)>,
}

impl PaidResponse {
    /// Whether a resumed attempt gets this result from the journal instead of sending the request.
    pub const fn answers(&self) -> bool {
        !(self.is_recorded && self.is_failed)
    }

    /// Whether the response was billed and no record includes it.
    const fn counts(&self) -> bool {
        !self.cached && !self.is_recorded
    }
}

/// Parses the responses in the lines of a journal, in order. Other lines are skipped.
pub fn paid_lines(bytes: &[u8]) -> Vec<PaidResponse> {
    let lines = bytes.split(|&byte| byte == b'\n');
    let mut all: Vec<PaidResponse> = Vec::new();
    for line in lines {
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        if line.get("continued").is_some() {
            for one in &mut all {
                one.is_recorded = true;
            }
        }
        all.extend(paid(&line));
    }
    all
}

/// Sums the spending of billed responses that no record includes.
pub fn spent(paid: &[PaidResponse]) -> Spent {
    let mut spent = Spent::default();
    for one in paid.iter().filter(|one| one.counts()) {
        spent.llm_calls += 1;
        for (usage, cost_usd) in &one.parts {
            spent.usage += usage.unwrap_or_default();
            spent.add_cost(*cost_usd);
        }
        spent.unknown_calls += u64::from(one.parts.iter().any(|(_, cost)| cost.is_none()));
    }
    spent
}

/// Converts billed responses that no record includes to the events of a trajectory.
pub fn as_events(paid: &[PaidResponse], sample: &str, attempt: u32) -> Vec<Event> {
    let event = |kind| Event::of_root(sample, attempt, kind);
    let mut events = vec![event(EventKind::AttemptStart {
        query: None,
        context_chars: None,
    })];
    for one in paid.iter().filter(|one| one.counts()) {
        let mut add = |kind| {
            events.push(Event {
                invocation: one.invocation.clone(),
                ..event(kind)
            });
        };
        add(EventKind::LlmRequest {
            new_messages: Vec::new(),
            messages: None,
            estimate: None,
        });
        if one.parts.is_empty() {
            add(EventKind::LlmError {
                error: "the attempt was restarted".to_owned(),
                ms: None,
            });
        }
        for (place, (usage, cost_usd)) in one.parts.iter().enumerate() {
            let is_last = place + 1 == one.parts.len();
            add(match usage {
                Some(usage) if !is_last => EventKind::LlmBilled {
                    usage: *usage,
                    cost_usd: *cost_usd,
                },
                _ => EventKind::LlmResponse {
                    text: String::new(),
                    reasoning: None,
                    tool_calls: Vec::new(),
                    code: None,
                    truncated: false,
                    usage: *usage,
                    cost_usd: *cost_usd,
                    served_model: None,
                    request_id: None,
                    finish_reason: None,
                    ms: None,
                },
            });
        }
    }
    events
}

/// Parses a journal line, or returns `None` if it is not a response.
fn paid(line: &Value) -> Option<PaidResponse> {
    let response = line.get("response")?;
    let calls = response["calls"].as_array().into_iter().flatten();
    let mut parts: Vec<_> = calls
        .filter_map(|call| call.get("Billed"))
        .map(bill)
        .collect();
    let result = &response["result"];
    let answer = result.get("Ok");
    let answer = answer.or_else(|| result.pointer("/Err/Truncated/response"));
    parts.extend(answer.map(bill));
    Some(PaidResponse {
        invocation: response["invocation"].as_str()?.to_owned(),
        cached: response["cached"].as_bool().unwrap_or_default(),
        is_recorded: false,
        is_failed: answer.is_none(),
        parts,
    })
}

/// Parses usage and cost in US dollars.
fn bill(of: &Value) -> (Option<Usage>, Option<f64>) {
    let usage = Usage::deserialize(&of["usage"]).ok();
    (usage, of["cost_usd"].as_f64())
}
