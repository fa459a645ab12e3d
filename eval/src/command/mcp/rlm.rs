//! The tool `rlm`: an agent answers a question.

use std::path::PathBuf;
use std::sync::Arc;

use harness::model::Status;
use mcp::{Caller, Reply};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use serve::{AgentResult, OnProgress, Progress, Question, with_headings};

use super::arguments::{choose, parse_limited};
use super::roots::Roots;
use super::state::ToolState;
use crate::settings::{read_file, read_folder};

pub(super) const NAME: &str = "rlm";

/// Maximum total bytes of the arguments `context` and `files`.
const MAX_CONTEXT_BYTES: usize = 500_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    #[serde(default)]
    context: Option<String>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    folder: Option<String>,
    #[serde(default)]
    model: Option<String>,
}

pub(super) async fn call(
    state: &ToolState,
    arguments: Map<String, Value>,
    caller: Caller,
) -> Result<Reply, String> {
    let (arguments, limits): (Arguments, _) = parse_limited(arguments)?;
    let query = arguments.query.trim().to_owned();
    if query.is_empty() {
        return Err("invalid arguments: `query` is blank".to_owned());
    }
    let offered = state
        .agents
        .iter()
        .filter(|name| caller.client.may_use(name));
    let offered: Vec<&String> = offered.collect();
    let agent = choose(arguments.model.as_deref(), &offered, |name| name.as_str())?;
    let turn = state.turn().await?;
    let roots = Arc::clone(&state.roots);
    let (context, files, folder) = (arguments.context, arguments.files, arguments.folder);
    let context = state
        .run_blocking(move || read(&roots, context, &files, folder.as_deref()))
        .await?;
    let question = Question {
        query,
        context,
        images: Vec::new(),
        limits,
    };
    let client = &caller.client;
    let request = state.service.request(client, question.limits);
    let request = request.map_err(|error| error.to_string())?;
    let answer =
        state
            .service
            .answer_within(agent, question, &client.name, &request, steps(&caller));
    let answered = answer.await.map_err(|error| error.to_string())?;
    drop(turn);
    Ok(reply(answered))
}

/// Returns a callback that forwards the progress lines of the agent to the client.
fn steps(caller: &Caller) -> OnProgress {
    let report = Arc::clone(&caller.report);
    Arc::new(move |progress| {
        if let Progress::Step(line) = progress {
            report(line);
        }
    })
}

/// Joins the inline context, files and folder of a call into one context, with a heading for each
/// text. A single inline text or file gets no heading.
fn read(
    roots: &Roots,
    context: Option<String>,
    files: &[String],
    folder: Option<&str>,
) -> Result<String, String> {
    let mut pieces = Vec::new();
    if let Some(context) = context.filter(|context| !context.is_empty()) {
        pieces.push(("context".to_owned(), context));
    }
    let mut length = pieces.iter().map(|(_, text)| text.len()).sum::<usize>();
    for name in files {
        let path: PathBuf = roots.file(name)?;
        if !path.is_file() {
            return Err(format!("{name:?} is not a file; give a folder as `folder`"));
        }
        let text = read_file(&path).map_err(|error| error.to_string())?;
        length += text.len();
        if length > MAX_CONTEXT_BYTES {
            return Err(format!("the context exceeds {MAX_CONTEXT_BYTES} bytes"));
        }
        pieces.push((name.clone(), text));
    }
    if let Some(name) = folder {
        let path = roots.file(name)?;
        if !path.is_dir() {
            return Err(format!("{name:?} is not a folder; give files as `files`"));
        }
        let text = read_folder(&path, |file| roots.holds(file));
        let text = text.map_err(|error| error.to_string())?;
        if pieces.is_empty() {
            return Ok(text);
        }
        // The texts of a folder already have headings.
        return Ok(with_headings(pieces) + "\n" + &text);
    }
    if pieces.len() == 1 {
        return Ok(pieces.remove(0).1);
    }
    Ok(with_headings(pieces))
}

fn reply(answered: AgentResult) -> Reply {
    let structured = json!({
        "status": answered.status,
        "answer": answered.answer,
        "error": answered.error,
        "input_tokens": answered.stats.usage.map(|usage| usage.input_tokens),
        "output_tokens": answered.stats.usage.map(|usage| usage.output_tokens),
        "cost_usd": answered.stats.cost_usd(),
        "agents": answered.stats.agents,
        "depth_reached": answered.stats.depth_reached,
        "iterations": answered.stats.iterations,
        "llm_calls": answered.stats.llm_calls,
        "run": answered.run,
        "sample": answered.sample,
    });
    let reason = answered.error.unwrap_or_default();
    let (text, is_error) = match (answered.status, answered.answer) {
        (Status::Limit, Some(answer)) => (
            format!("{answer}\n\n[The agent reached a limit before it was done: {reason}]"),
            false,
        ),
        (Status::Limit, None) => (
            format!("no answer, because the agent reached a limit: {reason}"),
            true,
        ),
        (_, Some(answer)) => (answer, false),
        (_, None) => (format!("no answer: {reason}"), true),
    };
    Reply {
        text,
        structured,
        is_error,
    }
}
