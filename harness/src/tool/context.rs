//! Bundled tools that read the task's context, for agents that have the context neither in a REPL
//! nor in messages.

use std::sync::Arc;

use regex::RegexBuilder;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{BundledCall, BundledTool, Tool, ToolError, ToolScope, bundled_spec, parse};

/// Maximum characters that one call of `read_context` returns.
const MOST_READ: usize = 20_000;

/// Maximum matches that one call of `search_context` returns.
const MOST_MATCHES: usize = 50;

/// Maximum characters shown before a match, and after it.
const AROUND: usize = 100;

/// Maximum number of characters shown of a match.
const MOST_OF_MATCH: usize = 500;

/// Maximum bytes of a compiled regular expression.
const REGEX_BYTES: usize = 1 << 20;

const SPECS: [(&str, BundledCall); 3] = [
    (include_str!("../../tools/context_length.json"), length),
    (include_str!("../../tools/read_context.json"), read),
    (include_str!("../../tools/search_context.json"), search),
];

/// Returns the tools in the order in which requests list them.
pub(crate) fn tools() -> Vec<Arc<dyn Tool>> {
    let tool = |(spec, call)| {
        Arc::new(BundledTool {
            spec: bundled_spec(spec),
            variables: Vec::new(),
            call,
        }) as Arc<dyn Tool>
    };
    SPECS.into_iter().map(tool).collect()
}

fn length(arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let Nothing {} = parse(arguments)?;
    Ok(json!(scope.context.chars().count()))
}

fn read(arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part {
        start: usize,
        length: usize,
    }
    let Part { start, length } = parse(arguments)?;
    let context = &scope.context;
    let whole = context.chars().count();
    if start >= whole {
        return Err(ToolError(format!(
            "`start` is {start}, and the context has {whole} characters, of which the first is number 0"
        )));
    }
    let text: String = context
        .chars()
        .skip(start)
        .take(length.min(MOST_READ))
        .collect();
    if length <= MOST_READ {
        return Ok(json!(text));
    }
    let next = start + text.chars().count();
    Ok(json!(format!(
        "{text}\n[{MOST_READ} characters at most come at a time; go on at {next} of {whole}]"
    )))
}

fn search(arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Search {
        regex: String,
        #[serde(default)]
        start: usize,
    }
    let Search { regex, start } = parse(arguments)?;
    let context = &scope.context;
    let regex = RegexBuilder::new(&regex)
        .size_limit(REGEX_BYTES)
        .build()
        .map_err(|error| ToolError(format!("`regex` cannot be used: {error}")))?;
    let begin = context
        .char_indices()
        .nth(start)
        .map_or(context.len(), |(byte, _)| byte);
    let mut shown = Vec::new();
    let mut further = 0_usize;
    // Counts from the previous match, so that each character is counted only once.
    let (mut byte, mut character) = (begin, start);
    for found in regex.find_iter(&context[begin..]) {
        if shown.len() == MOST_MATCHES {
            further += 1;
            continue;
        }
        let (from, to) = (begin + found.start(), begin + found.end());
        character += context[byte..from].chars().count();
        byte = from;
        shown.push(json!({"at": character, "text": around(context, from, to)}));
    }
    let mut result = json!({"matches": shown});
    if further > 0 {
        result["further_matches"] = json!(further);
    }
    Ok(result)
}

/// Returns a match with the text before and after it.
fn around(context: &str, from: usize, to: usize) -> String {
    let before: Vec<char> = context[..from].chars().rev().take(AROUND).collect();
    let matched: String = context[from..to].chars().take(MOST_OF_MATCH).collect();
    let cut = matched.len() < to - from;
    let behind: String = context[to..].chars().take(AROUND).collect();
    let before: String = before.into_iter().rev().collect();
    let omitted = if cut { " […] " } else { "" };
    format!("{before}{matched}{omitted}{behind}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::tools;
    use crate::tool::ToolScope;

    #[tokio::test]
    async fn reads_and_searches_context() {
        let long = "0123456789".repeat(3_000);
        let near = format!("{}needle{}", "ä".repeat(300), "ö".repeat(300));
        let read = "read_context";
        let search = "search_context";
        let rows: [(&str, &str, Value, Result<Value, &str>); 13] = [
            ("äöü", "context_length", json!({}), Ok(json!(3))),
            (
                "äöü",
                read,
                json!({"start": 1, "length": 5}),
                Ok(json!("öü")),
            ),
            (
                &long,
                read,
                json!({"start": 9_999, "length": 2}),
                Ok(json!("90")),
            ),
            (
                &long,
                read,
                json!({"start": 5, "length": 30_000}),
                Ok(json!(format!(
                    "{}\n[20000 characters at most come at a time; go on at 20005 of 30000]",
                    &long[5..20_005]
                ))),
            ),
            (
                "abc",
                read,
                json!({"start": 3, "length": 1}),
                Err(
                    "`start` is 3, and the context has 3 characters, of which the first is number 0",
                ),
            ),
            (
                "abc",
                read,
                json!({"start": -1, "length": 1}),
                Err("the arguments do not fit: invalid value: integer `-1`, expected usize"),
            ),
            (
                "abc",
                read,
                json!({"start": 0}),
                Err("the arguments do not fit: missing field `length`"),
            ),
            (
                "abc",
                read,
                json!("abc"),
                Err("the arguments do not fit: invalid type: string \"abc\", expected struct Part"),
            ),
            (
                "äb, äc",
                search,
                json!({"regex": "ä."}),
                Ok(json!({"matches": [{"at": 0, "text": "äb, äc"}, {"at": 4, "text": "äb, äc"}]})),
            ),
            (
                "äb, äc",
                search,
                json!({"regex": "ä.", "start": 1}),
                Ok(json!({"matches": [{"at": 4, "text": "äb, äc"}]})),
            ),
            (
                &near,
                search,
                json!({"regex": "needle"}),
                Ok(
                    json!({"matches": [{"at": 300, "text": format!("{}needle{}", "ä".repeat(100), "ö".repeat(100))}]}),
                ),
            ),
            (
                "abc",
                search,
                json!({"regex": "x", "start": 9}),
                Ok(json!({"matches": []})),
            ),
            (
                "abc",
                search,
                json!({"regex": "(a"}),
                Err(
                    "`regex` cannot be used: regex parse error:\n    (a\n    ^\nerror: unclosed group",
                ),
            ),
        ];
        for (context, name, arguments, expected) in rows {
            let tool = tools()
                .into_iter()
                .find(|tool| tool.spec().name == name)
                .unwrap();
            let scope = ToolScope {
                context: context.to_owned().into(),
                ..ToolScope::default()
            };
            let got = tool.call(arguments.clone(), &scope).await;
            let got = got.map_err(|error| error.to_string());
            assert_eq!(
                got.as_ref().map_err(String::as_str),
                expected.as_ref().map_err(|e| *e),
                "{name} {arguments}"
            );
        }
        let many = tools()[2]
            .call(
                json!({"regex": "0"}),
                &ToolScope {
                    context: long.into(),
                    ..ToolScope::default()
                },
            )
            .await
            .unwrap();
        assert_eq!(many["matches"].as_array().unwrap().len(), 50);
        assert_eq!(many["further_matches"], 2_950);
    }
}
