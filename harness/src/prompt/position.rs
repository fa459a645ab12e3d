//! The section about an agent's position: depth, iterations, possible children, and queries of its
//! ancestors.

use std::fmt::Write as _;

use serde::Serialize;

use super::agent_prompt::AgentPrompt;
use super::assembled::{POSITION, Section};
use super::config::PromptConfig;
use super::sections::{
    CHILDREN_FLAT, CHILDREN_REPL, LINEAGE, POSITION_CHILD, POSITION_FLAT, POSITION_ROOT,
};

/// Maximum characters of an ancestor's query in a prompt.
pub const QUERY_LIMIT: usize = 300;

/// Returns the position section of an agent with a REPL.
pub(super) fn repl_position(agent: &AgentPrompt<'_>) -> Section {
    let config = &agent.config;
    let (max_depth, iterations) = (
        config.max_depth.to_string(),
        iterations_phrase(agent.iterations),
    );
    let children = children(config);
    if config.depth == 0 {
        let values = [&children, agent.invocation_id, &iterations, &max_depth];
        return Section::of(&POSITION_ROOT, POSITION, values);
    }
    let depth = config.depth.to_string();
    let lineage = lineage(agent.lineage);
    let values = [
        &children,
        &depth,
        agent.invocation_id,
        &iterations,
        &lineage,
        &max_depth,
    ];
    Section::of(&POSITION_CHILD, POSITION, values)
}

/// Returns the position section of an agent that answers in one call.
pub(super) fn flat_position(agent: &AgentPrompt<'_>) -> Section {
    let (depth, max_depth) = (
        agent.config.depth.to_string(),
        agent.config.max_depth.to_string(),
    );
    let lineage = lineage(agent.lineage);
    let values = [&depth, agent.invocation_id, &lineage, &max_depth];
    Section::of(&POSITION_FLAT, POSITION, values)
}

/// Returns `1 iteration` or `15 iterations`.
pub(super) fn iterations_phrase(count: u32) -> String {
    if count == 1 {
        "1 iteration".to_owned()
    } else {
        format!("{count} iterations")
    }
}

fn children(config: &PromptConfig) -> String {
    if !config.can_delegate() {
        return CHILDREN_FLAT.render([]);
    }
    let child_depth = (config.depth + 1).to_string();
    CHILDREN_REPL.render([&child_depth, &iterations_phrase(config.child_budget)])
}

/// One line of the lineage.
#[derive(Serialize)]
struct Ancestor<'a> {
    depth: usize,
    query: &'a str,
    /// Number of characters of the whole query, if it was truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
}

/// Formats the queries of the ancestors, root first. Returns an empty string if there are none.
fn lineage(queries: &[String]) -> String {
    if queries.is_empty() {
        return String::new();
    }
    let ancestors: Vec<String> = queries
        .iter()
        .enumerate()
        .map(|(depth, query)| ancestor_line(depth, query))
        .collect();
    LINEAGE.render([&ancestors.join("\n"), &QUERY_LIMIT.to_string()])
}

/// Formats an ancestor's query as one line of JSON that cannot end the surrounding fence.
///
/// Queries are untrusted: models and users write them. JSON escapes line breaks, which could begin
/// a heading or a list. Backticks and all other characters that could end a line or a fence are
/// also escaped.
fn ancestor_line(depth: usize, query: &str) -> String {
    let cut = query
        .char_indices()
        .nth(QUERY_LIMIT)
        .map_or(query, |(end, _)| &query[..end]);
    let length = (cut.len() < query.len()).then(|| query.chars().count());
    let json = serde_json::to_string(&Ancestor {
        depth,
        query: cut,
        length,
    })
    .expect("numbers and strings always serialize");
    let mut line = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_control() || matches!(character, '`' | '\u{2028}' | '\u{2029}') {
            write!(line, "\\u{:04x}", u32::from(character))
                .expect("writing to a string does not fail");
        } else {
            line.push(character);
        }
    }
    line
}
