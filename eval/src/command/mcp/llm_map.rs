//! The tool `llm_map`: applies one instruction to each text of a list.

use std::sync::Arc;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use mcp::{Caller, Reply};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use serve::{AgentResult, OnProgress, Question, Rejection};

use super::arguments::{choose, parse_limited};
use super::state::ToolState;

pub(super) const NAME: &str = "llm_map";

/// Maximum number of texts per call.
const MAX_ITEMS: usize = 1_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    instruction: String,
    items: Vec<String>,
    #[serde(default)]
    model: Option<String>,
}

pub(super) async fn call(
    state: &ToolState,
    arguments: Map<String, Value>,
    caller: Caller,
) -> Result<Reply, String> {
    let (arguments, limits): (Arguments, _) = parse_limited(arguments)?;
    let instruction = arguments.instruction.trim();
    if instruction.is_empty() {
        return Err("invalid arguments: `instruction` is blank".to_owned());
    }
    let count = arguments.items.len();
    if !(1..=MAX_ITEMS).contains(&count) {
        return Err(format!(
            "invalid arguments: {count} items: expected 1 to {MAX_ITEMS}"
        ));
    }
    let models = state.models.iter();
    let models = models.filter(|(_, agent)| caller.client.may_use(agent));
    let models: Vec<&(String, String)> = models.collect();
    let chosen = choose(arguments.model.as_deref(), &models, |(model, _)| model)?;
    let agent = &chosen.1;
    let _turn = state.turn().await?;
    let request = state.service.request(&caller.client, limits);
    let request = request.map_err(|error| error.to_string())?;
    let quiet: OnProgress = Arc::new(|_| {});
    let mut work: FuturesUnordered<_> = arguments
        .items
        .into_iter()
        .enumerate()
        .map(|(index, context)| {
            let (request, quiet, client) = (&request, Arc::clone(&quiet), &caller.client.name);
            async move {
                let permit = state.calls.acquire().await;
                let question = Question {
                    query: instruction.to_owned(),
                    context,
                    images: Vec::new(),
                    limits,
                };
                let answer = state
                    .service
                    .answer_within(agent, question, client, request, quiet)
                    .await;
                drop(permit);
                (index, answer)
            }
        })
        .collect();
    let mut results: Vec<Option<Result<AgentResult, Rejection>>> =
        (0..count).map(|_| None).collect();
    let mut done = 0;
    while let Some((index, answer)) = work.next().await {
        results[index] = Some(answer);
        done += 1;
        (caller.report)(format!("{done} of {count} texts"));
    }
    Ok(reply(results.into_iter().flatten()))
}

fn reply(results: impl Iterator<Item = Result<AgentResult, Rejection>>) -> Reply {
    let (mut listed, mut lines) = (Vec::new(), Vec::new());
    let (mut failed, mut llm_calls, mut run) = (0, 0, None);
    let mut cost_usd = Some(0.0);
    for (index, result) in results.enumerate() {
        let number = index + 1;
        let (answer, error) = match &result {
            Ok(answered) => (answered.answer.clone(), answered.error.clone()),
            Err(refused) => (None, Some(refused.to_string())),
        };
        lines.push(match (&answer, &error) {
            (Some(answer), _) => format!("{number}. {answer}"),
            (None, error) => format!("{number}. [failed: {}]", error.as_deref().unwrap_or("")),
        });
        failed += usize::from(answer.is_none());
        let (status, sample) = match &result {
            Ok(answered) => {
                llm_calls += u64::from(answered.stats.llm_calls);
                if !answered.stats.used_nothing() {
                    cost_usd = cost_usd
                        .zip(answered.stats.cost_usd())
                        .map(|(sum, cost)| sum + cost);
                }
                run = Some(answered.run.clone());
                (json!(answered.status), Some(answered.sample.clone()))
            }
            Err(Rejection::OutOfBudget(_)) => (json!("limit"), None),
            Err(Rejection::Unavailable(_)) => (json!("error"), None),
        };
        listed.push(json!({
            "status": status,
            "answer": answer,
            "error": error,
            "sample": sample,
        }));
    }
    let is_error = failed == listed.len();
    Reply {
        text: lines.join("\n"),
        structured: json!({
            "results": listed,
            "failed": failed,
            "cost_usd": cost_usd,
            "llm_calls": llm_calls,
            "run": run,
        }),
        is_error,
    }
}
