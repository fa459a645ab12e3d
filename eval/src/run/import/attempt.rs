//! Converts one result of the JavaScript system to an attempt's record and the events of the root
//! agent.

use std::collections::BTreeMap;

use harness::model::{Event, EventKind, Protocol, Role, Status};
use harness::provider::{NodeRlmResult, NodeRlmStep};
use serde_json::Value;

use records::{AttemptRecord, RECORD_VERSION};

/// Validated required fields of an attempt.
#[derive(Debug)]
pub(super) struct ImportSource {
    pub score: f64,
    pub iterations: u32,
    pub wall_time_ms: f64,
    /// Whether the attempt ended because it used all its iterations.
    pub out_of_iterations: bool,
    /// Expected answer in the scorer's form.
    pub expected: Value,
}

/// Returns the attempt's record and events, with an empty run id.
pub(super) fn convert(
    model: &str,
    max_iterations: u32,
    result: &NodeRlmResult,
    facts: ImportSource,
) -> (AttemptRecord, Vec<Event>) {
    let error = result.error.clone();
    let answer = result.answer.clone();
    // The system writes an empty answer for an attempt with an error.
    let answer = answer.filter(|answer| error.is_none() || !answer.is_empty());
    let status = match &error {
        None => Status::Ok,
        Some(_) if facts.out_of_iterations => Status::Limit,
        Some(_) => Status::Error,
    };
    // Only the root's code is recorded. If it does not mention `rlm` or `llm`, there were no other
    // agents.
    let delegates = result.trace.iter().any(names_a_call);
    let alone = |figure: u32| (!delegates).then_some(figure);
    let failed = result.trace.iter().filter(|step| step.error.is_some());
    let record = AttemptRecord {
        v: RECORD_VERSION,
        run_id: String::new(),
        id: result.task_id.clone(),
        attempt: 1,
        sample_index: None,
        cluster: None,
        status,
        score: (status != Status::Error).then_some(facts.score),
        score_explanation: None,
        score_details: None,
        scores: BTreeMap::new(),
        judge: None,
        error: error.clone(),
        answer: answer.clone(),
        answer_file: None,
        refused: false,
        state: None,
        expected: facts.expected,
        metadata: BTreeMap::new(),
        iterations: facts.iterations,
        agents: alone(1),
        depth_reached: alone(0),
        llm_calls: alone(count(result.trace.len())),
        usage: None,
        cost_usd: None,
        total_time_s: facts.wall_time_ms / 1000.0,
        working_time_s: None,
        overhead_ms: None,
        retries: None,
        cached_calls: None,
        cached_usage: None,
        context_trims: None,
        cut_prompts: 0,
        protocol_faults: None,
        delegations: alone(0),
        unawaited: None,
        failed_cells: count(failed.count()),
        returned_early: None,
        continued: false,
        program: None,
        started_at: None,
    };
    let mut kinds = vec![
        EventKind::AttemptStart {
            query: None,
            context_chars: None,
        },
        EventKind::InvocationStart {
            role: Role::Root(Protocol::Rlm),
            query: None,
            model: model.to_owned(),
            max_iterations,
            system_prompt: None,
        },
    ];
    let last = result.trace.len();
    for (iteration, step) in (1..).zip(&result.trace) {
        let returned = answer.clone().filter(|_| count(last) == iteration);
        kinds.extend(step_events(model, iteration, step, returned));
    }
    kinds.push(EventKind::InvocationEnd {
        status,
        answer: answer.clone(),
        error: error.clone(),
        iterations: facts.iterations,
    });
    kinds.push(EventKind::AttemptEnd {
        status,
        answer,
        error,
    });
    let events = kinds
        .into_iter()
        .map(|kind| Event::of_root(&result.task_id, 1, kind));
    (record, events.collect())
}

/// Whether the code of a step mentions `rlm` or `llm`.
fn names_a_call(step: &NodeRlmStep) -> bool {
    step.code
        .iter()
        .any(|block| block.contains("rlm") || block.contains("llm"))
}

fn step_events(
    model: &str,
    iteration: u32,
    step: &NodeRlmStep,
    returned: Option<String>,
) -> [EventKind; 4] {
    [
        EventKind::IterationStart { iteration },
        EventKind::LlmRequest {
            new_messages: Vec::new(),
            messages: None,
            estimate: None,
        },
        EventKind::LlmResponse {
            text: step.reasoning.clone(),
            reasoning: None,
            tool_calls: Vec::new(),
            code: None,
            truncated: false,
            usage: None,
            cost_usd: None,
            served_model: Some(model.to_owned()),
            request_id: None,
            finish_reason: None,
            ms: None,
        },
        EventKind::IterationEnd {
            iteration,
            code: step.code.join("\n\n"),
            output: step.output.clone().unwrap_or_default(),
            error: step.error.clone(),
            returned,
            intercepted: None,
            executed_ms: None,
            dropped_blocks: None,
        },
    ]
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
