//! Parses the arguments of tool calls.

use std::time::Duration;

use harness::Budget;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Names of the arguments that limit a call.
const LIMITS: [&str; 4] = ["max_cost", "max_tokens", "max_llm_calls", "timeout"];

/// Parses the arguments of a call, without limits.
///
/// # Errors
/// A sentence about the first invalid argument.
pub(super) fn parse<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("invalid arguments: {error}"))
}

/// Parses the arguments of a call to a tool that takes limits. The limits are parsed separately,
/// because serde's `flatten` would accept unknown arguments.
///
/// # Errors
/// A sentence about the first invalid argument.
pub(super) fn parse_limited<T: DeserializeOwned>(
    mut arguments: Map<String, Value>,
) -> Result<(T, Budget), String> {
    let [cost, tokens, calls, time] = LIMITS.map(|name| arguments.remove(name));
    let limits = Budget {
        cost_usd: limit(LIMITS[0], cost, "a number", Value::as_f64)?,
        tokens: limit(LIMITS[1], tokens, "an integer", Value::as_u64)?,
        calls: limit(LIMITS[2], calls, "an integer", Value::as_u64)?,
        time: limit(LIMITS[3], time, "a number", Value::as_f64)?.map(Duration::from_secs_f64),
    };
    let rest = parse(arguments).map_err(|problem| {
        if problem.contains("unknown field") {
            // serde's list of valid arguments lacks the limits.
            return format!("{problem}, `{}`", LIMITS.join("`, `"));
        }
        problem
    })?;
    Ok((rest, limits))
}

/// Parses an optional limit. `kind` is the JSON type to name in the error.
fn limit<T>(
    name: &str,
    value: Option<Value>,
    kind: &str,
    parse: fn(&Value) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let is_valid = value
        .as_f64()
        .is_some_and(|number| number > 0.0 && number <= 1e9);
    match parse(&value).filter(|_| is_valid) {
        Some(limit) => Ok(Some(limit)),
        None => Err(format!(
            "invalid arguments: invalid {name} {value}: expected {kind} above 0, at most 1e9"
        )),
    }
}

/// Returns the entry whose name is `named`; without a name, the first entry.
///
/// # Errors
/// A sentence with the valid names.
pub(super) fn choose<'a, T>(
    named: Option<&str>,
    offered: &'a [T],
    name: impl Fn(&T) -> &str,
) -> Result<&'a T, String> {
    let found = match named {
        None => offered.first(),
        Some(named) => offered.iter().find(|entry| name(entry) == named),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = offered.iter().map(name).collect();
        format!(
            "invalid arguments: unknown model {:?}: expected one of {}",
            named.unwrap_or_default(),
            known.join(", ")
        )
    })
}
